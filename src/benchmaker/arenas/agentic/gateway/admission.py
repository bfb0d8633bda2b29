"""Admission of requests under the caps of their trial and of the series."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from benchmaker.arenas.agentic.gateway.caps import Reservation, Spending
from benchmaker.record.usage import Usage


class CapReached(Exception):
    """No further request is admitted; the argument is the sentence for the agent.

    ``is_agents`` is true if the agent's own requests reached a cap of its trial.
    """

    def __init__(self, reason: str, *, is_agents: bool) -> None:
        super().__init__(reason)
        self.is_agents = is_agents


class Admission:
    """Admits requests of all trials of a series.

    A request that only fits once others have ended waits for them.
    """

    def __init__(self, series: Spending) -> None:
        self._series = series
        self._changed = asyncio.Condition()

    @property
    def spending(self) -> Spending:
        """The spending of the series so far."""
        return self._series

    def refusal(self) -> str:
        """Return why the series admits no further request; empty if it may."""
        return self._series.refusal()

    async def admit(
        self,
        trial: Spending,
        most: Reservation,
        pause: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """Wait until a request fits, and reserve the most that it may use.

        ``pause`` is entered while it waits for other trials, and not only for its own.

        Raises:
            CapReached: it never will.
        """
        both = (trial, self._series)
        async with self._changed:
            while True:
                if reason := trial.refusal():
                    raise CapReached(reason, is_agents=trial.is_used_by_agent)
                if reason := self._series.refusal():
                    raise CapReached(reason, is_agents=False)
                if all(spending.has_room() for spending in both):
                    break
                with pause() if trial.has_room() else nullcontext():
                    await self._changed.wait()
            for spending in both:
                spending.reserve(most)

    async def settle(
        self,
        trial: Spending,
        most: Reservation,
        usage: Usage | None,
        cost_usd: float | None,
        *,
        is_failed: bool = False,
    ) -> None:
        """Replace the reservation of a request by what it used."""
        for spending in (trial, self._series):
            spending.settle(most, usage, cost_usd, is_failed=is_failed)
        async with self._changed:
            self._changed.notify_all()
