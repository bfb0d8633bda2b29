"""Python functions that a suite names as file.py:function, for checks and tools."""

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmaker.errors import SpecError
from benchmaker.plugins import NAMED_ONLY

FORM = "Write it as file.py:function."
"""The remedy for a value that names no function."""


class PythonFunction(NamedTuple):
    """A function of a file, at whose path relative to the working directory it starts.

    ``sha256`` is that of the file when the suite was read, if it is known. ``what`` is the use of
    the function, for messages.
    """

    value: str
    sha256: str | None = None
    what: str = "check"

    @property
    def parts(self) -> tuple[Path, str]:
        """The file and the name of the function.

        Raises:
            SpecError: the value has another form.
        """
        path, _, name = self.value.rpartition(":")
        if not path or not name.isidentifier():
            raise SpecError(f"no function in {self.value!r}.", hint=FORM)
        return Path(path).expanduser().absolute(), name

    def source(self) -> str:
        """Return the source of the file.

        Raises:
            SpecError: it can't be read, or is another than the suite was read with, or code is
                refused here.
        """
        if NAMED_ONLY.get():
            raise SpecError(
                f"a python {self.what} runs code, which is not allowed on a shared server.",
                hint="Ask the administrator to install it as a plug-in, and use its id."
                if self.what == "check"
                else "Use a tool with a reply.",
            )
        file, _ = self.parts
        source = _read(file)
        if self.sha256 is not None and digest(source) != self.sha256:
            hint = (
                "Read the suite again: benchmaker rescore RUN --suite FILE, or a new run."
                if self.what == "check"
                else "Restore the file, or start a new run."
            )
            raise SpecError(f"{file} has changed since the suite was read.", hint=hint)
        return source

    def node(self) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """Return the function as it is written; None if that does not tell its parameters.

        Raises:
            SpecError: as :meth:`source`, or the file is no Python.
        """
        file, name = self.parts
        node = definition(self.source(), file, name)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.decorator_list:
            return node
        return None

    def fault(self) -> str:
        """Return the reason why there is no such function, or it is refused; empty if there is."""
        try:
            source = self.source()
            file, name = self.parts
            node = definition(source, file, name)
        except SpecError as exc:
            return f"{exc}"
        if node is None:
            return f"{file} defines no {name!r}."
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if isinstance(value, _DATA):
            return f"{file}:{node.lineno}: {name!r} is no function."
        return ""


def digest(source: str) -> str:
    """Return the SHA-256 of a source."""
    return hashlib.sha256(source.encode()).hexdigest()


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode()
    except (OSError, ValueError) as exc:
        reason = getattr(exc, "strerror", None) or "it is not UTF-8"
        hint = "Put it beside the suite's file; it is not part of an uploaded suite."
        raise SpecError(f"{file} can't be read: {reason}.", hint=hint) from exc


_DATA = (
    ast.Constant, ast.Dict, ast.List, ast.Set, ast.Tuple, ast.JoinedStr, ast.ListComp, ast.DictComp,
    ast.SetComp,
)  # fmt: skip
"""Expressions whose value can't be called."""

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def definition(source: str, file: Path, name: str) -> ast.stmt | None:
    """Return the last statement of a file's top level that may define a name; None without any.

    The file does not run. Statements inside ``if``, ``try`` and the like count.

    Raises:
        SpecError: the file is no Python.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as exc:
        line = getattr(exc, "lineno", None) or 0
        raise SpecError(f"{file}:{line}: {getattr(exc, 'msg', exc)}.") from exc
    found = [node for node in _statements(tree) if _names_of(node) & {name, "*"}]
    return found[-1] if found else None


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements inside a node that run at its top level, in order."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.stmt):
            yield inner
        if not isinstance(inner, _SCOPES):
            yield from _statements(inner)


def _names_of(node: ast.stmt) -> set[str]:
    """The names that a statement may define."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {node.name}
        case ast.Import() | ast.ImportFrom():
            return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        case _:
            inside = (it for it in ast.walk(node) if isinstance(it, ast.Name))
            return {it.id for it in inside if isinstance(it.ctx, ast.Store)}
