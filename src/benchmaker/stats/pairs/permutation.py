"""The sign-flip test for few clusters, and the interval that goes with it."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmaker.errors import SpecError
from benchmaker.stats.columns import Floats, check_level
from benchmaker.stats.differences import Clusters, Differences
from benchmaker.stats.differences import paired_differences as lined_up
from benchmaker.stats.pairs.paired import mean_difference
from benchmaker.stats.student import alpha

_ALL_TO = 15
_ROUNDING = 1e-12
_BLOCK = 1 << 21
_KEPT = 1 << 20

Interval = tuple[float, float]

TOO_FEW = "must for a significant result"
"""How the warning ends that too few clusters differ."""


@dataclass(frozen=True, slots=True)
class SignFlip:
    """A test that differences are symmetric about 0, with the shifts it does not reject.

    ``differing`` counts the clusters whose difference is not 0. If ``is_exact``, p is over all
    ``patterns`` of signs (a pattern and its mirror image are one), otherwise over the observed one
    and those drawn with ``seed``. The seed is None if no sign is drawn. ``low``, ``high`` and
    ``p_value`` are None if the data do not support them, with a ``reason``.
    """

    diff: float
    low: float | None
    high: float | None
    p_value: float | None
    n: int
    n_eff: float
    clusters: int
    differing: int
    patterns: int
    is_exact: bool
    seed: int | None
    level: float
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()


def sign_flip(
    differences: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    clusters: Clusters | None = None,
    level: float = 0.95,
    draws: int = 9_999,
    seed: int = 0,
) -> SignFlip:
    """Test the mean difference by flipping the signs of whole clusters.

    p is the share of patterns whose mean is as far from 0. A cluster whose difference is 0 changes
    no mean: if at most 15 clusters differ, all their patterns are evaluated and p is exact; beyond
    that, ``draws`` of them and p is (b + 1)/(draws + 1) (Phipson and Smyth 2010, Statistical
    Applications in Genetics and Molecular Biology 9). The interval holds the shifts that the same
    test with the same patterns does not reject, p ≥ 1 - level. A shift moves the tied clusters too:
    with more than 15 clusters in all, their signs are drawn, as often for each pattern of the
    others, so that p and interval agree about 0. The ends are order statistics of the means of
    random halves of the clusters (Hartigan 1969, Journal of the American Statistical Association
    64). Both assume that the differences are symmetric about their centre.

    Args:
        differences: a - b, one finite number per item.
        weights: one per item, at least 0; None for equal ones.
        clusters: one label per item; None for independent items.
        level: of the interval, between 0 and 1.
        draws: number of patterns drawn if there are too many to enumerate.
        seed: seed of the draws (PCG64).

    Raises:
        SpecError: an unusable number; its row is named, from 1.
        NotEnoughData: no item of positive weight.

    >>> got = sign_flip([0.2, 0.1, 0.4, 0.3, 0.5, 0.3])
    >>> got.p_value, round(got.low, 4), round(got.high, 4)
    (0.03125, 0.1, 0.5)
    """
    d = np.asarray(differences, dtype=np.float64)
    rows = lined_up(d, np.zeros_like(d), weights=weights, clusters=clusters)
    return sign_flip_rows(rows, level=level, draws=draws, seed=seed)


def sign_flip_rows(rows: Differences, *, level: float, draws: int, seed: int) -> SignFlip:
    """The same for rows that are checked already."""
    check_level(level)
    if draws < 1:
        raise SpecError(f"The number of draws is {draws}; at least 1 is needed.")
    mean = mean_difference(rows, level)
    sums, weights = rows.by_cluster()
    sums = _snap_to_zero(sums, rows)
    differing = int(np.count_nonzero(sums))
    patterns = _Patterns(rows.clusters, _count_listed(rows.clusters, differing), draws, seed)
    p, ends = None, None
    if rows.clusters > 1 and differing:
        p, ends = _test_flips(sums, weights, alpha(level), patterns)
    reason = _reason(rows, differing, ends, level)
    low, high = (None, None) if reason or ends is None else ends
    return SignFlip(
        diff=mean.mean,
        low=low,
        high=high,
        p_value=p,
        n=mean.n,
        n_eff=mean.n_eff,
        clusters=rows.clusters,
        differing=differing,
        patterns=patterns.distinct if patterns.listed else draws + 1,
        is_exact=patterns.listed > 0,
        seed=seed if patterns.drawn else None,
        level=level,
        method=f"sign flips of clusters, {'all patterns' if patterns.listed else f'{draws} drawn'}",
        reason=reason,
        warnings=() if reason else _too_few_differ(rows, differing, level),
    )


def _too_few_differ(rows: Differences, differing: int, level: float) -> tuple[str, ...]:
    """A warning where no pattern is rare enough: k differing clusters have p ≥ 2^(1 - k)."""
    least = next(k for k in count(1) if 2.0 ** (1 - k) < alpha(level))
    if not 0 < differing < least:
        return ()
    noun = "group" if rows.is_clustered else "case"
    of = f"{rows.clusters} {noun}{'' if rows.clusters == 1 else 's'}"
    verb = "differs" if differing == 1 else "differ"
    return (f"{differing} of {of} {verb}; at least {least} {TOO_FEW}",)


def _count_listed(clusters: int, differing: int) -> int:
    """How many clusters have all their patterns listed: all, those that differ, or none."""
    if clusters <= _ALL_TO:
        return clusters
    return differing if differing <= _ALL_TO else 0


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Sign patterns, one a row; 1 where a cluster is flipped. The observed one is not among them.

    All patterns of the first ``listed`` clusters are there, equally often. The last of these is
    never flipped: mirror images count once. The signs of the other clusters are drawn.
    """

    clusters: int
    listed: int
    draws: int
    seed: int

    @property
    def drawn(self) -> int:
        """The number of clusters whose signs are drawn."""
        return self.clusters - self.listed

    @property
    def distinct(self) -> int:
        """The number of patterns of the listed clusters."""
        return 1 << max(self.listed - 1, 0)

    def __len__(self) -> int:
        repeats = math.ceil((self.draws + 1) / self.distinct) if self.drawn else 1
        return self.distinct * repeats - 1

    def blocks(self) -> Iterator[NDArray[np.float64]]:
        """All patterns, a bounded number at a time."""
        if len(self) * self.clusters <= _KEPT:
            yield _cached_patterns(self)
            return
        yield from self.made(max(1, _BLOCK // self.clusters))

    def made(self, size: int) -> Iterator[NDArray[np.float64]]:
        """All patterns, ``size`` at a time."""
        random = np.random.Generator(np.random.PCG64(self.seed))
        for start in range(0, len(self), size):
            rows = min(size, len(self) - start)
            numbers = np.arange(start + 1, start + rows + 1)[:, None] % self.distinct
            listed = (numbers >> np.arange(self.listed)) & 1
            drawn = random.integers(0, 2, (rows, self.drawn), dtype=np.uint8)
            yield np.hstack((listed, drawn)).astype(np.float64)


@lru_cache(maxsize=4)
def _cached_patterns(patterns: _Patterns) -> NDArray[np.float64]:
    """All patterns at once, for the next pair too."""
    flips = next(patterns.made(max(1, len(patterns))))
    flips.flags.writeable = False
    return flips


def _test_flips(
    sums: Floats, weights: Floats, error_rate: float, patterns: _Patterns
) -> tuple[float, Interval | None]:
    """Return p and the interval; None if no shift is rejected.

    The clusters are sorted and a mean below 0 is mirrored, so that neither the order of the rows
    nor the naming of the sides changes a digit. A mean of exactly 0 has no side: both are
    evaluated, and the wider end of each counts.
    """
    total = math.fsum(sums)
    p, ends = _one_way(sums, weights, error_rate, patterns, -1.0 if total < 0 else 1.0)
    if total == 0 and ends is not None:
        _, mirrored = _one_way(sums, weights, error_rate, patterns, -1.0)
        if mirrored is not None:
            ends = (min(ends[0], mirrored[0]), max(ends[1], mirrored[1]))
    return p, ends


def _one_way(
    sums: Floats, weights: Floats, error_rate: float, patterns: _Patterns, sign: float
) -> tuple[float, Interval | None]:
    """The p-value and the ends, seen with all signs as they are or all turned."""
    ties_last = sums == 0 if patterns.drawn else np.zeros(len(sums))
    order = np.lexsort((weights, sign * sums / weights, ties_last))
    extreme, lows, highs = _tally(sign * sums[order], weights[order], patterns)
    ends = _ends(lows, highs, error_rate)
    if ends is not None and sign < 0:
        ends = (-ends[1], -ends[0])
    return (extreme + 1) / (len(patterns) + 1), ends


def _tally(sums: Floats, weights: Floats, patterns: _Patterns) -> tuple[int, Floats, Floats]:
    """Count the patterns as extreme as the observed sum, and find the shifts for each.

    With the clusters S flipped the sum is as far from 0 exactly when the mean over S or that over
    the others is not above 0: the sum of all is. After a shift θ below the mean of all that reads:
    θ is at least the smaller of the two means, and above it, at most the larger.
    """
    total, weight = math.fsum(sums), math.fsum(weights)
    table = np.column_stack((sums, weights, np.ones(len(sums))))
    near = _ROUNDING * math.fsum(abs(sums))
    extreme, lows, highs = 0, [], []
    for block in patterns.blocks():
        part, share, count = (block @ table).T
        rest = total - part
        part, rest = (np.where(np.abs(it) <= near, 0.0, it) for it in (part, rest))
        extreme += int(((part <= 0) | (rest <= 0)).sum())
        with np.errstate(divide="ignore", invalid="ignore"):
            one, other = part / share, rest / (weight - share)
        unflipped = (count == 0) | (count == len(sums))
        lows.append(np.where(unflipped, -np.inf, np.minimum(one, other)))
        highs.append(np.where(unflipped, np.inf, np.maximum(one, other)))
    return extreme, np.concatenate(lows), np.concatenate(highs)


def _ends(lows: Floats, highs: Floats, error_rate: float) -> Interval | None:
    """The outermost shifts with p ≥ ``error_rate``; the observed pattern is the first of all."""
    refused = math.ceil(error_rate * (len(lows) + 1) - _ROUNDING) - 2
    if refused < 0:
        return None
    low = float(np.partition(lows, refused)[refused])
    high = -float(np.partition(-highs, refused)[refused])
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None


def _snap_to_zero(sums: Floats, rows: Differences) -> Floats:
    """The sums, exactly 0 where they are so up to rounding."""
    return np.where(np.abs(sums) <= _ROUNDING * np.abs(rows.d).max(), 0.0, sums)


def _reason(rows: Differences, differing: int, ends: Interval | None, level: float) -> str:
    """Return the reason why there is no interval or no p; empty if there are both."""
    noun = "cluster" if rows.is_clustered else "difference"
    if rows.clusters == 1:
        return f"1 {noun}, at least 2 are needed"
    if not differing:
        return (
            "no difference in any group"
            if rows.is_clustered
            else f"all {rows.clusters} differences are 0"
        )
    if rows.is_constant:
        return f"all {rows.clusters} {noun}s are equal"
    if ends is None:
        least = math.floor(1 - math.log2(1 - level)) + 1
        return (
            f"{rows.clusters} {noun}s, at least {least} are needed for a sign-flip test at "
            f"{100 * level:g}% confidence"
        )
    return ""
