"""The variation of a model's score from run to run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.columns import CaseWeights, HasColumns, Scored, columns_of
from benchmaker.analysis.summary.aggregate import NOTHING_SCORED, mean_over_cases
from benchmaker.analysis.summary.common_cases import common_cases
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.stats import weighted_mean
from benchmaker.stats.means.bounded import within_scale


@dataclass(frozen=True, slots=True)
class MultiRunStats:
    """One model's scores over several runs, each the weighted mean of its run, from 0 to 1.

    The interval is for the mean of many such runs (repeat noise, Student's t over runs, not
    clipped); it does not generalise to other questions. Every run counts with the same ``n_cases``
    cases, those with a score in each of ``run_ids``, which are in the order of ``scores``; runs
    that lack too many of them are ``left_out`` (see
    :func:`~benchmaker.analysis.summary.common_cases.common_cases`). Unsupported figures are None,
    with the reason.
    """

    run_ids: tuple[str, ...]
    model_id: str
    scores: tuple[float, ...]
    mean: float | None
    std_dev: float | None
    min: float | None
    max: float | None
    confidence95: tuple[float, float] | None
    reason: str = ""
    n_cases: int = 0
    left_out: tuple[str, ...] = ()


def multi_run_stats(
    runs: Scored | Iterable[ScoreColumns | HasColumns], cases: CaseWeights | None = None
) -> dict[str, MultiRunStats]:
    """Return each model's score in every run, with mean, spread and 95% interval over the runs.

    Args:
        runs: results of runs, their columns, or the trials of all of them.
        cases: the cases to count, with their weights: cases, or weights by case id. None for all
            cases with the weights of the runs.

    Raises:
        SpecError: none of the given cases occurs in the runs, or a weight is invalid.
        NotComparable: the runs do not share one suite.
    """
    columns = columns_of(runs, cases)
    return {
        model: over_runs(columns, model, columns.model == code)
        for code, model in enumerate(columns.models)
    }


def over_runs(
    columns: ScoreColumns, model: str, rows: NDArray[np.bool_], *, level: float = 0.95
) -> MultiRunStats:
    """Return one model's scores over the runs, from its rows."""
    common = common_cases(columns, rows)
    means = {
        columns.run_ids[code]: mean.mean
        for code in common.runs
        if (mean := mean_over_cases(columns, columns.score, common.rows & (columns.run == code)))
    }
    scores = tuple(means.values())
    if not scores:
        return MultiRunStats((), model, (), None, None, None, None, None, NOTHING_SCORED)
    spread = weighted_mean(scores, level=level)
    return MultiRunStats(
        run_ids=tuple(means),
        model_id=model,
        scores=scores,
        mean=spread.mean,
        std_dev=spread.sd,
        min=spread.minimum,
        max=spread.maximum,
        confidence95=spread.interval,
        reason=spread.reason.replace("value", "run", 1),
        n_cases=common.n_cases,
        left_out=tuple(columns.run_ids[code] for code in common.left_out),
    )


def interval_over_runs(scores: Sequence[float], level: float) -> tuple[float, float] | None:
    """Return the interval of the mean over runs, within 0 to 1; None if undefined."""
    return within_scale(weighted_mean(scores, level=level)).interval if scores else None
