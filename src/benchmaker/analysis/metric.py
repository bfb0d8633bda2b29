"""The metric of tables, comparisons and gates: the mean score, or the share of right answers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.columns import select_rows
from benchmaker.errors import SpecError
from benchmaker.record import NO_CODE, WITHOUT_JUDGE, Run
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.spec import Metric, metric_named
from benchmaker.spec.documents.suggestions import did_you_mean

FigureName: TypeAlias = Literal["mean", "strict", "accuracy", "checks"]
"""The kind of a figure: a mean of grades, the share of exactly right answers beside grades, the
share of right answers without grades, or the mean share of page checks passed."""


PLURALS: Final[Mapping[FigureName, str]] = {
    "mean": "means",
    "strict": "strict accuracies",
    "accuracy": "accuracies",
    "checks": "shares of checks passed",
}
"""The figures of several models."""


def metric_of(runs: Sequence[Run], chosen: Metric | None = None) -> Metric:
    """The metric that was chosen, else the one that the runs name.

    Raises:
        SpecError: there is no such metric.
    """
    return metric_named(chosen) or (runs[0].metric if runs else "mean")


def metric_or_named(runs: Sequence[Run], chosen: str | None = None) -> str:
    """The metric that was chosen, which may be one of checks, else the one that the runs name."""
    return chosen or (runs[0].metric if runs else "mean")


def by_metric(columns: ScoreColumns, metric: str) -> ScoreColumns:
    """Return the scores under the metric: ``mean`` unchanged, ``strict`` 1 for exactly 1.

    The name of a metric of checks stands for its values. Unscored answers stay unscored.

    Raises:
        SpecError: no check has a metric of that name.
    """
    if metric == "mean":
        return columns
    if metric != "strict":
        return replace(columns, score=_named_values(columns, metric))
    strict = np.where(np.isnan(columns.score), np.nan, columns.score == 1.0)
    return replace(columns, score=strict)


def cases_with_metric(columns: ScoreColumns, metric: str) -> ScoreColumns:
    """Return the trials of the cases that have a check of the metric; all for ``mean``, ``strict``.

    A case has none if one of its trials was scored without a value of the metric, and no trial has
    one. A check without a verdict leaves its trial unscored, so that its case is kept.
    """
    values = columns.metrics.get(metric)
    if values is None or metric in {"mean", "strict"}:
        return columns
    has_value = ~np.isnan(values)
    is_scored_without = ~np.isnan(columns.score) & ~has_value
    with_value = np.unique(columns.position[has_value])
    without = np.setdiff1d(columns.position[is_scored_without], with_value)
    return select_rows(columns, ~np.isin(columns.position, without))


def _named_values(columns: ScoreColumns, name: str) -> NDArray[np.float64]:
    if name in columns.metrics:
        return columns.metrics[name]
    known = ["mean", "strict", *columns.metrics]
    hint = f"{did_you_mean(name, known)} Metrics of these runs: {', '.join(known)}.".strip()
    raise SpecError(f"unknown metric {name!r}.", hint=hint)


def is_right_or_wrong(columns: ScoreColumns, runs: Sequence[Run] = ()) -> bool:
    """True if every score is 0 or 1, so that their mean is an accuracy.

    Before the first score: true if the runs have no judge. Scores of pages, by a judge or by
    their checks, are not an accuracy, even if all are 0.
    """
    known = columns.score[~np.isnan(columns.score)]
    if not len(known):
        return not any(run.judge for run in runs)
    is_of_pages = not columns.flag_counts().keys().isdisjoint({WITHOUT_JUDGE, NO_CODE})
    return not is_of_pages and bool(np.isin(known, (0.0, 1.0)).all())


def figure_name(columns: ScoreColumns, metric: str, runs: Sequence[Run] = ()) -> FigureName:
    """Return the name of the metric's figure for these scores; a metric of checks is a mean."""
    if metric not in {"mean", "strict"}:
        columns, metric = by_metric(columns, metric), "mean"
    scored = int((~np.isnan(columns.score)).sum())
    unjudged = columns.flag_counts().get(WITHOUT_JUDGE, 0)
    first, *_ = figure_names(
        "strict" if metric == "strict" else "mean",
        is_right_or_wrong=is_right_or_wrong(columns, runs),
        is_of_checks=scored > 0 and unjudged >= scored,
    )
    return first


def figure_names(
    metric: Metric, *, is_right_or_wrong: bool, is_of_checks: bool
) -> tuple[FigureName, ...]:
    """Return the figures shown for each model: the metric's figure, then the other one."""
    if is_right_or_wrong:
        return ("accuracy",)
    mean: FigureName = "checks" if is_of_checks else "mean"
    return ("strict", mean) if metric == "strict" else (mean, "strict")
