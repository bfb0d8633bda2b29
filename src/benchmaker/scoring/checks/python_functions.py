"""Python functions that a suite names as file.py:function, for checks and tools."""

import ast
import hashlib
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
            hint = "Read the suite again: benchmaker rescore RUN --suite FILE, or a new run."
            raise SpecError(f"{file} has changed since the suite was read.", hint=hint)
        return source

    def fault(self) -> str:
        """Return the reason why there is no such function, or it is refused; empty if there is."""
        try:
            source = self.source()
            file, name = self.parts
            defined = _names(source, file)
        except SpecError as exc:
            return f"{exc}"
        return "" if name in defined else f"{file} defines no {name!r}."


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


def _names(source: str, file: Path) -> set[str]:
    """The names that the file may define at its top level."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as exc:
        line = getattr(exc, "lineno", None) or 0
        raise SpecError(f"{file}:{line}: {getattr(exc, 'msg', exc)}.") from exc
    return {name for node in ast.walk(tree) for name in _names_of(node)}


def _names_of(node: ast.AST) -> tuple[str, ...]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return (node.name,)
    if isinstance(node, ast.alias):
        return (node.asname or node.name,)
    return (node.id,) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else ()
