"""Mean scores per model."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.columns import CaseWeights, HasColumns, Scored, columns_of
from benchmaker.record.columns import ScoreColumns
from benchmaker.stats import Mean, weighted_mean

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AggregateScore:
    """One model's scores: weighted mean, spread and interval, all from 0 to 1.

    ``count`` is the number of scored cases of positive weight, ``total_weight`` the sum of their
    weights. ``std_dev`` and ``confidence95`` are over cases; the interval is Student's t and is
    not clipped. What the data can't carry is None; ``reason`` says why there is no interval.
    """

    mean: float | None
    std_dev: float | None
    min: float | None
    max: float | None
    count: int
    total_weight: float
    confidence95: tuple[float, float] | None
    reason: str = ""


NOTHING_SCORED = "nothing is scored"


def aggregate_scores(
    run: Scored | HasColumns, cases: CaseWeights | None = None
) -> dict[str, float | None]:
    """Each model's weighted mean score, Σ(score · weight) / Σ weight, from 0 to 1.

    Unscored trials are left out, not counted as 0; a model of which nothing is scored has None.
    Given several runs, a case counts with its mean over them.

    Args:
        run: a run's result, its columns, or trials.
        cases: the cases to count, with their weights: cases, or weights by case id. None for all
            cases with the weights they were run with.

    Raises:
        SpecError: none of the given cases occurs in the run, or a weight can't be used.
    """
    return {model: score.mean for model, score in detailed_aggregate_scores(run, cases).items()}


def detailed_aggregate_scores(
    run: Scored | HasColumns, cases: CaseWeights | None = None
) -> dict[str, AggregateScore]:
    """Each model's mean with its spread and 95 % interval over cases.

    Arguments and errors as in :func:`aggregate_scores`.
    """
    columns = columns_of(run, cases)
    return {
        model: _aggregate(mean_over_cases(columns, columns.score, columns.model == code))
        for code, model in enumerate(columns.models)
    }


def mean_over_cases(
    columns: ScoreColumns, values: Floats, rows: NDArray[np.bool_], *, level: float = 0.95
) -> Mean | None:
    """The weighted mean over cases of each case's mean over runs; None when nothing is scored.

    Args:
        columns: what the values belong to.
        values: one per row; NaN is left out.
        rows: the rows to look at.
        level: of the interval.
    """
    chosen = rows & ~np.isnan(values) & (columns.weight > 0)
    if not chosen.any():
        return None
    means, weights = _case_means(columns, values, np.flatnonzero(chosen))
    return weighted_mean(means, weights, level=level)


def _case_means(
    columns: ScoreColumns, values: Floats, rows: NDArray[np.intp]
) -> tuple[Floats, Floats]:
    """Each case's mean over runs, and its weight; the rows' order changes no digit."""
    rows = rows[np.lexsort((columns.run[rows], columns.position[rows]))]
    _, first, case = np.unique(columns.position[rows], return_index=True, return_inverse=True)
    sums = np.bincount(case, weights=values[rows])
    return sums / np.bincount(case), columns.weight[rows][first]


def _aggregate(mean: Mean | None) -> AggregateScore:
    if mean is None:
        return AggregateScore(None, None, None, None, 0, 0.0, None, NOTHING_SCORED)
    return AggregateScore(
        mean=mean.mean,
        std_dev=mean.sd,
        min=mean.minimum,
        max=mean.maximum,
        count=mean.n,
        total_weight=mean.total_weight,
        confidence95=mean.interval,
        reason=mean.reason,
    )
