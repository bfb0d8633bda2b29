"""The process of the tests: runs them against the program, and reports the verdict.

It runs in a sandbox of its own. Only plain values come from the program, so nothing here runs code
of the answer, and nobody else can write to the verdict pipe.
"""

import ast
import builtins
import importlib
import json
import os
import signal
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from benchmaker.scoring.program.inside.assertions import run_statements
from benchmaker.scoring.program.inside.link import Link, LinkBroken
from benchmaker.scoring.program.inside.names import (
    MODULE,
    hidden_names,
    modules_used,
    names_of_program,
    needs_pytest,
)
from benchmaker.scoring.program.inside.remote import Client, Unsendable

VERDICT = 3
STARTED = b"started\n"
"""Written before the verdict, when both processes have started."""

FILE = "test_solution.py"
_MOST = 200
_MESSAGE = 1200


class Report:
    """The results so far, and the verdict made of them."""

    def __init__(self) -> None:
        self.planned = 0
        self.passed = 0
        self.failures: list[list[str]] = []
        self.running = ""
        self.problem = ""
        self.client: Client | None = None
        self.hidden: list[str] = []
        self.seconds = 0.0
        self._began = time.monotonic()
        self._write, self._leave = os.write, os._exit

    def start_clock(self) -> None:
        """Start the time limit of the tests, which does not include the start of a framework."""
        set_alarm(self, self.seconds)

    def add(self, name: str, failure: str | None) -> None:
        """Add the result of a test: the message of its failure, or None."""
        self.running = ""
        if failure is None:
            self.passed += 1
        elif len(self.failures) < _MOST:
            self.failures.append([name[:200], failure[:_MESSAGE]])

    def end(self, reason: str = "") -> NoReturn:
        """Write the verdict and end the process; ``reason`` says why tests were not finished."""
        client = self.client
        verdict = {
            "planned": self.planned,
            "passed": self.passed,
            "failures": self.failures,
            "running": self.running,
            "reason": reason,
            "problem": self.problem or (client.problem if client else ""),
            "unsendable": client.unsendable if client else "",
            "own_words": client.own_words if client else 0,
            "hidden": self.hidden,
            "seconds": round(time.monotonic() - self._began, 3),
        }
        text = memoryview(json.dumps(verdict).encode())
        while text:
            text = text[self._write(VERDICT, text) :]
        self._leave(0)


def run_tests() -> NoReturn:
    """Execute the plan on standard input."""
    plan: dict[str, Any] = json.load(sys.stdin.buffer)
    report = Report()
    tree = ast.parse(plan["tests"])
    is_pytest = needs_pytest(tree)
    runner: Any = _load_pytest(report) if is_pytest else None
    client = report.client = Client(Link(), "test_solution" if is_pytest else "tests")
    client.wait()
    os.write(VERDICT, STARTED)
    set_alarm(report, plan["timeout"])
    _load_program(report, client, tree, plan["program"])
    set_alarm(report, 0)
    report.seconds = plan["timeout"]
    try:
        if is_pytest:
            runner.run_functions(report, plan["tests"])
        else:
            report.start_clock()
            run_statements(report, tree, plan["tests"])
    except (LinkBroken, Unsendable):
        pass
    except BaseException as exc:  # noqa: BLE001  data of the program may lead to anything
        report.problem = f"the tests failed: {describe(exc)}"
    report.end()


def _load_pytest(report: Report) -> Any:  # noqa: ANN401  a module
    try:
        importlib.import_module("pytest")
    except ImportError:
        report.end("pytest is not installed")
    return importlib.import_module("benchmaker.scoring.program.inside.functions")


def set_alarm(report: Report, seconds: float) -> None:
    """Report the tests so far when the time is over, wherever they are; 0 for never."""

    def stop(*_: object) -> NoReturn:
        report.end("timeout")

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _load_program(report: Report, client: Client, tree: ast.Module, source: str) -> None:
    """Let the program load, and take its names; without them no test can pass."""
    try:
        names = [str(name) for name in client.request("load", source)]
        report.hidden = hidden_names(tree, names)
        _bind(client, tree, names)
    except LinkBroken:
        report.end("load")
    except BaseException as exc:  # noqa: BLE001  whatever the program raises
        report.problem = describe(exc)
        report.end("load")


def _bind(client: Client, tree: ast.Module, names: list[str]) -> None:
    """Make the program's names available to the tests, by themselves and as a module.

    Names of Python's own functions and modules keep their meaning, whatever the program defines.
    """
    wanted = names_of_program(tree)
    modules = modules_used(tree, wanted)
    for name in wanted:
        if name in modules:
            setattr(builtins, name, importlib.import_module(modules[name]))
        elif name in names:
            setattr(builtins, name, client.request("name", name))
    module = _ProgramModule(client)
    module.__all__ = [name for name in wanted if name in names]  # type: ignore[attr-defined]
    sys.modules[MODULE] = module


class _ProgramModule(ModuleType):
    """The program as the module ``solution``."""

    def __init__(self, client: Client) -> None:
        super().__init__(MODULE)
        self.__dict__["_client"] = client

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  any value
        if name.startswith("__"):
            raise AttributeError(name)
        return self.__dict__["_client"].request("name", name)


def describe(exc: BaseException) -> str:
    """An exception in a line, with the place in the program if it has one."""
    try:
        text = str(exc)
    except Exception:  # noqa: BLE001  an exception of the program
        text = ""
    notes = [str(note) for note in getattr(exc, "__notes__", ())]
    place = f" ({notes[0]})" if notes else ""
    return f"{type(exc).__name__}: {text}".rstrip(": ")[:_MESSAGE] + place


def write_tests(source: str) -> Path:
    """Write the tests where nobody else can read them; return the file."""
    path = Path(FILE).absolute()
    path.write_text(source, "utf-8")
    return path
