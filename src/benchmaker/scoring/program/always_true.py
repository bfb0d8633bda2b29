"""Assertions in Python that are true whatever the program does, as far as their text shows."""

import ast
from collections.abc import Iterator
from functools import lru_cache

from benchmaker.scoring.program.inside.source_names import MODULE, names_of_program

_Constant = (ast.Constant, ast.Compare, ast.cmpop, ast.UnaryOp, ast.unaryop, ast.Load)
_Branch = (ast.If, ast.Try, ast.With, ast.Match)


def find_always_true(tree: ast.Module) -> Iterator[str]:
    """Yield a message with its line for each such assertion.

    ``assert True`` in a branch stands for reaching it, and is no fault.
    """
    for node, is_in_branch in _assertions(tree):
        is_mark = is_in_branch and isinstance(node.test, ast.Constant) and node.test.value is True
        if not is_mark and is_always_true(node.test, tree):
            yield f"line {node.lineno}: {_describe(node.test)}"


def is_always_true(node: ast.expr, tree: ast.Module) -> bool:
    """True for a constant, a filled container, and the name of a function or class alone."""
    if isinstance(node, ast.BoolOp):
        every = [is_always_true(it, tree) for it in node.values]
        return any(every) if isinstance(node.op, ast.Or) else all(every)
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return any(not isinstance(it, ast.Starred) for it in node.elts)
    if isinstance(node, ast.Dict):
        return any(it is not None for it in node.keys)
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(it, ast.Constant) for it in node.values)
    if isinstance(node, ast.Lambda):
        return True
    return _is_true_constant(node) or _name_of_callable(node, tree) != ""


def _assertions(node: ast.AST, *, is_in_branch: bool = False) -> Iterator[tuple[ast.Assert, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Assert):
            yield child, is_in_branch
        is_inner = is_in_branch or isinstance(child, _Branch)
        yield from _assertions(child, is_in_branch=is_inner)


def _is_true_constant(node: ast.expr) -> bool:
    if not all(isinstance(it, _Constant) for it in ast.walk(node)):
        return False
    try:
        code = compile(ast.Expression(node), "assertion", "eval")
        return bool(eval(code, {"__builtins__": {}}))  # noqa: S307  constants, without names or calls
    except (TypeError, ValueError, SyntaxError):
        return False


def _name_of_callable(node: ast.expr, tree: ast.Module) -> str:
    """The name of a function, class or module, of the program or the tests; else empty."""
    is_of_module = isinstance(node, ast.Attribute) and ast.unparse(node.value) == MODULE
    name = node.attr if is_of_module else getattr(node, "id", "")  # type: ignore[attr-defined]
    if not name or name.isupper():
        return ""
    return name if is_of_module or name in _names_of_callables(tree) else ""


@lru_cache(maxsize=16)
def _names_of_callables(tree: ast.Module) -> frozenset[str]:
    """The names that tests take from the program, or define as functions and classes alone."""
    functions, others = set(names_of_program(tree)), set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            functions.add(node.name)
        elif isinstance(node, ast.ImportFrom) and node.module == MODULE:
            functions |= {it.asname or it.name for it in node.names}
        elif isinstance(node, ast.arg):
            others.add(node.arg)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            others.add(node.id)
    return frozenset(functions - others)


def _describe(node: ast.expr) -> str:
    if isinstance(node, ast.Tuple):
        return "the assertion of a tuple is always true; remove the ()."
    if isinstance(node, (ast.Name, ast.Attribute)):
        name = ast.unparse(node)
        return f"{name} alone is always true; call it: assert {name}(…) == …"
    return "the assertion is always true; compare a result of the program."
