"""The process of the tests: runs them against the program, and reports the verdict.

It runs in a sandbox of its own. If the program is apart, only plain values come from it, so nothing
here runs code of the answer, and nobody else can write to the verdict pipe. If the program is in
this process, the report may be forged.
"""

import ast
import importlib
import json
import os
import sys
from contextlib import suppress
from typing import Any, NoReturn

from benchmaker.scoring.program.inside.apart import RemoteProgram
from benchmaker.scoring.program.inside.assertions import run_statements
from benchmaker.scoring.program.inside.client import Unsendable
from benchmaker.scoring.program.inside.link import Link, LinkBroken
from benchmaker.scoring.program.inside.report import STARTED, VERDICT, Report, describe, set_alarm
from benchmaker.scoring.program.inside.source_names import (
    hidden_names,
    imports_pytest,
    modules_used,
    names_in_texts,
    names_of_program,
    needs_pytest,
    reads_namespace,
)
from benchmaker.scoring.program.inside.together import LocalProgram

_MESSAGE = 1200


Program = RemoteProgram | LocalProgram


def run_tests(*, is_together: bool) -> NoReturn:
    """Execute the plan on standard input; ``is_together``: with the program in this process."""
    plan: dict[str, Any] = json.load(sys.stdin.buffer)
    report = Report()
    tree = ast.parse(plan["tests"])
    is_pytest = needs_pytest(tree)
    runner: Any = _load_pytest(report) if imports_pytest(tree) else None
    program = report.client = _make_program(is_pytest=is_pytest, is_together=is_together)
    os.write(VERDICT, STARTED)
    set_alarm(report, plan["timeout"], plan["wall"])
    _load_program(report, program, tree, plan["program"])
    set_alarm(report, 0, 0)
    report.seconds, report.wall_s = plan["timeout"], plan["wall"]
    try:
        if is_pytest:
            runner.run_functions(report, tree, plan["tests"])
        else:
            report.start_clock()
            run_statements(report, tree, plan["tests"])
    except (LinkBroken, Unsendable):
        pass
    except BaseException as exc:  # noqa: BLE001  data of the program may lead to anything
        report.problem = f"the tests failed: {describe(exc)}"
    report.end()


def _make_program(*, is_pytest: bool, is_together: bool) -> Program:
    if is_together:
        return LocalProgram()
    program = RemoteProgram(Link(), "test_solution" if is_pytest else "tests")
    program.wait()
    return program


def _load_pytest(report: Report) -> Any:  # noqa: ANN401  a module
    try:
        importlib.import_module("pytest")
    except ImportError:
        report.end("pytest is not installed")
    return importlib.import_module("benchmaker.scoring.program.inside.functions")


def _load_program(report: Report, program: Program, tree: ast.Module, source: str) -> None:
    """Let the program load, and take its names; without them no test can pass."""
    try:
        names = program.load(source)
        report.hidden = hidden_names(tree, names)
        _bind(program, tree, names)
    except LinkBroken:
        report.end("load")
    except BaseException as exc:  # noqa: BLE001  whatever the program raises
        report.problem = describe(exc)
        report.end("load")


def _bind(program: Program, tree: ast.Module, names: list[str]) -> None:
    """Make the program's names available to the tests, by themselves and as a module.

    They are those that the tests use, also in texts such as ``eval("add(1, 2)")``. Names of
    Python's own functions and modules keep their meaning, whatever the program defines.
    """
    wanted = names_of_program(tree)
    texts = names_in_texts(tree, names)
    modules = modules_used(tree, wanted)
    found: dict[str, Any] = {}
    for name in dict.fromkeys((*wanted, *texts)):
        if name in modules:
            found[name] = importlib.import_module(modules[name])
        elif name in wanted:
            if name in names:
                found[name] = program.value(name)
        else:
            with suppress(Exception):  # a value that can't be sent, and that no test may use
                found[name] = program.value(name)
    looked_up = {it: found[it] for it in texts if it in found} if reads_namespace(tree) else {}
    program.bind(found, [name for name in wanted if name in names], looked_up)
