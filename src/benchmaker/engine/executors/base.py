"""The executor protocol: executes a run's plan."""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from random import Random
from typing import Protocol

from benchmaker.engine.requests.budget import Budget
from benchmaker.engine.requests.cache import Cache
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.progress import Meter
from benchmaker.engine.requests.rate_limiter import RateLimiterState
from benchmaker.engine.requests.rate_limiters import RateLimiters
from benchmaker.engine.requests.recording import TrialRecorder
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.engine.trials.clock import Clock
from benchmaker.engine.trials.plan import Plan
from benchmaker.engine.trials.question import Questions
from benchmaker.providers.base import Provider
from benchmaker.record import Run
from benchmaker.spec import JudgeSpec, Suite


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutorJob:
    """The work of one execution: the remaining trials, the models, and the limits.

    ``keeper`` alone scores and writes, regardless of the source of answers. ``judge`` is the chosen
    judge, ``are_judges_live`` is true if judges are queried during the run.
    """

    run: Run
    suite: Suite
    provider: Provider
    plan: Plan
    keeper: TrialRecorder
    questions: Questions
    meter: Meter
    limits: RunLimits
    options: RunOptions
    clock: Clock
    random: Random
    limiters: RateLimiters
    is_live: bool
    judge: JudgeSpec | None = None
    are_judges_live: bool = False
    budget: Budget | None = None
    cache: Cache | None = None


class ActiveJob(Protocol):
    """A job under way."""

    @property
    def worker_count(self) -> int:
        """The number of parallel calls of :meth:`work`."""
        ...

    @property
    def in_flight(self) -> int:
        """The number of requests in flight."""
        ...

    def limiters(self) -> Mapping[str, RateLimiterState]:
        """Return the endpoints' limiters, by endpoint name."""
        ...

    async def work(self, stop: asyncio.Event) -> None:
        """Execute the plan until nothing is left, or until stopped."""
        ...

    def wake(self) -> None:
        """Wake waiting workers, since no more work will start."""
        ...

    def pause(self) -> None:
        """Start nothing until :meth:`unpause`; work in flight is completed."""
        ...

    def unpause(self) -> None:
        """Continue."""
        ...

    def drop(self, model: str, reason: str) -> None:
        """Stop querying this setup."""
        ...

    def set_concurrency(self, number: int) -> int:
        """Change the number of requests in flight; return how many calls of :meth:`work` to add.

        Raises:
            PrerequisiteError: this executor can't; the message has the reason. So do the following.
        """
        ...

    def limit_spending(self, budget: Budget) -> None:
        """Keep a budget from now on, where there was none."""
        ...

    def retry(self, failed: Collection[tuple[str, str]]) -> int:
        """Request failed trials again, by case id and setup; return the number added."""
        ...


class Executor(Protocol):
    """Carries jobs out, one after the other."""

    def begin(self, job: ExecutorJob) -> ActiveJob:
        """Return the job, ready to be executed."""
        ...
