"""The code check: tests of the suite's author run the program in the answer, in a sandbox."""

import ast
import asyncio
import hashlib
import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar
from weakref import WeakKeyDictionary

from benchmaker.errors import PrerequisiteError, SandboxError, SpecError
from benchmaker.plugins import NAMED_ONLY, scorer
from benchmaker.record import Score, Trial
from benchmaker.sandbox import ResourceLimits, wall_limit
from benchmaker.scoring.base import Objection
from benchmaker.scoring.program import javascript_tests, python_tests
from benchmaker.scoring.program.fences import extract_program
from benchmaker.scoring.program.inside.source_names import imports_pytest
from benchmaker.scoring.program.javascript_syntax import find_syntax_error
from benchmaker.scoring.program.languages import (
    JAVASCRIPT,
    PYTHON,
    fence_labels,
    language_named,
    missing_program,
    missing_wall,
)
from benchmaker.scoring.program.own_process import find_unreached
from benchmaker.scoring.program.program_verdict import ProgramVerdict
from benchmaker.scoring.program.runner_command import TOKEN, run_command
from benchmaker.scoring.program.separated import START_S
from benchmaker.scoring.program.two_runs import run_twice
from benchmaker.spec import Case

TIMEOUT_S = 10.0
"""The default time limit of the tests, in seconds."""

MEMORY_MB = 512
"""The default memory limit of the program, in MB."""

_FILE, _NEW_LINE = "file:", "\n"
_RUNS = {"together": "in one process", "apart": "with the program apart"}
_NOTES = {
    PYTHON: (find_unreached, python_tests.find_notes),
    JAVASCRIPT: (javascript_tests.find_notes,),
}
_PROCESSES, _DISK_MB, _FILES, _OUTPUT_BYTES = 32, 64, 2_000, 1 << 16
_RUNNER_DISK_MB, _RUNNER_FILES = 512, 20_000


@scorer
@dataclass(frozen=True, slots=True)
class Code:
    """Full marks if the program in the answer passes the tests.

    ``language`` is python, javascript, or any other with a ``runner``. ``tests`` is the text of the
    tests, or ``file:PATH``, relative to the folder of the suite's file; without it, the case's
    expected answer. A suite is identified with the ``sha256`` of this file, which is added when the
    suite is read. The program is the last fenced block of the language, else the only fenced
    block, else the whole reply. The tests use its functions by name, or import them from
    ``solution``. In Python, names in texts such as ``eval("add(1, 2)")`` count. Tests in
    Python are assertions or functions for pytest, in JavaScript assertions or tests for
    ``node:test``.

    ``timeout`` is the time limit of the tests in seconds of processor time (10 by default); tests
    that wait are stopped after ten times as much wall time and 10 seconds. ``memory_mb`` is the
    program's memory limit (512 by default). ``runner`` is a command that runs the tests, such as
    ``bash tests.sh``, in a folder with the program as ``solution.c`` or the like; the tests must
    print ``BENCHMAKER_TOKEN`` as their last line.

    The tests run twice, in sandboxes of bubblewrap without network: with the program in their
    process, and with the program in a process of its own, connected by a socket. The score is 1 if
    both runs pass, and 0 if the first fails: a program that fails, loops, or exceeds a limit scores
    0 with the reason. If the first run alone passes, there is no score. With a ``runner`` there is
    one run. Without bubblewrap, nothing is run and there is no score.

    Example:
        ``scorer: {id: code, language: python, tests: "assert add(1, 2) == 3"}``
    """

    language: str
    tests: str | None = None
    timeout: float = TIMEOUT_S
    runner: str | None = None
    memory_mb: int = MEMORY_MB
    sha256: str | None = None

    check_needs: ClassVar = ("tests",)
    explains_unscored: ClassVar = True

    def __post_init__(self) -> None:
        if not 0 < self.timeout <= 3600:  # noqa: PLR2004  seconds of an hour
            raise SpecError("timeout must be more than 0 and at most 3600 seconds.")
        if not 16 <= self.memory_mb <= 1 << 16:  # noqa: PLR2004  of an interpreter, of a machine
            raise SpecError("memory_mb must be from 16 to 65536.")

    async def score(self, case: Case, trial: Trial) -> Score:
        """1 or 0 with the results of the tests in ``detail``; no score if nothing could be run.

        Raises:
            SpecError: there are no tests, or their file can't be read.
        """
        source = self._source(case)
        fault = missing_wall() or self._missing()
        if fault is not None:
            return Score.unscored(f"nothing was run: {fault.message} {fault.hint}")
        extraction = extract_program(trial.text, fence_labels(self._name))
        try:
            async with _turns():
                verdict = await self._run(extraction.text, source)
        except (PrerequisiteError, SandboxError) as exc:
            return Score.unscored(f"the tests could not be run: {exc}")
        return self._to_score(verdict, source, extraction.rule, extraction.text)

    def faults(self) -> list[Objection]:
        """A language or a runner that is missing here, and tests that can't be run."""
        return [*self._missing_parts(), *self._faults_of_tests()]

    def check(self, case: Case) -> list[str]:
        """Return what is wrong with the case's expected answer as tests."""
        if self.tests is not None:
            return []
        if case.expected is None:
            return ["there are no tests; add tests to the check, or expected to the case."]
        fault = self._fault_of(case.expected)
        return [f"the tests in expected: {fault}"] if fault else []

    def notes(self, case: Case) -> list[Objection]:
        """Note assertions that never run, and what in the tests does not reach the program."""
        if self.runner is not None or self._name not in _NOTES:
            return []
        try:
            source = self._source(case)
        except SpecError:
            return []
        found = (message for find in _NOTES[self._name] for message in find(source))
        path = () if self.tests is None else ("tests",)
        return [Objection(path, message) for message in found]

    def explain(self, score: Score) -> list[str]:
        """The program's origin, the results of the tests, the failures, and the limits."""
        detail = score.detail
        last = score.notes if score.score is None else f"score = {score.score:g}"
        if "tests" not in detail:
            return [last]
        return [*_explain_run(detail), *_explain_failures(detail), last]

    @property
    def _name(self) -> str:
        return language_named(self.language)

    async def _run(self, program: str, source: str) -> ProgramVerdict:
        if self.runner is None:
            return await run_twice(
                self._name, program, source, timeout_s=self.timeout, limits=self._limits()
            )
        name = Path(self._path).name if self._is_file else ""
        return await run_command(
            self._name, program, source, self.runner, name=name, limits=self._limits()
        )

    def _limits(self) -> ResourceLimits:
        """The limits of the program; the tests' process has limits of its own."""
        is_own = self.runner is None
        return ResourceLimits(
            wall_s=(START_S if is_own else 0) + wall_limit(self.timeout) * (1 + is_own),
            cpu_s=self.timeout + 1,
            memory_mb=self.memory_mb,
            processes=_PROCESSES if is_own else 4 * _PROCESSES,
            disk_mb=_DISK_MB if is_own else _RUNNER_DISK_MB,
            file_mb=_DISK_MB if is_own else _RUNNER_DISK_MB,
            inodes=_FILES if is_own else _RUNNER_FILES,
            output_bytes=_OUTPUT_BYTES,
        )

    @property
    def _is_file(self) -> bool:
        return self.tests is not None and self.tests.startswith(_FILE)

    def _source(self, case: Case) -> str:
        if self.tests is None:
            if case.expected is None:
                raise SpecError("there are no tests.", hint="Add tests to the check.")
            return case.expected
        return self._read_file() if self._is_file else self.tests

    def _read_file(self) -> str:
        """The tests in the file.

        Raises:
            SpecError: it can't be read, or is another than the suite was read with.
        """
        source = _read(self._path)
        if self.sha256 is not None and _digest(source) != self.sha256:
            hint = "Read the suite again: benchmaker rescore RUN --suite FILE, or a new run."
            raise SpecError(f"{self._path} has changed since the suite was read.", hint=hint)
        return source

    @property
    def _path(self) -> str:
        return (self.tests or "").removeprefix(_FILE).strip()

    def _missing(self) -> PrerequisiteError | None:
        if self.runner is not None:
            return missing_program(shlex.split(self.runner)[0])
        return missing_program("node") if self._name == JAVASCRIPT else None

    def _missing_parts(self) -> Iterator[Objection]:
        if self.runner is None and self._name not in (PYTHON, JAVASCRIPT):
            message = f"{self.language} needs a runner: the command that runs the tests."
            yield Objection(("language",), message)
            return
        if self.runner is not None:
            try:
                is_empty = not shlex.split(self.runner)
            except ValueError as exc:
                yield Objection(("runner",), f"{exc}.")
                return
            if is_empty:
                yield Objection(("runner",), "the command is empty.")
                return
        place = "language" if self.runner is None else "runner"
        for fault in (missing_wall(), self._missing()):
            if fault is not None:
                yield Objection((place,), f"{fault.message} {fault.hint}".strip())

    def _faults_of_tests(self) -> Iterator[Objection]:
        if self.tests is None:
            return
        try:
            source = self._read_file() if self._is_file else self.tests
        except SpecError as exc:
            yield Objection(("tests",), f"{exc}")
            return
        if fault := self._fault_of(source):
            yield Objection(("tests",), fault)

    def _fault_of(self, source: str) -> str | None:
        if self.runner is not None:
            return None if TOKEN in source else f"the tests must print {TOKEN} as their last line."
        if self._name == JAVASCRIPT:
            return find_syntax_error(source) or javascript_tests.find_unchecked(source)
        if self._name != PYTHON:
            return None
        if fault := python_tests.find_fault(source):
            return fault
        if imports_pytest(ast.parse(source)) and find_spec("pytest") is None:
            return "pytest is not installed. Install it where Benchmaker is installed."
        return None

    def _to_score(self, verdict: ProgramVerdict, source: str, rule: str, program: str) -> Score:
        detail = {
            "language": self._name,
            "program": {"rule": rule, "sha256": _digest(program)},
            "tests_sha256": _digest(source),
            **verdict.to_detail(),
        }
        if verdict.state == "undecided":
            return Score(score=None, notes=verdict.reason, detail=detail)
        points = 1.0 if verdict.state == "passed" else 0.0
        return Score.of(points, confidence=1.0, notes=verdict.reason, detail=detail)


def _read(path: str) -> str:
    if NAMED_ONLY.get():
        raise SpecError(
            "a shared server reads no files for the tests.", hint="Write the tests into the suite."
        )
    file = Path(path).expanduser().absolute()
    try:
        return file.read_bytes().decode()
    except (OSError, ValueError) as exc:
        reason = getattr(exc, "strerror", None) or "it is not UTF-8"
        raise SpecError(f"{file} can't be read: {reason}.") from exc


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _turns() -> asyncio.Semaphore:
    """The checks that run at once in an event loop: one for each processor."""
    return _semaphores().setdefault(asyncio.get_running_loop(), asyncio.Semaphore(_processors()))


@lru_cache(maxsize=1)
def _semaphores() -> "WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]":
    return WeakKeyDictionary()


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _explain_run(detail: dict[str, object]) -> Iterator[str]:
    tests, program = detail["tests"], detail["program"]
    if not isinstance(tests, dict) or not isinstance(program, dict):
        return
    yield f"program: {detail['language']}, found by the rule {program['rule']}"
    yield (
        f"tests: {tests['passed']} of {tests['planned']} passed, {tests['failed']} failed, "
        f"in {detail['seconds']} s"
    )
    status = detail["exit_status"]
    ended = "" if status is None else f"; the program ended with status {status}"
    proof = "; a program could imitate the tests" if detail["is_forgeable"] else ""
    yield f"isolation: {detail['isolation']}{ended}{proof}"
    if detail["decided_by_program"]:
        yield f"decided by the program's own code: {detail['decided_by_program']} comparisons"
    yield from _explain_both(detail.get("runs"))


def _explain_both(runs: object) -> Iterator[str]:
    """A line on each of the two runs; a runner, and earlier scores, have one."""
    if not isinstance(runs, dict):
        return
    for name, words in _RUNS.items():
        yield f"{words}: {runs[name]['state']}"


def _explain_failures(detail: dict[str, object]) -> Iterator[str]:
    failures = detail["failures"]
    if isinstance(failures, (list, tuple)):
        for one in failures[:10]:
            yield f"failed: {one['test']}: {one['message'].partition(_NEW_LINE)[0]}"
        if len(failures) > 10:  # noqa: PLR2004  enough to read
            yield f"failed: {len(failures) - 10} more"
