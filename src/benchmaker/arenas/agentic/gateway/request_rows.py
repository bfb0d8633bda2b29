"""The rows of requests, written to the store in the order of arrival, many per commit."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from benchmaker.errors import BenchmakerError, StoreError
from benchmaker.record.agent_trial import GatewayRequest
from benchmaker.store import Store

_MOST = 200
"""Rows per commit."""


class RequestRows:
    """Writes rows in one thread; a commit takes the rows queued during the previous one.

    An error of the store stops the writer: it is raised by every later call.
    """

    def __init__(self, store: Store) -> None:
        self._rooms = store.agent_trials
        self._queue: list[tuple[GatewayRequest, asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="gateway-rows")
        self.error: StoreError | None = None

    async def put(self, row: GatewayRequest) -> None:
        """Store a row; it is durable when this returns.

        Raises:
            StoreError: it can't be stored.
        """
        durable: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._enqueue(row, durable)
        await durable

    async def close(self) -> None:
        """Write the queue and stop."""
        if self._task is not None:
            await asyncio.wait([self._task])
        self._thread.shutdown()

    def _enqueue(self, row: GatewayRequest, durable: asyncio.Future[None]) -> None:
        if self.error is not None:
            raise self.error
        self._queue.append((row, durable))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write())

    async def _write(self) -> None:
        while self._queue:
            batch, self._queue = self._queue[:_MOST], self._queue[_MOST:]
            try:
                await self._commit([row for row, _ in batch])
            except Exception as exc:  # noqa: BLE001  it is raised where rows are put
                self._fail(exc, batch)
                return
            for _, durable in batch:
                if not durable.done():
                    durable.set_result(None)

    async def _commit(self, rows: Sequence[GatewayRequest]) -> None:
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._thread, self._rooms.put_requests, rows)

    def _fail(
        self, exc: Exception, batch: list[tuple[GatewayRequest, asyncio.Future[None]]]
    ) -> None:
        known = isinstance(exc, BenchmakerError)
        message = exc.message if isinstance(exc, BenchmakerError) else repr(exc)
        error = self.error = exc if isinstance(exc, StoreError) else StoreError(message)
        if not known:
            error.__cause__ = exc
        for _, durable in (*batch, *self._queue):
            if not durable.done():
                durable.set_exception(error)
        self._queue = []
