"""pytest and unittest, run by our own sealed runner over the task's own files."""

from pathlib import Path
from typing import Any, Final

import msgspec

from benchmaker.arenas.agentic.verify import runner
from benchmaker.arenas.agentic.verify.finding import Finding, error, failed, one_line
from benchmaker.arenas.agentic.verify.frameworks.stated import stated_tests, test_files
from benchmaker.arenas.agentic.verify.frameworks.tests import TestCase, settled
from benchmaker.arenas.agentic.verify.place import Place, not_clean
from benchmaker.sandbox import WORKSPACE, Isolation, sealing
from benchmaker.spec.criterion import TestsPass
from benchmaker.structs import resolved

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


def inside(place: Place) -> dict[str | Path, str]:
    """Where the runner and the tests stand inside; only a namespace can show them elsewhere."""
    tests = place.prepared.tests
    if place.isolation is Isolation.PROCESS:
        return {path: str(path) for path in (tests, RUNNER, SEALING)}
    return {tests: _INSIDE_TESTS, RUNNER: _INSIDE_RUNNER, SEALING: _INSIDE_SEALING}


async def run_python_tests(criterion: TestsPass, place: Place) -> Finding:
    """Run the task's own test files, which nothing inside can change."""
    paths = test_files(place.prepared.tests, criterion.paths, criterion.framework)
    if not paths:
        return error("the task has no test files for this criterion; put them into tests/")
    if place.unheard is not None:
        return place.unheard
    reads = inside(place)
    tests = reads[place.prepared.tests]
    plan: dict[str, Any] = {
        "framework": criterion.framework,
        "tests": tests,
        "paths": [f"{tests}/{path}" for path in paths],
        "workspace": "." if place.isolation is Isolation.PROCESS else WORKSPACE,
        "seconds": criterion.timeout_s,
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
        verdict = msgspec.json.decode(ended.channel, type=resolved(_Verdict))
    except msgspec.DecodeError:
        return failed(f"the runner was ended before it spoke: {one_line(ended.stderr)}")
    expected = stated_tests(place.prepared.tests, paths, criterion.framework)
    return _settled(verdict, criterion, expected)


def _settled(verdict: _Verdict, criterion: TestsPass, expected: tuple[str, ...]) -> Finding:
    if verdict.missing:
        return error(f"{verdict.missing}. Install it where benchmaker is installed.")
    found = settled(verdict.tests, criterion, expected=expected)
    if not verdict.problem:
        return found
    last = f" The last test begun was {one_line(verdict.begun)}." if verdict.begun else ""
    more = f"\n{found.evidence}" if found.state == "fail" else ""
    return failed(f"The run is not believed: {one_line(verdict.problem)}.{last}{more}")
