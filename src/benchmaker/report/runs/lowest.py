"""The trials that a reader wants to see first."""

import heapq
from collections.abc import Iterable
from typing import NamedTuple

from benchmaker.record import Trial


class Worst(NamedTuple):
    """The lowest-scored trials, lowest first, and of how many they are the lowest."""

    trials: tuple[Trial, ...]
    total: int


def worst(trials: Iterable[Trial], limit: int) -> Worst:
    """The ``limit`` trials of the lowest scores; those without a score come last.

    Ties stand in the order of the suite, then by model and run. Memory holds ``limit`` trials.
    """
    total = 0

    def counted() -> Iterable[Trial]:
        nonlocal total
        for total, trial in enumerate(trials, start=1):  # noqa: B007  it counts
            yield trial

    lowest = heapq.nsmallest(limit, counted(), key=_order)
    return Worst(tuple(lowest), total)


def _order(trial: Trial) -> tuple[bool, float, int, str, str]:
    score = trial.score.score if trial.score else None
    return (score is None, score or 0.0, trial.position, trial.model, trial.run_id)
