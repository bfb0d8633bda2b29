"""Scores of 0 and 1 with groups or weights, as an effective number of independent items."""

import math
from dataclasses import dataclass

import numpy as np

from benchmaker.stats.differences import Differences, kish
from benchmaker.stats.pairs.mcnemar import tango, tango_score
from benchmaker.stats.pairs.paired import mean_difference

_MANY_DIFFERING = 10
"""From this many differing clusters on, the design effect is the estimated one."""


@dataclass(frozen=True, slots=True)
class EffectiveShares:
    """The items that only a (``n10``) or only b passes (``n01``) of ``n``, none whole numbers.

    ``n`` is the number of independent items that would determine the difference as precisely as
    the given ones.
    """

    n10: float
    n01: float
    n: float

    def interval(self, level: float) -> tuple[float, float]:
        """Tango's score interval of the difference."""
        return tango(self.n10, self.n01, self.n, level=level)

    def score(self, delta: float) -> float:
        """Tango's score of a difference ``delta``."""
        return tango_score(self.n10, self.n01, self.n, delta)


def effective_shares(rows: Differences) -> EffectiveShares | None:
    """Return the shares with the effective number of items; None without a standard error.

    For n items, the design effect is the squared standard error of the mean difference, over
    clusters and with weights, over that of n independent items, at least n over Kish's number of
    items of equal weight (Kish 1965, Survey Sampling; Donner and Klar 2000, Design and Analysis of
    Cluster Randomization Trials, 1.1; score intervals with the effective number of items as in
    Korn and Graubard 1998, Survey Methodology 24). Few differing clusters cannot show how alike
    their items are: with fewer than 10, the logarithm of the design effect is that of the estimate
    with the share k/10, k being the differing clusters, and otherwise that of clusters whose items
    are all alike.
    """
    mean = mean_difference(rows, 0.95)
    if mean.se is None or mean.se == 0:
        return None
    total = math.fsum(rows.weight)
    share10, share01 = (math.fsum(rows.weight[rows.d * sign > 0]) / total for sign in (1, -1))
    variance = share10 + share01 - (share10 - share01) ** 2
    estimated = min(variance / mean.se**2, kish(rows.weight))
    alike = min(estimated, kish(rows.by_cluster()[1]))
    differing = len(np.unique(rows.cluster[rows.d != 0]))
    known = min(1.0, differing / _MANY_DIFFERING)
    n = max(1.0, estimated**known * alike ** (1 - known))
    return EffectiveShares(share10 * n, share01 * n, n)
