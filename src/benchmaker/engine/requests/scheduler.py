"""Scheduling: the models' tasks side by side, each as fast as its endpoint allows."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from math import inf

from benchmaker.engine.requests.attempts import TrialRequests
from benchmaker.engine.requests.budget import Budget, BudgetDecision
from benchmaker.engine.requests.model_queue import ModelQueue
from benchmaker.engine.requests.rate_limiter import Flight
from benchmaker.engine.trials.clock import Clock
from benchmaker.engine.trials.plan import Task

_AGAIN_S = 0.05
"""Others spend from the same budget, and don't say when they are done."""


class RequestScheduler:
    """Releases requests to workers, each at its time.

    Of the models that may send, the one with the fewest requests in flight goes first, so that a
    slow one never blocks the others; among equals, the one that waited longest. Retries precede new
    tasks. At most ``most_waiting`` trials of a model wait; then no new one is started. An idle
    worker sleeps until a response or a due time. While paused, nothing is released.
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
        self._flying: set[TrialRequests] = set()
        self._spent_usd = 0.0
        self._surplus = 0
        self._paused_at: float | None = None
        self._turns = 0
        self._soonest = inf
        self._idle: deque[asyncio.Future[None]] = deque()
        self._alarm: asyncio.TimerHandle | None = None
        self._is_closed = False

    @property
    def in_flight(self) -> int:
        """The number of requests in flight."""
        return len(self._flying)

    async def take(self) -> TrialRequests | None:
        """Return the next request to make; None if none is left or wanted, or to end a worker."""
        while not self._is_closed:
            if self._surplus:
                self._surplus -= 1
                return None
            trying = self._pick()
            if trying is not None:
                if self._idle:
                    self.wake()
                return trying
            if not self._flying and self._soonest == inf and self._paused_at is None:
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

    def land(self, trying: TrialRequests) -> None:
        """Settle a request that came back, whose trial goes on and keeps its place."""
        if trying.flight is not None:
            self._settle(self._lanes[trying.model], trying, trying.flight)

    def follow(self, trying: TrialRequests, following: TrialRequests) -> None:
        """Queue the next request of a trial in the place of a landed one."""
        self._came_back(trying).wait(following, self._clock.monotonic())
        self.look_again()

    def drop(self, model: str) -> None:
        """Stop querying this model."""
        self._lanes[model].drop()

    def pause(self) -> None:
        """Release nothing until :meth:`unpause`."""
        if self._paused_at is None:
            self._paused_at = self._clock.monotonic()

    def unpause(self) -> None:
        """Continue; the pause does not count towards the time of the waiting trials."""
        if self._paused_at is None:
            return
        seconds = self._clock.monotonic() - self._paused_at
        self._paused_at = None
        for lane in self._lanes.values():
            for trying in lane.waiting():
                trying.extend(seconds)
        self.look_again()

    def has(self, model: str) -> bool:
        """True if the model is queried."""
        return model in self._lanes and not self._lanes[model].is_dropped

    def set_most_waiting(self, number: int) -> None:
        """Change the maximum number of waiting trials of a model."""
        self._most_waiting = number

    def end_workers(self, number: int) -> None:
        """Let that many calls of :meth:`take` return None, the next ones or idle ones."""
        self._surplus += number
        self.look_again()

    def keep_workers(self, number: int) -> int:
        """Take back up to that many ends of workers that have not ended; return how many."""
        kept = min(number, self._surplus)
        self._surplus -= kept
        return kept

    def limit_spending(self, budget: Budget, worst_usd: Callable[[TrialRequests], float]) -> None:
        """Keep the budget from now on; requests in flight count with their worst case.

        A new budget gets the known cost of the requests so far.
        """
        if budget is self._budget:
            self.look_again()
            return
        budget.spent_usd += self._spent_usd
        for trying in self._flying:
            trying.worst_usd = worst_usd(trying)
            if trying.flight is not None:
                budget.take(trying.worst_usd)
        for lane in self._lanes.values():
            for trying in lane.waiting():
                trying.worst_usd = worst_usd(trying)
        self._budget = budget

    def add_tasks(self, model: str, tasks: Iterator[Task]) -> None:
        """Release these tasks of a model before its other ones."""
        self._lanes[model].add_tasks(tasks)
        self.look_again()

    def look_again(self) -> None:
        """Let all idle workers look for work."""
        while self._idle:
            self.wake()

    def wake(self) -> None:
        """Let one idle worker look for work."""
        while self._idle:
            future = self._idle.popleft()
            if not future.done():
                future.set_result(None)
                return

    def close(self) -> None:
        """Release nothing more."""
        self._is_closed = True
        if self._alarm is not None:
            self._alarm.cancel()
        self.look_again()

    def _came_back(self, trying: TrialRequests) -> ModelQueue:
        lane = self._lanes[trying.model]
        lane.flying -= 1
        self._flying.discard(trying)
        if trying.flight is not None:
            self._settle(lane, trying, trying.flight)
        return lane

    def _settle(self, lane: ModelQueue, trying: TrialRequests, flight: Flight) -> None:
        lane.land(trying, flight, self._clock.monotonic())
        trying.flight = None
        self._spent_usd += trying.spent_usd or 0.0
        if self._budget is not None:
            self._budget.settle(trying.worst_usd, trying.spent_usd)

    def _pick(self) -> TrialRequests | None:
        now = self._clock.monotonic()
        self._soonest = inf
        lane = self._next_lane(now) if self._paused_at is None else None
        if lane is None:
            return None
        trying = lane.look()
        if trying is None or not (trying.is_cached or self._fits(trying)):
            return None
        lane.pop()
        lane.flying += 1
        self._flying.add(trying)
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
        self.wake()
