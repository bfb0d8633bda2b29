"""The input and the environment of a criterion."""

import os
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from benchmaker.arenas.agentic.verify.finding import Finding, error_with, fail_with, one_line, tail
from benchmaker.arenas.agentic.verify.patterns import is_pattern, matcher
from benchmaker.arenas.agentic.verify.workspace import Prepared, files
from benchmaker.record.submissions.submission import Submission
from benchmaker.sandbox import (
    CommandResult,
    Isolation,
    Outputs,
    ResourceLimits,
    SandboxCommand,
    arun_sandboxed,
    interpreter_reads,
    wall_limit,
)
from benchmaker.sandbox.container_program import has_verdict_pipe
from benchmaker.scoring.base import Ask
from benchmaker.spec.suites.judge import JudgeSpec
from benchmaker.spec.tasks.task import Task, TaskFolder

READ_BYTES: Final = 10_000_000
"""Maximum size of a file that is read."""

_PYTHON: Final = frozenset({"python", "python3"})


class GradingClock(Protocol):
    """Wall time for the record, monotonic time for durations."""

    def now_utc(self) -> str:
        """The wall time as ISO 8601 in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds since some moment; never goes back."""
        ...


@dataclass(frozen=True, slots=True)
class Jury:
    """The judges of a rubric: the way to query them, and their models."""

    ask: Ask
    spec: JudgeSpec


class TimeLeft:
    """The time that is left to a criterion with several runs, in seconds of processor time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def use(self, ended: CommandResult) -> None:
        """Subtract a run; a container's processor time is unknown, so its wall time counts."""
        self.seconds -= ended.wall_s if ended.cpu_s is None else ended.cpu_s


class Unreadable(Exception):
    """An unreadable file, with the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingContext:
    """A prepared submission with everything that a criterion may use.

    ``isolation`` is the level for criteria that run code. Each run has a fresh copy. ``proxy`` is
    the socket of the proxy to the hosts of the task, if it lists some.
    """

    task: TaskFolder
    prepared: Prepared
    isolation: Isolation
    clock: GradingClock
    submission: Submission | None = None
    jury: Jury | None = None
    proxy: Path | None = None

    @property
    def spec(self) -> Task:
        """The task as in its file."""
        return self.task.task

    def limits(self, seconds: float) -> ResourceLimits:
        """Return the task's limits for a run of at most ``seconds`` of processor time.

        A run that waits is ended by :func:`~benchmaker.sandbox.wall_limit`.
        """
        own = self.spec.limits
        return ResourceLimits(
            wall_s=wall_limit(seconds),
            cpu_s=min(own.cpu_s, seconds),
            memory_mb=own.memory_mb,
            processes=own.processes,
            file_mb=own.disk_mb,
            disk_mb=own.disk_mb,
            inodes=own.files,
            output_bytes=own.output_bytes,
        )

    async def run(
        self,
        argv: tuple[str, ...],
        *,
        seconds: float,
        stdin: bytes = b"",
        reads: Mapping[str | Path, str] | None = None,
        outputs: Outputs | None = None,
    ) -> CommandResult:
        """Run a command on a fresh copy of the graded workspace.

        ``python`` is the Python that runs us, wherever the isolation lets it be seen.
        """
        own_python = self.isolation is not Isolation.CONTAINER and not self._is_hidden
        is_python = own_python and argv[0] in {*_PYTHON, sys.executable}
        command = SandboxCommand(
            (sys.executable, *argv[1:]) if is_python else argv,
            env={"PYTHONDONTWRITEBYTECODE": "1", **self.spec.env},
            stdin=stdin,
            network=self.spec.network is True,
            proxy=self.proxy,
            places=self.places("."),
            reads={**(interpreter_reads() if own_python else {}), **(reads or {})},
            image=self.spec.image if self.isolation is Isolation.CONTAINER else "",
        )
        return await arun_sandboxed(
            command,
            self.prepared.graded,
            isolation=self.isolation,
            limits=self.limits(seconds),
            outputs=outputs,
            clock=self.clock,
        )

    def places(self, folder: str) -> dict[str, str]:
        """The workspace, a folder of the sandbox's, under the path that the task gives it."""
        workdir = self.spec.workdir
        is_named = workdir and self.isolation is not Isolation.PROCESS
        return {workdir: folder} if is_named else {}

    @property
    def channel_error(self) -> Finding | None:
        """The reason why our runner's result cannot be trusted there; None if it can."""
        if self.isolation is not Isolation.CONTAINER or has_verdict_pipe():
            return None
        return error_with(
            "Docker containers have no verdict pipe, so their verdicts can't be trusted; install "
            "podman, or run the task in a namespace"
        )

    @property
    def _is_hidden(self) -> bool:
        """True if our Python interpreter is unreachable: as root, a process runs as nobody."""
        if self.isolation is not Isolation.PROCESS or os.geteuid():
            return False
        above = (sys.executable, sys.prefix, sys.base_prefix, Path(sys.executable).resolve())
        folders = {folder for path in above for folder in Path(path).parents}
        return not all(folder.stat().st_mode & stat.S_IXOTH for folder in folders)

    def paths(self, patterns: tuple[str, ...]) -> list[str]:
        """The submitted files and links that the patterns name, in order."""
        is_named = matcher(patterns)
        return [path for path in files(self.prepared.submitted) if is_named(path)]

    def matching_files(self, path: str) -> list[str]:
        """The regular files that a path or a pattern names."""
        found = self.paths((path,)) if is_pattern(path) else [path]
        return [one for one in found if self.size(one) is not None]

    def size(self, path: str) -> int | None:
        """Return the size of a regular file; None if it is missing or behind a link."""
        place = self.prepared.submitted / path
        try:
            if any(above.is_symlink() for above in _up_to(place, self.prepared.submitted)):
                return None
            return place.stat().st_size if place.is_file() else None
        except (OSError, ValueError):
            return None

    def read(self, path: str) -> bytes:
        """Return a submitted file.

        Raises:
            Unreadable: missing, a link, or too large.
        """
        size = self.size(path)
        if size is None:
            raise Unreadable(f"no file {path}")
        if size > READ_BYTES:
            raise Unreadable(f"{path} is larger than {READ_BYTES:,} bytes")
        return (self.prepared.submitted / path).read_bytes()

    def text(self, path: str) -> str:
        """A submitted file as text; Unreadable where it is not UTF-8."""
        try:
            return self.read(path).decode("utf-8-sig")
        except UnicodeDecodeError as exc:
            raise Unreadable(f"{path} is not UTF-8 text") from exc

    def answer(self, path: str) -> bytes | None:
        """Return a file of the task's tests, such as an expected answer; None if missing."""
        place = self.task.tests / path
        return place.read_bytes() if place.is_file() else None

    def to_plain(self) -> dict[str, Any]:
        """Return facts for plug-ins of other packages, as plain data."""
        return {"task": self.spec.id, "isolation": str(self.isolation)}


def _up_to(place: Path, folder: Path) -> list[Path]:
    inner = place.relative_to(folder).parts
    return [folder.joinpath(*inner[:at]) for at in range(1, len(inner) + 1)]


def not_clean(ended: CommandResult, argv: tuple[str, ...]) -> Finding | None:
    """Return the finding for a run that did not exit by itself; None if it did, with any status.

    Causes in the submission are failures; those in this machine are errors.
    """
    if ended.reason == "exited":
        return None
    said = " ".join(part for part in (ended.detail, f"\n{tail(ended.stderr)}") if part).strip()
    if ended.reason == "not_started":
        is_submitted = "/" in argv[0] and not os.path.isabs(argv[0])  # noqa: PTH117  a word
        what = f"{one_line(argv[0])} could not be started: {said}"
        return fail_with(what) if is_submitted else error_with(what)
    if ended.reason == "memory" and "machine" in ended.detail:
        return error_with(f"the machine ran out of memory: {said}")
    return fail_with(f"stopped by its limits ({ended.reason}): {said}" if said else ended.reason)


def describe_exit(ended: CommandResult) -> str:
    """Return the exit of a command, and its last output."""
    words = [f"status {ended.exit_status} after {ended.wall_s:.2f} s"]
    for name, text in (("stdout", ended.stdout), ("stderr", ended.stderr)):
        if text.strip():
            words.append(f"{name}: {tail(text, 900)}")
    return "\n".join(words)
