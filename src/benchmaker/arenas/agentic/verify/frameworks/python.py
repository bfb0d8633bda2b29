"""pytest and unittest, run by our own sealed runner over the task's own files."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from benchmaker.arenas.agentic.verify import runner
from benchmaker.arenas.agentic.verify.criterion_context import GradingContext, not_clean
from benchmaker.arenas.agentic.verify.finding import Finding, error_with, fail_with, one_line
from benchmaker.arenas.agentic.verify.frameworks.tests import TestCase, finding_of_tests
from benchmaker.arenas.agentic.verify.patterns import matcher
from benchmaker.arenas.agentic.verify.workspace import files
from benchmaker.sandbox import WORKSPACE, Isolation, sealing, wall_limit
from benchmaker.spec.tasks.criterion import TestsPass
from benchmaker.structs import resolve_type

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def test_files(tests: Path, patterns: tuple[str, ...], framework: str) -> list[str]:
    """The files with tests: those that the patterns name, else those of the usual names."""
    usual = ("**/test_*.py", "**/*_test.py") if framework == "pytest" else ("**/test*.py",)
    is_named = matcher(patterns or usual)
    is_python = matcher(("**/*.py",))
    names = (path for path in files(tests) if is_named(path) and is_python(path))
    return [path for path in names if path.rpartition("/")[2] not in ("conftest.py", "__init__.py")]


def stated_tests(tests: Path, paths: list[str], framework: str) -> tuple[str, ...]:
    """The ids of tests that are surely there, in the framework's own form.

    Those that only come into being when a module is run are not among them.
    """
    found: list[str] = []
    for path in paths:
        try:
            module = ast.parse((tests / path).read_bytes())
        except (SyntaxError, ValueError):
            continue
        found += _of_pytest(module, path) if framework == "pytest" else _of_unittest(module, path)
    return tuple(found)


def _of_pytest(module: ast.Module, path: str) -> Iterator[str]:
    for node in module.body:
        if isinstance(node, _Function) and node.name.startswith("test"):
            yield f"{path}::{node.name}"
        elif isinstance(node, ast.ClassDef) and (_is_test_case(node) or _is_pytest_class(node)):
            yield from (f"{path}::{node.name}::{name}" for name in _methods(node))


def _of_unittest(module: ast.Module, path: str) -> Iterator[str]:
    name = path.removesuffix(".py").replace("/", ".")
    for node in module.body:
        if isinstance(node, ast.ClassDef) and _is_test_case(node):
            yield from (f"{name}.{node.name}.{method}" for method in _methods(node))


def _is_test_case(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).rpartition(".")[2].endswith("TestCase") for base in node.bases)


def _is_pytest_class(node: ast.ClassDef) -> bool:
    return node.name.startswith("Test") and "__init__" not in {
        one.name for one in node.body if isinstance(one, _Function)
    }


def _methods(node: ast.ClassDef) -> Iterator[str]:
    for one in node.body:
        if isinstance(one, _Function) and one.name.startswith("test"):
            yield one.name


RUNNER: Final = Path(runner.__file__).parent
SEALING: Final = Path(sealing.__file__)
_INSIDE_TESTS: Final = "/tests"
_INSIDE_RUNNER: Final = "/benchmaker/runner"
_INSIDE_SEALING: Final = "/benchmaker/sealing.py"
_GRACE_S: Final = 5.0


class _Verdict(msgspec.Struct):
    tests: list[TestCase]
    problem: str
    missing: str
    begun: str


def mount_points(place: GradingContext) -> dict[str | Path, str]:
    """Return the mount points of the runner and the tests; only a namespace can change them."""
    tests = place.prepared.tests
    if place.isolation is Isolation.PROCESS:
        return {path: str(path) for path in (tests, RUNNER, SEALING)}
    return {tests: _INSIDE_TESTS, RUNNER: _INSIDE_RUNNER, SEALING: _INSIDE_SEALING}


async def run_python_tests(criterion: TestsPass, place: GradingContext) -> Finding:
    """Run the task's own test files, which the code under test cannot change."""
    paths = test_files(place.prepared.tests, criterion.paths, criterion.framework)
    if not paths:
        return error_with("the task has no test files for this criterion; put them in tests/")
    if place.channel_error is not None:
        return place.channel_error
    reads = mount_points(place)
    tests = reads[place.prepared.tests]
    plan: dict[str, Any] = {
        "framework": criterion.framework,
        "tests": tests,
        "paths": [f"{tests}/{path}" for path in paths],
        "workspace": "." if place.isolation is Isolation.PROCESS else WORKSPACE,
        "cpu_s": criterion.timeout_s,
        "wall_s": wall_limit(criterion.timeout_s),
    }
    argv = ("python3", "-I", "-S", "-B", f"{reads[RUNNER]}/tests.py", reads[SEALING])
    ended = await place.run(
        argv,
        seconds=criterion.timeout_s + _GRACE_S,
        stdin=msgspec.json.encode(plan),
        reads=reads,
    )
    if (finding := not_clean(ended, argv)) is not None:
        return finding
    try:
        verdict = msgspec.json.decode(ended.channel, type=resolve_type(_Verdict))
    except msgspec.DecodeError:
        return fail_with(
            f"the test runner was stopped before it reported: {one_line(ended.stderr)}"
        )
    expected = stated_tests(place.prepared.tests, paths, criterion.framework)
    return _to_finding(verdict, criterion, expected)


def _to_finding(verdict: _Verdict, criterion: TestsPass, expected: tuple[str, ...]) -> Finding:
    if verdict.missing:
        return error_with(f"{verdict.missing}. Install it where benchmaker is installed.")
    found = finding_of_tests(verdict.tests, criterion, expected=expected)
    if not verdict.problem:
        return found
    last = f" The last started test was {one_line(verdict.begun)}." if verdict.begun else ""
    more = f"\n{found.evidence}" if found.state == "fail" else ""
    return fail_with(f"The test run is not trusted: {one_line(verdict.problem)}.{last}{more}")
