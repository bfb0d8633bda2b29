"""Failures that are the tests' own fault, whatever the program is."""

from benchmaker.scoring.program.inside.report import describe
from benchmaker.scoring.program.inside.source_names import MODULE

_FRAMEWORKS = frozenset(
    {"approx", "expect", "fixture", "mark", "mocker", "mock", "np", "parametrize", "patch", "pd"}
    | {"pytest", "raises", "unittest", "MagicMock", "Mock", "TestCase"}
)
"""Names that tests take from libraries; no program is expected to define them."""


def own_fault(exc: BaseException | None) -> str:
    """Return why the tests can't run: a library is missing; empty if the program may be why.

    A name that is not defined is expected of the program, unless it is known from libraries.
    """
    if exc is None or getattr(exc, "_is_of_program_", False):
        return ""
    if isinstance(exc, ImportError):
        module = str(exc.name or "").partition(".")[0]
        return "" if module == MODULE else describe(exc)
    is_library = isinstance(exc, NameError) and exc.name in _FRAMEWORKS
    return describe(exc) if is_library else ""
