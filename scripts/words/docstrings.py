"""The prose of docstrings, without examples and literal blocks."""

import ast
import inspect
import re
from collections.abc import Iterator
from typing import TypeGuard

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

_SECTION = re.compile(r"^(?:Args|Returns|Raises|Yields|Attributes|Examples?|Note):$")
_ITEM = re.compile(r"^\s*(?:[-*]|\d+\.)\s+|^\s*[\w`.*, ]{1,40}: ")


def public_docstrings(module: ast.Module) -> Iterator[tuple[ast.Constant, bool]]:
    """The docstrings of a module's public names, each with whether it describes a yes or no."""
    yield from _own(module)
    yield from _of_body(module.body)


def paragraphs(words: str, first: int) -> Iterator[tuple[int, str]]:
    """The prose of a docstring at line ``first``: paragraphs, and items of lists and sections."""
    piece: list[str] = []
    for number, line in enumerate([*_prose(words), ""], first):
        if piece and (not line.strip() or _is_item(line)):
            yield first, "\n".join(piece)
            piece = []
        if line.strip():
            first = first if piece else number
            piece.append(line)


def _of_body(body: list[ast.stmt]) -> Iterator[tuple[ast.Constant, bool]]:
    named: ast.stmt | None = None
    for node in body:
        if isinstance(node, Documented) and not node.name.startswith("_"):
            yield from _own(node)
            yield from _of_body(node.body if isinstance(node, ast.ClassDef) else [])
        elif isinstance(node, ast.Expr) and _is_text(node.value) and _is_public(named):
            yield node.value, is_boolean(named)
        named = node


def _own(node: Documented) -> Iterator[tuple[ast.Constant, bool]]:
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and _is_text(first.value):
        yield first.value, is_boolean(node)


def _is_text(node: ast.expr) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_public(node: ast.stmt | None) -> bool:
    target = {ast.Assign: "targets", ast.AnnAssign: "target"}.get(type(node))
    found = getattr(node, target) if target else None
    name = found[0] if isinstance(found, list) else found
    return isinstance(name, ast.Name) and not name.id.startswith("_")


def is_boolean(node: ast.AST | None) -> bool:
    """True for a function that returns, or a field that holds, a yes or no."""
    kind = getattr(node, "returns", None) or getattr(node, "annotation", None)
    return kind is not None and bool(re.search(r"\bbool\b|\bType(?:Is|Guard)\b", ast.unparse(kind)))


def _prose(text: str) -> Iterator[str]:
    """Each line, those of examples and literal blocks and the names of sections empty."""
    margin = _margin(text)
    literal: int | None = None
    is_session = False
    for line in text.split("\n"):
        depth = len(line) - len(line.lstrip())
        is_session = bool(line.strip()) and (is_session or line.lstrip().startswith(">>>"))
        if literal is not None and line.strip() and depth <= literal:
            literal = None
        hidden = is_session or literal is not None or _SECTION.match(line.strip())
        if literal is None and (line.rstrip().endswith("::") or _is_example(line)):
            literal = max(depth, margin)
        yield "" if hidden else line.rstrip()


def _margin(text: str) -> int:
    """The indentation of a docstring's lines after the first."""
    rest = [line for line in text.split("\n")[1:] if line.strip()]
    return min((len(it) - len(it.lstrip()) for it in rest), default=0)


def _is_example(line: str) -> bool:
    return inspect.cleandoc(line) in {"Example:", "Examples:"}


def _is_item(line: str) -> bool:
    return bool(_ITEM.match(line))
