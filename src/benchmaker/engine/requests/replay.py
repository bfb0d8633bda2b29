"""Working a plan off where every answer is there already."""

import asyncio
from collections.abc import Mapping

from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.progress import Meter
from benchmaker.engine.requests.rate_limiter import RateLimiterState
from benchmaker.engine.requests.recording import TrialRecorder
from benchmaker.engine.requests.single_request import look_up
from benchmaker.engine.trials.clock import Clock
from benchmaker.engine.trials.plan import Plan, Task
from benchmaker.engine.trials.question import Questions
from benchmaker.providers.base import Provider


class Replay:
    """Workers that take tasks in batches, and wait only for the store."""

    def __init__(
        self,
        plan: Plan,
        provider: Provider,
        *,
        keeper: TrialRecorder,
        questions: Questions,
        meter: Meter,
        limits: RunLimits,
        clock: Clock,
    ) -> None:
        self._plan = plan
        self._provider = provider
        self._keeper = keeper
        self._questions = questions
        self._meter = meter
        self._limits = limits
        self._clock = clock

    @property
    def worker_count(self) -> int:
        """The number of workers."""
        return self._limits.concurrency

    @property
    def in_flight(self) -> int:
        """The number of requests in flight: always 0."""
        return 0

    def limiters(self) -> Mapping[str, RateLimiterState]:
        """Return no limiters."""
        return {}

    async def work(self, stop: asyncio.Event) -> None:
        """Take tasks until there are none, or until stopped."""
        while not stop.is_set() and (tasks := self._plan.take(self._limits.batch)):
            for task in tasks:
                if not stop.is_set() and task.model not in self._meter.stopped:
                    await self._trial(task)
            await asyncio.sleep(0)  # so that others run, too, where nothing had to be awaited

    def wake(self) -> None:
        """Do nothing: nobody waits."""

    async def _trial(self, task: Task) -> None:
        question = self._questions.question_for(task.case, task.model)
        answer = await look_up(self._provider, question.request_for(task.model), clock=self._clock)
        await self._keeper.keep(task, question, answer)
