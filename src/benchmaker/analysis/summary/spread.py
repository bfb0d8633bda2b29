"""The variation of a model's figure from run to run."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.summary.aggregate import bounded_mean_over_cases
from benchmaker.analysis.summary.multi_run import interval_over_runs, over_runs
from benchmaker.documents import Document, NullIfEmpty, listed
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.spec import Metric
from benchmaker.stats.means.bounded import MATCHED


@dataclass(frozen=True, slots=True)
class RunSpread(Document):
    """The noise of repetition: the figure of ``metric`` in each run, and its spread over the runs.

    ``scores`` are the runs' own figures (means, or strict accuracies), in the order of ``run_ids``,
    each over all cases scored in that run. ``sd`` and ``ci95`` are over ``common_scores``, the
    figures over the ``n_cases`` cases scored in every run; ``common_mean`` is their mean, and
    ``ci95`` its interval. ``partial`` are the excluded runs: in progress, with judgments
    outstanding, or without a score for too many of the cases.
    """

    metric: Metric
    run_ids: tuple[str, ...]
    scores: tuple[float, ...]
    common_scores: tuple[float, ...]
    common_mean: float | None
    sd: float | None
    ci95: tuple[float, float] | None
    reason: NullIfEmpty
    n_cases: int = 0
    partial: tuple[str, ...] = ()

    @property
    @listed(after="ci95")
    def method(self) -> str:
        """The method of the interval."""
        return f"mean of the runs' means, {MATCHED}"


def run_spread(
    columns: ScoreColumns,
    model: str,
    rows: NDArray[np.bool_],
    *,
    metric: Metric,
    partial: Sequence[str],
    level: float,
) -> RunSpread:
    """Return the spread of a model's figure over runs, from its rows.

    Args:
        columns: the scores under the metric, as ``by_metric`` returns them.
        model: the model's name.
        rows: those of the model.
        metric: the name of the metric.
        partial: the ids of runs that have no figure yet.
        level: of the interval.
    """
    codes = [code for code, name in enumerate(columns.run_ids) if name in partial]
    complete = rows & ~np.isin(columns.run, codes)
    stats = over_runs(columns, model, complete, level=level)
    return RunSpread(
        metric=metric,
        run_ids=stats.run_ids,
        scores=tuple(_figure_of_run(columns, rows, run_id, level) for run_id in stats.run_ids),
        common_scores=stats.scores,
        common_mean=stats.mean,
        sd=stats.std_dev,
        ci95=interval_over_runs(stats.scores, level),
        reason=stats.reason if stats.scores or not partial else "no complete run",
        n_cases=stats.n_cases,
        partial=tuple(it for it in columns.run_ids if it in {*partial, *stats.left_out}),
    )


def _figure_of_run(
    columns: ScoreColumns, rows: NDArray[np.bool_], run_id: str, level: float
) -> float:
    """The figure that a summary of this run alone has."""
    own = rows & (columns.run == columns.run_ids.index(run_id))
    mean = bounded_mean_over_cases(columns, columns.score, own, level=level)
    return mean.mean if mean else nan
