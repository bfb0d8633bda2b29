"""Runs pytest with our own configuration, and reports each test's result."""

import importlib.util
import os
import sys
from pathlib import Path
from types import MethodType, ModuleType
from typing import Any


def _sibling(name: str) -> ModuleType:
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"_benchmaker_{name}", path)
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


_METHODS = frozenset({"runtest", "setup", "teardown", "repr_failure", "reportinfo"})


class Reporter:
    """Reports each test's state once, after all its phases."""

    def __init__(self, plan: dict[str, Any], tell: Any, ledger: Any) -> None:  # noqa: ANN401  loaded by path
        self._plan = plan
        self._tell = tell
        self._ledger = ledger
        self._watch: Any = None
        self._states: dict[str, tuple[str, str]] = {}
        self._items: list[tuple[Any, Any, Any]] = []

    def pytest_sessionstart(self) -> None:
        """Record the framework's state before any submitted code is loaded."""
        prefixes = ("_pytest", "pluggy", "pytest", "unittest", "_benchmaker")
        self._watch = self._ledger.ModuleWatch(
            self._ledger.modules_to_watch(*prefixes, tests=self._plan["tests"])
        )
        self._ledger.order_paths(self._plan["tests"], self._plan["workspace"])

    def pytest_collectstart(self, collector: Any) -> None:  # noqa: ANN401  pytest's
        """A test's module that is there before it was read is not the task's."""
        path = getattr(collector, "path", None)
        if type(collector).__name__ == "Module" and path is not None:
            name = path.relative_to(self._plan["tests"]).with_suffix("").as_posix()
            if name.replace("/", ".") in sys.modules:
                self._tell("meddled", detail=f"the module {name} was there before it was read")

    def pytest_collectreport(self, report: Any) -> None:  # noqa: ANN401  pytest's
        """Report a file that fails collection as an error, one that skips itself as skipped."""
        if report.outcome != "passed":
            state = "error" if report.failed else "skipped"
            self._tell("test", id=report.nodeid, state=state, detail=str(report.longrepr))

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Add a test that must fail, so that a framework which lets all pass is noticed."""
        import pytest  # noqa: PLC0415

        def fails() -> None:
            raise AssertionError("as it must")

        modules = [item.getparent(pytest.Module) for item in items]
        if found := next((module for module in modules if module is not None), None):
            made = pytest.Function.from_parent(found, name=self._plan["control"], callobj=fails)
            items.append(made)

    def pytest_collection_finish(self, session: Any) -> None:  # noqa: ANN401  pytest's
        """Record the tests after import of the code under test; they must not change."""
        import pytest  # noqa: PLC0415

        self._look()
        modules = (item.getparent(pytest.Module) for item in session.items)
        for module in dict.fromkeys(found.obj for found in modules if found is not None):
            self._watch.add(module)
        self._items = [
            (item, _function(vars(item).get("_obj")), getattr(item, "cls", None))
            for item in session.items
        ]

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Report the start, so that a hanging test has a name."""
        self._tell("begin", id=nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:  # noqa: ANN401  pytest's
        """The worst of the three phases counts."""
        state, detail = _state(report)
        if report.when == "setup" and state == "passed":
            return
        before = self._states.get(report.nodeid)
        if before is None or (before[0] == "passed" and state != "passed"):
            self._states[report.nodeid] = (state, detail)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """All phases are over."""
        state, detail = self._states.pop(nodeid, ("error", "no report"))
        self._tell("test", id=nodeid, state=state, detail=detail)
        self._look()

    def _look(self) -> None:
        if found := self._watch.find_change() or self._item_changed():
            self._tell("meddled", detail=found)

    def _item_changed(self) -> str | None:
        """A test that was made to run something else."""
        for item, function, of_class in self._items:
            own = vars(item)
            is_other = function is not None and not _runs(own.get("_obj"), function, of_class)
            if not _METHODS.isdisjoint(own) or is_other:
                return f"the test {item.name} was replaced"
        return None

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Check for tampering before pytest shuts down."""
        self._look()
        self._tell("end", status=int(exitstatus))


def _function(obj: Any) -> Any:  # noqa: ANN401  pytest's
    """The function of a test; only a real method has another one within."""
    return obj.__func__ if type(obj) is MethodType else obj


def _runs(obj: Any, function: Any, of_class: Any) -> bool:  # noqa: ANN401  pytest's
    """True if a test still runs its function, bound to an instance of its class if at all.

    A TestCase is bound to a new instance before it runs, and to nothing afterwards.
    """
    if type(obj) is MethodType:
        return obj.__func__ is function and type(obj.__self__) is of_class
    return obj is None or obj is function


def _state(report: Any) -> tuple[str, str]:  # noqa: ANN401  pytest's
    if hasattr(report, "wasxfail"):
        expected = "failed as expected" if report.skipped else "passed unexpectedly"
        return "skipped", f"{expected}: {report.wasxfail}"
    if report.failed:
        state = "failed" if report.when == "call" else "error"
        return state, str(report.longreprtext)
    if report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        return "skipped", str(reason)
    return "passed", ""


def main() -> None:
    """Run the plan; the process exits before any registered exit handlers."""
    leave = os._exit
    ledger = _sibling("ledger")
    plan = ledger.plan()
    tell = ledger.teller(plan["fd"], bytes.fromhex(plan["key"]))
    try:
        import pytest  # noqa: PLC0415
    except ImportError as exc:
        tell("missing", detail=f"pytest: {exc}")
        leave(0)
    reporter = Reporter(plan, tell, ledger)
    options = [
        *("-c", str(Path(__file__).with_name("pytest.ini")), f"--rootdir={plan['tests']}"),
        *("-p", "no:cacheprovider", "-p", "no:faulthandler", "--import-mode=importlib"),
        *(f"--confcutdir={plan['tests']}", "--color=no", "--tb=short", "-q", "--no-header"),
    ]
    pytest.main([*options, "--", *plan["paths"]], plugins=[reporter])
    sys.stdout.flush()
    leave(0)


if __name__ == "__main__":
    main()
