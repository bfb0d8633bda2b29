"""Trials of weight 0: they are run and shown, but excluded from means."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from benchmaker.record.score_columns import OUTCOMES, ScoreColumns
from benchmaker.stats.columns import count_distinct


@dataclass(frozen=True, slots=True)
class ZeroWeight:
    """The number of a model's trials of weight 0, and their outcomes.

    They are those of cases of weight 0, and ``n_repeats`` of runs that repeat only uncertain cases.
    ``n_planned`` includes pending ones.
    """

    n_trials: int
    n_planned: int
    n_scored: int
    outcomes: Mapping[str, int]
    flags: Mapping[str, int] = field(default_factory=dict)
    n_repeats: int = 0


def zero_weight_trials(
    columns: ScoreColumns, rows: NDArray[np.bool_], *, n_runs: int, n_repeats_planned: int = 0
) -> ZeroWeight:
    """Count them among the ``rows`` of a model, which gets each case once in each of ``n_runs``."""
    is_zero = columns.weight == 0
    mine = rows & is_zero
    n_trials = int(mine.sum())
    n_cases = count_distinct(columns.position[is_zero & ~columns.is_repeat])
    counts = np.bincount(columns.outcome[mine], minlength=len(OUTCOMES)).tolist()
    return ZeroWeight(
        n_trials=n_trials,
        n_planned=max(n_trials, n_cases * n_runs + n_repeats_planned),
        n_scored=int((mine & ~np.isnan(columns.score)).sum()),
        outcomes={kind.value: n for kind, n in zip(OUTCOMES, counts, strict=True) if n},
        flags=columns.flag_counts(mine),
        n_repeats=int((mine & columns.is_repeat).sum()),
    )
