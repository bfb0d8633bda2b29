"""The number of cases for a significant difference of a pair, by the test actually used."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from benchmaker.stats.columns import Floats
from benchmaker.stats.differences import Differences
from benchmaker.stats.pairs.pair import FEW_CLUSTERS

MOST_EXACT = 1_000
"""Cases up to which McNemar's power is summed up; beyond, the normal distribution is as good."""

MOST_PATTERNS = 2_000
"""Patterns of signs for each sample; a lower alpha needs more, and takes Student's t instead."""

_SAMPLES = 500
_PATTERNS = 999
_PER_ALPHA = 20
_FEWEST = 2
_SPREAD = 8.0
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class PairSize:
    """A number of cases, and the ``test`` whose power it has."""

    cases: int
    test: str


def pair_size(
    rows: Differences, *, test: str, planned: int, power: float, alpha: float, seed: int = 0
) -> PairSize:
    """Return the least number of cases for ``test`` to find a difference like that of ``rows``.

    The observed differences represent the population; cases are drawn from them with replacement,
    whole clusters at a time (Efron and Tibshirani 1993, An Introduction to the Bootstrap, section
    25.4), and the power is the share of such samples in which the test is significant, with the
    better system ahead.

    - McNemar's test with mid-p: exactly, by the trinomial distribution of wins, losses and ties,
      up to 1,000 cases.
    - Sign flips, below 50 clusters: by 500 samples with ``seed``. Few clusters have few
      patterns of signs: below 6 of them no difference is significant at 5%, however large.
    - Sign flips at an alpha below .01, as among many pairs: ``planned``, but at least the number of
        clusters that can be significant at all, since a sample would need many thousands of
        patterns.
    - Student's t, from 50 clusters on, and McNemar's beyond 1,000 cases: ``planned``.

    Args:
        rows: the paired differences so far.
        test: that decides on the pair, as in :data:`~benchmaker.stats.pairs.pair.Test`.
        planned: cases by the noncentral t distribution.
        power: the chance to find the difference.
        alpha: the chance of a false finding.
        seed: seed of the draws (PCG64).

    >>> from benchmaker.stats.differences import paired_differences
    >>> rows = paired_differences([0.9, 0.8, 0.7, 0.9], [0.6, 0.4, 0.5, 0.5])
    >>> pair_size(rows, test="sign_flip", planned=3, power=0.8, alpha=0.05)
    PairSize(cases=6, test='sign_flip')
    """
    if test == "mcnemar_mid_p":
        signs = np.sign(rows.d)
        wins, losses = (float((signs == side).mean()) for side in (1, -1))
        found = _mcnemar_size(max(wins, losses), min(wins, losses), planned, power, alpha)
        return PairSize(planned, "t") if found is None else PairSize(found, test)
    sums = rows.by_cluster()[0]
    per_cluster = len(rows.d) / rows.clusters
    if math.ceil(planned / per_cluster) >= FEW_CLUSTERS:
        return PairSize(planned, "t")
    if _n_patterns(alpha) > MOST_PATTERNS:
        return _larger(planned, _cases(_fewest_clusters(alpha), per_cluster))
    ahead = math.copysign(1.0, math.fsum(sums)) * sums
    clusters = _flip_size(tuple(ahead.tolist()), power, alpha, seed)
    if clusters is None:
        return PairSize(max(planned, _cases(FEW_CLUSTERS, per_cluster)), "t")
    return PairSize(_cases(clusters, per_cluster), "sign_flip")


def _larger(planned: int, flipped: int) -> PairSize:
    """The number by t, unless sign flips need more."""
    return PairSize(planned, "t") if planned >= flipped else PairSize(flipped, "sign_flip")


def mcnemar_power(cases: int, wins: float, losses: float, alpha: float) -> float:
    """Return the chance that McNemar's test with mid-p favours the side with more wins.

    Args:
        cases: number of cases compared.
        wins: the share of cases that the one side alone passes.
        losses: the share of those that the other alone passes.
        alpha: two-sided.
    """
    from scipy.special import bdtr  # noqa: PLC0415  loads for a third of a second

    share = wins + losses
    differing = _plausible_counts(cases, share)
    most_lost = np.array([_most_lost(int(m), alpha) for m in differing])
    found = np.where(most_lost >= 0, bdtr(np.maximum(most_lost, 0), differing, losses / share), 0.0)
    return float(_chances(differing, cases, share) @ found)


def _chances(counts: NDArray[np.int64], cases: int, share: float) -> Floats:
    """The binomial chance of each of the consecutive counts."""
    from scipy.special import bdtr  # noqa: PLC0415  loads for a third of a second

    below = float(bdtr(counts[0] - 1, cases, share)) if counts[0] else 0.0
    return np.diff(np.r_[below, bdtr(counts, cases, share)])


def _plausible_counts(cases: int, share: float) -> NDArray[np.int64]:
    """The numbers of differing cases that may well come about."""
    mean, away = cases * share, _SPREAD * math.sqrt(cases * share * (1 - share)) + 1
    return np.arange(max(0, math.floor(mean - away)), min(cases, math.ceil(mean + away)) + 1)


@lru_cache(maxsize=4096)
def _most_lost(differing: int, alpha: float) -> int:
    """Return the largest significant number of losses among the differing cases; -1 for none."""
    from scipy.special import bdtr  # noqa: PLC0415  loads for a third of a second

    lost = np.arange((differing + 1) // 2)
    upto = bdtr(lost, differing, 0.5)
    below = np.r_[0.0, upto[:-1]]
    return int((upto + below < alpha).sum()) - 1


def _mcnemar_size(
    wins: float, losses: float, planned: int, power: float, alpha: float
) -> int | None:
    """The cases by McNemar's test; None where they are too many to sum up."""
    if planned > MOST_EXACT:
        return None

    def is_enough(cases: int) -> bool:
        return mcnemar_power(cases, wins, losses, alpha) >= power

    return _bisect_least(is_enough, 2 * MOST_EXACT)


@lru_cache(maxsize=1024)  # a page asks for each pair several times
def _flip_size(sums: tuple[float, ...], power: float, alpha: float, seed: int) -> int | None:
    """The clusters that sign flips take, below those from which on Student's t decides."""

    def is_enough(clusters: int) -> bool:
        return flip_power(np.array(sums), clusters, alpha, seed) >= power

    return _bisect_least(is_enough, FEW_CLUSTERS - 1)


def flip_power(sums: Floats, clusters: int, alpha: float, seed: int = 0) -> float:
    """Return the share of samples of clusters in which sign flips find the mean above 0.

    Args:
        sums: of each cluster's weighted differences, drawn from with replacement.
        clusters: number of clusters in each sample.
        alpha: two-sided.
        seed: seed of samples and patterns (PCG64).
    """
    random = np.random.Generator(np.random.PCG64(seed))
    samples = random.choice(np.asarray(sums, dtype=np.float64), (_SAMPLES, clusters))
    signs = _signs(clusters, alpha, random)
    sizes = np.abs(samples.sum(axis=1))
    near = _ROUNDING * np.abs(samples).sum(axis=1)
    extreme = (np.abs(samples @ signs.T) >= (sizes - near)[:, None]).sum(axis=1)
    p = (extreme + 1) / (len(signs) + 1)
    return float(((p < alpha) & (samples.sum(axis=1) > 0)).mean())


def _signs(clusters: int, alpha: float, random: "np.random.Generator") -> Floats:
    """Patterns of signs without the observed one: all of them where they are few, else drawn."""
    drawn = _n_patterns(alpha)
    if 2 ** (clusters - 1) - 1 <= drawn:
        numbers = np.arange(1, 2 ** (clusters - 1))[:, None]
        flips = (numbers >> np.arange(clusters)) & 1
    else:
        flips = random.integers(0, 2, (drawn, clusters))
    return 1.0 - 2.0 * flips.astype(np.float64)


def _n_patterns(alpha: float) -> int:
    """Patterns to draw, of which 20 lie beyond a p of ``alpha``."""
    return max(_PATTERNS, math.ceil(_PER_ALPHA / alpha) - 1)


def _fewest_clusters(alpha: float) -> int:
    """The clusters from which sign flips can be significant: 2 of 2^n patterns are extreme."""
    return 2 + math.floor(math.log2(1 / alpha))


def _bisect_least(is_enough: Callable[[int], bool], most: int) -> int | None:
    """The number above which there is enough, by bisection; None where there is not by ``most``."""
    if not is_enough(most):
        return None
    low, high = _FEWEST - 1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _cases(clusters: int, per_cluster: float) -> int:
    return math.ceil(clusters * per_cluster - _ROUNDING)
