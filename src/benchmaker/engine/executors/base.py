"""What an executor is: whoever carries a run's plan out."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Protocol

from benchmaker.engine.requests.budget import Budget
from benchmaker.engine.requests.cache import Cache
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.progress import Meter
from benchmaker.engine.requests.rate_limiter import PaceState
from benchmaker.engine.requests.rate_limiters import Paces
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
    """One sitting's work: what is still to be asked, of whom, within which bounds.

    ``keeper`` marks and writes; it alone does, wherever answers come from. ``judge`` is who was
    chosen to judge, ``are_judges_live`` whether judges are asked beside the models.
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
    paces: Paces
    is_live: bool
    judge: JudgeSpec | None = None
    are_judges_live: bool = False
    budget: Budget | None = None
    cache: Cache | None = None


class ActiveJob(Protocol):
    """A job under way."""

    @property
    def worker_count(self) -> int:
        """How many times :meth:`work` is to be called, side by side."""
        ...

    @property
    def in_flight(self) -> int:
        """How many requests are in flight."""
        ...

    def paces(self) -> Mapping[str, PaceState]:
        """How the endpoints' paces stand, by the endpoints' names."""
        ...

    async def work(self, stop: asyncio.Event) -> None:
        """Work the plan off until nothing is left, or until told to stop."""
        ...

    def wake(self) -> None:
        """Let go of whoever waits for something to do: no more is to be begun."""
        ...


class Executor(Protocol):
    """Carries jobs out, one after the other."""

    def begin(self, job: ExecutorJob) -> ActiveJob:
        """The job, ready to be worked off."""
        ...
