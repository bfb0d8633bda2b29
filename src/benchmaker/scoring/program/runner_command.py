"""Tests that a command of the suite's author runs, in one sandbox with the program.

The tests and the program can share a process, or see each other's files, so the result is not proof
against forging. It counts only with status 0, the token that the tests print last, and every test
of a TAP plan, if there is one. The tests' file can't be changed by the program if the command
names it.
"""

import re
import secrets
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmaker.sandbox import (
    CommandResult,
    Isolation,
    ResourceLimits,
    SandboxCommand,
    arun_sandboxed,
)
from benchmaker.scoring.program.languages import ending_of
from benchmaker.scoring.program.program_verdict import (
    ProgramVerdict,
    describe_end,
    failed_reason,
    is_machine_fault,
    passed_reason,
    undecided_verdict,
)

TOKEN: Final = "BENCHMAKER_TOKEN"  # noqa: S105  a placeholder
"""The word in the tests that is replaced by a random token."""

_PLACE: Final = "/tests"
_FILE_NAME = re.compile(r"[\w.-]+\.\w+")
_PLAN = re.compile(r"^1\.\.(\d{1,6})\s*(?:#.*)?$", re.MULTILINE)
_TEST = re.compile(r"^(not )?ok\b *\d* *-? *(.*)$", re.MULTILINE)


def name_tests_file(runner: Sequence[str], language: str, given: str = "") -> str:
    """Return the name of the tests' file: the one the command names, else the usual one.

    >>> name_tests_file(["bash", "tests.sh"], "c")
    'tests.sh'
    """
    named = [word for word in runner[1:] if _FILE_NAME.fullmatch(word)]
    own = [word for word in named if Path(word).stem != "solution"]
    if own:
        return own[0]
    return given or ("solution_test.go" if language == "go" else f"tests.{ending_of(language)}")


async def run_command(
    language: str, program: str, tests: str, runner: str, *, name: str = "", limits: ResourceLimits
) -> ProgramVerdict:
    """Run the command in a folder with the program as ``solution`` and the tests beside it.

    Raises:
        PrerequisiteError: this machine has no namespaces; the hint is the command.
        SandboxError: the sandbox failed.
    """
    token = secrets.token_hex(16)
    words = shlex.split(runner)
    file = name_tests_file(words, language, name)
    with tempfile.TemporaryDirectory(prefix="benchmaker-") as folder:
        workspace, fixed = Path(folder, "workspace"), Path(folder, "tests")
        for place in (workspace, fixed):
            place.mkdir()
        _write(workspace / f"solution.{ending_of(language)}", program)
        if language == "go":
            _write(workspace / "go.mod", "module solution\n")
        is_named = file in words
        _write((fixed if is_named else workspace) / file, tests.replace(TOKEN, token))
        argv = tuple(f"{_PLACE}/{file}" if word == file else word for word in words)
        command = SandboxCommand(argv, reads={fixed: _PLACE} if is_named else {})
        ended = await arun_sandboxed(
            command, workspace, isolation=Isolation.NAMESPACE, limits=limits
        )
    return _to_verdict(ended, token, argv[0])


def _write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8", errors="replace")


def _to_verdict(ended: CommandResult, token: str, program: str) -> ProgramVerdict:
    if ended.reason == "not_started":
        return undecided_verdict(f"{program} could not be started: {ended.detail or 'not found'}")
    if is_machine_fault(ended):
        return undecided_verdict(f"the tests could not be run: {describe_end(ended)}")
    output = ended.stdout.decode("utf-8", "replace")
    planned, failures = _tap(output, token)
    problem = _problem(ended, output, token)
    if problem:
        failures = (("the command", problem), *failures)
    passed = planned - len(failures) if planned >= len(failures) else 0
    state = "failed" if failures else "passed"
    reason = failed_reason(planned, passed, failures)
    return ProgramVerdict(
        state="failed" if failures else "passed",
        reason=reason if state == "failed" else passed_reason(planned),
        planned=planned,
        passed=passed,
        failures=failures,
        seconds=round(ended.wall_s, 3),
        exit_status=ended.exit_status,
    )


def _problem(ended: CommandResult, output: str, token: str) -> str:
    """Why the command as a whole did not pass; empty if it did."""
    said = (ended.stderr or ended.stdout).decode("utf-8", "replace").replace(token, "…").strip()
    last = f": {said.splitlines()[-1][:300]}" if said else ""
    if not ended.is_clean:
        return f"{describe_end(ended)}{last}"
    lines = output.strip().splitlines()
    if not lines or lines[-1].strip() != token:
        return f"the tests did not print {TOKEN} as their last line"
    return ""


def _tap(output: str, token: str) -> tuple[int, tuple[tuple[str, str], ...]]:
    """The planned and the failed tests of a report in TAP; one test without a report."""
    plan = _PLAN.search(output)
    if plan is None:
        return 1, ()
    planned, tests = int(plan[1]), _TEST.findall(output.replace(token, ""))
    failures = tuple((name[:200], "not ok") for bad, name in tests if bad)
    if len(tests) != planned:
        failures += (("the plan", f"{planned} tests planned, {len(tests)} reported"),)
    return planned, failures
