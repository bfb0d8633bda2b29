"""Working a plan off where every answer is there already."""

import asyncio
from collections.abc import Collection, Mapping

from benchmaker.engine.requests.budget import Budget
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.pause_gate import PauseGate
from benchmaker.engine.requests.progress import Meter
from benchmaker.engine.requests.rate_limiter import RateLimiterState
from benchmaker.engine.requests.recording import TrialRecorder
from benchmaker.engine.requests.single_request import look_up
from benchmaker.engine.trials.clock import Clock
from benchmaker.engine.trials.plan import Plan, Task
from benchmaker.engine.trials.question import Questions
from benchmaker.errors import PrerequisiteError
from benchmaker.providers.base import Provider

_RECORDED = "The answers of this run are recorded"
_LIVE = "Use it for runs with live models."


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
        self._gate = PauseGate()

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
                await self._gate.wait()
                if not stop.is_set() and task.model not in self._meter.stopped:
                    await self._trial(task)
            await asyncio.sleep(0)  # so that others run, too, where nothing had to be awaited

    def wake(self) -> None:
        """Let go of the workers that wait for the end of a pause."""
        self._gate.unpause()

    def pause(self) -> None:
        """Score nothing until :meth:`unpause`."""
        self._gate.pause()

    def unpause(self) -> None:
        """Continue."""
        self._gate.unpause()

    def drop(self, model: str, reason: str) -> None:
        """Score no further answers of this model."""
        self._plan.drop(model)
        self._meter.stopped.setdefault(model, reason)

    def set_concurrency(self, number: int) -> int:  # noqa: ARG002  as the others have it
        """Refuse: no requests are sent."""
        raise PrerequisiteError(f"{_RECORDED}, so there are no parallel requests.", hint=_LIVE)

    def limit_spending(self, budget: Budget) -> None:  # noqa: ARG002  as above
        """Refuse: recorded answers are free."""
        raise PrerequisiteError(f"{_RECORDED}, so no request costs anything.", hint=_LIVE)

    def retry(self, failed: Collection[tuple[str, str]]) -> int:  # noqa: ARG002  as above
        """Refuse: a recorded failure stays one."""
        raise PrerequisiteError(f"{_RECORDED}, so a retry would give the same.", hint=_LIVE)

    async def _trial(self, task: Task) -> None:
        question = self._questions.question_for(task.case, task.model)
        answer = await look_up(self._provider, question.request_for(task.model), clock=self._clock)
        await self._keeper.keep(task, question, answer)
