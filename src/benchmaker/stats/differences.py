"""Two columns of scores on the same items, checked and lined up."""

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.columns import Codes, Floats, cluster_codes, finite_column

Clusters: TypeAlias = Iterable[Hashable]
"""One label per item; items that share a label are not independent."""

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Differences:
    """Items of positive weight with both scores; every array has one row per item.

    ``d`` is a - b, exactly 0 where the two are equal up to rounding. ``cluster`` numbers the
    clusters from 0; the largest weight is scaled into [0.5, 1).
    """

    a: Floats
    b: Floats
    d: Floats
    weight: Floats
    cluster: Codes
    clusters: int

    @property
    def is_weighted(self) -> bool:
        """True if the weights differ."""
        return bool(self.weight.min() != self.weight.max())

    @property
    def is_clustered(self) -> bool:
        """True if some items share a cluster."""
        return self.clusters < len(self.d)

    @property
    def is_binary(self) -> bool:
        """True if every score is 0 or 1."""
        return all(bool(np.isin(side, (0.0, 1.0)).all()) for side in (self.a, self.b))

    @property
    def is_constant(self) -> bool:
        """True if all differences are equal up to rounding."""
        return bool(np.ptp(self.d) <= _ROUNDING * np.abs(self.a).max(initial=np.abs(self.b).max()))

    @property
    def labels(self) -> Codes | None:
        """The clusters where some items share one, else None."""
        return self.cluster if self.is_clustered else None

    @property
    def outcome(self) -> Floats:
        """1 where a is better, 0 where b is, 1/2 at ties."""
        return (np.sign(self.d) + 1) / 2

    def by_cluster(self) -> tuple[Floats, Floats]:
        """Each cluster's Σwd and Σw, every sum rounded once."""
        if not self.is_clustered:
            return self.weight * self.d, self.weight
        order = np.argsort(self.cluster, kind="stable")
        starts = np.flatnonzero(np.diff(self.cluster[order])) + 1
        sums, weights = (
            np.array([math.fsum(part) for part in np.split(rows[order], starts)])
            for rows in (self.weight * self.d, self.weight)
        )
        return sums, weights


def paired_differences(
    a: ArrayLike,
    b: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    clusters: Clusters | None = None,
) -> Differences:
    """Return both columns with weights and clusters, without items of weight 0.

    Args:
        a: finite numbers, one per item.
        b: the other side's, in the same order of items.
        weights: one per item, finite and at least 0; None for equal ones.
        clusters: one label per item; None for independent items.

    Raises:
        SpecError: an unusable number (its row is named, from 1) or unequal lengths.
        NotEnoughData: no item of positive weight.
    """
    left, right = finite_column(a, "score of a"), finite_column(b, "score of b")
    if len(left) != len(right):
        raise SpecError(
            f"There are {len(left)} scores of a and {len(right)} of b.",
            hint="Pair them item by item; for different items there is welch().",
        )
    weight = item_weights(weights, len(left))
    codes = cluster_codes(clusters, len(left))
    kept = weight > 0
    if not kept.any():
        raise NotEnoughData("There is no item of positive weight.", needed=1, got=0)
    left, right, weight = left[kept], right[kept], weight[kept]
    d = left - right
    d[np.abs(d) <= _ROUNDING * np.maximum(np.abs(left), np.abs(right))] = 0.0
    codes = np.unique(codes[kept], return_inverse=True)[1].astype(np.int64)
    scaled = np.ldexp(weight, -int(np.frexp(weight.max())[1]))
    return Differences(left, right, d, scaled, codes, int(codes.max()) + 1)


def kish(weights: Floats) -> float:
    """Return (Σw)²/Σw², the equivalent number of equally weighted items (Kish 1965)."""
    scaled = np.ldexp(weights, -int(np.frexp(weights.max())[1]))
    return math.fsum(scaled) ** 2 / math.fsum(scaled * scaled)


def item_weights(weights: ArrayLike | None, rows: int) -> Floats:
    """One weight per row, ones without; SpecError for one that can't be used."""
    if weights is None:
        return np.ones(rows)
    w = finite_column(weights, "weight")
    if len(w) != rows:
        raise SpecError(f"There are {rows} items and {len(w)} weights; give one weight each.")
    if (w < 0).any():
        row = int(np.argmax(w < 0))
        raise SpecError(f"The weight in row {row + 1} is {w[row]:g}; weights are at least 0.")
    return w
