"""Whose turn it is: several pages at a time, or one alone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """Lets ``most`` in at a time; who asks to be alone waits for the others and keeps them out."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._inside = 0
        self._alone_wanted = 0
        self._change = asyncio.Condition()

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """A place among the others; who wants to be alone goes first."""
        async with self._change:
            await self._change.wait_for(
                lambda: self._inside < self._most and not self._alone_wanted
            )
            self._inside += 1
        try:
            yield
        finally:
            await self._leave(1)

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """All places at once."""
        async with self._change:
            self._alone_wanted += 1
            try:
                await self._change.wait_for(lambda: self._inside == 0)
                self._inside = self._most
            finally:
                self._alone_wanted -= 1
                self._change.notify_all()
        try:
            yield
        finally:
            await self._leave(self._most)

    async def _leave(self, places: int) -> None:
        async with self._change:
            self._inside -= places
            self._change.notify_all()
