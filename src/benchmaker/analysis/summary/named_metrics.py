"""The named metrics of checks: each has a mean and an interval of its own."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.summary.aggregate import bounded_mean_over_cases
from benchmaker.documents import Document
from benchmaker.record.score_columns import ScoreColumns


@dataclass(frozen=True, slots=True)
class MetricMean(Document):
    """The mean of a metric over ``n`` cases, from 0 to 1, with its interval; None without values.

    A trial's value is the weighted mean of the checks that name the metric.
    """

    mean: float | None
    ci95: tuple[float, float] | None
    n: int


def metric_means(
    columns: ScoreColumns, rows: NDArray[np.bool_], *, level: float
) -> Mapping[str, MetricMean]:
    """Return the mean of each named metric over the ``rows`` of a model."""
    found = {}
    for name, values in columns.metrics.items():
        mean = bounded_mean_over_cases(columns, values, rows, level=level)
        found[name] = (
            MetricMean(mean.mean, mean.interval, mean.n) if mean else MetricMean(None, None, 0)
        )
    return found
