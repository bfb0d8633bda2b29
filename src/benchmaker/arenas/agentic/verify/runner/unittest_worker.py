"""Runs the standard library's unittest over given files, and reports each test."""

import importlib.util
import os
import sys
import traceback
import unittest
from pathlib import Path
from types import ModuleType
from typing import Any


def _load_module(name: str, path: Path) -> ModuleType:
    """A module out of this very file, whatever else has its name."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class Result(unittest.TestResult):
    """Reports each test's state once."""

    def __init__(self, tell: Any, watch: Any) -> None:  # noqa: ANN401  loaded by path
        super().__init__()
        self._tell = tell
        self.watch = watch
        self._state = ("error", "no report")

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802  unittest's
        """Report the start, so that a hanging test has a name."""
        super().startTest(test)
        self._state = ("error", "no report")
        self._tell("begin", id=test.id())

    def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802  unittest's
        """All of it is over."""
        super().stopTest(test)
        state, detail = self._state
        self._tell("test", id=test.id(), state=state, detail=detail)
        self.look()

    def look(self) -> None:
        """Check for tampering."""
        if found := self.watch.find_change():
            self._tell("meddled", detail=found)

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802  unittest's
        """Passed, unless a part of it did not."""
        super().addSuccess(test)
        if self._state[1] == "no report":
            self._state = ("passed", "")

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: ANN401, N802  unittest's
        """An assertion failed."""
        super().addFailure(test, err)
        self._state = ("failed", _traceback(err))

    def addError(self, test: unittest.TestCase, err: Any) -> None:  # noqa: ANN401, N802  unittest's
        """Record another exception; outside of a test it is reported immediately."""
        super().addError(test, err)
        self._state = ("error", _traceback(err))
        if not isinstance(test, unittest.TestCase):
            self._tell("test", id=test.id(), state="error", detail=_traceback(err))

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802  unittest's
        """Skipped."""
        super().addSkip(test, reason)
        self._state = ("skipped", reason)
        if not isinstance(test, unittest.TestCase):
            self._tell("test", id=test.id(), state="skipped", detail=reason)

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: ANN401, N802  unittest's
        """No pass."""
        super().addExpectedFailure(test, err)
        self._state = ("skipped", "failed as expected")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802  unittest's
        """No pass."""
        super().addUnexpectedSuccess(test)
        self._state = ("skipped", "passed unexpectedly")

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:  # noqa: ANN401, N802  unittest's
        """A part that fails lets the whole fail."""
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._state = ("failed", f"{subtest.id()}: {_traceback(err)}")


def _traceback(err: Any) -> str:  # noqa: ANN401  unittest's
    return "".join(traceback.format_exception(*err))


def _control(name: str) -> unittest.TestCase:
    """A test that must fail, so that a framework which lets all pass is noticed."""

    def runTest(self: unittest.TestCase) -> None:  # noqa: N802  unittest's
        self.assertEqual(name, "")  # noqa: PT009  what is watched

    kind = type(name, (unittest.TestCase,), {name: runTest, "__module__": "control"})
    made: unittest.TestCase = kind(name)
    return made


def main() -> None:
    """Run the plan; the process exits before any registered exit handlers."""
    leave = os._exit
    ledger = _load_module("_benchmaker_ledger", Path(__file__).with_name("ledger.py"))
    plan = ledger.plan()
    tell = ledger.teller(plan["fd"], bytes.fromhex(plan["key"]))
    control = _control(plan["control"])
    modules = ledger.modules_to_watch("unittest", "_benchmaker", tests=plan["tests"])
    result = Result(tell, ledger.ModuleWatch(modules))
    ledger.order_paths(plan["tests"], plan["workspace"])
    loader, suite = unittest.TestLoader(), unittest.TestSuite()
    for path in map(Path, plan["paths"]):
        name = path.relative_to(plan["tests"]).with_suffix("").as_posix().replace("/", ".")
        try:
            module = _load_module(name, path)
            result.watch.add(module)
            suite.addTest(loader.loadTestsFromModule(module))
        except unittest.SkipTest as exc:
            tell("test", id=name, state="skipped", detail=str(exc))
        except BaseException:  # noqa: BLE001  code under test may raise anything
            tell("test", id=name, state="error", detail=traceback.format_exc())
        result.look()
    suite.addTest(control)
    suite.run(result)
    result.look()
    tell("end", status=0)
    sys.stdout.flush()
    leave(0)


if __name__ == "__main__":
    main()
