"""Criteria that run a command: its status, its output, its findings, its time and memory."""

import math

from benchmaker.arenas.agentic.verify.criteria.patterns import find
from benchmaker.arenas.agentic.verify.criterion_context import Place, not_clean, shown
from benchmaker.arenas.agentic.verify.finding import (
    Finding,
    error,
    failed,
    one_line,
    passed,
    tail,
)
from benchmaker.record.counts import count
from benchmaker.sandbox import Ended
from benchmaker.spec.tasks.criterion import (
    CommandRuns,
    Lint,
    MinFunctionality,
    OutputMatch,
    Performance,
)

_LINES = 20


async def command(criterion: CommandRuns, place: Place) -> Finding:
    """The status is as wanted, and both outputs hold what the patterns find."""
    stdin = criterion.stdin.encode()
    ended = await place.run(criterion.run, seconds=criterion.timeout_s, stdin=stdin)
    if (finding := not_clean(ended, criterion.run)) is not None:
        return finding
    if ended.exit_status != criterion.exit_status:
        return failed(f"status {criterion.exit_status} is wanted\n{shown(ended)}")
    for name, pattern, text in (
        ("stdout", criterion.stdout, ended.stdout),
        ("stderr", criterion.stderr, ended.stderr),
    ):
        if pattern and not await find(pattern, text.decode("utf-8", "replace")):
            return failed(f"nothing in {name} matches {one_line(pattern)}\n{shown(ended)}")
    return passed(shown(ended))


async def min_functionality(criterion: MinFunctionality, place: Place) -> Finding:
    """Each command ends with 0, on a fresh copy each."""
    until = place.clock.monotonic() + criterion.timeout_s
    for number, argv in enumerate(criterion.checks, 1):
        left = until - place.clock.monotonic()
        if left <= 0:
            return failed(f"check {number} was not reached in {criterion.timeout_s:g} s")
        ended = await place.run(argv, seconds=left)
        if (finding := not_clean(ended, argv)) is not None:
            return Finding(finding.state, f"check {number}: {finding.evidence}")
        if ended.exit_status:
            return failed(f"check {number}: {shown(ended)}")
    checks = len(criterion.checks)
    return passed(f"{count(checks, 'check')} {'holds' if checks == 1 else 'hold'}")


async def lint(criterion: Lint, place: Place) -> Finding:
    """At most so many lines of the output are findings; a linter that breaks has said nothing."""
    ended = await place.run(criterion.run, seconds=criterion.timeout_s)
    if (finding := not_clean(ended, criterion.run)) is not None:
        return finding
    if ended.truncated:
        return failed(f"the linter says more than is kept\n{tail(ended.stdout, 500)}")
    lines = (ended.stdout + b"\n" + ended.stderr).decode("utf-8", "replace").splitlines()
    found = [line for line in lines if line.strip() and await find(criterion.finding, line)]
    if ended.exit_status and not found:
        return error(f"the linter failed without a finding\n{shown(ended)}")
    said = f"{len(found)} findings, at most {criterion.at_most} allowed"
    more = "\n".join(one_line(line) for line in found[:_LINES])
    is_met = len(found) <= criterion.at_most
    return Finding.of(is_met=is_met, evidence=said if is_met else f"{said}\n{more}")


async def output_match(criterion: OutputMatch, place: Place) -> Finding:
    """What is printed is what was expected."""
    expected = _expected(criterion, place)
    if isinstance(expected, Finding):
        return expected
    stdin = criterion.stdin.encode()
    ended = await place.run(criterion.run, seconds=criterion.timeout_s, stdin=stdin)
    if (finding := not_clean(ended, criterion.run)) is not None:
        return finding
    if ended.exit_status:
        return failed(shown(ended))
    if ended.truncated:
        return failed("more was printed than is kept")
    printed = ended.stdout.decode("utf-8", "replace")
    objection = _difference(printed, expected, criterion)
    return passed("as expected") if objection is None else failed(objection)


def _expected(criterion: OutputMatch, place: Place) -> str | Finding:
    if criterion.expected is not None:
        return criterion.expected
    if criterion.expected_file is None:
        return error("the criterion names neither expected nor expected_file")
    found = place.answer(criterion.expected_file)
    if found is None:
        return error(f"the task has no file tests/{criterion.expected_file}")
    return found.decode("utf-8", "replace")


def _difference(printed: str, expected: str, criterion: OutputMatch) -> str | None:
    """Where the two part; None where they don't. The expected text stays untold."""
    match criterion.compare:
        case "exact":
            return _unlike(printed.split("\n"), expected.split("\n"))
        case "trimmed":
            return _unlike(_trimmed(printed), _trimmed(expected))
        case "numbers":
            return _apart(printed, expected, criterion.tolerance)


def _unlike(given: list[str], wanted: list[str]) -> str | None:
    if len(given) != len(wanted):
        end = tail("\n".join(given), 400)
        return f"{count(len(given), 'line')} printed, {len(wanted)} expected\n{end}"
    for number, (one, other) in enumerate(zip(given, wanted, strict=True), 1):
        if one != other:
            return f"line {number} differs: {one_line(one)!r}"
    return None


def _trimmed(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


def _apart(printed: str, expected: str, tolerance: float) -> str | None:
    given, wanted = printed.split(), expected.split()
    if len(given) != len(wanted):
        return f"{count(len(given), 'word')} printed, {len(wanted)} expected\n{tail(printed, 400)}"
    for number, (one, other) in enumerate(zip(given, wanted, strict=True), 1):
        if not _is_near(one, other, tolerance):
            return f"word {number} differs: {one_line(one)!r}"
    return None


def _is_near(one: str, other: str, tolerance: float) -> bool:
    try:
        given, wanted = float(one), float(other)
    except ValueError:
        return one == other
    return math.isclose(given, wanted, rel_tol=0.0, abs_tol=tolerance)


async def performance(criterion: Performance, place: Place) -> Finding:
    """Every run succeeds; the quickest and the leanest count, as they were seen from outside."""
    runs: list[Ended] = []
    until = place.clock.monotonic() + criterion.timeout_s
    for number in range(1, criterion.runs + 1):
        left = until - place.clock.monotonic()
        if left <= 0:
            break
        ended = await place.run(criterion.run, seconds=left)
        if (finding := not_clean(ended, criterion.run)) is not None:
            return Finding(finding.state, f"run {number}: {finding.evidence}")
        if ended.exit_status:
            return failed(f"run {number}: {shown(ended)}")
        runs.append(ended)
    if not runs:
        return failed(f"no run ended within {criterion.timeout_s:g} s")
    return _measured(criterion, runs)


def _measured(criterion: Performance, runs: list[Ended]) -> Finding:
    seconds = min(ended.wall_s for ended in runs)
    used = [ended.peak_mb for ended in runs if ended.peak_mb is not None]
    said, is_met = [f"best of {len(runs)}: {seconds:.3f} s"], True
    if criterion.max_seconds is not None:
        said.append(f"at most {criterion.max_seconds:g} s")
        is_met = seconds <= criterion.max_seconds
    if criterion.max_memory_mb is not None:
        if not used:
            return error("the memory can't be measured in this isolation")
        said.append(f"{min(used):.1f} MB, at most {criterion.max_memory_mb:g} MB")
        is_met = is_met and min(used) <= criterion.max_memory_mb
    return Finding.of(is_met=is_met, evidence=", ".join(said))
