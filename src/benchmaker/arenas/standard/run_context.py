"""The context of a call, besides its subject."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random, SystemRandom
from typing import Self

from benchmaker.arenas.standard.answers import RECORDED, Answers
from benchmaker.arenas.standard.blocking import signals
from benchmaker.arenas.standard.live import KIND as LIVE
from benchmaker.arenas.standard.result import RunResult, run_result
from benchmaker.engine.executors.base import Executor
from benchmaker.engine.judges.judge_makers import Judges
from benchmaker.engine.requests.budget import Budget, refuse_unpriced
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.progress import OnProgress
from benchmaker.engine.requests.retry import Retry
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.engine.runs.resume import unfinished_runs
from benchmaker.engine.runs.series import execute_all
from benchmaker.engine.trials.clock import Clock, SystemClock
from benchmaker.providers.recorded_judge import RecordedJudge
from benchmaker.record import Run
from benchmaker.store import Store
from benchmaker.store.home import Home


@dataclass(frozen=True, slots=True)
class RunContext:
    """Target of results, concurrency, progress callback, and stop event."""

    place: Home
    options: RunOptions = field(default_factory=RunOptions)
    on_progress: OnProgress | None = None
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    clock: Clock = field(default_factory=SystemClock)
    random: Random = field(default_factory=SystemRandom)

    @classmethod
    def of(
        cls,
        home: str | Path | None,
        options: RunOptions,
        on_progress: OnProgress | None,
        stop: asyncio.Event | None,
    ) -> Self:
        """Return the context of a call by its options."""
        return cls(
            Home.of(home, options.store),
            options,
            on_progress,
            stop=stop or asyncio.Event(),
            clock=options.clock or SystemClock(),
            random=options.random or SystemRandom(),
        )

    async def work(
        self,
        store: Store,
        runs: Sequence[Run],
        answers: Answers,
        *,
        judges: Judges | None = None,
        executor: Executor | None = None,
    ) -> RunResult:
        """Complete the runs, and return their result."""
        suite = store.suite(runs[0].suite_hash)
        with signals(self.stop):
            ended = await execute_all(
                store,
                runs,
                suite,
                answers.provider,
                limits=self._limits(answers),
                options=self.options,
                clock=self.clock,
                random=self.random,
                on_progress=self.on_progress,
                stop=self.stop,
                judges=judges,
                executor=executor,
            )
        return run_result(
            store,
            [run.id for run in ended.runs],
            self.place,
            stopped=ended.stopped,
            interrupted=self.stop.is_set() and bool(unfinished_runs(ended.runs)),
            halted=ended.halted,
        )

    def refuse_over_budget(self, answers: Answers) -> None:
        """Check the limits before a run is stored.

        Raises:
            SpecError: the concurrency, the retries or the time limit is out of range.
        """
        self._limits(answers)

    def _limits(self, answers: Answers) -> RunLimits:
        limits = self.options.limits or answers.limits
        limits = replace(limits, retry=_retry_limits(limits.retry, answers, self.options))
        if self.options.concurrency is None:
            return limits
        return replace(limits, concurrency=self.options.concurrency)


_WAITS = 3
"""A trial may be asked to wait so often before its time is over."""


def _retry_limits(retry: Retry, answers: Answers, options: RunOptions) -> Retry:
    """Return the retry rules with the requested retries, and time limits to match.

    A trial's usual time grows with that of its requests and waits; an explicit one is kept.
    """
    if options.retries is not None:
        retry = replace(retry, retries=options.retries)
    if retry.trial_s != Retry().trial_s:
        return retry
    asking_s = (1 + retry.retries) * (answers.request_s or 0.0)
    return replace(retry, trial_s=max(retry.trial_s, asking_s, _WAITS * retry.max_wait_s))


async def refuse_judging_over_budget(
    answers: Answers,
    options: RunOptions,
    *,
    judges: Judges | None = None,
    jurors: Sequence[str] = (),
) -> None:
    """Check the budget before anything is sent.

    Raises:
        SpecError: the budget is not a valid number of dollars.
        PrerequisiteError: there is a budget, but a price is unknown.
    """
    if options.max_cost_usd is None:
        return
    Budget(options.max_cost_usd)
    if answers.description.get("kind") != RECORDED:
        await asyncio.to_thread(refuse_unpriced, answers.provider, answers.models)
    if judges is not None:
        await asyncio.to_thread(refuse_unpriced_judges, judges, jurors)


async def start_rendering(answers: Answers, judges: Judges | None) -> None:
    """Start the renderer of answers, if there is one, before a live model is paid for them.

    Raises:
        PrerequisiteError: answers cannot be rendered here; no request was sent.
    """
    is_live = answers.description.get("kind") == LIVE
    if is_live and judges is not None and judges.prepare is not None:
        await judges.prepare.place()


def refuse_unpriced_judges(judges: Judges, jurors: Sequence[str]) -> None:
    """Raise PrerequisiteError if the price of a live judge or of embeddings is unknown."""
    if not isinstance(judges.provider, RecordedJudge):
        refuse_unpriced(judges.provider, jurors)
    if judges.embeddings is not None:
        refuse_unpriced(judges.embeddings, judges.embedding_models, embeds=True)
