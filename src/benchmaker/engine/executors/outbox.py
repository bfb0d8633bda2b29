"""Rows on their way from a worker to the one who writes them."""

import asyncio
from collections import deque
from contextlib import suppress

from benchmaker.errors import StoreError
from benchmaker.record import Trial
from benchmaker.store import WriteStatus
from benchmaker.store.writer import OnCommit, OnDurable


class Outbox:
    """Accepts rows like a writer; they are durable once confirmed."""

    def __init__(self) -> None:
        self.error: StoreError | None = None
        self._new: list[Trial] = []
        self._unsaid: deque[OnDurable | None] = deque()
        self._said = 0
        self._on_commit: OnCommit | None = None
        self._stirred = asyncio.Event()

    @property
    def is_empty(self) -> bool:
        """True if everything was fetched and is durable."""
        return not self._unsaid

    def put(self, trial: Trial, *, on_durable: OnDurable | None = None) -> None:
        """A row to be fetched."""
        self._new.append(trial)
        self._unsaid.append(on_durable)
        self._stirred.set()

    def watch(self, on_commit: OnCommit) -> None:
        """Have this called when rows have become durable."""
        self._on_commit = on_commit

    def confirm_durable(self, number: int) -> None:
        """Confirm the first ``number`` rows as durable."""
        while self._said < number:
            self._said += 1
            on_durable = self._unsaid.popleft()
            if on_durable is not None:
                on_durable(WriteStatus.NEW)
        if self._on_commit is not None:
            self._on_commit()

    def fetch(self) -> tuple[Trial, ...]:
        """Return the rows since the last call."""
        self._stirred.clear()
        new, self._new = self._new, []
        return tuple(new)

    def notify(self) -> None:
        """There is news of another kind."""
        self._stirred.set()

    async def wait(self, seconds: float) -> None:
        """Until there is news, or so long."""
        if self._new:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stirred.wait()
