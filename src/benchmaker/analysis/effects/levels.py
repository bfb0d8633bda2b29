"""The comparison by model, prompt or effort, each paired by case."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NoReturn

from benchmaker.analysis.columns import CaseWeights, HasColumns, Scored
from benchmaker.analysis.comparison.case_costs import cost_table
from benchmaker.analysis.comparison.comparison import (
    ComparableScores,
    comparison_of,
    read_scores,
    scored_models,
    with_left_out,
)
from benchmaker.analysis.comparison.left_out import pairs_with, without
from benchmaker.analysis.comparison.pairing import CaseTable, case_table
from benchmaker.analysis.comparison.pairs import (
    ComparisonSettings,
    PairwiseResults,
    compare_pairs,
    compare_sides,
    mean_of,
)
from benchmaker.analysis.comparison.reference import compare_with_reference
from benchmaker.analysis.comparison.results import (
    ComparedModel,
    ComparedPair,
    Comparison,
)
from benchmaker.analysis.comparison.within_margin import WithinMargin, within_margin
from benchmaker.analysis.effects.dimensions import Dimension, SetupLevels, setup_levels
from benchmaker.analysis.effects.early_levels import early_levels
from benchmaker.analysis.effects.interactions import InteractionSettings, interactions_of
from benchmaker.analysis.effects.level_results import (
    ComparedLevel,
    LevelComparison,
    LevelPair,
)
from benchmaker.analysis.effects.level_tables import LevelTables
from benchmaker.errors import NotEnoughData
from benchmaker.record import Run
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.record.trial import UNSENT
from benchmaker.stats.pairs.compact_letters import compact_letters
from benchmaker.stats.pairs.multiple_comparisons import Correction

_UNSENT_EFFORT = f"{UNSENT}reasoning_effort"


def compare_levels(
    columns: Scored | Iterable[ScoreColumns | HasColumns],
    by: Dimension,
    runs: Sequence[Run] = (),
    *,
    setups: Sequence[str] = (),
    reference: str = "",
    cases: CaseWeights | None = None,
    correction: Correction | None = "holm",
    margin: float | None = None,
    level: float = 0.95,
    draws: int = 9_999,
    seed: int = 0,
    metric: str | None = None,
) -> LevelComparison:
    """Compare the models, prompts or efforts of runs, each pair case by case.

    A level counts in a case with the mean over its setups: over those combinations of the other
    dimensions that both levels of a pair have. A case counts where all of these setups are scored.
    Cases that share a group, such as those that a list of variables makes, are one cluster. Tests,
    intervals and the adjustment over all pairs are those of
    :func:`~benchmaker.analysis.comparison.comparison.compare`.

    A comparison by effort leaves out models to which no effort is sent. Setups that were dropped or
    stopped in a run are left out of their level; a level of such setups alone is left out of the
    comparison of the others, as in ``compare``.

    Args:
        columns: the scores: columns, results of runs, or trials.
        by: "model", "prompt" or "effort".
        runs: the records of the same runs, which name the setups; results include their own.
        setups: the setups to use, by name; all by default.
        reference: the level of the only pairs to compare; empty for all pairs.
        cases: the cases to count, with their weights; None for all, as in the runs.
        correction: for the number of pairs: "holm", "bh", "by", "max_t", or None.
        margin: the largest difference that does not matter, from 0 to 1. Pairs with a significantly
            smaller difference are called equivalent, and the cheapest level within the margin of
            the best is determined.
        level: of the intervals.
        draws: number of draws for sign flips and the bootstrap.
        seed: seed of both.
        metric: ``mean``, ``strict``, or the name of a metric of checks; None for the suite's
            metric.

    Raises:
        NotComparable: as in ``compare``.
        NotEnoughData: fewer than two levels with a score, or none that can be compared.
        SpecError: an unknown setup, case, weight, margin or level.
    """
    read = read_scores(columns, runs, cases=cases, metric=metric)
    whole = case_table(read.columns, setups)
    table = whole.select_models([name for name in whole.models if len(whole.cases_of(name))])
    levels = setup_levels(read.runs, table.models)
    untaken = _without_effort(read.columns, levels) if by == "effort" else ()
    if untaken and len(untaken) == len(table.models):
        _refuse_untaken(levels)
    table = without(table, untaken)
    early = early_levels({name: levels[name] for name in table.models}, by, read.ends)
    every = LevelTables(without(table, early.setups), levels, by)
    table = without(every.table, early.setups_of_levels)
    tables = LevelTables(table, levels, by)
    how = ComparisonSettings(correction, margin, level, draws, seed)
    comparison = _with_early_levels(_comparison(tables, read, how), every, early.levels, how)
    if reference:
        comparison = compare_with_reference(comparison, reference)
    missing = [f"{name}: no scores" for name in whole.models if name not in levels]
    models = dict.fromkeys(levels[name].model for name in untaken)
    missing += [f"{name} takes no effort and is left out" for name in models]
    ended = {**early.setups, **early.levels}
    missing += [f"{name} was {reason}, and is left out" for name, reason in ended.items()]
    comparison = replace(
        comparison,
        noun=by,
        warnings=(*missing, *tables.notes, *comparison.warnings),
        within_margin=_within_margin(tables, cost_table(read.columns, table.models), how),
    )
    return LevelComparison(
        comparison=comparison,
        by=by,
        levels=tuple(_level(every, one) for one in comparison.models),
        pairs=tuple(_pair(every, one) for one in comparison.pairs),
        interactions=interactions_of(
            table, tables.levels, InteractionSettings(correction, level, draws, seed), by
        ),
        within_margin=comparison.within_margin,
        run_ids=comparison.run_ids,
        n_cases=comparison.n_cases,
        n_common=comparison.n_common,
        clusters=comparison.clusters,
        correction=correction,
        margin=margin,
        level=level,
        seed=seed,
        method=comparison.method,
        warnings=comparison.warnings,
        figure=comparison.figure,
    )


def _without_effort(columns: ScoreColumns, levels: SetupLevels) -> tuple[str, ...]:
    """The setups to whose model no effort was sent in any trial."""
    unsent = columns.rows_flagged(_UNSENT_EFFORT)
    return tuple(name for name in levels if unsent[columns.rows_of(name)].all())


def _refuse_untaken(levels: SetupLevels) -> NoReturn:
    """Raise NotEnoughData: no model of the setups takes an effort."""
    models = list(dict.fromkeys(one.model for one in levels.values()))
    raise NotEnoughData(
        f"No effort was sent: {', '.join(models)} take{'s' if len(models) == 1 else ''} none.",
        needed=2,
        got=0,
        hint="Remove efforts from the suite, or add a model that takes one.",
    )


def _comparison(tables: LevelTables, read: ComparableScores, how: ComparisonSettings) -> Comparison:
    """The levels compared like models."""
    if len(tables.names) < 2:  # noqa: PLR2004  a pair
        raise NotEnoughData(
            f"A comparison by {tables.by} needs 2 scored {tables.by}s, found {len(tables.names)}.",
            needed=2,
            got=len(tables.names),
            hint=f"Run another {tables.by} on the same suite.",
        )
    if tables.is_crossed:
        table = tables.of_levels(tables.names)
        scored = scored_models(table)
        return comparison_of(table, scored, compare_pairs(scored, how), read, how)
    return _compare_each_pair(tables, read, how)


def _with_early_levels(
    made: Comparison, every: LevelTables, left_out: Mapping[str, str], how: ComparisonSettings
) -> Comparison:
    """The comparison with the levels that ended early, each pair over what both levels have."""
    if not left_out:
        return made
    names = [one.model for one in made.models if one.letters]
    sides = [every.of_levels(pair) for pair in pairs_with((*names, *left_out), left_out)]
    kept = [one for one in sides if len(one.common_cases())]
    return with_left_out(made, left_out, every.of_own(), compare_sides(kept, how))


def _compare_each_pair(
    tables: LevelTables, read: ComparableScores, how: ComparisonSettings
) -> Comparison:
    """Every pair over the combinations that both levels have; those without any are left out."""
    sides = [tables.of_levels(pair) for pair in combinations(tables.names, 2)]
    kept = [one for one in sides if len(one.common_cases())]
    if not kept:
        raise NotEnoughData(
            f"No two {tables.by}s share a setup of the other dimensions with scored cases.",
            needed=2,
            got=0,
            hint=f"Run every {tables.by} in the same combinations.",
        )
    pairs = compare_sides(kept, how)
    table = tables.of_all()
    means = {name: mean_of(table.cases_of(name), how.level).mean for name in table.models}
    order = sorted(means, key=lambda name: (-means[name], name))
    places = {frozenset(pair): at for at, pair in enumerate(combinations(order, 2))}
    ordered = sorted(pairs, key=lambda it: places[frozenset((it.model_a, it.model_b))])
    apart = [
        (order.index(it.model_a), order.index(it.model_b))
        for it in ordered
        if it.verdict == "ahead"
    ]
    letters = dict(zip(order, compact_letters(len(order), apart), strict=True))
    made = PairwiseResults(letters, tuple(ordered), ())
    return comparison_of(table, table, made, read, how)


def _level(tables: LevelTables, one: ComparedModel) -> ComparedLevel:
    return ComparedLevel(
        level=one.model,
        mean=one.mean,
        low=one.low,
        high=one.high,
        n_cases=one.n_scored,
        setups=tuple(tables.setups[one.model].values()),
        letters=one.letters,
    )


def _pair(tables: LevelTables, one: ComparedPair) -> LevelPair:
    return LevelPair.of(one, tables.by, tables.shared_levels((one.model_a, one.model_b)))


def _within_margin(
    tables: LevelTables, costs: CaseTable, how: ComparisonSettings
) -> WithinMargin | None:
    """The cheapest level within the margin, over the combinations that all levels share."""
    if how.margin is None or not tables.combinations(tables.names):
        return None
    spent = LevelTables(costs, tables.levels, tables.by).of_levels(tables.names)
    return within_margin(
        tables.of_levels(tables.names),
        spent,
        margin=how.margin,
        level=how.level,
        noun=tables.by,
    )
