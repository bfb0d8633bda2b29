"""Failures that are the tests' own fault, whatever the program is."""

import ast
import re
import sys
from copy import deepcopy
from types import ModuleType

from benchmaker.scoring.program.inside.places import frames_of, is_through_program
from benchmaker.scoring.program.inside.program_values import Place, ProgramValues
from benchmaker.scoring.program.inside.report import describe
from benchmaker.scoring.program.inside.source_names import (
    MODULE,
    inner_names,
    names_of_program,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traceback import FrameSummary

_FRAMEWORKS = frozenset(
    {"approx", "expect", "fixture", "mark", "mocker", "mock", "np", "parametrize", "patch", "pd"}
    | {"pytest", "raises", "unittest", "MagicMock", "Mock", "TestCase"}
)
"""Names that tests take from libraries; no program is expected to define them."""

TESTS_FILE = "tests"
PYTEST_FILE = "test_solution.py"
_WRONG_CALL = re.compile(
    r"(?:TestCase\.)?(\w+)\(\) (?:missing|takes|got (?:an unexpected|multiple))"
)
_FILES = (TESTS_FILE, PYTEST_FILE)
_NOT_OWN = (AssertionError, NameError, ImportError, MemoryError)
"""Errors that the program may cause without a call of it, and results of tests."""


def is_skip(exc: BaseException) -> bool:
    """True for the exceptions by which tests skip themselves in pytest and unittest."""
    kind, cases = type(exc), sys.modules.get("unittest.case")
    if cases is not None and isinstance(exc, cases.SkipTest):
        return True
    return (kind.__module__, kind.__name__) == ("builtins", "Skipped")


class OwnFaults:
    """Tells the faults of tests from those of the program."""

    def __init__(self, tree: ast.Module) -> None:
        self._wanted = frozenset(names_of_program(tree))
        self._inner = inner_names(tree) - self._wanted
        self._values = ProgramValues(deepcopy(tree), _FRAMEWORKS)

    def find(self, exc: BaseException | None) -> str:
        """Return why the tests can't run; empty if the program may be why.

        A name that is not defined is expected of the program, unless it is known from libraries, or
        the tests define it in another function.
        """
        if exc is None or getattr(exc, "_is_of_program_", False) or is_through_program(exc):
            return ""
        if isinstance(exc, ImportError):
            module = str(exc.name or "").partition(".")[0]
            return "" if module == MODULE else describe(exc)
        if type(exc).__name__ == "FixtureLookupError":
            return f"fixture {getattr(exc, 'argname', '')!r} not found"
        is_own = isinstance(exc, NameError) and self._is_known_name(exc)
        return describe(exc) if is_own or self._is_wrong_use(exc) else ""

    def before_use(self, exc: BaseException, *, has_used: bool) -> str:
        """Return an error of the tests at a place that uses nothing of the program; else empty.

        ``has_used``: code of the program ran in this test. Without a call, the test may have used
        its classes and constants, which shows in the text alone.
        """
        is_theirs = getattr(exc, "_is_of_program_", False) or is_through_program(exc)
        if has_used or is_theirs or not isinstance(exc, Exception):
            return ""
        if isinstance(exc, _NOT_OWN) or is_skip(exc):
            return ""
        places = _places_in_tests(exc)
        if self._values.is_used(places):
            return ""
        return f"{describe(exc)} (line {places[-1][0]})" if places else describe(exc)

    @property
    def decide_skips(self) -> bool:
        """True if a value of the program may decide at the top that a test is skipped."""
        return self._values.decide_skips()

    def _is_known_name(self, exc: NameError) -> bool:
        is_free = isinstance(exc, UnboundLocalError) or "free variable" in str(exc)
        return exc.name in _FRAMEWORKS or (exc.name in self._inner and not is_free)

    def _is_wrong_use(self, exc: BaseException) -> bool:
        """True if a line of the tests uses a library, or the framework, in a wrong way."""
        frames = frames_of(exc)
        if not frames or not _is_of_tests(frames[-1]):
            return False
        if isinstance(exc, AttributeError):
            of, name = exc.obj, exc.name or ""
            is_module = isinstance(of, ModuleType) and of.__name__ != MODULE
            return is_module or (_is_test_case(of) and name.startswith("assert"))
        found = _WRONG_CALL.match(str(exc)) if isinstance(exc, TypeError) else None
        return found is not None and found[1] not in self._wanted and _is_of_framework(found)


def _is_of_framework(call: re.Match[str]) -> bool:
    if call[1] in _FRAMEWORKS:
        return True
    from unittest import TestCase  # noqa: PLC0415  see start.py

    return call[0].startswith("TestCase.") and hasattr(TestCase, call[1])


def _is_test_case(value: object) -> bool:
    cases = sys.modules.get("unittest.case")
    return cases is not None and isinstance(value, cases.TestCase)


def _is_of_tests(frame: "FrameSummary") -> bool:
    return frame.filename.rpartition("/")[2] in _FILES


def _places_in_tests(exc: BaseException) -> list[Place]:
    """The places of the tests in a traceback, that of the error last."""
    found = []
    for it in filter(_is_of_tests, frames_of(exc)):
        columns = (
            -1 if it.colno is None else it.colno,
            -1 if it.end_colno is None else it.end_colno,
        )
        found.append((it.lineno or 0, it.end_lineno or 0, *columns))
    return found
