"""Running a command that is not trusted, on a copy of a workspace."""

import asyncio
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from benchmaker.errors import SandboxError
from benchmaker.sandbox import container_program, recipe
from benchmaker.sandbox.command import CommandResult, Reason, SandboxCommand
from benchmaker.sandbox.container import wrap_command
from benchmaker.sandbox.container_program import ContainerEnd, StartedContainer
from benchmaker.sandbox.copying import Bounds, CopyReport, Wanted, copy_tree
from benchmaker.sandbox.gateway import check_gateway, relay_processes, through_gateway
from benchmaker.sandbox.isolation import Isolation
from benchmaker.sandbox.isolation_check import require_exactly
from benchmaker.sandbox.limits import MIB, ResourceLimits
from benchmaker.sandbox.session import NOBODY, CommandObservation, Session

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_EXIT_CODE = re.compile(r'"exit-code": *(\d+)')
_SIGNALLED = 128
_NOT_FOUND = 127
_OWN_END_S = 10.0
"""Seconds for the processes of a command to end whose end of the socket is closed."""


class MonotonicClock(Protocol):
    """A clock for measuring durations."""

    def monotonic(self) -> float:
        """Seconds from some moment on."""
        ...


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files to take from the workspace after the command, and their target.

    ``into`` is a new or empty folder. ``names`` are patterns such as ``build/*.txt``, ``src/**`` or
    ``report.json``; a folder's name matches everything in it. Links to the outside, devices and
    pipes are never taken.
    """

    into: Path
    names: tuple[str, ...] = ("**",)


def run_sandboxed(
    command: SandboxCommand,
    workspace: Path | None = None,
    *,
    isolation: Isolation,
    limits: ResourceLimits | None = None,
    outputs: Outputs | None = None,
    clock: MonotonicClock = time,
) -> CommandResult:
    """Run a command on a copy of ``workspace`` (None: an empty one) and wait for its end.

    Afterwards the command, its child processes and all its files are gone, except ``outputs``. It
    runs at exactly ``isolation``; see :func:`~benchmaker.sandbox.isolation_check.require` for
    choosing one.

    Raises:
        PrerequisiteError: this machine lacks that isolation; the hint is the command.
        SandboxError: the workspace exceeds the limits, or the sandbox itself failed.
    """
    handle = _Run(
        command, workspace, isolation=isolation, limits=limits, outputs=outputs, clock=clock
    )
    return handle.run()


async def arun_sandboxed(
    command: SandboxCommand,
    workspace: Path | None = None,
    *,
    isolation: Isolation,
    limits: ResourceLimits | None = None,
    outputs: Outputs | None = None,
    clock: MonotonicClock = time,
    stop: asyncio.Event | None = None,
) -> CommandResult:
    """As :func:`run_sandboxed`, from a coroutine; cancelling it ends the command first.

    When ``stop`` is set, the command is ended with the reason ``killed``; its outputs are taken.
    """
    handle = _Run(
        command, workspace, isolation=isolation, limits=limits, outputs=outputs, clock=clock
    )
    work = asyncio.ensure_future(asyncio.to_thread(handle.run))
    watch = asyncio.ensure_future(_stop_at(stop, handle))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        handle.stop()
        await asyncio.wait([work])
        raise
    finally:
        watch.cancel()


async def _stop_at(stop: asyncio.Event | None, run: "_Run") -> None:
    if stop is not None:
        await stop.wait()
        run.stop()


async def arun_linked(
    first: SandboxCommand,
    second: SandboxCommand,
    *,
    limits: tuple[ResourceLimits, ResourceLimits],
    clock: MonotonicClock = time,
) -> tuple[CommandResult, CommandResult]:
    """Run two commands at once, each in a namespace of its own, connected by a socket alone.

    Each gets its end of a stream socket as :data:`LINK_FD`, and an empty workspace. Neither can
    see the other's processes or files, or write to its verdict pipe. When the first ends, the
    second is ended, unless its end of the socket is closed: then it has ended by itself, and its
    last processes have 10 s to end. Cancelling the coroutine ends both.

    Raises:
        PrerequisiteError: this machine has no namespaces; the hint is the command.
        SandboxError: a sandbox itself failed.
    """
    with ExitStack() as stack:
        ends = [stack.enter_context(end) for end in socket.socketpair()]
        watched = stack.enter_context(ends[0].dup())
        runs = [
            _Run(
                replace(command, link=end.fileno()),
                None,
                isolation=Isolation.NAMESPACE,
                limits=limit,
                outputs=None,
                clock=clock,
                on_start=end.close,
            )
            for command, end, limit in zip((first, second), ends, limits, strict=True)
        ]
        work = [
            asyncio.ensure_future(asyncio.to_thread(_run_and_close, run, end))
            for run, end in zip(runs, ends, strict=True)
        ]
        try:
            await asyncio.wait(work[:1])
            if _has_peer_closed(watched):
                await asyncio.wait(work, timeout=_OWN_END_S)
        finally:
            for run in runs:
                run.stop()
            await asyncio.wait(work)
        for error in [one.exception() for one in work]:
            if error is not None:
                raise error
        return work[0].result(), work[1].result()


def _has_peer_closed(end: socket.socket) -> bool:
    """Return True if nobody holds the other end of a stream socket any more."""
    poll = select.poll()
    poll.register(end, select.POLLHUP)
    return bool(poll.poll(0))


def _run_and_close(run: "_Run", end: socket.socket) -> CommandResult:
    """Run a command; the other one sees the end of its socket, whatever happens."""
    with end:
        return run.run()


class _Run:
    """One run, which another thread may stop."""

    def __init__(
        self,
        command: SandboxCommand,
        workspace: Path | None,
        *,
        isolation: Isolation,
        limits: ResourceLimits | None,
        outputs: Outputs | None,
        clock: MonotonicClock,
        on_start: Callable[[], None] | None = None,
    ) -> None:
        self._on_start = on_start
        self._command = command
        self._workspace = workspace
        self._isolation = isolation
        self._limits = limits or ResourceLimits()
        self._outputs = outputs
        self._clock = clock
        self._session: Session | None = None
        self._container: StartedContainer | None = None
        self._is_stopped = False

    def stop(self) -> None:
        self._is_stopped = True
        if self._session is not None:
            self._session.stop()

    def run(self) -> CommandResult:
        _check(self._command, self._isolation)
        require_exactly(self._isolation)
        if self._isolation is Isolation.NAMESPACE:
            return self._run_in_namespace()
        with _temporary_folder() as folder:
            return self._run_in_folder(folder)

    def _run_in_namespace(self) -> CommandResult:
        extra = relay_processes(self._command)
        session = Session(
            through_gateway(self._command, self._isolation),
            self._isolation,
            replace(self._limits, processes=self._limits.processes + extra),
            monotonic=self._clock.monotonic,
        )
        with session, ExitStack() as stack:
            place = os.open("workspace", _FOLDER, dir_fd=session.stage)
            stack.callback(os.close, place)
            owner = NOBODY if os.geteuid() == 0 else None
            copied = self._fill(place, owner)
            is_absent = _is_absent(self._command, place)
            ended = self._finish(session, place, copied)
            if is_absent and ended.exit_status == _NOT_FOUND:
                detail = f"{self._command.argv[0]}: not found"
                return replace(ended, exit_status=None, reason="not_started", detail=detail)
            return ended

    def _run_in_folder(self, folder: Path) -> CommandResult:
        owner = NOBODY if os.geteuid() == 0 else None
        for name in ("workspace", "tmp"):
            (folder / name).mkdir()
            if owner:
                os.chown(folder / name, *owner)
        with ExitStack() as stack:
            place = os.open(folder / "workspace", _FOLDER)
            stack.callback(os.close, place)
            copied = self._fill(place, owner)
            command = self._wrap(folder, stack)
            session = stack.enter_context(
                Session(
                    command,
                    self._isolation,
                    self._limits,
                    monotonic=self._clock.monotonic,
                    folder=folder,
                )
            )
            return self._finish(session, place, copied)

    def _wrap(self, folder: Path, stack: ExitStack) -> SandboxCommand:
        """The command itself, or the one that starts its container."""
        if self._isolation is not Isolation.CONTAINER:
            return self._command
        program, name = container_program.program_found(), container_program.new_name()
        self._container = stack.enter_context(StartedContainer(program, name))
        command = through_gateway(self._command, self._isolation)
        extra = relay_processes(self._command)
        limits = replace(self._limits, processes=self._limits.processes + extra)
        return wrap_command(command, folder, limits, program=program, name=name)

    def _fill(self, place: int, owner: tuple[int, int] | None) -> CopyReport:
        if self._workspace is None:
            return CopyReport()
        limits = self._limits
        size = limits.disk_mb * MIB
        try:
            source = os.open(self._workspace, _FOLDER)
        except OSError as exc:
            raise SandboxError(
                f"the workspace can't be opened: {exc.strerror}.", where=str(self._workspace)
            ) from exc
        try:
            bounds = Bounds(total_bytes=size, file_bytes=size, entries=limits.inodes)
            return copy_tree(source, place, bounds=bounds, owner=owner)
        except OSError as exc:
            raise SandboxError(f"the workspace can't be copied: {exc.strerror}.") from exc
        except SandboxError as exc:
            hint = "Raise the limits, or remove files that the command does not need."
            raise SandboxError(f"the workspace: {exc}", hint=hint) from exc
        finally:
            os.close(source)

    def _finish(self, session: Session, place: int, copied: CopyReport) -> CommandResult:
        self._session = session
        if self._on_start is not None:
            self._on_start()
        if self._is_stopped:
            session.stop()
        seen = session.run(self._command.stdin)
        end = self._container.finish() if self._container else None
        ended = _to_result(seen, self._isolation, copied, end)
        return ended if self._outputs is None else self._collect(ended, place, self._outputs)

    def _collect(self, ended: CommandResult, place: int, outputs: Outputs) -> CommandResult:
        """Copy the outputs; exceeding the limits is a finding on the command, not our error."""
        outputs.into.mkdir(parents=True, exist_ok=True)
        if any(outputs.into.iterdir()):
            raise SandboxError("the output folder is not empty.", where=str(outputs.into))
        os.fchmod(place, 0o700)
        target = os.open(outputs.into, _FOLDER)
        limits = self._limits
        size = limits.disk_mb * MIB
        bounds = Bounds(total_bytes=size, file_bytes=size, entries=limits.inodes)
        try:
            copied = copy_tree(place, target, bounds=bounds, wanted=_matcher(outputs.names))
        except SandboxError as exc:
            return replace(ended, reason="disk", detail=f"outputs: {exc}")
        finally:
            os.close(target)
        return replace(ended, left_out=(*ended.left_out, *copied.left_out))


def _check(command: SandboxCommand, isolation: Isolation) -> None:
    if isolation is Isolation.NONE:
        raise SandboxError("isolation none can't run commands.")
    if not command.argv or not all(command.argv[:1]):
        raise SandboxError("no command to run.")
    if "=" in command.argv[0]:
        raise SandboxError(f"{command.argv[0]!r} looks like a variable assignment.")
    check_gateway(command, isolation)
    words = (*command.argv, *command.env, *command.env.values(), command.cwd)
    if any("\0" in word for word in words) or any("=" in name for name in command.env):
        raise SandboxError("the command or its environment contains an invalid character.")
    moved = [host for host, inside in command.reads.items() if str(host) != inside]
    if isolation is Isolation.PROCESS and (moved or command.places):
        raise SandboxError("isolation by process can't show a path in another place.")


def _is_absent(command: SandboxCommand, place: int) -> bool:
    """Return True if the program is certainly missing; checked before the start."""
    name = command.argv[0]
    if "/" not in name:
        path = recipe.environment(command.env)["PATH"]
        return path == recipe.PATH and shutil.which(name, path=path) is None
    if name.startswith("/"):
        return False
    try:
        os.stat(f"{command.cwd}/{name}", dir_fd=place)
    except OSError:
        return True
    return False


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="benchmaker-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a tree, however deep it is and whatever may be read in it."""
    with suppress(OSError, RecursionError):
        shutil.rmtree(folder)
        return
    for words in (("/bin/chmod", "-R", "u+rwX"), ("/bin/rm", "-rf", "--one-file-system")):
        subprocess.run([*words, "--", folder], check=False, capture_output=True)  # noqa: S603  fixed


def _matcher(names: tuple[str, ...]) -> Wanted:
    patterns = [re.compile(_pattern(name)) for name in names]
    return lambda path: any(pattern.fullmatch(path) for pattern in patterns)


def _pattern(name: str) -> str:
    r"""A pattern of names as a regular expression.

    >>> bool(re.fullmatch(_pattern("a/**/*.txt"), "a/b/c.txt"))
    True
    """
    signs = {"**/": r"(?:[^/]+/)*", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", os.path.normpath(name))
    return "(?s:" + "".join(signs.get(part) or re.escape(part) for part in parts) + r"(?:/.*)?)"


def _to_result(
    seen: CommandObservation, isolation: Isolation, copied: CopyReport, end: ContainerEnd | None
) -> CommandResult:
    status, number, reason, detail = _verdict(seen, isolation, end)
    return CommandResult(
        exit_status=status,
        signal=number,
        reason=reason,
        stdout=seen.stdout.value(),
        stderr=seen.stderr.value(),
        wall_s=seen.wall_s,
        cpu_s=None if isolation is Isolation.CONTAINER else seen.report["cpu_s"],
        peak_mb=None if isolation is Isolation.CONTAINER else seen.report["peak_bytes"] / MIB,
        isolation=isolation,
        channel=seen.channel.value(),
        detail=detail,
        truncated=seen.stdout.is_truncated or seen.stderr.is_truncated,
        channel_truncated=seen.channel.is_truncated,
        left_out=tuple(copied.left_out),
    )


def _verdict(
    seen: CommandObservation, isolation: Isolation, end: ContainerEnd | None
) -> tuple[int | None, int | None, Reason, str]:
    """Status, signal, reason and detail."""
    report = seen.report
    if report["reason"]:
        return None, int(signal.SIGKILL), report["reason"], report["detail"]
    code = _code(report, isolation)
    is_absent = isolation is Isolation.CONTAINER and not (end and end.is_started)
    if code is None or is_absent:
        return None, None, "not_started", _why_not(seen, isolation)
    if end and end.is_out_of_memory and code:
        return None, int(signal.SIGKILL), "memory", "the memory limit was reached"
    if code > _SIGNALLED and code - _SIGNALLED in signal.valid_signals():
        return None, code - _SIGNALLED, *_by_signal(code - _SIGNALLED, isolation)
    if code and report["disk_full"]:
        return code, None, "disk", "the disk limit was reached"
    return code, None, "exited", ""


def _code(report: dict[str, object], isolation: Isolation) -> int | None:
    """The status as a shell would give it; None when the command was never started."""
    if isolation is Isolation.NAMESPACE:
        found = _EXIT_CODE.search(str(report["status_text"]))
        return int(found[1]) if found else None
    if report["status_text"]:
        return None
    code = os.waitstatus_to_exitcode(int(str(report["status"])))
    return code if code >= 0 else _SIGNALLED - code


def _by_signal(number: int, isolation: Isolation) -> tuple[Reason, str]:
    match number:
        case signal.SIGKILL if isolation is Isolation.CONTAINER:
            return (
                "killed",
                "SIGKILL: the memory limit was reached, or the process was killed from within",
            )
        case signal.SIGXCPU:
            return "timeout", "the processor time limit was reached"
        case signal.SIGXFSZ:
            return "disk", "the file size limit was reached"
        case _:
            return "killed", signal.Signals(number).name if number < signal.SIGRTMIN else ""


def _why_not(seen: CommandObservation, isolation: Isolation) -> str:
    if isolation is Isolation.PROCESS:
        return str(seen.report["status_text"]).strip()
    said = seen.stderr.value().decode("utf-8", "replace").strip().splitlines()
    return said[-1] if said else ""
