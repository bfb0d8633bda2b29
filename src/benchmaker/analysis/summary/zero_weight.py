"""Trials of cases of weight 0: they are asked and shown, and are in no mean."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmaker.record.score_columns import OUTCOMES, ScoreColumns


@dataclass(frozen=True, slots=True)
class ZeroWeight:
    """How many of a model's trials are of cases of weight 0, and how they ended.

    ``n_planned`` counts those that are to come, too.
    """

    n_trials: int
    n_planned: int
    n_scored: int
    outcomes: Mapping[str, int]


def zero_weight_trials(
    columns: ScoreColumns, rows: NDArray[np.bool_], *, n_runs: int
) -> ZeroWeight:
    """Those among the ``rows`` of a model, which is asked each case once in each of its runs."""
    is_zero = columns.weight == 0
    mine = rows & is_zero
    n_trials = int(mine.sum())
    n_cases = len(np.unique(columns.position[is_zero]))
    counts = np.bincount(columns.outcome[mine], minlength=len(OUTCOMES)).tolist()
    return ZeroWeight(
        n_trials=n_trials,
        n_planned=max(n_trials, n_cases * n_runs),
        n_scored=int((mine & ~np.isnan(columns.score)).sum()),
        outcomes={kind.value: n for kind, n in zip(OUTCOMES, counts, strict=True) if n},
    )
