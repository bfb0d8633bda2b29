"""All pairs of models, each tested and judged."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TypeAlias

from benchmaker.analysis.comparison.pair_interval import (
    Ends,
    EndsAt,
    interval_at,
    level_of,
    within_differences,
)
from benchmaker.analysis.comparison.pairing import CaseTable
from benchmaker.analysis.comparison.results import ComparedPair, Verdict, verdict_of
from benchmaker.errors import NotComparable
from benchmaker.stats.differences import Differences, paired_differences
from benchmaker.stats.means.bounded import bounded_mean
from benchmaker.stats.means.means import Mean
from benchmaker.stats.pairs.compact_letters import compact_letters
from benchmaker.stats.pairs.equivalence import choose_tost
from benchmaker.stats.pairs.multiple_comparisons import Correction, adjust_p_values
from benchmaker.stats.pairs.pair import Pair, head_to_head_rows
from benchmaker.stats.pairs.pairs import AdjustedPair, all_pairs, family
from benchmaker.stats.pairs.welch import Welch, welch

Names: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """The settings of a comparison, as in :func:`compare`."""

    correction: Correction | None
    margin: float | None
    level: float
    draws: int
    seed: int

    def adjust_stepwise(self, p_values: Sequence[float | None]) -> tuple[float | None, ...]:
        """Adjust p-values stepwise if max-T has none."""
        return adjust_p_values(p_values, "holm" if self.correction == "max_t" else self.correction)

    def equivalence_adjustment(self, p_values: Sequence[float | None]) -> str:
        """The name of the adjustment of the p-values of equivalence."""
        return family("holm" if self.correction == "max_t" else self.correction, p_values)


@dataclass(frozen=True, slots=True)
class PairwiseResults:
    """All pairs, and the models with their letters, best first."""

    letters: dict[str, str]
    pairs: tuple[ComparedPair, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _PairDecision:
    """The basis of a pair's verdict: its adjusted p-values, and its interval."""

    p_adjusted: float | None
    equivalence: "_Equivalence"
    low: float | None
    high: float | None
    ci_level: float
    ends_at: EndsAt | None
    adjustment: str

    @classmethod
    def of(
        cls,
        tested: Pair | Welch | AdjustedPair,
        ends_at: EndsAt | None,
        p_adjusted: float | None,
        equivalence: "_Equivalence",
        *,
        how: ComparisonSettings,
        adjustment: str,
    ) -> "_PairDecision":
        """With the interval that goes with the adjusted p; that of max-T is there already."""
        level, ends = how.level, within_differences((tested.low, tested.high))
        if ends_at is not None:
            level = level_of(tested.p_value, p_adjusted, how.level)
            ends = interval_at(ends, ends_at, level)
        return cls(p_adjusted, equivalence, *ends, level, ends_at, adjustment)

    def warnings(self, others: tuple[str, ...]) -> tuple[str, ...]:
        """The test's warnings, and why equivalence is not tested."""
        untested = self.equivalence.untested
        return (*others, untested) if untested else others

    def verdict(self, level: float) -> Verdict:
        return verdict_of(self.p_adjusted, self.equivalence.p_value, level)


@dataclass(frozen=True, slots=True)
class _Equivalence:
    """The adjusted p-value of one pair, the adjustment, and why there is no p-value."""

    p_value: float | None = None
    adjustment: str = ""
    untested: str = ""


def compare_pairs(table: CaseTable, how: ComparisonSettings) -> PairwiseResults:
    """Compare all pairs of models over common cases, or else over the cases each pair shares.

    Raises:
        NotComparable: max-T, and no case is scored for all models.
    """
    common = table.common_cases()
    return (
        _compare_on_common_cases(common, how)
        if len(common)
        else _compare_on_shared_cases(table, how)
    )


def _compare_on_common_cases(common: CaseTable, how: ComparisonSettings) -> PairwiseResults:
    """Every pair over the cases that all models have."""
    made = all_pairs(
        common.scores,
        names=common.models,
        weights=common.weights,
        clusters=common.cluster,
        correction=how.correction,
        level=how.level,
        draws=how.draws,
        seed=how.seed,
    )
    names = [(one.a, one.b) for one in made.pairs]
    by = family(how.correction, [one.p_adjusted for one in made.pairs])
    is_simultaneous = how.correction == "max_t"
    judged = [
        _PairDecision.of(
            one,
            None if is_simultaneous else _ends_at(common, pair, how, one.pair),
            one.p_adjusted,
            equal,
            how=how,
            adjustment=by,
        )
        for pair, one, equal in zip(
            names, made.pairs, _equivalence([(common, it) for it in names], how), strict=True
        )
    ]
    pairs = tuple(
        replace(
            _from_paired_test(pair, one.pair, judgement, how),
            differences=partial(_rows, common, pair),
        )
        for pair, one, judgement in zip(names, made.pairs, judged, strict=True)
    )
    return PairwiseResults(dict(zip(made.names, made.letters, strict=True)), pairs, made.warnings)


def _compare_on_shared_cases(scored: CaseTable, how: ComparisonSettings) -> PairwiseResults:
    """Every pair over the cases the two share; by Welch's test where they share none."""
    if how.correction == "max_t":
        raise NotComparable(
            "max-T needs cases in common to all models; there are none.", hint="Use Holm."
        )
    means = {name: mean_of(scored.cases_of(name), how.level).mean for name in scored.models}
    order = sorted(scored.models, key=lambda name: (-means[name], name))
    pairs = compare_sides([scored.select_models(pair) for pair in combinations(order, 2)], how)
    apart = [
        (order.index(one.model_a), order.index(one.model_b))
        for one in pairs
        if one.verdict == "ahead"
    ]
    letters = dict(zip(order, compact_letters(len(order), apart), strict=True))
    said = "no case has scores for all models: each pair is compared over its common cases"
    return PairwiseResults(letters, pairs, (said,))


def compare_sides(tables: Sequence[CaseTable], how: ComparisonSettings) -> tuple[ComparedPair, ...]:
    """Compare both models of every table over the cases they share, adjusted over all tables.

    By Welch's test where they share none; max-T adjusts by Holm's method.
    """
    names = [_better_first(table) for table in tables]
    sides = list(zip(tables, names, strict=True))
    tested = [_test_pair(table, pair, how) for table, pair in sides]
    p_adjusted = how.adjust_stepwise([one.p_value for one in tested])
    by = family(how.correction, p_adjusted)
    judged = [
        _PairDecision.of(one, _ends_at(table, pair, how, one), p, equal, how=how, adjustment=by)
        for (table, pair), one, p, equal in zip(
            sides, tested, p_adjusted, _equivalence(sides, how), strict=True
        )
    ]
    return tuple(
        replace(
            _to_compared_pair(pair, one, judgement, how),
            differences=partial(_rows, table, pair),
        )
        for (table, pair), one, judgement in zip(sides, tested, judged, strict=True)
    )


def _rows(table: CaseTable, names: Names) -> Differences | None:
    """The scores of two models over the cases they share; None without one."""
    both = table.select_models(names).common_cases()
    if not len(both):
        return None
    left, right = both.scores.T
    return paired_differences(left, right, weights=both.weights, clusters=both.cluster)


def _better_first(table: CaseTable) -> Names:
    """Both models of a table in the order of the two means that are compared."""
    names = (table.models[0], table.models[1])
    sides = [table.common_cases().select_models([name]) for name in names]
    if not len(sides[0]):
        sides = [table.cases_of(name) for name in names]
    one, other = (mean_of(side, 0.95).mean for side in sides)
    return names if one >= other else (names[1], names[0])


def _test_pair(table: CaseTable, names: Names, how: ComparisonSettings) -> Pair | Welch:
    rows = _rows(table, names)
    if rows is not None:
        return head_to_head_rows(rows, test="auto", level=how.level, draws=how.draws, seed=how.seed)
    one, other = (table.cases_of(name) for name in names)
    return welch(
        one.scores[:, 0],
        other.scores[:, 0],
        weights_a=one.weights,
        weights_b=other.weights,
        clusters_a=one.cluster if one.is_clustered else None,
        clusters_b=other.cluster if other.is_clustered else None,
        level=how.level,
    )


def _ends_at(table: CaseTable, names: Names, how: ComparisonSettings, made: Pair | Welch) -> EndsAt:
    """The pair's interval at any level, by the test that it was decided by."""

    def ends_at(level: float) -> Ends:
        if level == how.level:
            return made.low, made.high
        again = _test_pair(table, names, replace(how, level=level))
        return again.low, again.high

    return ends_at


def _equivalence(
    sides: Sequence[tuple[CaseTable, Names]], how: ComparisonSettings
) -> tuple[_Equivalence, ...]:
    """The test of equivalence of each pair in its table; empty without a margin."""
    if how.margin is None:
        return (_Equivalence(),) * len(sides)
    found: list[tuple[float | None, str]] = []
    for table, names in sides:
        rows = _rows(table, names)
        if rows is None:
            found.append((None, "no equivalence test without common cases"))
        else:
            made = choose_tost(rows, margin=how.margin, level=how.level)
            found.append((made.p_value, made.reason))
    by = how.equivalence_adjustment([p for p, _ in found])
    p_adjusted = how.adjust_stepwise([p for p, _ in found])
    return tuple(
        _Equivalence(p, by, reason) for p, (_, reason) in zip(p_adjusted, found, strict=True)
    )


def _to_compared_pair(
    names: Names, tested: Pair | Welch, judged: _PairDecision, how: ComparisonSettings
) -> ComparedPair:
    if isinstance(tested, Pair):
        return _from_paired_test(names, tested, judged, how)
    return _from_welch_test(names, tested, judged, how)


def _from_paired_test(
    names: Names, pair: Pair, judged: _PairDecision, how: ComparisonSettings
) -> ComparedPair:
    figures = pair.paired
    return ComparedPair(
        model_a=names[0],
        model_b=names[1],
        mean_a=figures.mean_a,
        mean_b=figures.mean_b,
        diff=figures.diff,
        se=figures.se,
        low=judged.low,
        high=judged.high,
        p_value=pair.p_value,
        p_adjusted=judged.p_adjusted,
        p_equivalence=judged.equivalence.p_value,
        equivalence_adjustment=judged.equivalence.adjustment,
        test=pair.test,
        verdict=judged.verdict(how.level),
        ci_level=judged.ci_level,
        ends_at=judged.ends_at,
        d_z=figures.d_z,
        d_av=figures.d_av,
        p_superior=figures.p_superior,
        p_superior_low=figures.p_superior_low,
        p_superior_high=figures.p_superior_high,
        wins=figures.wins,
        losses=figures.losses,
        ties=figures.ties,
        sd=figures.sd,
        n=figures.n,
        n_eff=figures.n_eff,
        clusters=figures.clusters,
        level=how.level,
        margin=how.margin,
        adjustment=judged.adjustment,
        method=pair.method,
        reason=pair.reason,
        warnings=judged.warnings(pair.warnings),
    )


def _from_welch_test(
    names: Names, made: Welch, judged: _PairDecision, how: ComparisonSettings
) -> ComparedPair:
    return ComparedPair(
        model_a=names[0],
        model_b=names[1],
        mean_a=made.mean_a,
        mean_b=made.mean_b,
        diff=made.diff,
        se=made.se,
        low=judged.low,
        high=judged.high,
        p_value=made.p_value,
        p_adjusted=judged.p_adjusted,
        p_equivalence=None,
        test="welch",
        verdict=judged.verdict(how.level),
        ci_level=judged.ci_level,
        ends_at=judged.ends_at,
        d_z=None,
        d_av=made.d_av,
        p_superior=None,
        p_superior_low=None,
        p_superior_high=None,
        wins=None,
        losses=None,
        ties=None,
        sd=None,
        n=made.n_a + made.n_b,
        n_eff=None,
        clusters=made.clusters_a + made.clusters_b,
        level=how.level,
        margin=how.margin,
        adjustment=judged.adjustment,
        method=made.method,
        reason=made.reason,
        warnings=judged.warnings(made.warnings),
    )


def mean_of(one: CaseTable, level: float) -> Mean:
    """The mean of a table of one model, with the interval that suits scores from 0 to 1."""
    clusters = one.cluster if one.is_clustered else None
    return bounded_mean(one.scores[:, 0], one.weights, clusters=clusters, level=level)
