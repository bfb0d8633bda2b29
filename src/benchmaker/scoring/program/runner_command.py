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
_LONGEST = 300
_NOT_RUN = (126, 127)
"""The statuses of a shell for a command that can't be run, or is not found."""

_NOT_FOUND = re.compile(
    r"not found|No such file or directory|Permission denied|cannot execute|Exec format error",
    re.IGNORECASE,
)
_NO_COMMAND = re.compile(r"tests?[\w.-]*: (?:line )?\d+: \S+: (?:command )?not found")
_NO_MODULE = re.compile(r"(?:ModuleNotFoundError|Error: Cannot find (?:module|package)\b)")
_TRACE = re.compile(r"(?:File \"|- /|at |/)\S*solution\.")
"""A line of a traceback, or of node's list of modules, in the program."""

_ERROR = re.compile(r"(?:Uncaught )?[\w.]*(?:Error|Exception|Failure)\b(?: \[\w+\])?(?::|$)")
_DIAGNOSTIC = re.compile(
    r"(?:^|\s)(?:fatal |internal compiler )?error(?: \w+|\[\w+\])?: |: undefined reference to ",
    re.IGNORECASE,
)
"""A line of a compiler or linker that says what was wrong; further ones follow from the first."""

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
    if fault := find_fault_of_runner(ended.exit_status, _all_output(ended, token)):
        return undecided_verdict(f"the tests could not be run: {fault}")
    planned, failures = _tap(output, token)
    problem = _problem(ended, output, token)
    if problem:
        failures = (("the command", problem), *failures)
    passed = planned - len(failures) if planned >= len(failures) else 0
    is_failed = bool(failures)
    return ProgramVerdict(
        state="failed" if is_failed else "passed",
        reason=failed_reason(planned, passed, failures) if is_failed else passed_reason(planned),
        planned=planned,
        passed=passed,
        failures=failures,
        seconds=round(ended.wall_s, 3),
        exit_status=ended.exit_status,
    )


def _problem(ended: CommandResult, output: str, token: str) -> str:
    """Why the command as a whole did not pass; empty if it did."""
    if not ended.is_clean:
        said = find_error(_all_output(ended, token))
        return f"{describe_end(ended)}: {said}" if said else describe_end(ended)
    lines = output.strip().splitlines()
    if not lines or lines[-1].strip() != token:
        return f"the tests did not print {TOKEN} as their last line"
    return ""


def _all_output(ended: CommandResult, token: str) -> str:
    """What the command printed; errors last."""
    texts = (it.decode("utf-8", "replace") for it in (ended.stdout, ended.stderr))
    return "\n".join(texts).replace(token, "…").strip()


def find_fault_of_runner(status: int | None, output: str) -> str:
    """Return the line on a command or module of the tests that is missing; empty if there is none.

    A line that names the program, or a module that the program imports, is no fault of the tests.

    >>> find_fault_of_runner(127, "/tests/tests.sh: line 2: tsc: command not found")
    'tests.sh: line 2: tsc: command not found'
    """
    lines = [line.strip() for line in output.replace(f"{_PLACE}/", "").splitlines()]
    if not status or "solution." in "".join(it for it in lines if _TRACE.match(it)):
        return ""
    missing = [it for it in lines if _is_missing(it, status) and "solution" not in it]
    return missing[0][:_LONGEST] if missing else ""


def _is_missing(line: str, status: int) -> bool:
    is_not_run = status in _NOT_RUN and _NOT_FOUND.search(line)
    return bool(is_not_run or _NO_COMMAND.match(line) or _NO_MODULE.match(line))


def find_error(output: str) -> str:
    r"""Return the line of an output that says what was wrong.

    It is the last exception, else the first error of a compiler, else the last line.

    >>> find_error("AssertionError [ERR_ASSERTION]: not equal:\n\n4 !== 3\n\nNode.js v20.20.2")
    'AssertionError [ERR_ASSERTION]: not equal: 4 !== 3'
    >>> find_error("a.c:1:9: error: expected ';'\n    1 | int a = 1\n      |         ^")
    "a.c:1:9: error: expected ';'"
    """
    lines = [line for line in output.splitlines() if line.strip(" \t^~")]
    errors = [at for at, line in enumerate(lines) if _ERROR.match(line)]
    if not errors:
        marked = (line for line in lines if _DIAGNOSTIC.search(line))
        return next(marked, lines[-1] if lines else "").strip()[:_LONGEST]
    at = errors[-1]
    found = lines[at].strip()
    if found.endswith(":") and at + 1 < len(lines):
        found = f"{found} {lines[at + 1].strip()}"
    elif found == "AssertionError" and at:
        found = f"{found}: {lines[at - 1].strip()}"
    return found[:_LONGEST]


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
