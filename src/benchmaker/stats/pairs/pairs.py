"""All pairs of several systems on the same items."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from numpy.typing import ArrayLike

from benchmaker.errors import SpecError
from benchmaker.stats.columns import Codes, Floats, check_level, cluster_codes, first_duplicate
from benchmaker.stats.differences import Clusters, item_weights, kish, paired_differences
from benchmaker.stats.means.means import weighted_mean
from benchmaker.stats.pairs.compact_letters import compact_letters
from benchmaker.stats.pairs.max_t import MaxT, check_table, max_t
from benchmaker.stats.pairs.multiple_comparisons import Correction, adjust_p_values
from benchmaker.stats.pairs.pair import Pair, Test, head_to_head_rows
from benchmaker.stats.student import alpha

NAMES: dict[Correction | None, str] = {
    "holm": "Holm",
    "bh": "Benjamini-Hochberg",
    "by": "Benjamini-Yekutieli",
    "max_t": "max-T",
    None: "no correction",
}
"""The display names of the corrections."""


def family(correction: Correction | None, p_values: Sequence[float | None]) -> str:
    """Return the correction of p-values and its number of tests; empty if uncorrected.

    >>> family("holm", [0.01, None, 0.2]), family("holm", [0.01]), family(None, [0.01, 0.2])
    ('Holm over 2 pairs', '', '')
    """
    tests = sum(p is not None for p in p_values)
    return f"{NAMES[correction]} over {tests} pairs" if correction and tests > 1 else ""


@dataclass(frozen=True, slots=True)
class AdjustedPair:
    """A pair with its p-value adjusted over all pairs.

    ``a`` and ``b`` are names, the better mean first. ``low`` and ``high`` are simultaneous under
    max-T, else the pair's own. ``is_apart``: ``p_adjusted`` < 1 - level.
    """

    a: str
    b: str
    pair: Pair
    p_value: float | None
    p_adjusted: float | None
    low: float | None
    high: float | None
    is_apart: bool


@dataclass(frozen=True, slots=True)
class AllPairs:
    """Systems, best mean first, with every pair and the compact letter display.

    ``means`` and ``letters`` go with ``names``; two systems share a letter exactly when their
    pair is not apart. ``pairs`` are in the order of ``names``: the first is the best against the
    next.
    """

    names: tuple[str, ...]
    means: tuple[float, ...]
    letters: tuple[str, ...]
    pairs: tuple[AdjustedPair, ...]
    correction: Correction | None
    n: int
    n_eff: float
    clusters: int
    level: float
    seed: int
    method: str
    warnings: tuple[str, ...] = ()

    def pair(self, a: str, b: str) -> AdjustedPair:
        """The pair of these two, in whichever order it is kept.

        Raises:
            SpecError: one of the names is not compared, or both are the same.
        """
        for one in self.pairs:
            if {one.a, one.b} == {a, b}:
                return one
        raise SpecError(f"There is no pair of {a!r} and {b!r} among {', '.join(self.names)}.")


def all_pairs(
    table: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    weights: ArrayLike | None = None,
    clusters: Clusters | None = None,
    correction: Correction | None = "holm",
    test: Test | Literal["auto"] = "auto",
    level: float = 0.95,
    draws: int = 9_999,
    seed: int = 0,
) -> AllPairs:
    """Compare every pair of columns, with p-values adjusted for the number of tests.

    Each pair is compared as in :func:`head_to_head`. A pair without a p-value, such as one of equal
    columns, does not count as a test, since no flip of signs could make it significant (Tarone
    1990, Biometrics 46). "max_t" adjusts Student's t tests by :func:`max_t` and gives simultaneous
    intervals.

    Args:
        table: finite scores, one row per item and one column per system.
        names: of the systems; their numbers from 1 by default.
        weights: one per item, at least 0; None for equal ones.
        clusters: one label per item; None for independent items.
        correction: "holm", "bh", "by", "max_t", or None for no adjustment.
        test: the test of every pair; "auto" for the one that suits it.
        level: of the intervals; a pair differs significantly if its adjusted p is below 1 - level.
        draws: number of draws for sign flips and the bootstrap.
        seed: seed of both.

    Raises:
        SpecError: an unusable number (row and column are named), names that do not fit,
            or max-T with another test than t.
        NotEnoughData: fewer than 2 systems, or no item of positive weight.
    """
    check_level(level)
    scores = check_table(table)
    labels = _names(names, scores.shape[1])
    if correction == "max_t" and test not in ("auto", "t"):
        raise SpecError(f"max-T adjusts Student's t, not {test!r}.", hint='Use test="t".')
    w = item_weights(weights, len(scores))
    means = [weighted_mean(column, w).mean for column in scores.T]
    order = sorted(range(len(labels)), key=lambda at: (-means[at], labels[at]))
    items = _Items(scores[:, order], w, cluster_codes(clusters, len(scores)))
    how = _TestSettings("t" if correction == "max_t" else test, correction, level, draws, seed)
    ranked = tuple(labels[at] for at in order)
    pairs, warnings = _pairs(items, ranked, how)
    place = {name: at for at, name in enumerate(ranked)}
    apart = [(place[one.a], place[one.b]) for one in pairs if one.is_apart]
    first = pairs[0].pair.paired
    return AllPairs(
        names=ranked,
        means=tuple(means[at] for at in order),
        letters=compact_letters(len(order), apart),
        pairs=pairs,
        correction=correction,
        n=first.n,
        n_eff=kish(w),
        clusters=first.clusters,
        level=level,
        seed=seed,
        method=f"{len(pairs)} {'pair' if len(pairs) == 1 else 'pairs'}, {NAMES[correction]}",
        warnings=warnings,
    )


@dataclass(frozen=True, slots=True)
class _Items:
    scores: Floats
    weights: Floats
    codes: Codes


@dataclass(frozen=True, slots=True)
class _TestSettings:
    test: Test | Literal["auto"]
    correction: Correction | None
    level: float
    draws: int
    seed: int


def _pairs(
    items: _Items, names: Sequence[str], how: _TestSettings
) -> tuple[tuple[AdjustedPair, ...], tuple[str, ...]]:
    """The pairs with adjusted p-values and their intervals, and what there is to warn of."""
    singles = _singles(items, how)
    intervals = [(one.low, one.high) for one in singles]
    warnings: tuple[str, ...] = ()
    if how.correction == "max_t":
        made = _max_t(items, how)
        p_adjusted, intervals = made.p_adjusted, list(zip(made.low, made.high, strict=True))
        warnings = (*made.warnings, *filter(None, [made.reason]))
    else:
        p_adjusted = adjust_p_values([one.p_value for one in singles], how.correction)
        warnings = _too_coarse(singles, how)
    pairs = [
        AdjustedPair(a, b, one, one.p_value, p, low, high, p is not None and p < alpha(how.level))
        for (a, b), one, p, (low, high) in zip(
            combinations(names, 2), singles, p_adjusted, intervals, strict=True
        )
    ]
    return tuple(pairs), warnings


def _too_coarse(singles: Sequence[Pair], how: _TestSettings) -> tuple[str, ...]:
    """A warning where Holm's first step is out of reach of the sign flips."""
    floors = [one.p_floor for one in singles if one.p_value is not None]
    n = len(floors)
    if how.correction != "holm" or max(floors, default=0.0) * n < alpha(how.level):
        return ()
    pairs = "the pair" if n == 1 else f"any of the {n} pairs"
    what = f"too few cases for a significant difference in {pairs}, whatever its size"
    return (f"{what}: add cases{'' if n == 1 else ', or compare fewer models'}",)


def _singles(items: _Items, how: _TestSettings) -> list[Pair]:
    return [
        head_to_head_rows(
            paired_differences(left, right, weights=items.weights, clusters=items.codes),
            test=how.test,
            level=how.level,
            draws=how.draws,
            seed=how.seed,
        )
        for left, right in combinations(items.scores.T, 2)
    ]


def _max_t(items: _Items, how: _TestSettings) -> MaxT:
    return max_t(
        items.scores,
        weights=items.weights,
        clusters=items.codes,
        level=how.level,
        draws=how.draws,
        seed=how.seed,
    )


def _names(names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    made = tuple(map(str, range(1, count + 1))) if names is None else tuple(names)
    if len(made) != count:
        raise SpecError(f"There are {count} columns and {len(made)} names; give one each.")
    twice = first_duplicate(made)
    if twice is not None:
        raise SpecError(f"The name {twice!r} occurs twice.", hint="Give each system a unique name.")
    return made
