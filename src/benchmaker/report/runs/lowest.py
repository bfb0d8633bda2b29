"""The trials that a reader wants to see first."""

import heapq
from collections.abc import Iterable
from typing import NamedTuple

from benchmaker.record import Trial


class LowestTrials(NamedTuple):
    """The lowest-scored trials, lowest first, and the number of all trials."""

    trials: tuple[Trial, ...]
    total: int


def lowest_trials(trials: Iterable[Trial], limit: int) -> LowestTrials:
    """Return the ``limit`` lowest-scored trials; those without a score come last.

    Ties are sorted by suite order, then by model and run. Memory holds ``limit`` trials.
    """
    total = 0

    def count_trials() -> Iterable[Trial]:
        nonlocal total
        for total, trial in enumerate(trials, start=1):  # noqa: B007  it counts
            yield trial

    lowest = heapq.nsmallest(limit, count_trials(), key=_order)
    return LowestTrials(tuple(lowest), total)


def _order(trial: Trial) -> tuple[bool, float, int, str, str]:
    score = trial.score.score if trial.score else None
    return (score is None, score or 0.0, trial.position, trial.model, trial.run_id)
