"""Tests that are functions or classes, run by pytest with a configuration of its own."""

import ast
import inspect
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import TestCase

import pytest

from benchmaker.scoring.program.inside.own_faults import PYTEST_FILE, OwnFaults
from benchmaker.scoring.program.inside.reached import watch_checks
from benchmaker.scoring.program.inside.report import ProgramSide, Report
from benchmaker.scoring.program.inside.source_names import checks_at_top

XFailed = pytest.xfail.Exception
_ENDED = (0, 1, 5)
"""pytest's statuses after all tests: passed, failed, none found."""


class Reporter:
    """Reports each test once, after all its phases."""

    def __init__(self, report: Report, faults: OwnFaults, statements: list[ast.stmt]) -> None:
        self._report, self._faults, self._statements = report, faults, statements
        self._failures: dict[str, str] = {}
        self._skipped: set[str] = set()
        self._doubtful: set[str] = set()
        self._collected = self._before = 0

    def pytest_collectreport(self, report: Any) -> None:  # noqa: ANN401  pytest's
        """Report a file that can't be collected, or skips itself."""
        if report.outcome == "passed" and report.nodeid.endswith(".py"):
            self._add_statements()
        elif report.outcome == "skipped" and not self._uses():
            self._report.skipped += 1
        elif report.outcome != "passed":
            self._report.planned += 1
            self._report.add("the tests' file", _first_lines(report))

    def pytest_exception_interact(self, call: Any) -> None:  # noqa: ANN401  pytest's
        """End the tests at a fault of their own."""
        exc = call.excinfo.value
        fault = self._faults.find(exc) or self._faults.find(exc.__cause__)
        if fault:
            self._report.end(fault)
        own = self._faults.before_use(exc, has_used=self._has_used())
        is_invalid = call.when == "collect" and isinstance(exc, pytest.fail.Exception)
        if is_invalid and not self._uses():
            own = str(exc).partition("\n")[0]
        if own:
            self._report.end_at(f"the setup failed: {own}" if call.when == "setup" else own)

    def pytest_sessionstart(self) -> None:
        """Let the tests' file see the program's names."""
        if self._report.client is not None:
            _prepare_modules(self._report.client)

    def pytest_collection_finish(self, session: Any) -> None:  # noqa: ANN401  pytest's
        """Count the tests."""
        self._report.planned += len(session.items)
        self._collected = self._uses()
        for item in session.items:
            if inspect.iscoroutinefunction(getattr(item, "obj", None)) and not _is_unittest(item):
                self._report.end(f"pytest does not run async def {item.name}; use asyncio.run")

    def pytest_collection(self) -> None:
        """Start the clock before the tests' file is read."""
        self._report.start_clock()
        self._watch()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note the name, in case it does not end."""
        self._report.running = _name(nodeid)
        self._before = self._uses()
        self._watch()

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:  # noqa: ANN401  pytest's
        """Note a test whose expected failure a value of the program may have chosen."""
        is_chosen = call.excinfo is not None and isinstance(call.excinfo.value, XFailed)
        is_marked = getattr(getattr(item, "obj", None), "__unittest_expecting_failure__", False)
        if (is_chosen and not is_marked) or self._has_doubtful_mark(item):
            self._doubtful.add(item.nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:  # noqa: ANN401  pytest's
        """The first phase that did not pass counts.

        A test that was skipped or is expected to fail does not count, unless a value of the program
        may be the reason.
        """
        is_used = self._uses() > self._before
        is_expected = hasattr(report, "wasxfail")
        if is_expected:
            is_doubtful = bool(self._collected or is_used) and report.nodeid in self._doubtful
        else:
            is_doubtful = is_used or bool(self._collected and self._faults.decide_skips)
        if (report.outcome == "skipped" or is_expected) and not is_doubtful:
            self._skipped.add(report.nodeid)
        elif report.outcome != "passed" or is_expected:
            self._failures.setdefault(report.nodeid, _first_lines(report))

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """All phases are over."""
        if nodeid in self._skipped and nodeid not in self._failures:
            self._report.planned -= 1
            self._report.skipped += 1
        else:
            self._report.add(_name(nodeid), self._failures.pop(nodeid, None))

    def _add_statements(self) -> None:
        """Count the assertions at the top, which passed when the file was read."""
        self._report.planned += len(self._statements)
        for node in self._statements:
            self._report.add(f"line {node.lineno}", None)

    def _has_doubtful_mark(self, item: Any) -> bool:  # noqa: ANN401  pytest's
        """True if a mark has a condition that may depend on the program."""
        marks = item.iter_markers("xfail")
        conditions = [it for mark in marks for it in (*mark.args, mark.kwargs.get("condition"))]
        is_late = any(isinstance(it, str) for it in conditions)
        return is_late or bool(self._collected and any(it is not None for it in conditions))

    def _watch(self) -> None:
        if self._report.client:
            self._report.client.watch()

    def _has_used(self) -> bool:
        """True if the program was used in this test, or defines a name of Python's own."""
        return self._uses() > self._before or bool(self._report.hidden)

    def _uses(self) -> int:
        return self._report.client.uses if self._report.client else 0


def run_functions(report: Report, tree: ast.Module, source: str) -> None:
    """Run the tests; results go to the report."""
    path = Path(PYTEST_FILE).absolute()
    path.write_text(source, "utf-8")
    watch_checks(report, tree, str(path))
    options = ["-c", "/dev/null", f"--rootdir={path.parent}", "--import-mode=importlib"]
    options += ["-p", "no:cacheprovider", "-p", "no:faulthandler", "--color=no", "--tb=short"]
    options += ["-q", "--no-header", "--noconftest", "--", str(path)]
    reporter = Reporter(report, OwnFaults(tree), checks_at_top(tree))
    status = int(pytest.main(options, plugins=[reporter]))
    if status not in _ENDED and not report.failures:
        report.problem = f"pytest stopped with status {status}"


def _name(nodeid: str) -> str:
    return nodeid.rpartition(".py::")[2]


def _first_lines(report: Any) -> str:  # noqa: ANN401  pytest's
    """The lines of a failure that say what was wrong: those that pytest marks with E."""
    if report.outcome == "skipped" and hasattr(report, "wasxfail"):
        return f"expected to fail by a value of the program: {report.wasxfail}"
    if report.outcome == "skipped":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        return f"skipped: {reason}"
    if report.outcome == "passed":
        return "passed, though it is marked as failing"
    lines = str(report.longreprtext or report.longrepr).splitlines()
    marked = [line[1:].strip() for line in lines if line.startswith("E ")]
    return "\n".join((marked or lines)[:4])


def _prepare_modules(program: ProgramSide) -> None:
    """Let pytest's importer prepare each module of tests before it runs."""
    finders: list[Any] = list(sys.meta_path)
    for hook in (it for it in finders if type(it).__name__ == "AssertionRewritingHook"):
        run = hook.exec_module

        def prepare_and_run(module: ModuleType, run: Any = run) -> None:  # noqa: ANN401  pytest's
            program.prepare(module)
            run(module)

        hook.exec_module = prepare_and_run


def _is_unittest(item: Any) -> bool:  # noqa: ANN401  pytest's
    return isinstance(getattr(item, "cls", None), type) and issubclass(item.cls, TestCase)
