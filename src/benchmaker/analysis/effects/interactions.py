"""Interactions: does the effect of a prompt, for example, depend on the model?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from benchmaker.analysis.comparison.pair_interval import level_of
from benchmaker.analysis.comparison.pairing import CaseTable, Floats
from benchmaker.analysis.comparison.results import interval_name
from benchmaker.analysis.effects.dimensions import (
    Dimension,
    SetupLevels,
    levels_in,
    varied_dimensions,
)
from benchmaker.documents import Document, listed
from benchmaker.record.p_values import p_value_equation
from benchmaker.record.points import points
from benchmaker.stats.differences import Differences, paired_differences
from benchmaker.stats.pairs.multiple_comparisons import Correction, adjust_p_values
from benchmaker.stats.pairs.pair import FEW_CLUSTERS, Pair, Test, head_to_head_rows
from benchmaker.stats.pairs.pairs import family
from benchmaker.stats.student import alpha

METHOD = "interaction contrasts of 2 × 2 levels, paired by case"


@dataclass(frozen=True, slots=True)
class Contrast(Document):
    """The change of a difference of two levels between two levels of another dimension.

    ``effect`` is a - b ``at`` the one level, ``other_effect`` a - b at the ``other``, and ``diff``
    their difference, from -2 to 2 on the scale of scores; ``diff`` is not negative. ``low`` and
    ``high`` exclude 0 exactly when ``p_adj`` is below 1 - level.
    """

    a: str
    b: str
    at: str
    other: str
    effect: float
    other_effect: float
    diff: float
    low: float | None
    high: float | None
    p: float | None
    p_adj: float | None
    n_cases: int
    clusters: int
    reason: str


@dataclass(frozen=True, slots=True)
class Interaction(Document):
    """All contrasts of two dimensions, the clearest first.

    The effect of ``by`` depends on ``across`` (``is_significant``) if a contrast differs from 0
    after the adjustment over all of them, which tests the interaction as a whole too.
    """

    by: Dimension
    across: Dimension
    contrasts: tuple[Contrast, ...]
    is_significant: bool
    level: float
    adjustment: str
    method: str

    @property
    @listed()
    def sentence(self) -> str:
        """The verdict in words, with the clearest contrast."""
        top = self.contrasts[0]
        if top.p is None:
            return f"The interaction of {self.by} and {self.across} is not tested: {top.reason}."
        sure = self._certainty(top)
        if not self.is_significant:
            of = f"No significant interaction of {self.by} and {self.across}"
            if points(top.diff) == "0.0":
                return f"{of}: the differences are equal{sure}."
            return f"{of}: the clearest contrast is {points(top.diff)} points{sure}."
        return (
            f"The effect of the {self.by} depends on the {self.across}: {top.a} − {top.b} is "
            f"{points(top.effect)} points with {top.at} and {points(top.other_effect)} with "
            f"{top.other}, a difference of {points(top.diff)} points{sure}."
        )

    def _certainty(self, top: Contrast) -> str:
        said = []
        if top.low is not None and top.high is not None:
            name = interval_name(self.level, self.adjustment)
            said.append(f"{name} {points(top.low)} to {points(top.high)}")
        if top.p_adj is not None and (self.adjustment or not said):
            after = f" after {self.adjustment}" if self.adjustment else ""
            said.append(f"{p_value_equation(top.p_adj)}{after}")
        return f" ({'; '.join(said)})" if said else ""


@dataclass(frozen=True, slots=True)
class InteractionSettings:
    """The settings of the tests, as in :func:`compare_levels`."""

    correction: Correction | None
    level: float
    draws: int
    seed: int


def interactions_of(
    table: CaseTable, levels: SetupLevels, how: InteractionSettings, by: Dimension | None = None
) -> tuple[Interaction, ...]:
    """Return the interactions of every two dimensions that vary, or those of one dimension.

    Args:
        table: the scores by setup.
        levels: the levels of its setups.
        how: the settings of the tests.
        by: the dimension whose effects are compared; None for all pairs of dimensions.
    """
    own = {name: levels[name] for name in table.models}
    varied = varied_dimensions(own)
    pairs = [(a, b) for a in varied for b in varied if a != b and a == by]
    if by is None:
        pairs = [(b, a) for a, b in combinations(varied, 2)]
    found = (interaction(table, own, how, by=one, across=other) for one, other in pairs)
    return tuple(one for one in found if one is not None)


def interaction(
    table: CaseTable,
    levels: SetupLevels,
    how: InteractionSettings,
    *,
    by: Dimension,
    across: Dimension,
) -> Interaction | None:
    """Test every 2 × 2 contrast of two dimensions; None if no case is scored for four setups.

    A contrast is (a - b) at one level less (a - b) at another, in each case the mean over the
    combinations of the third dimension that all four have (Gabriel, Putter and Wax 1973, Journal of
    the Royal Statistical Society B 35). It is tested like a pair of models: sign flips of clusters
    below 50 clusters, else Student's t. p-values are adjusted over all contrasts, so that the
    smallest also tests the interaction as a whole.
    """
    cells = _cells(levels, by, across)
    sides = [
        (names, rows)
        for names in _quadruples(levels, by, across)
        if (rows := _rows(table, cells, names)) is not None
    ]
    if not sides:
        return None
    tested = [_test(rows, how, how.level) for _, rows in sides]
    correction: Correction | None = "holm" if how.correction == "max_t" else how.correction
    p_adjusted = adjust_p_values([one.p_value for one in tested], correction)
    adjustment = family(correction, p_adjusted).replace("pairs", "contrasts")
    contrasts = [
        _contrast(names, rows, one, p, how)
        for (names, rows), one, p in zip(sides, tested, p_adjusted, strict=True)
    ]
    contrasts.sort(key=lambda it: (it.p is None, it.p, -it.diff))
    return Interaction(
        by=by,
        across=across,
        contrasts=tuple(contrasts),
        is_significant=any(p is not None and p < alpha(how.level) for p in p_adjusted),
        level=how.level,
        adjustment=adjustment,
        method=METHOD,
    )


_Names = tuple[str, str, str, str]
_Cells = dict[tuple[str, str], dict[tuple[str, ...], str]]


def _cells(levels: SetupLevels, by: Dimension, across: Dimension) -> _Cells:
    """The setups of each cell by their level in the third dimension."""
    found: _Cells = {}
    for name, own in levels.items():
        place = own.level(by), own.level(across)
        found.setdefault(place, {})[own.others(by, across)] = name
    return found


def _quadruples(levels: SetupLevels, by: Dimension, across: Dimension) -> Iterator[_Names]:
    """Two levels of the one dimension, and two of the other."""
    for a, b in combinations(levels_in(levels, by), 2):
        for at, other in combinations(levels_in(levels, across), 2):
            yield a, b, at, other


def _rows(table: CaseTable, cells: _Cells, names: _Names) -> Differences | None:
    """The effect at either level, case by case; None without a case that has both."""
    a, b, at, other = names
    four = [cells.get(it, {}) for it in ((a, at), (b, at), (a, other), (b, other))]
    shared = [it for it in four[0] if all(it in one for one in four)]
    if not shared:
        return None
    means = [_mean(table, [one[it] for it in shared]) for one in four]
    known = ~np.isnan(np.sum(means, axis=0))
    if not known.any():
        return None
    first, second, third, fourth = (one[known] for one in means)
    return paired_differences(
        first - second,
        third - fourth,
        weights=table.weights[known],
        clusters=table.cluster[known],
    )


def _mean(table: CaseTable, setups: Sequence[str]) -> Floats:
    means: Floats = table.select_models(setups).scores.mean(axis=1)
    return means


def _test(rows: Differences, how: InteractionSettings, level: float) -> Pair:
    has_few = rows.clusters < FEW_CLUSTERS or rows.is_constant
    test: Test = "sign_flip" if has_few else "t"
    return head_to_head_rows(rows, test=test, level=level, draws=how.draws, seed=how.seed)


def _contrast(
    names: _Names,
    rows: Differences,
    tested: Pair,
    p_adjusted: float | None,
    how: InteractionSettings,
) -> Contrast:
    """The contrast with the interval of its adjusted test, turned so that it is not negative."""
    a, b, at, other = names
    level = level_of(tested.p_value, p_adjusted, how.level)
    made = tested if level == how.level or tested.low is None else _test(rows, how, level)
    low, high = made.low, made.high
    effect, other_effect = tested.paired.mean_a, tested.paired.mean_b
    if tested.paired.diff < 0:
        at, other, effect, other_effect = other, at, other_effect, effect
        low, high = (None if high is None else -high), (None if low is None else -low)
    if other_effect < 0 and -other_effect > abs(effect):
        a, b, at, other = b, a, other, at
        effect, other_effect = -other_effect, -effect
    return Contrast(
        a=a,
        b=b,
        at=at,
        other=other,
        effect=effect,
        other_effect=other_effect,
        diff=abs(tested.paired.diff),
        low=low,
        high=high,
        p=tested.p_value,
        p_adj=p_adjusted,
        n_cases=tested.paired.n,
        clusters=tested.paired.clusters,
        reason=tested.reason,
    )
