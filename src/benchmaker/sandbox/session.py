"""One command behind the keeper: started, fed, listened to, and surely ended."""

import json
import marshal
import os
import platform
import select
import selectors
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache
from math import ceil
from pathlib import Path
from typing import IO, Any, Self

from benchmaker.errors import SandboxError
from benchmaker.sandbox import recipe, supervisor
from benchmaker.sandbox.command import VERDICT_FD, SandboxCommand
from benchmaker.sandbox.interpreter import script_file
from benchmaker.sandbox.isolation import Isolation
from benchmaker.sandbox.limits import MIB, ResourceLimits, longest_s
from benchmaker.sandbox.streams import StreamHead, StreamTail
from benchmaker.sandbox.syscalls import syscall_filter

NOBODY = (65534, 65534)
_START_S = 20.0
_END_S = 10.0
_FLOOD = 64
_CHANNEL_BYTES = MIB
_MESSAGE = 1 << 22
_ADDRESS_SPACE = 16 << 30
_CLIENT_TASKS, _CLIENT_BYTES = 500, MIB << 10
_OWN_PROCESS_COUNT = (5, 14)  # since then a user namespace counts its own processes
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class CommandObservation:
    """The observations of a command; ``report`` is the supervisor's last message."""

    report: dict[str, Any]
    wall_s: float
    stdout: StreamTail
    stderr: StreamTail
    channel: StreamHead


class Session:
    """A command about to run; a context manager that leaves nothing running.

    ``folder`` is the workspace of a process; a namespace brings its own.
    """

    def __init__(
        self,
        command: SandboxCommand,
        isolation: Isolation,
        limits: ResourceLimits,
        *,
        monotonic: Callable[[], float],
        folder: Path | None = None,
    ) -> None:
        self._limits = limits
        self._monotonic = monotonic
        self._stack = ExitStack()
        self._reported_flood = False
        self.stage = -1
        try:
            self._start(command, isolation, folder)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the command if it runs, and wait for its end."""
        self._stack.close()

    def stop(self) -> None:
        """Request the end of the command, from any thread."""
        with suppress(OSError):
            self._control.send(b"killed")

    def run(self, stdin: bytes) -> CommandObservation:
        """Let the command go, and see it through to its end."""
        self._control.send(b"go")
        began = self._monotonic()
        report = self._listen(memoryview(stdin))
        if report is None:
            raise SandboxError("the sandbox supervisor was killed, and the command with it.")
        if "failed" in report:
            raise SandboxError(f"the sandbox could not be set up: {report['failed']}.")
        wall_s = max(0.0, self._ended_at - began)
        return CommandObservation(report, wall_s, self._stdout, self._stderr, self._channel)

    def _start(self, command: SandboxCommand, isolation: Isolation, folder: Path | None) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for one in (ours, theirs):
            self._stack.callback(one.close)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _MESSAGE)
        self._control = ours
        self._verdict, verdict = self._pipe()
        ends = [verdict]
        if isolation is Isolation.NAMESPACE:
            ends.append(self._filter())
        passed = [end.fileno() for end in ends]
        if command.link is not None:
            passed.append(command.link)
        plan = _plan(command, isolation, self._limits, passed, folder)
        self._keeper = _spawn(theirs.fileno(), passed)
        self._stack.callback(self._end_keeper)
        theirs.close()
        for end in ends:
            end.close()
        self._send(plan)
        self._await_ready()

    def _pipe(self) -> tuple[IO[bytes], IO[bytes]]:
        read, write = os.pipe()
        ends = os.fdopen(read, "rb", buffering=0), os.fdopen(write, "wb", buffering=0)
        for end in ends:
            self._stack.callback(end.close)
        return ends

    def _filter(self) -> IO[bytes]:
        read, write = self._pipe()
        with write:
            write.write(syscall_filter(platform.machine()))
        return read

    def _send(self, plan: dict[str, Any]) -> None:
        try:
            self._control.send(marshal.dumps(plan))
        except OSError as exc:
            raise SandboxError(
                f"the command, its environment and its paths can't be sent: {exc.strerror}."
            ) from exc

    def _await_ready(self) -> None:
        self._control.settimeout(_START_S)
        try:
            message, fds, _, _ = socket.recv_fds(self._control, _MESSAGE, 1)
        except TimeoutError as exc:
            raise SandboxError(f"the sandbox did not start within {_START_S:g} s.") from exc
        report = json.loads(message) if message else {"failed": self._last_words()}
        if "failed" in report:
            raise SandboxError(f"the sandbox could not be set up: {report['failed']}.")
        self.stage = fds[0]
        self._stack.callback(os.close, self.stage)
        self._control.settimeout(None)

    def _last_words(self) -> str:
        said = _pipes(self._keeper)[2].read(_CHUNK) or b"its keeper ended"
        return said.decode("utf-8", "replace").strip().splitlines()[-1]

    def _listen(self, unsent: memoryview) -> dict[str, Any] | None:
        """Read and write until the command has ended and its pipes are drained."""
        limits, last = self._limits, None
        self._stdout, self._stderr = (
            StreamTail(limits.output_bytes),
            StreamTail(limits.output_bytes),
        )
        self._channel = StreamHead(_CHANNEL_BYTES)
        stdin, stdout, stderr = _pipes(self._keeper)
        sinks = {stdout.fileno(): self._stdout, stderr.fileno(): self._stderr}
        sinks[self._verdict.fileno()] = self._channel
        deadline = self._monotonic() + longest_s(limits.wall_s) + _END_S
        with selectors.DefaultSelector() as waiting:
            for fd in (*sinks, self._control.fileno()):
                waiting.register(fd, selectors.EVENT_READ)
            os.set_blocking(stdin.fileno(), False)  # a function of os
            waiting.register(stdin, selectors.EVENT_WRITE)
            while waiting.get_map():
                if (left := deadline - self._monotonic()) <= 0:
                    raise SandboxError("the command could not be stopped in time.")
                for key, _ in waiting.select(left):
                    if key.fileobj is stdin:
                        unsent = _feed(stdin, unsent)
                        if not unsent:
                            waiting.unregister(stdin)
                            stdin.close()
                    elif key.fd == self._control.fileno():
                        message = self._receive()
                        last = message or last
                        if message is None:
                            waiting.unregister(key.fd)
                            _forget(waiting, stdin)
                    elif not self._drain(key.fd, sinks[key.fd]):
                        waiting.unregister(key.fd)
        return last if last and ("ended" in last or "failed" in last) else None

    def _receive(self) -> dict[str, Any] | None:
        try:
            message = self._recv()
        except OSError:
            return None
        self._ended_at = self._monotonic()
        return json.loads(message) if message else None

    def _recv(self) -> bytes:
        """Read a message; the last one stays readable after a reset.

        The supervisor may end without having read that it should, which resets the socket.
        """
        try:
            return self._control.recv(_MESSAGE)
        except ConnectionResetError:
            return self._control.recv(_MESSAGE)

    def _drain(self, fd: int, sink: StreamTail) -> bool:
        chunk = os.read(fd, _CHUNK)
        sink.add(chunk)
        if sink.total > _FLOOD * self._limits.output_bytes and not self._reported_flood:
            self._reported_flood = True
            with suppress(OSError):
                self._control.send(b"output")
        return bool(chunk)

    def _end_keeper(self) -> None:
        """Close the socket, at which the keeper ends the command and itself."""
        self._control.close()
        for pipe in _pipes(self._keeper):
            pipe.close()
        if not _has_ended(self._keeper.pid):
            self._keeper.kill()
        self._keeper.wait()


@cache
def _kernel() -> tuple[int, ...]:
    return tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2])


def _plan(
    command: SandboxCommand,
    isolation: Isolation,
    limits: ResourceLimits,
    passed: list[int],
    folder: Path | None,
) -> dict[str, Any]:
    is_namespace, is_container = isolation is Isolation.NAMESPACE, isolation is Isolation.CONTAINER
    env = recipe.environment(command.env) | {VERDICT_FD: str(supervisor.VERDICT)}
    reads = recipe.check_reads(command)
    plan: dict[str, Any] = {
        "isolation": "namespace" if is_namespace else "process",
        "argv": list(command.argv),
        "pass": passed,
        "has_link": command.link is not None,
        "nobody": NOBODY if os.geteuid() == 0 and not is_container else None,
        "counts_others": not is_namespace or _kernel() < _OWN_PROCESS_COUNT,
        "wall_s": limits.wall_s,
        "longest_s": longest_s(limits.wall_s),
        "pause_file": str(command.pause_file or ""),
        "cpu_s": limits.cpu_s,
        "memory_bytes": limits.memory_mb * MIB,
        "disk_bytes": limits.disk_mb * MIB,
        "inodes": limits.inodes,
        "processes": limits.processes,
        "limits": _rlimits(limits),
    }
    if is_namespace:
        return plan | {
            "argv": recipe.init_command(command.argv, env),
            "bwrap": shutil.which("bwrap"),
            "options": recipe.options(command, reads),
            "env": {},
            "folder": "/",
            "reads": list(reads),
            "files": recipe.FILES,
        }
    recipe.start_folder(command.cwd)  # refuses what leads out
    start = os.path.normpath(f"{folder}/workspace/{command.cwd}")
    if is_container:
        return (
            plan
            | {"env": dict(command.env), "folder": start, "watched": str(folder)}
            | _client(limits)
        )
    own = dict.fromkeys(("HOME", "TMPDIR"), f"{folder}/tmp")  # noqa: S108  of the copy
    return plan | {
        "env": recipe.environment(own) | dict(command.env) | {VERDICT_FD: str(supervisor.VERDICT)},
        "folder": start,
        "watched": str(folder),
    }


def _client(limits: ResourceLimits) -> dict[str, Any]:
    """Return the additional resources of the program that starts a container.

    The limits of the command are the container's own. The program starts threads and has memory
    of its own, and some cannot start a container under limits below their defaults.
    """
    return {
        "limits": {},
        "processes": limits.processes + _CLIENT_TASKS,
        "memory_bytes": limits.memory_mb * MIB + _CLIENT_BYTES,
    }


def _rlimits(limits: ResourceLimits) -> dict[str, int]:
    return {
        "AS": max(4 * limits.memory_mb * MIB, _ADDRESS_SPACE),
        "CPU": ceil(limits.cpu_s) + 1,
        "FSIZE": limits.file_mb * MIB,
        "NOFILE": limits.open_files,
        "CORE": 0,
        "MSGQUEUE": 0,
        "MEMLOCK": 1 << 16,
    }


def _spawn(control: int, passed: list[int]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603  our own interpreter and our own file
            [sys.executable, "-I", "-S", "-B", script_file(supervisor.__file__), str(control)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd="/",
            env={},
            pass_fds=(control, *passed),
            start_new_session=True,
        )
    except OSError as exc:
        raise SandboxError(f"the sandbox can't be started: {exc.strerror}.") from exc


def _has_ended(pid: int) -> bool:
    """Return True if a child ends in time; unlike ``Popen.wait``, it never sleeps."""
    ended = os.pidfd_open(pid)
    try:
        return bool(select.select([ended], [], [], _END_S)[0])
    finally:
        os.close(ended)


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise SandboxError("the sandbox supervisor has no pipes.")
    return process.stdin, process.stdout, process.stderr


def _feed(stdin: IO[bytes], unsent: memoryview) -> memoryview:
    """Return the unwritten rest; empty if nobody reads."""
    if not unsent:
        return unsent
    try:
        return unsent[os.write(stdin.fileno(), unsent[:_CHUNK]) :]
    except BlockingIOError:
        return unsent
    except OSError:
        return unsent[:0]


def _forget(waiting: selectors.BaseSelector, stdin: IO[bytes]) -> None:
    if not stdin.closed:
        with suppress(KeyError):
            waiting.unregister(stdin)


def trial_start() -> str | None:
    """Start a command without action in a namespace; return None, or the fault."""
    from time import monotonic  # noqa: PLC0415  only here is the time not an argument

    limits = ResourceLimits(wall_s=10, disk_mb=1, inodes=64)
    with Session(
        SandboxCommand(("true",)), Isolation.NAMESPACE, limits, monotonic=monotonic
    ) as session:
        seen = session.run(b"")
    if '"exit-code": 0' in seen.report["status_text"].replace('"exit-code":0', '"exit-code": 0'):
        return None
    return seen.stderr.value().decode("utf-8", "replace").strip() or "it did not start"
