"""Comparisons with the best: which of several systems are not worse than it by a margin?"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from benchmaker.errors import SpecError
from benchmaker.stats.columns import Codes, Floats, check_level, cluster_codes
from benchmaker.stats.differences import (
    Clusters,
    Differences,
    item_weights,
    paired_differences,
)
from benchmaker.stats.means.means import Mean
from benchmaker.stats.means.proportions import clopper_pearson
from benchmaker.stats.pairs.equivalence import LEAST_CLUSTERS, LEAST_DIFFERING
from benchmaker.stats.pairs.max_t import check_table
from benchmaker.stats.pairs.mcnemar import tango, tango_score
from benchmaker.stats.pairs.multiple_comparisons import holm
from benchmaker.stats.pairs.paired import mean_difference
from benchmaker.stats.quantiles import t_quantile
from benchmaker.stats.student import alpha, upper_tail

METHOD = "one-sided paired tests against every other, Holm-adjusted (Shaffer)"

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class NonInferiority:
    """A test that mean_a is above mean_b - ``margin``.

    ``p_value`` is the one-sided p of mean_a - mean_b ≤ -margin, and ``low`` the lower confidence
    bound of mean_a - mean_b, above -margin exactly when the p-value is below 1 - level. Both are
    None if the data do not support them, with a ``reason``.
    """

    diff: float
    margin: float
    p_value: float | None
    low: float | None
    level: float
    method: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class WithBest:
    """One system compared with the best of the others.

    ``behind`` is the best other mean minus its own, negative for the best. ``p_value`` is the
    largest of its tests against the others, ``rival`` the place of that one. ``at_most`` is the
    upper confidence bound of how much the best is ahead, below the margin exactly when
    ``is_within``. Figures that the data do not support are None, with a ``reason``.
    """

    mean: float
    behind: float
    at_most: float | None
    p_value: float | None
    p_adjusted: float | None
    is_within: bool
    rival: int
    reason: str = ""


def non_inferiority(
    a: ArrayLike,
    b: ArrayLike,
    *,
    margin: float,
    weights: ArrayLike | None = None,
    clusters: Clusters | None = None,
    level: float = 0.95,
) -> NonInferiority:
    """Test one-sided that a is not worse than b by the margin or more.

    Where 10 clusters or more differ: Tango's score test for scores of 0 and 1 that are neither
    weighted nor clustered, and from 50 clusters on Student's t, paired and clustered. Otherwise, if
    all clusters have the same weight, an exact test: since scores lie in [0, 1], a loses at most
    the share of clusters in which it is worse, which has Clopper and Pearson's bound.

    Args:
        a: one score from 0 to 1 per item.
        b: the other system's, in the same order of items.
        margin: the largest difference that does not matter, above 0 and below 1.
        weights: one per item, at least 0; None for equal ones.
        clusters: one label per item; None for independent items.
        level: 1 - the error rate, above 0.5.

    Raises:
        SpecError: an unusable number, unequal lengths, a margin or level out of range.
        NotEnoughData: no item of positive weight.

    >>> a, b = [1] * 40 + [0] * 20, [1] * 39 + [0] * 21
    >>> round(non_inferiority(a, b, margin=0.05).p_value, 4)
    0.0461
    """
    _check(margin, level)
    pair = _Pair.of(paired_differences(a, b, weights=weights, clusters=clusters), margin)
    return NonInferiority(
        diff=pair.diff,
        margin=margin,
        p_value=pair.p_value,
        low=pair.low(level),
        level=level,
        method=pair.method,
        reason=pair.reason,
    )


def compare_with_best(
    table: ArrayLike,
    *,
    margin: float,
    weights: ArrayLike | None = None,
    clusters: Clusters | None = None,
    level: float = 0.95,
) -> tuple[WithBest, ...]:
    """Test of each column that no other is better by the margin or more, with one error rate.

    The null hypothesis of a column is that some other column is better by at least the margin. It
    is rejected where every other one is shown not to be, each at the full level (intersection-union
    test: Berger 1982, Technometrics 24), so that the choice of the best needs no adjustment. Over
    the columns, p-values are adjusted by Holm's method. The hypothesis is false for the column that
    is truly best, so no more than all but one can be true, which lowers Holm's first factor
    (Shaffer 1986). With a probability of ``level`` no column is wrongly accepted: the claim of
    multiple comparisons with the best (Hsu 1984, Annals of Statistics 12), for any dependence.

    Args:
        table: scores from 0 to 1, one row per item and one column per system.
        margin: the largest difference that does not matter, above 0 and below 1.
        weights: one per item, at least 0; None for equal ones.
        clusters: one label per item; None for independent items.
        level: 1 - the error rate of all columns together, above 0.5.

    Raises:
        SpecError: an unusable number, or a margin or level out of range.
        NotEnoughData: fewer than 2 systems, or no item of positive weight.
    """
    _check(margin, level)
    scores = check_table(table)
    w, codes = item_weights(weights, len(scores)), cluster_codes(clusters, len(scores))
    systems = [_Against.of(at, _pairs_of(scores, at, w, codes, margin)) for at in _columns(scores)]
    known = [one.p_value for one in systems if one.p_value is not None]
    made = iter(holm(known, true_at_most=len(systems) - 1))
    means = w @ scores / w.sum()
    return tuple(
        one.result(means, None if one.p_value is None else next(made), level) for one in systems
    )


@dataclass(frozen=True, slots=True)
class _Pair:
    """The differences of a pair, and the test that suits them.

    ``mean`` is set for Student's t; ``wins`` and ``losses`` count clusters.
    """

    rows: Differences
    margin: float
    diff: float
    test: Literal["score", "t", "exact", "none"]
    mean: Mean | None
    wins: int
    losses: int

    @classmethod
    def of(cls, rows: Differences, margin: float) -> "_Pair":
        """With the test of :func:`non_inferiority`."""
        sums, shares = rows.by_cluster()
        wins, losses = int((sums > 0).sum()), int((sums < 0).sum())
        is_plain = rows.is_binary and not rows.is_weighted and not rows.is_clustered
        mean = None
        test: Literal["score", "t", "exact", "none"] = "exact"
        if np.ptp(shares) > _ROUNDING * shares.max():
            test = "none"
        if wins + losses >= LEAST_DIFFERING and is_plain:
            test = "score"
        elif wins + losses >= LEAST_DIFFERING and rows.clusters >= LEAST_CLUSTERS:
            mean = mean_difference(rows, 0.95)
            test = test if mean.se is None else "t"
        diff = math.fsum(sums) / math.fsum(shares)
        return cls(rows, margin, diff, test, mean, wins, losses)

    @property
    def method(self) -> str:
        """The test in words."""
        return _METHODS[self.test]

    @property
    def reason(self) -> str:
        """The reason why there is no test; empty if there is one."""
        if self.test != "none":
            return ""
        noun = "groups" if self.rows.is_clustered else "cases"
        return (
            f"with unequal weights, {LEAST_CLUSTERS} {noun} are needed, "
            f"{LEAST_DIFFERING} of which differ"
        )

    @property
    def p_value(self) -> float | None:
        """The one-sided p of a difference ≤ -margin."""
        from scipy.special import bdtr, ndtr  # noqa: PLC0415  load for a third of a second

        clusters = self.rows.clusters
        match self.test:
            case "score":
                return float(ndtr(-tango_score(self.wins, self.losses, clusters, -self.margin)))
            case "t" if self.mean is not None and self.mean.se:
                return upper_tail((self.mean.mean + self.margin) / self.mean.se, self.mean.df)
            case "exact":
                return float(bdtr(self.losses, clusters, self.margin))
            case _:
                return None

    def low(self, level: float) -> float | None:
        """The lower confidence bound of the difference, at least -1: scores lie in [0, 1]."""
        clusters, both = self.rows.clusters, 2 * level - 1
        match self.test:
            case "score":
                return tango(self.wins, self.losses, clusters, level=both)[0]
            case "t" if self.mean is not None and self.mean.se:
                return max(-1.0, self.mean.mean - t_quantile(self.mean.df, both) * self.mean.se)
            case "exact":
                return -clopper_pearson(self.losses, clusters - self.losses, both)[1]
            case _:
                return None


_METHODS = {
    "score": "one-sided score test of the difference (Tango)",
    "t": "one-sided paired t test",
    "exact": "exact binomial bound of the cases that are worse",
    "none": "not tested",
}


@dataclass(frozen=True, slots=True)
class _Against:
    """A system in pairs with every other; the test of the ``rival`` has the largest p-value."""

    place: int
    pairs: Mapping[int, _Pair]
    rival: int
    p_value: float | None

    @classmethod
    def of(cls, place: int, pairs: Mapping[int, _Pair]) -> "_Against":
        """With the rival; a pair that is not tested counts as larger than any p-value."""
        found = {other: pair.p_value for other, pair in pairs.items()}
        rival = max(found, key=lambda it: (found[it] is None, found[it] or 0.0, -pairs[it].diff))
        return cls(place, pairs, rival, found[rival])

    def result(self, means: Floats, p_adjusted: float | None, level: float) -> WithBest:
        """The comparison with the best, under the adjusted p-value."""
        return WithBest(
            mean=float(means[self.place]),
            behind=float(np.delete(means, self.place).max() - means[self.place]),
            at_most=self._upper_bound(p_adjusted, level),
            p_value=self.p_value,
            p_adjusted=p_adjusted,
            is_within=p_adjusted is not None and p_adjusted < alpha(level),
            rival=self.rival,
            reason=self.pairs[self.rival].reason,
        )

    def _upper_bound(self, p_adjusted: float | None, level: float) -> float | None:
        """How much any other is ahead at most, at the level of the adjusted test."""
        if self.p_value is None or p_adjusted is None:
            return None
        is_raised = p_adjusted > self.p_value
        own = 1 - alpha(level) * self.p_value / p_adjusted if is_raised else level
        return -min(pair.low(own) or 0.0 for pair in self.pairs.values())


def _columns(scores: Floats) -> range:
    return range(scores.shape[1])


def _pairs_of(
    scores: Floats, at: int, weights: Floats, clusters: Codes, margin: float
) -> dict[int, _Pair]:
    """The pairs of a column with every other."""
    return {
        other: _Pair.of(
            paired_differences(scores[:, at], scores[:, other], weights=weights, clusters=clusters),
            margin,
        )
        for other in _columns(scores)
        if other != at
    }


def _check(margin: float, level: float) -> None:
    check_level(level)
    if level <= 0.5:  # noqa: PLR2004  there, two-sided levels of 2·level - 1 end
        raise SpecError(f"The confidence level {level!r} of one-sided tests is not above 0.5.")
    if not 0 < margin < 1:
        raise SpecError(
            f"The margin is {margin!r}.",
            hint="Give the largest difference that does not matter, above 0 and below 1.",
        )
