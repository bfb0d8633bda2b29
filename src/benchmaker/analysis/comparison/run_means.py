"""The published comparison of two models: run means as observations."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from benchmaker.analysis.columns import CaseWeights, HasColumns, Scored, columns_of
from benchmaker.analysis.comparison.pairing import case_table, check_models
from benchmaker.analysis.summary.multi_run import over_runs
from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.record.counts import count
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.stats.pairs.pooled import pooled_t

SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """Two models over several runs, the mean of each run being one observation; from 0 to 1.

    ``score_diff`` is mean_a - mean_b, ``pooled_std_err`` its standard error from the pooled
    variance, ``t_statistic`` their ratio. ``p_value`` is two-sided, Student's t with
    n_a + n_b - 2 degrees of freedom; ``is_significant``: it is below 0.05. ``effect_size`` is
    Cohen's d on run means, which is large whenever runs repeat well: see ``interpret_effect``.
    """

    model_a: str
    model_b: str
    mean_a: float
    mean_b: float
    score_diff: float
    pooled_std_err: float
    t_statistic: float
    p_value: float
    is_significant: bool
    effect_size: float
    warnings: tuple[str, ...] = ()


def compare_models(
    runs: Scored | Iterable[ScoreColumns | HasColumns],
    model_a: str,
    model_b: str,
    cases: CaseWeights | None = None,
) -> ModelComparison | None:
    """Run the published comparison of two models over runs; None below two runs each.

    It tests whether the two differ on exactly these cases by more than repetition explains; it does
    not generalise to other cases. For that, and for single runs, use
    :func:`~benchmaker.analysis.comparison.comparison.compare`.

    Args:
        runs: results of runs, their columns, or the trials of all of them.
        model_a: one model.
        model_b: the other.
        cases: the cases to count, with their weights: cases, or weights by case id. None for all
            cases with the weights of the runs.

    Raises:
        NotEnoughData: all runs of either model score the same, so that there is no noise to compare
            the difference with.
        SpecError: a model that does not occur, none of the given cases in the runs, or an invalid
            weight.
        NotComparable: the runs do not share one suite.
    """
    columns = columns_of(runs, cases)
    check_models((model_a, model_b), columns.models)
    a, b = (_run_means(columns, model) for model in (model_a, model_b))
    if min(len(a), len(b)) < 2:  # noqa: PLR2004  as published
        return None
    made = pooled_t(a, b)
    if made.se is None or made.t is None or made.p_value is None or made.d is None:
        raise NotEnoughData(
            f"All runs of {model_a!r} have the same score, and so do all runs of {model_b!r}.",
            needed=2,
            got=1,
            hint="Use compare(), which compares case by case and needs only one run.",
        )
    return ModelComparison(
        model_a=model_a,
        model_b=model_b,
        mean_a=made.mean_a,
        mean_b=made.mean_b,
        score_diff=made.diff,
        pooled_std_err=made.se,
        t_statistic=made.t,
        p_value=made.p_value,
        is_significant=made.p_value < SIGNIFICANT,
        effect_size=made.d,
        warnings=_unlike_cases_warning(columns, (model_a, model_b)),
    )


def interpret_effect(d: float) -> Literal["negligible", "small", "medium", "large"]:
    """The usual words for a standardised difference (Cohen 1988): bands from .2, .5 and .8 on.

    Raises:
        SpecError: d is not a finite number.

    >>> interpret_effect(-0.5)
    'medium'
    """
    if not math.isfinite(d):
        raise SpecError(f"The effect size is {d}; give a finite number.")
    size = abs(d)
    if size < 0.2:  # noqa: PLR2004  Cohen's bands, also below
        return "negligible"
    if size < 0.5:  # noqa: PLR2004
        return "small"
    return "medium" if size < 0.8 else "large"  # noqa: PLR2004


def _run_means(columns: ScoreColumns, model: str) -> tuple[float, ...]:
    rows = columns.model == columns.models.index(model)
    return over_runs(columns, model, rows).scores


def _unlike_cases_warning(columns: ScoreColumns, models: tuple[str, str]) -> tuple[str, ...]:
    """A warning where the two were not scored in the same cases."""
    scored = case_table(columns, models).is_scored
    only = int((scored[:, 0] != scored[:, 1]).sum())
    are = "is" if only == 1 else "are"
    return (f"{count(only, 'case')} {are} scored for only one of the two",) if only else ()
