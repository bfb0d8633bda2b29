"""A weighted sample, its clusters, and the standard error of its mean."""

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.columns import Codes, Floats, cluster_codes, finite_column

_FEW = 5
_FEW_CLUSTERS = 20
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Sample:
    """The values of positive weight, prepared for averaging.

    Sums are exact before a single rounding, so that the result does not depend on the order.

    Attributes:
        x: the values.
        w: their weights, the largest scaled into [0.5, 1).
        cluster: the clusters, numbered from 0 without gaps; None for independent values.
        total: Σw of the scaled weights.
        total_weight: Σw of the original weights.
        mean: Σwx/Σw.
    """

    x: Floats
    w: Floats
    cluster: Codes | None
    total: float
    total_weight: float
    mean: float

    @classmethod
    def of(
        cls,
        values: ArrayLike,
        weights: ArrayLike | None = None,
        clusters: Iterable[Hashable] | None = None,
    ) -> "Sample":
        """The rows that count.

        Raises:
            SpecError: a row that can't be used; the message names it (from 1).
            NotEnoughData: no row of positive weight.
        """
        x = finite_column(values, "value")
        w = np.ones_like(x) if weights is None else _weights(weights, len(x))
        codes = None if clusters is None else cluster_codes(clusters, len(x))
        counts = w > 0
        if not counts.any():
            raise NotEnoughData("There is no value of positive weight.", needed=1, got=0)
        exponent = int(np.frexp(w.max())[1])
        x, w = x[counts], np.ldexp(w[counts], -exponent)
        total = math.fsum(w)
        return cls(
            x=x,
            w=w,
            cluster=None if codes is None else np.unique(codes[counts], return_inverse=True)[1],
            total=total,
            total_weight=_unscale(total, exponent),
            mean=_ratio(x, w, total),
        )

    @property
    def n(self) -> int:
        """The number of values."""
        return len(self.x)

    @property
    def clusters(self) -> int | None:
        """The number of clusters; None for independent values."""
        return None if self.cluster is None else int(self.cluster.max()) + 1

    @property
    def units(self) -> int:
        """The number of independent units: clusters, or values."""
        return self.n if self.clusters is None else self.clusters

    @property
    def is_constant(self) -> bool:
        """All values are equal."""
        return bool(self.x.min() == self.x.max())

    @property
    def kish(self) -> float:
        """(Σw)²/Σw², the equivalent number of equally weighted values (Kish 1965)."""
        return self.total * self.total / math.fsum(self.w * self.w)

    @property
    def kish_of_clusters(self) -> float:
        """The same of the clusters, each with the sum of its weights."""
        sums = self._sums(self.w)
        return self.total * self.total / math.fsum(sums * sums)

    def cluster_means(self) -> tuple[Floats, Floats]:
        """Return the mean and the weight of every cluster; values and weights without clusters."""
        weights = self._sums(self.w)
        return self._sums(self.w * self.x) / weights, weights

    def deviation(self) -> float | None:
        """√(n/(n-1) · Σw(x-m)²/Σw); None for one value, or if one value holds all the weight."""
        if self.n > 1 and self.is_constant:
            return 0.0
        if self.n == 1 or self._is_held_by_one():
            return None
        freedom = self.total * (self.n - 1) / self.n
        away, exponent = _scale(self.x - self.mean)
        return math.ldexp(math.sqrt(math.fsum(self.w * away**2) / freedom), exponent)

    def residuals(self) -> Floats:
        """w(x-m) of every value, or its sum in every cluster."""
        return self._sums(self.w * (self.x - self.mean))

    def error(self) -> float:
        """Return the standard error of the mean over the units; needs at least two."""
        return _spread_of_sum(self.residuals()) / self.total

    def design_effect(self) -> float:
        """The variance of the mean with its clusters over that without; 1 without clusters."""
        if self.cluster is None:
            return 1.0
        alone = _spread_of_sum(self.w * (self.x - self.mean))
        return (_spread_of_sum(self.residuals()) / alone) ** 2

    def why_no_error(self) -> str:
        """Return the reason why there is no standard error; empty if there is one."""
        if self.n == 1:
            return "1 value, at least 2 are needed"
        if self.is_constant:
            return f"all {self.n} values are equal"
        if self._is_held_by_one():
            return "one value holds all the weight"
        return self._why_no_clusters()

    def warnings(self) -> tuple[str, ...]:
        """Return warnings about small numbers of values or clusters."""
        said = [f"only {self.n} values"] if 1 < self.n < _FEW else []
        if self.clusters is not None and 1 < self.clusters < _FEW_CLUSTERS:
            said.append(f"only {self.clusters} clusters")
        return tuple(said)

    def _why_no_clusters(self) -> str:
        if self.cluster is None:
            return ""
        if self.clusters == 1:
            return "1 cluster, at least 2 are needed"
        rounding = _ROUNDING * math.fsum(np.abs(self.w * self.x))
        if float(np.abs(self.residuals()).max()) <= rounding:
            return f"the means of all {self.clusters} clusters are equal"
        return ""

    def _sums(self, numbers: Floats) -> Floats:
        """The sum in every cluster, each rounded once; the numbers themselves without clusters."""
        if self.cluster is None:
            return numbers
        order = np.argsort(self.cluster, kind="stable")
        starts = np.flatnonzero(np.diff(self.cluster[order])) + 1
        return np.array([math.fsum(part) for part in np.split(numbers[order], starts)])

    def _is_held_by_one(self) -> bool:
        """Up to rounding, one value has all the weight: Σw = Σw²/Σw."""
        return self.total <= math.fsum(self.w * self.w) / self.total


def _weights(weights: ArrayLike, rows: int) -> Floats:
    w = finite_column(weights, "weight")
    if len(w) != rows:
        raise SpecError(f"There are {rows} values and {len(w)} weights; give one weight each.")
    if (w < 0).any():
        row = int(np.argmax(w < 0))
        raise SpecError(f"The weight in row {row + 1} is {w[row]:g}; weights are at least 0.")
    return w


def _ratio(x: Floats, w: Floats, total: float) -> float:
    """Σwx/Σw; rounding does not carry it past the smallest or largest value."""
    return min(max(math.fsum(w * x) / total, float(x.min())), float(x.max()))


def _spread_of_sum(parts: Floats) -> float:
    """The standard error of the sum of n parts that themselves sum to 0: √(n/(n-1) Σ part²)."""
    n = len(parts)
    scaled, exponent = _scale(parts)
    return math.ldexp(math.sqrt(n / (n - 1) * math.fsum(scaled**2)), exponent)


def _scale(numbers: Floats) -> tuple[Floats, int]:
    """The numbers over a power of two, so that no square under- or overflows; no digit changes."""
    exponent = int(np.frexp(np.abs(numbers).max())[1])
    return np.ldexp(numbers, -exponent), exponent


def _unscale(total: float, exponent: int) -> float:
    try:
        return math.ldexp(total, exponent)
    except OverflowError as exc:
        raise SpecError("The weights are too large to be added up.") from exc
