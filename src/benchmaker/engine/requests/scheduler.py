"""Scheduling: the models' tasks side by side, each as fast as its endpoint allows."""

import asyncio
from collections import deque
from collections.abc import Mapping
from math import inf

from benchmaker.engine.requests.attempts import TrialRequests
from benchmaker.engine.requests.budget import Budget, BudgetDecision
from benchmaker.engine.requests.model_queue import ModelQueue
from benchmaker.engine.trials.clock import Clock

_AGAIN_S = 0.05
"""Others spend from the same budget, and don't say when they are done."""


class RequestScheduler:
    """Releases requests to workers, each at its time.

    Of the models that may send, the one with the fewest requests in flight goes first, so that a
    slow one never blocks the others; among equals, the one that waited longest. Retries precede new
    tasks. At most ``most_waiting`` trials of a model wait; then no new one is started. An idle
    worker sleeps until a response or a due time.
    """

    def __init__(
        self,
        lanes: Mapping[str, ModelQueue],
        *,
        clock: Clock,
        budget: Budget | None = None,
        most_waiting: int = 100,
    ) -> None:
        self._lanes = lanes
        self._clock = clock
        self._budget = budget
        self._most_waiting = most_waiting
        self._out = 0
        self._turns = 0
        self._soonest = inf
        self._idle: deque[asyncio.Future[None]] = deque()
        self._alarm: asyncio.TimerHandle | None = None
        self._is_closed = False

    @property
    def in_flight(self) -> int:
        """The number of requests in flight."""
        return self._out

    async def take(self) -> TrialRequests | None:
        """Return the next request to make; None if none is left or wanted."""
        while not self._is_closed:
            trying = self._pick()
            if trying is not None:
                if self._idle:
                    self._wake()
                return trying
            if not self._out and self._soonest == inf:
                self.close()
                break
            if not self._is_closed:
                await self._rest()
        return None

    def requeue(self, trying: TrialRequests, wait_s: float) -> None:
        """Requeue a request, to be retried after ``wait_s`` seconds."""
        lane = self._came_back(trying)
        lane.wait(trying, self._clock.monotonic() + wait_s)

    def finish(self, trying: TrialRequests) -> None:
        """The request came back and is the last of its trial."""
        self._came_back(trying)

    def drop(self, model: str) -> None:
        """Stop querying this model."""
        self._lanes[model].drop()

    def close(self) -> None:
        """Release nothing more."""
        self._is_closed = True
        if self._alarm is not None:
            self._alarm.cancel()
        while self._idle:
            self._wake()

    def _came_back(self, trying: TrialRequests) -> ModelQueue:
        lane = self._lanes[trying.model]
        lane.flying -= 1
        self._out -= 1
        if trying.flight is not None:
            lane.land(trying, trying.flight, self._clock.monotonic())
            trying.flight = None
            if self._budget is not None:
                self._budget.settle(trying.worst_usd, trying.spent_usd)
        return lane

    def _pick(self) -> TrialRequests | None:
        now = self._clock.monotonic()
        self._soonest = inf
        lane = self._next_lane(now)
        if lane is None:
            return None
        trying = lane.look()
        if trying is None or not (trying.is_cached or self._fits(trying)):
            return None
        lane.pop()
        lane.flying += 1
        self._out += 1
        self._turns += 1
        lane.turn = self._turns
        if not trying.is_cached:
            lane.send(trying, now)
        return trying

    def _next_lane(self, now: float) -> ModelQueue | None:
        best: ModelQueue | None = None
        for lane in self._lanes.values():
            at = lane.ready_at(now, self._most_waiting)
            if at > now:
                self._soonest = min(self._soonest, at)
            elif best is None or (lane.flying, lane.turn) < (best.flying, best.turn):
                best = lane
        if best is None or best.limiter.rate is None:
            return best
        return self._most_urgent(best, now)

    def _most_urgent(self, best: ModelQueue, now: float) -> ModelQueue:
        """Return the queue with the fewest requests left for its trial, if models share a rate."""
        for lane in self._lanes.values():
            is_before = lane.limiter is best.limiter and lane.urgency > best.urgency
            if is_before and lane.ready_at(now, self._most_waiting) <= now:
                best = lane
        return best

    def _fits(self, trying: TrialRequests) -> bool:
        """True if the budget has room; if it never will, nothing more is released."""
        budget = self._budget
        if budget is None:
            return True
        decision = budget.admit(trying.worst_usd)
        if decision is BudgetDecision.LATER:
            self._soonest = min(self._soonest, self._clock.monotonic() + _AGAIN_S)
        elif decision is BudgetDecision.NO:
            self.close()
        return decision is BudgetDecision.YES

    async def _rest(self) -> None:
        loop = asyncio.get_running_loop()
        if self._soonest < inf:
            self._set_alarm(loop, self._soonest - self._clock.monotonic())
        future = loop.create_future()
        self._idle.append(future)
        await future

    def _set_alarm(self, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        when = loop.time() + max(0.0, seconds)
        if self._alarm is not None:
            if self._alarm.when() <= when:
                return
            self._alarm.cancel()
        self._alarm = loop.call_at(when, self._on_alarm)

    def _on_alarm(self) -> None:
        self._alarm = None
        self._wake()

    def _wake(self) -> None:
        """Let one worker look again."""
        while self._idle:
            future = self._idle.popleft()
            if not future.done():
                future.set_result(None)
                return
