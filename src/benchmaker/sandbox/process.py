"""A process of the timed worker as its parent sees it: two pipes, and frames through them."""

import importlib.util
import json
import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from math import ceil
from pathlib import Path
from time import monotonic
from typing import IO, Any, Self

from benchmaker.errors import SandboxError

GRACE_S = 0.2
"""Seconds after its deadline in which a call may still answer before the process is killed."""

_START_S = 30.0
_REPLY_BYTES = 4 << 20
_CHUNK_BYTES = 1 << 16
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class WorkerProcess:
    """One process and its two pipes."""

    def __init__(
        self, process: subprocess.Popen[bytes], requests: IO[bytes], replies: IO[bytes]
    ) -> None:
        self.process = process
        self.requests = requests
        self.replies = replies
        for pipe in (requests, replies):
            os.set_blocking(pipe.fileno(), False)

    def __del__(self) -> None:
        self.end()

    @classmethod
    def start(cls, function: str, memory_bytes: int) -> Self:
        """Start a process and wait until it is ready."""
        if os.name != "posix":
            raise SandboxError("the timed worker needs a POSIX system.")
        process = _spawn(_command(function, memory_bytes))
        if process.stdin is None or process.stdout is None:
            raise SandboxError("the worker has no pipes.")
        child = cls(process, process.stdin, process.stdout)
        try:
            child.greet()
        except BaseException:
            child.end()
            raise
        return child

    def greet(self) -> None:
        """Wait for its first frame."""
        hello = Exchange(self, b"", timeout_s=_START_S)
        if not hello.advance(hello.deadline) or hello.reply() != ["ready"]:
            raise SandboxError(f"the worker did not start within {_START_S:g} s.")

    def is_alive(self) -> bool:
        """True if it still runs; an ended process is reaped."""
        return self.process.poll() is None

    def ran_out(self) -> bool:
        """True if the kernel killed it for its processor time; only valid after its end."""
        return self.process.returncode == -signal.SIGPROF

    def end(self) -> None:
        """Kill it, wait for it, close its pipes."""
        self.process.kill()
        self._close()
        self.process.wait()

    def disown(self) -> None:
        """Close the pipes and leave the process to the one who started it."""
        self._close()
        self.process.returncode = 0  # else its destructor would wait for a process not ours

    def _close(self) -> None:
        for pipe in (self.requests, self.replies):
            with suppress(OSError):
                pipe.close()


class Exchange:
    """A request on its way into the process and the reply on its way out.

    ``timeout_s`` is processor time, ``deadline`` the moment at which the parent stops waiting.
    """

    def __init__(
        self, child: WorkerProcess, frame: bytes, *, timeout_s: float, clock_s: float | None = None
    ) -> None:
        self._child = child
        self._unsent = memoryview(frame)
        self._received = bytearray()
        self.timeout_s = timeout_s
        self.deadline = monotonic() + (timeout_s if clock_s is None else clock_s) + GRACE_S

    def advance(self, until: float) -> bool:
        """Write and read until the reply is whole (True) or ``until`` has passed (False)."""
        try:
            self._send()
            while not self._is_whole():
                if (left := until - monotonic()) <= 0:
                    return False
                self._step(left)
        except OSError as exc:
            raise SandboxError(f"the worker failed: {exc}.") from exc
        return True

    def reply(self) -> Any:  # noqa: ANN401  JSON data
        """Return the process's reply; SandboxError if it is not JSON."""
        try:
            return json.loads(self._received[4:].decode("utf-8", "surrogatepass"))
        except ValueError as exc:
            raise SandboxError("the worker's reply is not JSON.") from exc

    def _step(self, left_s: float) -> None:
        waiting = select.poll()
        waiting.register(self._child.replies, select.POLLIN)
        if self._unsent:
            waiting.register(self._child.requests, select.POLLOUT)
        for fd, _ in waiting.poll(ceil(left_s * 1000)):
            if fd == self._child.replies.fileno():
                self._receive(fd)
            else:
                self._send()

    def _send(self) -> None:
        if self._unsent:
            with suppress(BlockingIOError):
                self._unsent = self._unsent[os.write(self._child.requests.fileno(), self._unsent) :]

    def _receive(self, fd: int) -> None:
        chunk = os.read(fd, _CHUNK_BYTES)
        if not chunk:
            raise SandboxError("the worker exited during a call.")
        self._received += chunk
        if len(self._received) > _REPLY_BYTES:
            raise SandboxError(f"the worker's reply is longer than {_REPLY_BYTES:,} bytes.")

    def _is_whole(self) -> bool:
        size = int.from_bytes(self._received[:4], "big")
        return len(self._received) >= 4 + size and bool(size)


def frame(request: list[Any]) -> bytes:
    """Return a request in the form the process reads; lone surrogates pass unchanged."""
    body = _encode(request).encode("utf-8", "surrogatepass")
    return len(body).to_bytes(4, "big") + body


def _spawn(command: list[str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603  our own interpreter and our own file
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd="/",
            env={},
            start_new_session=True,
        )
    except OSError as exc:
        raise SandboxError(f"the worker can't be started: {exc}.") from exc


def _command(function: str, memory_bytes: int) -> list[str]:
    child = Path(__file__).with_name("timed_child.py")
    module, _, name = function.partition(":")
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError) as exc:
        raise SandboxError(f"the worker's function {function!r} can't be found.") from exc
    if spec is None or spec.origin is None:
        raise SandboxError(f"the worker's function {function!r} can't be found.")
    # -I: nothing from the environment or the folder; -S: no site-packages; -B: writes no files
    options = ["-I", "-S", "-B"]
    return [sys.executable, *options, str(child), spec.origin, name, str(memory_bytes)]
