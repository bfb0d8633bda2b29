"""Mean scores per model."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.columns import CaseWeights, HasColumns, Scored, columns_of
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.stats import Mean, bounded_mean, weighted_mean
from benchmaker.stats.columns import count_distinct
from benchmaker.stats.means.bounded import exact_mean

Floats = NDArray[np.float64]
Rows = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class AggregateScore:
    """One model's scores: weighted mean, spread and interval, all from 0 to 1.

    ``count`` is the number of scored cases of positive weight, ``total_weight`` the sum of their
    weights. ``std_dev`` and ``confidence95`` are over cases; the interval is Student's t and is
    not clipped. Unsupported figures are None; ``reason`` explains a missing interval.
    """

    mean: float | None
    std_dev: float | None
    min: float | None
    max: float | None
    count: int
    total_weight: float
    confidence95: tuple[float, float] | None
    reason: str = ""


NOTHING_SCORED = "no scores"


def aggregate_scores(
    run: Scored | HasColumns, cases: CaseWeights | None = None
) -> dict[str, float | None]:
    """Return each model's weighted mean score, Σ(score · weight) / Σ weight, from 0 to 1.

    Unscored trials are excluded, not counted as 0; a model without scores has None. With several
    runs, a case counts with its mean over them.

    Args:
        run: a run's result, its columns, or trials.
        cases: the cases to count, with their weights: cases, or weights by case id. None for all
            cases with the weights of the run.

    Raises:
        SpecError: none of the given cases occurs in the run, or a weight is invalid.
    """
    return {model: score.mean for model, score in detailed_aggregate_scores(run, cases).items()}


def detailed_aggregate_scores(
    run: Scored | HasColumns, cases: CaseWeights | None = None
) -> dict[str, AggregateScore]:
    """Each model's mean with its spread and 95% interval over cases.

    Arguments and errors as in :func:`aggregate_scores`.
    """
    columns = columns_of(run, cases)
    return {
        model: _aggregate(mean_over_cases(columns, columns.score, columns.model == code))
        for code, model in enumerate(columns.models)
    }


def mean_over_cases(
    columns: ScoreColumns, values: Floats, rows: Rows, *, level: float = 0.95
) -> Mean | None:
    """Return the published mean over cases of each case's mean over runs, with Student's t.

    None without scores.

    Args:
        columns: the columns of the values.
        values: one per row; NaN is ignored.
        rows: the rows to use.
        level: of the interval.
    """
    cases = case_means(columns, values, rows)
    return weighted_mean(cases.means, cases.weights, level=level) if len(cases.means) else None


def bounded_mean_over_cases(
    columns: ScoreColumns, values: Floats, rows: Rows, *, level: float = 0.95
) -> Mean | None:
    """The same mean with the interval that suits scores from 0 to 1, which it never leaves.

    Cases that share a group are one cluster. See
    :func:`~benchmaker.stats.means.bounded.bounded_mean`.
    """
    cases = case_means(columns, values, rows)
    if not len(cases.means):
        return None
    return bounded_mean(cases.means, cases.weights, clusters=cases.clusters, level=level)


def exact_mean_over_cases(
    columns: ScoreColumns, values: Floats, rows: Rows, *, level: float = 0.95
) -> Mean | None:
    """The same mean with the limits of :func:`~benchmaker.stats.means.bounded.exact_mean`."""
    cases = case_means(columns, values, rows)
    if not len(cases.means):
        return None
    return exact_mean(cases.means, cases.weights, clusters=cases.clusters, level=level)


class CaseMeans(NamedTuple):
    """Each case's mean over runs, its weight, and its cluster where cases share one."""

    means: Floats
    weights: Floats
    clusters: list[int] | None


def case_means(columns: ScoreColumns, values: Floats, rows: Rows) -> CaseMeans:
    """Return the means of the cases of positive weight that have a value.

    A statistic over cases is a function of them. The order of the rows changes no digit.

    Args:
        columns: the columns of the values.
        values: one per row; NaN is ignored.
        rows: the rows to use.
    """
    chosen = np.flatnonzero(rows & ~np.isnan(values) & (columns.weight > 0))
    chosen = chosen[np.lexsort((values[chosen], columns.position[chosen]))]
    _, first, case = np.unique(columns.position[chosen], return_index=True, return_inverse=True)
    sums = np.bincount(case, weights=values[chosen])
    first = chosen[first]
    return CaseMeans(
        means=sums / np.bincount(case),
        weights=columns.weight[first],
        clusters=case_clusters(columns.group[first]),
    )


def case_clusters(groups: NDArray[np.int32]) -> list[int] | None:
    """Return the groups, each case without one being its own; None where no two cases share one."""
    labels = np.where(groups < 0, -1 - np.arange(len(groups)), groups)
    return labels.tolist() if count_distinct(labels) < len(labels) else None


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
        reason=interval_reason(mean),
    )


def interval_reason(mean: Mean | None) -> str:
    """Return the reason why there is no interval, in terms of cases."""
    if mean is None:
        return NOTHING_SCORED
    said = mean.reason.replace("1 cluster,", "1 group of cases,")
    return said.replace("1 value,", "1 scored case,")
