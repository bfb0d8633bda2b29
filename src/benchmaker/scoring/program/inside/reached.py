"""The first check of the tests that is executed."""

import ast
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from benchmaker.scoring.program.inside.report import Report
from benchmaker.scoring.program.inside.source_names import is_checking

_INNER = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
"""Names of code that belongs to the function around it."""

Tracer = Callable[[FrameType, str, Any], Any]


def watch_checks(report: Report, tree: ast.Module, file: str) -> None:
    """Note in the report when a line with a check is executed, in code of the tests' file.

    The tests are traced until the first check, or the first use of the program.
    """
    places = set(_places(tree, "<module>"))

    def see_line(frame: FrameType, event: str, _: object) -> Tracer:
        name = frame.f_code.co_name
        place = (frame.f_lineno, "" if name in _INNER else name)
        if event == "line" and place in places:
            report.is_checked = True
            sys.settrace(None)
        return see_line

    def see_call(frame: FrameType, event: str, _: object) -> Tracer | None:  # noqa: ARG001  Python's
        if report.client and report.client.uses:
            sys.settrace(None)
        return see_line if frame.f_code.co_filename == file else None

    sys.settrace(see_call)


def _places(node: ast.AST, name: str) -> Iterator[tuple[int, str]]:
    """The lines of checks, each with the name of the function around it, and without one."""
    if is_checking(node):
        lines = range(node.lineno, node.end_lineno + 1)  # type: ignore[attr-defined]
        yield from ((line, one) for line in lines for one in (name, ""))
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        name = node.name
    elif isinstance(node, ast.Lambda):
        name = "<lambda>"
    for child in ast.iter_child_nodes(node):
        yield from _places(child, name)
