"""The rows of requests, written to the store in the order of arrival, many per commit."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from benchmaker.errors import BenchmakerError, StoreError
from benchmaker.record.agent_trial import GatewayRequest
from benchmaker.store import Store

_Waiting = tuple[GatewayRequest, "asyncio.Future[None]"]
_Write = Callable[[Sequence[GatewayRequest]], None]

_MOST = 200
"""Rows per commit."""


class RequestRows:
    """Writes rows in one thread; a commit takes the rows queued during the previous one.

    Rows of beginning requests pass those of finished ones, which wait for the disk.

    An error of the store stops the writer: it is raised by every later call.
    """

    def __init__(self, store: Store) -> None:
        self._rooms = store.agent_trials
        self._beginning: list[_Waiting] = []
        self._queue: list[_Waiting] = []
        self._task: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="gateway-rows")
        self.error: StoreError | None = None

    async def begin(self, row: GatewayRequest) -> None:
        """Store the row of a request before it is sent; only a power cut may lose it.

        Raises:
            StoreError: it can't be stored.
        """
        await self._store(row, self._beginning)

    async def put(self, row: GatewayRequest) -> None:
        """Store a row; it is durable when this returns.

        Raises:
            StoreError: it can't be stored.
        """
        await self._store(row, self._queue)

    async def close(self) -> None:
        """Write the queue and stop."""
        if self._task is not None:
            await asyncio.wait([self._task])
        self._thread.shutdown()

    async def _store(self, row: GatewayRequest, queue: list[_Waiting]) -> None:
        if self.error is not None:
            raise self.error
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append((row, stored))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write())
        await stored

    async def _write(self) -> None:
        """Write until nothing waits; first what needs no disk."""
        while queue := self._beginning or self._queue:
            write = self._rooms.put_requests
            if queue is self._beginning:
                write = self._rooms.begin_requests
            batch = queue[:_MOST]
            del queue[:_MOST]
            try:
                await self._call(write, [row for row, _ in batch])
            except Exception as exc:  # noqa: BLE001  it is raised where rows are put
                self._fail(exc, batch)
                return
            for _, stored in batch:
                if not stored.done():
                    stored.set_result(None)

    async def _call(self, write: _Write, rows: Sequence[GatewayRequest]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, write, rows)

    def _fail(self, exc: Exception, batch: list[_Waiting]) -> None:
        known = isinstance(exc, BenchmakerError)
        message = exc.message if isinstance(exc, BenchmakerError) else repr(exc)
        error = self.error = exc if isinstance(exc, StoreError) else StoreError(message)
        if not known:
            error.__cause__ = exc
        for _, stored in (*batch, *self._beginning, *self._queue):
            if not stored.done():
                stored.set_exception(error)
        self._beginning.clear()
        self._queue.clear()
