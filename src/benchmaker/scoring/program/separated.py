"""Tests and program in two sandboxes, which only a socket connects.

The process of the tests loads no code of the answer. It calls the program's functions over the
socket, compares their results on its own side, and alone can write to the verdict pipe. So the
answer's code can return wrong values, but nothing that it does can make a failed test pass.
"""

import json
import signal
import sys
from pathlib import Path
from typing import Any, Final

import msgspec

from benchmaker.sandbox import (
    CommandResult,
    ResourceLimits,
    SandboxCommand,
    arun_linked,
    interpreter_reads,
    wall_limit,
)
from benchmaker.scoring.program import inside
from benchmaker.scoring.program.javascript_tests import check_offsets
from benchmaker.scoring.program.languages import JAVASCRIPT
from benchmaker.scoring.program.program_verdict import (
    ProgramVerdict,
    State,
    describe_end,
    failed_reason,
    is_machine_fault,
    passed_reason,
    undecided_verdict,
)

START_S: Final = 60.0
"""Seconds in which both sandboxes must have started."""

_SOURCE: Final = Path(inside.__file__).parent
_INSIDE: Final = "/benchmaker/inside"
_TESTS_MB: Final = 1024
UNCHECKED: Final = (
    "the tests checked nothing: no assertion was reached, and nothing of the program was called"
)


class Report(msgspec.Struct, frozen=True):
    """The report that the process of the tests writes to the verdict pipe."""

    planned: int
    passed: int
    skipped: int
    failures: list[tuple[str, str]]
    running: str
    reason: str
    problem: str
    unsendable: str
    own_words: int
    hidden: list[str]
    is_checked: bool
    is_doubtful: bool
    seconds: float
    is_waiting: bool = False


async def run_separated(
    language: str, program: str, tests: str, *, timeout_s: float, limits: ResourceLimits
) -> ProgramVerdict:
    """Run tests against a program in Python or JavaScript; ``limits`` are the program's.

    Raises:
        PrerequisiteError: this machine has no namespaces; the hint is the command.
        SandboxError: a sandbox failed.
    """
    own = ResourceLimits(
        wall_s=START_S + 2 * wall_limit(timeout_s),
        cpu_s=START_S + 2 * timeout_s,
        memory_mb=_TESTS_MB,
        disk_mb=64,
    )
    tests_ended, program_ended = await arun_linked(
        make_command(language, "tests", plan_of(language, program, tests, timeout_s)),
        make_command(language, "program"),
        limits=(own, limits),
    )
    started, _, text = tests_ended.channel.partition(b"\n")
    try:
        report = msgspec.json.decode(text, type=Report)
    except msgspec.DecodeError:
        return _without_report(tests_ended, has_started=started == b"started")
    return to_verdict(report, program_ended, timeout_s)


def plan_of(language: str, program: str, tests: str, timeout_s: float) -> bytes:
    """Return the plan that the process of the tests reads."""
    plan: dict[str, Any] = {"program": program, "tests": tests, "timeout": timeout_s}
    plan["wall"] = wall_limit(timeout_s)
    if language == JAVASCRIPT:
        plan["checks"] = check_offsets(tests)
    return json.dumps(plan).encode()


def _without_report(ended: CommandResult, *, has_started: bool) -> ProgramVerdict:
    """The verdict without a report: a value of the program may keep the tests from their end."""
    is_limit = ended.reason in ("timeout", "memory") or ended.signal == signal.SIGVTALRM
    if has_started and is_limit and not is_machine_fault(ended):
        reason = f"the tests were stopped with a value of the program: {describe_end(ended)}"
        return ProgramVerdict(state="failed", reason=reason, is_separated=True)
    return undecided_verdict(f"the process of the tests failed: {last_words(ended)}")


def make_command(language: str, role: str, stdin: bytes = b"") -> SandboxCommand:
    """Return the command that starts a process: ``tests``, ``program`` or ``together``."""
    reads: dict[str | Path, str] = {_SOURCE: _INSIDE}
    env = {
        "CI": "1",  # lets hypothesis draw the same examples each time, without a deadline
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    if language == JAVASCRIPT:
        reporter = f"--test-reporter={_INSIDE}/reporter.mjs"
        words = (reporter, "--test-reporter-destination=stdout") if role != "program" else ()
        argv: tuple[str, ...] = ("node", *words, f"{_INSIDE}/{role}.cjs")
        return SandboxCommand(argv, env={}, stdin=stdin, reads=reads)
    argv = (sys.executable, "-I", "-B", f"{_INSIDE}/start.py", role)
    return SandboxCommand(argv, env=env, stdin=stdin, reads={**interpreter_reads(), **reads})


def to_verdict(report: Report, ended: CommandResult, timeout_s: float) -> ProgramVerdict:
    """Return the verdict of a report; ``ended`` is the end of the program's process."""
    failures = tuple(report.failures)
    facts: dict[str, Any] = {
        "planned": report.planned,
        "passed": report.passed,
        "failures": failures,
        "seconds": report.seconds,
        "exit_status": ended.exit_status if _has_ended(report) else None,
        "is_separated": True,
        "own_words": report.own_words,
        "is_doubtful": report.is_doubtful,
        "is_waiting": report.is_waiting,
    }
    state, reason = _judge(report, ended, failures, timeout_s)
    return ProgramVerdict(state=state, reason=reason, **facts)


def _judge(
    report: Report, ended: CommandResult, failures: tuple[tuple[str, str], ...], timeout_s: float
) -> tuple[State, str]:
    """The state and its reason."""
    if why := _obstacle(report, ended):
        return "undecided", why
    if why := _stop(report, ended, timeout_s):
        return "failed", why
    if failures or report.passed != report.planned:
        hidden = f". The tests call Python's own {report.hidden[0]}" if report.hidden else ""
        return "failed", failed_reason(report.planned, report.passed, failures) + hidden
    return "passed", passed_reason(report.planned)


def _obstacle(report: Report, ended: CommandResult) -> str:
    """Why nothing can be said of the program; empty if something can."""
    if _has_ended(report) and is_machine_fault(ended):
        return f"the program could not be run: {describe_end(ended)}"
    if report.unsendable:
        return f"the tests can't be run: {report.unsendable}"
    if report.reason not in ("", "load", "timeout", "wall"):
        return f"the tests have a fault of their own: {report.reason}"
    is_empty = not (report.planned or report.problem or report.reason)
    if is_empty and report.skipped:
        return "all tests were skipped or are expected to fail"
    if is_empty:
        return "there are no tests: none was found"
    has_ended = not (report.failures or report.problem or report.reason)
    return UNCHECKED if has_ended and not report.is_checked else ""


def _stop(report: Report, ended: CommandResult, timeout_s: float) -> str:
    """What stopped the program before the end of the tests; empty if nothing did."""
    at = f" in {report.running}" if report.running else ""
    is_stopped = _has_ended(report) and ended.reason == "timeout"
    if report.reason == "timeout" or (is_stopped and "processor" in ended.detail):
        return f"timed out after {timeout_s:g} s of processor time{at}"
    if report.reason == "wall" or is_stopped:
        return f"timed out after {wall_limit(timeout_s):g} s{at}"
    why = describe_end(ended) if _has_ended(report) else report.problem
    if report.reason == "load":
        return f"the program could not be loaded: {why}"
    return f"the program stopped{at}: {why}" if report.problem else ""


def _has_ended(report: Report) -> bool:
    """True if the program's process ended before the tests."""
    return report.problem == "the program ended"


def last_words(ended: CommandResult) -> str:
    """Return the last line that a process wrote, or how it ended."""
    said = ended.stderr.decode("utf-8", "replace").strip().splitlines()
    return said[-1][:300] if said else describe_end(ended)
