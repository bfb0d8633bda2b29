"""Schedules questions to judges: by rate limiter, budget, and concurrency."""

import asyncio
from collections import Counter
from collections.abc import Callable
from math import inf

from benchmaker.engine.requests.attempts import TrialRequests
from benchmaker.engine.requests.budget import Budget, BudgetDecision
from benchmaker.engine.requests.model_queue import land
from benchmaker.engine.requests.rate_limiter import RateLimiter
from benchmaker.engine.requests.rate_limiters import RateLimiters
from benchmaker.engine.trials.clock import Clock
from benchmaker.providers.base import Provider
from benchmaker.scoring.base import AskingHalted

_AGAIN_S = 0.05
"""Others share the limiter and the budget, and don't say when they are done."""


class JudgeScheduler:
    """Releases questions one by one, each at its time.

    At most ``concurrency`` are in flight. Those to one endpoint wait in order of arrival; others
    may overtake them. Once ``halted`` has a reason, no more are released; while ``is_paused``, all
    wait.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        limiters: RateLimiters,
        budget: Budget | None,
        clock: Clock,
        concurrency: int,
    ) -> None:
        self._provider = provider
        self._limiters = limiters
        self._budget = budget
        self._clock = clock
        self._slots = asyncio.Semaphore(concurrency)
        self._gates: dict[int, asyncio.Lock] = {}
        self._answered: Counter[str] = Counter()
        self._moved = asyncio.Event()
        limiters.on_room.add(self._moved.set)
        self._worst_usd: Callable[[TrialRequests], float] | None = None
        self._flying: set[TrialRequests] = set()
        self._spent_usd = 0.0
        self.is_paused = False
        self.halted = ""

    @property
    def flying(self) -> int:
        """The number of requests in flight."""
        return len(self._flying)

    def limit_spending(self, budget: Budget, worst_usd: Callable[[TrialRequests], float]) -> None:
        """Keep the budget from now on; requests in flight count with their worst case.

        A new budget gets the known cost of the requests so far.
        """
        if budget is self._budget:
            return
        budget.spent_usd += self._spent_usd
        for trying in self._flying:
            trying.worst_usd = worst_usd(trying)
            budget.take(trying.worst_usd)
        self._budget, self._worst_usd = budget, worst_usd

    def halt(self, reason: str) -> None:
        """Release nothing more; the first reason is kept."""
        self.halted = self.halted or reason
        self._moved.set()

    async def take(self, trying: TrialRequests) -> None:
        """Wait until the request may be sent, and count it as sent.

        Raises:
            AskingHalted: it may never be sent.
        """
        limiter = self._limiters.limiter_of(trying.model, self._provider)
        async with self._gates.setdefault(id(limiter), asyncio.Lock()):
            await self._slots.acquire()
            try:
                await self._until_ready(trying, limiter)
            except BaseException:
                self._slots.release()
                raise
            trying.record_sent(
                limiter.send(self._clock.monotonic()), answered=self._answered[trying.model]
            )
            self._flying.add(trying)

    def give_back(self, trying: TrialRequests) -> None:
        """The request came back."""
        self._slots.release()
        self._flying.discard(trying)
        if trying.flight is not None:
            self._answered[trying.model] += trying.error is None
            limiter = self._limiters.limiter_of(trying.model, self._provider)
            land(trying, trying.flight, limiter, self._clock.monotonic())
            trying.flight = None
        self._spent_usd += trying.spent_usd or 0.0
        if self._budget is not None:
            self._budget.settle(trying.worst_usd, trying.spent_usd)
        self._moved.set()

    async def sleep(self, seconds: float) -> None:
        """Wait for ``seconds``, or until the scheduler is halted."""
        until = self._clock.monotonic() + seconds
        while not self.halted and (left := until - self._clock.monotonic()) > 0:
            await self._rest(left)

    async def _wait_for_pause(self, trying: TrialRequests) -> None:
        """Wait for the end of a pause, which does not count towards the time of the request."""
        began = self._clock.monotonic()
        while self.is_paused and not self.halted:
            await self._rest(_AGAIN_S)
        trying.extend(self._clock.monotonic() - began)

    async def _until_ready(self, trying: TrialRequests, limiter: RateLimiter) -> None:
        while True:
            if self.is_paused:
                await self._wait_for_pause(trying)
            if self.halted:
                raise AskingHalted(self.halted)
            now = self._clock.monotonic()
            at = limiter.ready_at(now)
            if at > now:
                await self._rest(at - now)
            elif self._fits(trying):
                return
            else:
                await self._rest(_AGAIN_S)

    def _fits(self, trying: TrialRequests) -> bool:
        """True if the budget has room; if it never will, the scheduler is halted."""
        budget = self._budget
        if budget is None:
            return True
        if self._worst_usd is not None:
            trying.worst_usd = self._worst_usd(trying)
        decision = budget.admit(trying.worst_usd)
        if decision is BudgetDecision.NO:
            self.halt(budget.refusal)
        return decision is BudgetDecision.YES

    async def _rest(self, seconds: float) -> None:
        """Until something comes back here; others may have, so look again soon."""
        self._moved.clear()
        longest = _AGAIN_S if seconds == inf else min(seconds, 1.0)
        try:
            await asyncio.wait_for(self._moved.wait(), longest)
        except TimeoutError:
            return
