"""The spread of a difference as estimated from earlier runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from benchmaker.analysis.columns import HasColumns, Scored, columns_of
from benchmaker.analysis.comparable import check_comparable
from benchmaker.analysis.comparison.left_out import without
from benchmaker.analysis.comparison.pairing import CaseTable, Floats, case_table
from benchmaker.analysis.comparison.pairs import mean_of
from benchmaker.analysis.early_ends import early_ends, left_out_of
from benchmaker.analysis.metric import by_metric, cases_with_metric, metric_or_named
from benchmaker.analysis.records import records_of
from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.record.counts import count
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.stats.differences import kish, paired_differences
from benchmaker.stats.means.hierarchy import TwoLevel, two_level
from benchmaker.stats.pairs.paired import PairedT, paired_t_rows
from benchmaker.stats.power.components import Components


@dataclass(frozen=True, slots=True)
class Pilot:
    """The variation of the difference between two models from case to case, from runs.

    ``sd`` is its standard deviation over cases at the pilot's own number of runs, including the
    effect of groups and weights; ``components`` splits it if cases ran more than once. ``models``
    are the two, or the one whose scores represent both. ``var_runs`` are the variances between runs
    of one case, of both models together; None if cases ran once. ``design_effect`` is the variance
    factor of groups and weights, ``weight_cost`` that of the weights alone, n Σw²/(Σw)² (Kish
    1965). ``assumes`` lists the assumptions.
    """

    models: tuple[str, ...]
    sd: float
    components: Components | None
    n: int
    runs: int
    assumes: tuple[str, ...]
    var_runs: float | None = None
    design_effect: float = 1.0
    weight_cost: float = 1.0


def pilot_of(
    source: Scored | Iterable[ScoreColumns | HasColumns],
    models: Sequence[str] = (),
    metric: str | None = None,
) -> Pilot:
    """Estimate from runs the spread of the difference between two models.

    Args:
        source: results of runs, their columns, or trials.
        models: one or two of them; by default the two with the best means among those that were
            not dropped or stopped, or the only one.
        metric: ``mean``, ``strict`` for the share of answers that are exactly right, or the name
            of a metric of checks; None for the suite's metric.

    Raises:
        SpecError: a model that does not occur, or more than two.
        NotComparable: the runs do not share suite and profile.
        NotEnoughData: fewer than two cases in common, or no spread.
    """
    known = records_of(source)
    check_comparable(known)
    counted = metric_or_named(known, metric)
    columns = by_metric(cases_with_metric(columns_of(source), counted), counted)
    every = case_table(columns, models)
    if not models:
        ends = early_ends(columns, known)
        scored = [name for name in every.models if len(every.cases_of(name))]
        every = without(every, left_out_of(scored, ends))
    table = every.select_models(_select_names(every, models))
    if not models and len(table.models) > 1:
        table = _select_differing(every, table)
    common = table.common_cases()
    if len(common) < 2:  # noqa: PLR2004  a spread takes two
        raise NotEnoughData(
            f"The pilot has {count(len(common), 'case')} with a score for "
            f"{' and '.join(table.models)}.",
            needed=2,
            got=len(common),
            hint="Run it on more cases, or give the standard deviation.",
        )
    return (
        _pilot_of_pair(columns, common)
        if len(table.models) > 1
        else _pilot_of_model(columns, common)
    )


def _select_names(table: CaseTable, models: Sequence[str]) -> list[str]:
    if len(models) > 2:  # noqa: PLR2004  a pair
        raise SpecError(
            f"A calculation needs 2 models, not {len(models)}.", hint="Choose two of them."
        )
    if models:
        return list(models)
    scored = _by_mean(table)
    if not scored:
        raise NotEnoughData("The pilot has no scores.", needed=2, got=0)
    return scored[:2]


def _by_mean(table: CaseTable) -> list[str]:
    """The models with a score, the best first."""
    scored = [name for name in table.models if len(table.cases_of(name))]
    return sorted(scored, key=lambda name: (-mean_of(table.cases_of(name), 0.95).mean, name))


def _select_differing(every: CaseTable, best: CaseTable) -> CaseTable:
    """The best two models, or the best ones whose difference varies; the best alone without any.

    Equal models, such as two that are always right, say nothing of the spread to plan for.
    """
    for pair in combinations(_by_mean(every), 2):
        table = every.select_models(pair)
        if len(table.common_cases()) > 1 and _compare_pair(table.common_cases()).se:
            return table
    return (
        best.select_models(best.models[:1])
        if mean_of(best.cases_of(best.models[0]), 0.95).se
        else best
    )


def _compare_pair(common: CaseTable) -> PairedT:
    left, right = common.scores.T
    rows = paired_differences(left, right, weights=common.weights, clusters=common.cluster)
    return paired_t_rows(rows, 0.95)


def _pilot_of_pair(columns: ScoreColumns, common: CaseTable) -> Pilot:
    figures = _compare_pair(common)
    if not figures.se:
        raise NotEnoughData(
            f"{common.models[0]} and {common.models[1]} have the same difference on every case.",
            needed=2,
            got=1,
            hint="Choose other models, or give the standard deviation.",
        )
    sd = figures.se * len(common) ** 0.5
    rows = [_rows(columns, common, name) for name in common.models]
    levels = [two_level(one.case, one.score) for one in rows]
    left, right = common.scores.T
    effect = _design_effect(left - right, sd)
    return Pilot(
        models=common.models,
        sd=sd,
        components=_components([two_level(one.case, one.weigh()) for one in rows], sd),
        n=len(common),
        runs=max(1, round(min(one.runs for one in levels))),
        assumes=(
            "two models whose differences vary as much as those of the pilot",
            *_design(common, effect),
        ),
        var_runs=_sum_of(one.var_run for one in levels),
        design_effect=effect,
        weight_cost=_weight_cost(common),
    )


def _pilot_of_model(columns: ScoreColumns, common: CaseTable) -> Pilot:
    (name,) = common.models
    se = mean_of(common, 0.95).se
    if not se:
        raise NotEnoughData(
            f"All scores of {name} are equal.", needed=2, got=1, hint="Give a standard deviation."
        )
    rows = _rows(columns, common, name)
    level = two_level(rows.case, rows.score)
    effect = _design_effect(common.scores[:, 0], len(common) ** 0.5 * se)
    return Pilot(
        models=common.models,
        sd=(2.0 * len(common)) ** 0.5 * se,
        components=None,
        n=len(common),
        runs=max(1, round(level.runs)),
        assumes=(
            f"a second model with independent scores of the same variance as {name}",
            *_design(common, effect),
        ),
        var_runs=None if level.var_run is None else 2.0 * level.var_run,
        design_effect=effect,
        weight_cost=_weight_cost(common),
    )


class _Rows(NamedTuple):
    """One model's scores with their cases and weights."""

    case: list[int]
    score: Floats
    weight: Floats

    def weigh(self) -> Floats:
        """Numbers w (x - m), weights of mean 1, whose plain mean varies as the weighted one does.

        The linearised ratio (Särndal, Swensson and Wretman 1992, Model Assisted Survey Sampling,
        section 5.7).
        """
        mean = np.average(self.score, weights=self.weight)
        return np.asarray(self.weight / self.weight.mean() * (self.score - mean), np.float64)


def _rows(columns: ScoreColumns, common: CaseTable, name: str) -> _Rows:
    """One model's scores by case and run, over the cases that count."""
    table = case_table(columns, common.models)
    kept = np.unique(columns.position[columns.weight > 0])[
        np.logical_and.reduce(table.is_scored, axis=1)
    ]
    mine = columns.model == columns.models.index(name)
    rows = mine & ~np.isnan(columns.score) & np.isin(columns.position, kept)
    rows &= columns.weight > 0
    return _Rows(columns.position[rows].tolist(), columns.score[rows], columns.weight[rows])


def _components(levels: Sequence[TwoLevel], sd: float) -> Components | None:
    if any(one.var_run is None for one in levels):
        return None
    return Components.of_pilot(levels[0], levels[1], sd**2)


def _sum_of(variances: Iterable[float | None]) -> float | None:
    known = list(variances)
    return None if None in known else sum(one for one in known if one is not None)


def _design_effect(values: Floats, sd: float) -> float:
    """The variance with groups and weights over that of as many equal, independent cases."""
    plain = float(values.var(ddof=1))
    return sd**2 / plain if plain else 1.0


def _weight_cost(common: CaseTable) -> float:
    return len(common) / kish(common.weights)


def _design(common: CaseTable, effect: float) -> tuple[str, ...]:
    """Return the assumptions about weights and groups; empty without them."""
    what = ["weights"] * common.is_weighted + ["groups"] * common.is_clustered
    if not what:
        return ()
    said = (
        f"{' and '.join(what)} as in the pilot (variance of the difference {effect:.2f} "
        "times that of equal, independent cases)"
    )
    return (said,)
