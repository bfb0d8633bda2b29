"""Tests and program in one process, in one sandbox, as plain pytest or node runs them.

The program can forge the report, so that this run alone never makes an answer right.
"""

from dataclasses import replace
from typing import Final

import msgspec

from benchmaker.sandbox import CommandResult, Isolation, ResourceLimits, arun_sandboxed
from benchmaker.scoring.program.program_verdict import (
    ProgramVerdict,
    describe_end,
    is_machine_fault,
    undecided_verdict,
)
from benchmaker.scoring.program.separated import (
    Report,
    last_words,
    make_command,
    plan_of,
    to_verdict,
)

_FRAMEWORK_MB: Final = 128
_FRAMEWORK_S: Final = 5.0
"""Memory and processor time for the framework of the tests."""

_MOST, _NAME, _MESSAGE = 200, 200, 1200


async def run_together(
    language: str, program: str, tests: str, *, timeout_s: float, limits: ResourceLimits
) -> ProgramVerdict:
    """Run tests with a program in Python or JavaScript; ``limits`` are the program's.

    Raises:
        PrerequisiteError: this machine has no namespaces; the hint is the command.
        SandboxError: the sandbox failed.
    """
    own = replace(
        limits,
        memory_mb=limits.memory_mb + _FRAMEWORK_MB,
        cpu_s=2 * timeout_s + _FRAMEWORK_S,
    )
    command = make_command(language, "together", plan_of(language, program, tests, timeout_s))
    ended = await arun_sandboxed(command, isolation=Isolation.NAMESPACE, limits=own)
    started, _, text = ended.channel.partition(b"\n")
    if is_machine_fault(ended):
        return undecided_verdict(f"the program could not be run: {describe_end(ended)}")
    if started != b"started":
        return undecided_verdict(f"the process of the tests failed: {last_words(ended)}")
    report = _read(text)
    if report is None:
        return _without_report(ended)
    return to_verdict(report, ended, timeout_s)


def _read(text: bytes) -> Report | None:
    """The report, shortened; None if it is broken, which is the program's doing."""
    try:
        report = msgspec.json.decode(text, type=Report)
    except msgspec.DecodeError:
        return None
    if not 0 <= report.passed <= report.planned:
        return None
    failures = [(name[:_NAME], text[:_MESSAGE]) for name, text in report.failures[:_MOST]]
    return msgspec.structs.replace(
        report,
        failures=failures,
        running=report.running[:_NAME],
        reason=report.reason[:_MESSAGE],
        problem=report.problem[:_MESSAGE],
        unsendable="",
        hidden=[name[:_NAME] for name in report.hidden[:1]],
        is_checked=True,
    )


def _without_report(ended: CommandResult) -> ProgramVerdict:
    reason = f"the program stopped the tests: {describe_end(ended)}"
    return ProgramVerdict(
        state="failed", reason=reason, exit_status=ended.exit_status, is_separated=True
    )
