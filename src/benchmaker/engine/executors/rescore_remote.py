"""Stored answers scored in other processes; the sender writes the scores."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from benchmaker.engine.executors.dispatch import MARKED
from benchmaker.engine.executors.task import TaskSpec
from benchmaker.engine.executors.workers import TaskRunnerSource, fan_out, task_pool
from benchmaker.engine.trials.scoring import TrialScorer
from benchmaker.record import Outcome, Run, Score, Trial
from benchmaker.spec import Case, ScorerSpec, Suite
from benchmaker.spec import profile as profile_named

_AHEAD = 2
"""Batches that a worker has at once: one is marked, one is on its way."""

_TICK_S = 1.0

Pair = tuple[Trial, Case]


@dataclass(frozen=True, slots=True)
class ScoringSetup:
    """The basis of scoring: the suite without its cases, a profile, a default scorer, the run."""

    suite: Suite
    profile: str
    scorer: ScorerSpec | None
    run: Run | None = None


class ScoreUpdate(NamedTuple):
    """The changes of a trial by scoring."""

    outcome: Outcome
    score: Score | None
    score_version: int
    flags: tuple[str, ...]
    error_type: str | None
    error: str | None

    @classmethod
    def of(cls, trial: Trial) -> "ScoreUpdate":
        """Return the changes of a scored trial."""
        return cls(
            trial.outcome,
            trial.score,
            trial.score_version,
            trial.flags,
            trial.error_type,
            trial.error,
        )

    def apply_to(self, trial: Trial) -> Trial:
        """The trial with it."""
        return replace(trial, **self._asdict())


class RescoreHandler:
    """The craft of a hand: marks batches of answers as the process that handed them out would."""

    def __init__(self, setup: ScoringSetup) -> None:
        self._marker = TrialScorer(
            setup.suite, profile_named(setup.profile), scorer=setup.scorer, run=setup.run
        )

    async def do(self, item: Sequence[Pair]) -> list[ScoreUpdate]:
        """The mark of each answer, in their order."""
        return [ScoreUpdate.of(await self._marker.score(trial, case)) for trial, case in item]


async def rescore_remotely(
    crew: TaskRunnerSource,
    measure: ScoringSetup,
    pairs: Iterator[Pair],
    keep: Callable[[Trial, Trial], None],
    *,
    on_tick: Callable[[], None],
    stop: asyncio.Event,
) -> None:
    """Have answers scored by task runners, and call ``keep`` with each result.

    ``on_tick`` is called about once a second.

    Raises:
        BenchmakerError: an error of a worker or ``on_tick``; nothing more is scored.
    """
    target = f"{RescoreHandler.__module__}:{RescoreHandler.__qualname__}"
    task = TaskSpec(target=target, settings=replaced(measure, suite=measure.suite.without_cases()))

    def keep_all(batch: Sequence[Pair], marks: Sequence[ScoreUpdate]) -> None:
        for (trial, _), mark in zip(batch, marks, strict=True):
            keep(trial, mark.apply_to(trial))

    async with task_pool(crew, task, ahead=_AHEAD) as workers:
        work = asyncio.ensure_future(fan_out(workers, _batches(pairs), keep_all, stop=stop))
        try:
            while not work.done():
                await asyncio.wait({work}, timeout=_TICK_S)
                on_tick()
            await work
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)


def _batches(pairs: Iterator[Pair]) -> Iterator[list[Pair]]:
    while batch := list(islice(pairs, MARKED)):
        yield batch
