"""The process of the tests: runs them against the program, and reports the verdict.

It runs in a sandbox of its own. Only plain values come from the program, so nothing here runs code
of the answer, and nobody else can write to the verdict pipe.
"""

import ast
import builtins
import importlib
import json
import os
import sys
from types import ModuleType
from typing import Any, NoReturn

from benchmaker.scoring.program.inside.assertions import run_statements
from benchmaker.scoring.program.inside.client import Client, Unsendable
from benchmaker.scoring.program.inside.link import Link, LinkBroken
from benchmaker.scoring.program.inside.report import STARTED, VERDICT, Report, describe, set_alarm
from benchmaker.scoring.program.inside.source_names import (
    MODULE,
    hidden_names,
    modules_used,
    names_of_program,
    needs_pytest,
)

_MESSAGE = 1200


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
    module.__all__ = [name for name in wanted if name in names]
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

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("__"):
            raise self.__dict__["_client"].refuse(f"replace {name} of the program")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise self.__dict__["_client"].refuse(f"replace {name} of the program")
