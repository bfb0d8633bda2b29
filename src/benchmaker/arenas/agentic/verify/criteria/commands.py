"""Criteria that run a command: its status, its output, its findings, its time and memory."""

import math

from benchmaker.arenas.agentic.verify.criteria.patterns import find
from benchmaker.arenas.agentic.verify.criterion_context import (
    GradingContext,
    TimeLeft,
    describe_exit,
    not_clean,
)
from benchmaker.arenas.agentic.verify.finding import (
    Finding,
    error_with,
    fail_with,
    one_line,
    pass_with,
    tail,
)
from benchmaker.record.counts import count
from benchmaker.sandbox import CommandResult
from benchmaker.spec.tasks.criterion import (
    CommandRuns,
    Lint,
    MinFunctionality,
    OutputMatch,
    Performance,
)

_LINES = 20


async def command(criterion: CommandRuns, place: GradingContext) -> Finding:
    """Check the status, and both outputs by their patterns."""
    stdin = criterion.stdin.encode()
    ended = await place.run(criterion.run, seconds=criterion.timeout_s, stdin=stdin)
    if (finding := not_clean(ended, criterion.run)) is not None:
        return finding
    if ended.exit_status != criterion.exit_status:
        return fail_with(f"expected exit status {criterion.exit_status}\n{describe_exit(ended)}")
    for name, pattern, text in (
        ("stdout", criterion.stdout, ended.stdout),
        ("stderr", criterion.stderr, ended.stderr),
    ):
        if pattern and not await find(pattern, text.decode("utf-8", "replace")):
            return fail_with(f"no match for {one_line(pattern)} in {name}\n{describe_exit(ended)}")
    return pass_with(describe_exit(ended))


async def min_functionality(criterion: MinFunctionality, place: GradingContext) -> Finding:
    """Each command ends with 0, on a fresh copy each."""
    left = TimeLeft(criterion.timeout_s)
    for number, argv in enumerate(criterion.checks, 1):
        if left.seconds <= 0:
            return fail_with(f"check {number} was not reached within {criterion.timeout_s:g} s")
        ended = await place.run(argv, seconds=left.seconds)
        left.use(ended)
        if (finding := not_clean(ended, argv)) is not None:
            return Finding(finding.state, f"check {number}: {finding.evidence}")
        if ended.exit_status:
            return fail_with(f"check {number}: {describe_exit(ended)}")
    checks = len(criterion.checks)
    return pass_with(f"{count(checks, 'check')} {'holds' if checks == 1 else 'hold'}")


async def lint(criterion: Lint, place: GradingContext) -> Finding:
    """Check the number of output lines with findings; a failing linter gives no result."""
    ended = await place.run(criterion.run, seconds=criterion.timeout_s)
    if (finding := not_clean(ended, criterion.run)) is not None:
        return finding
    if ended.truncated:
        return fail_with(f"the linter output exceeds the limit\n{tail(ended.stdout, 500)}")
    lines = (ended.stdout + b"\n" + ended.stderr).decode("utf-8", "replace").splitlines()
    found = [line for line in lines if line.strip() and await find(criterion.finding, line)]
    if ended.exit_status and not found:
        return error_with(f"the linter failed without a finding\n{describe_exit(ended)}")
    said = f"{len(found)} findings, at most {criterion.at_most} allowed"
    more = "\n".join(one_line(line) for line in found[:_LINES])
    is_met = len(found) <= criterion.at_most
    return Finding.of(is_met=is_met, evidence=said if is_met else f"{said}\n{more}")


async def output_match(criterion: OutputMatch, place: GradingContext) -> Finding:
    """Compare the output with the expected one."""
    expected = _expected_output(criterion, place)
    if isinstance(expected, Finding):
        return expected
    stdin = criterion.stdin.encode()
    ended = await place.run(criterion.run, seconds=criterion.timeout_s, stdin=stdin)
    if (finding := not_clean(ended, criterion.run)) is not None:
        return finding
    if ended.exit_status:
        return fail_with(describe_exit(ended))
    if ended.truncated:
        return fail_with("the output exceeds the limit")
    printed = ended.stdout.decode("utf-8", "replace")
    objection = _difference(printed, expected, criterion)
    return pass_with("as expected") if objection is None else fail_with(objection)


def _expected_output(criterion: OutputMatch, place: GradingContext) -> str | Finding:
    if criterion.expected is not None:
        return criterion.expected
    if criterion.expected_file is None:
        return error_with("the criterion has no expected and no expected_file")
    found = place.answer(criterion.expected_file)
    if found is None:
        return error_with(f"the task has no file tests/{criterion.expected_file}")
    return found.decode("utf-8", "replace")


def _difference(printed: str, expected: str, criterion: OutputMatch) -> str | None:
    """Return the place of the first difference, without the expected text; None if equal."""
    match criterion.compare:
        case "exact":
            return _line_difference(printed.split("\n"), expected.split("\n"))
        case "trimmed":
            return _line_difference(_trim_lines(printed), _trim_lines(expected))
        case "numbers":
            return _number_difference(printed, expected, criterion.tolerance)


def _line_difference(given: list[str], wanted: list[str]) -> str | None:
    if len(given) != len(wanted):
        end = tail("\n".join(given), 400)
        return f"{count(len(given), 'line')} printed, {len(wanted)} expected\n{end}"
    for number, (one, other) in enumerate(zip(given, wanted, strict=True), 1):
        if one != other:
            return f"line {number} differs: {one_line(one)!r}"
    return None


def _trim_lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


def _number_difference(printed: str, expected: str, tolerance: float) -> str | None:
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


async def performance(criterion: Performance, place: GradingContext) -> Finding:
    """Every run succeeds; the quickest and the leanest count, as they were seen from outside."""
    runs: list[CommandResult] = []
    left = TimeLeft(criterion.timeout_s)
    for number in range(1, criterion.runs + 1):
        if left.seconds <= 0:
            break
        ended = await place.run(criterion.run, seconds=left.seconds)
        left.use(ended)
        if (finding := not_clean(ended, criterion.run)) is not None:
            return Finding(finding.state, f"run {number}: {finding.evidence}")
        if ended.exit_status:
            return fail_with(f"run {number}: {describe_exit(ended)}")
        runs.append(ended)
    if not runs:
        return fail_with(f"no run ended within {criterion.timeout_s:g} s")
    return _performance_finding(criterion, runs)


def _performance_finding(criterion: Performance, runs: list[CommandResult]) -> Finding:
    seconds = min(ended.wall_s for ended in runs)
    used = [ended.peak_mb for ended in runs if ended.peak_mb is not None]
    said, is_met = [f"best of {len(runs)}: {seconds:.3f} s"], True
    if criterion.max_seconds is not None:
        said.append(f"at most {criterion.max_seconds:g} s")
        is_met = seconds <= criterion.max_seconds
    if criterion.max_memory_mb is not None:
        if not used:
            return error_with("the memory can't be measured in this isolation")
        said.append(f"{min(used):.1f} MB, at most {criterion.max_memory_mb:g} MB")
        is_met = is_met and min(used) <= criterion.max_memory_mb
    return Finding.of(is_met=is_met, evidence=", ".join(said))
