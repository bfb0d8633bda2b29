"""The timed worker: a function in a separate process that can always be stopped.

Python's ``re`` and similar functions hold the interpreter until they return; nothing in the same
process can stop them. Here the call runs in a small long-lived process. A timer inside ends it at
its limit of processor time, so that a busy machine does not cause timeouts, or when it has waited
ten times as long for something else. If that fails, the parent kills the process after ten times as
much wall time and starts another.

The process gets an empty environment, no files but its two pipes, 1 GiB of address space and no
core files. It ends when its parent does. Frames of JSON go through the pipes, never pickle.

Needs a POSIX system. macOS does not enforce the limit on address space: memory is unbounded there
within the time of a call. On Windows a call raises :class:`~benchmaker.errors.SandboxError`.
"""

import asyncio
import atexit
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from time import monotonic
from typing import Any, Self
from weakref import WeakSet

from benchmaker.errors import SandboxError, ScorerTimeout
from benchmaker.sandbox.process import Exchange, WorkerProcess, frame

MEMORY_BYTES = 1 << 30
"""The address space of a worker's process."""
_PATIENCE_S = 0.002
WAITS = 10.0
"""Seconds of waiting allowed for each second of processor time, unless set."""


class TimedWorker:
    """Calls one function in a spawned process, each call with its own time limit.

    ``function`` is a dotted path ``package.module:function``; its module may import the standard
    library only, and its one argument and its result are plain JSON data. The process starts with
    the first call, and again after it was killed or failed. Any thread may call; calls are
    answered one after the other. If the function ``is_pure``, a call that exceeds its limit is
    made once more: the time in which a virtual machine stands still counts as processor time of
    the process that it interrupts. A call may wait ``waits`` times as long as it may compute, for
    something other than a processor. Cancelling :meth:`acall` ends the process if it is at work on
    that call.

    >>> worker = TimedWorker("benchmaker.scoring.pattern_work:handle_request")
    >>> worker.call(["compile", "a+", 0])
    ['ok', None]
    >>> worker.close()
    """

    def __init__(
        self,
        function: str,
        *,
        memory_bytes: int = MEMORY_BYTES,
        is_pure: bool = False,
        waits: float = WAITS,
    ) -> None:
        self._function = function
        self._is_pure = is_pure
        self._memory_bytes = memory_bytes
        self._waits = waits
        self._child: WorkerProcess | None = None
        self._current: object = None
        self._lock = threading.Lock()
        self._queue, self._waiter = _thread(), _thread()
        _live_workers().add(self)

    def call(self, payload: Any, *, timeout_s: float = 1.0) -> Any:  # noqa: ANN401  JSON data
        """The function's result for ``payload``.

        Raises:
            ScorerTimeout: no result within ``timeout_s`` seconds of processor time.
            SandboxError: the process could not be started or broke; the next call gets a new one.
        """
        try:
            return self._call(payload, timeout_s)
        except ScorerTimeout:
            if not self._is_pure:
                raise
            return self._call(payload, timeout_s)

    async def acall(self, payload: Any, *, timeout_s: float = 1.0) -> Any:  # noqa: ANN401  JSON
        """Like :meth:`call`, for coroutines: blocks the loop for at most 2 ms.

        A quick answer is awaited on the spot; for a slow one, a thread does the waiting.
        """
        try:
            return await self._acall(payload, timeout_s)
        except ScorerTimeout:
            if not self._is_pure:
                raise
            return await self._acall(payload, timeout_s)

    def _call(self, payload: Any, timeout_s: float, token: object = None) -> Any:  # noqa: ANN401  JSON data
        with self._lock:
            self._current = token
            try:
                return self._finish(self._begin(payload, timeout_s))
            finally:
                self._current = None

    async def _acall(self, payload: Any, timeout_s: float) -> Any:  # noqa: ANN401  JSON data
        loop = asyncio.get_running_loop()
        await asyncio.sleep(0)  # others first: a row of quick answers must not keep the loop
        if not self._is_warm() or not self._lock.acquire(blocking=False):
            return await self._wait_in_queue(payload, timeout_s)
        with _TransferableLock(self._lock) as held:
            exchange = self._begin(payload, timeout_s)
            if self._advance(exchange, monotonic() + _PATIENCE_S):
                return self._result(exchange)
            slow = loop.run_in_executor(self._waiter, self._finish_and_release, exchange)
            held.transfer()
        try:
            return await asyncio.shield(slow)
        except asyncio.CancelledError:
            self._kill()
            raise

    async def _wait_in_queue(self, payload: Any, timeout_s: float) -> Any:  # noqa: ANN401  JSON data
        """Make a call in a thread; when it is cancelled, it ends at once if it has begun."""
        token = object()
        waiting = self._queue.submit(self._call, payload, timeout_s, token)
        try:
            return await asyncio.wrap_future(waiting)
        except asyncio.CancelledError:
            if self._current is token:
                self._kill()
            raise

    def _kill(self) -> None:
        """Kill the process, which ends the call that waits for its reply."""
        child = self._child
        if child is not None:
            child.process.kill()

    def close(self) -> None:
        """End the process; a later call starts a new one."""
        with self._lock:
            self._discard()
            old = (self._queue, self._waiter)
            self._queue, self._waiter = _thread(), _thread()
        for threads in old:
            threads.shutdown(wait=False)

    @property
    def pid(self) -> int | None:
        """The process's number; None while there is no process."""
        return self._child.process.pid if self._child else None

    def _is_warm(self) -> bool:
        child = self._child
        return child is not None and child.is_alive()

    def _begin(self, payload: Any, timeout_s: float) -> Exchange:  # noqa: ANN401  JSON data
        if self._child is not None and not self._child.is_alive():
            self._discard()
        if self._child is None:
            self._child = WorkerProcess.start(self._function, self._memory_bytes)
        wait_s = self._waits * timeout_s
        request = frame([timeout_s, wait_s, payload])
        return Exchange(self._child, request, timeout_s=timeout_s, clock_s=WAITS * timeout_s)

    def _advance(self, exchange: Exchange, until: float) -> bool:
        """Go on until the reply is there or it is ``until``; any fault ends the process."""
        try:
            return exchange.advance(until)
        except BaseException as exc:
            child = self._child
            self._discard()
            if isinstance(exc, SandboxError) and child is not None and child.ran_out():
                raise _timeout_error(exchange.timeout_s) from exc
            raise

    def _finish(self, exchange: Exchange) -> Any:  # noqa: ANN401  JSON data
        if self._advance(exchange, exchange.deadline):
            return self._result(exchange)
        self._discard()
        raise _timeout_error(exchange.timeout_s)

    def _finish_and_release(self, exchange: Exchange) -> Any:  # noqa: ANN401  JSON data
        with _TransferableLock(self._lock):
            return self._finish(exchange)

    def _result(self, exchange: Exchange) -> Any:  # noqa: ANN401  JSON data
        match exchange.reply():
            case ["ok", result]:
                return result
            case ["late"]:
                raise _timeout_error(exchange.timeout_s)
            case ["failed", kind, message]:
                self._discard()
                raise SandboxError(f"the worker failed: {kind}: {message}".rstrip(": "))
            case other:
                self._discard()
                raise SandboxError(f"the worker replied {str(other)[:100]!r}.")

    def _discard(self) -> None:
        if self._child is not None:
            self._child.end()
        self._child = None

    def _after_fork(self) -> None:
        """Start again: lock and threads belong to the parent, and so does the process."""
        child, self._child = self._child, None
        self._lock = threading.Lock()
        self._queue, self._waiter = _thread(), _thread()
        if child is not None:
            child.disown()


class _TransferableLock:
    """A lock that is already ours; given back at the end, unless it was handed over."""

    def __init__(self, lock: threading.Lock) -> None:
        self._lock: threading.Lock | None = lock

    def transfer(self) -> None:
        self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.release()


def _timeout_error(timeout_s: float) -> ScorerTimeout:
    return ScorerTimeout(f"timed out after {timeout_s:g} s.")


def _thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="timed-worker")


@cache
def _live_workers() -> "WeakSet[TimedWorker]":
    """Every worker of this process: closed when it ends, left alone in its forks."""
    workers: WeakSet[TimedWorker] = WeakSet()

    def apply_to_all(do: Callable[[TimedWorker], None]) -> None:
        for worker in tuple(workers):
            do(worker)

    atexit.register(apply_to_all, TimedWorker.close)
    os.register_at_fork(after_in_child=partial(apply_to_all, TimedWorker._after_fork))  # noqa: SLF001  own
    return workers
