"""Two levels of chance: the choice of cases, and the outcome of each run."""

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.columns import Floats, check_level, encode_labels, finite_column
from benchmaker.stats.quantiles import f_quantile, t_quantile

_FEW = 20


@dataclass(frozen=True, slots=True)
class Noise:
    """One kind of uncertainty of a mean, in the unit of the values.

    ``se``, ``low`` and ``high`` are None if the data do not support them, with a ``reason``.
    """

    se: float | None
    low: float | None
    high: float | None
    df: int
    reason: str = ""

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends, or None."""
        return None if self.low is None or self.high is None else (self.low, self.high)


@dataclass(frozen=True, slots=True)
class TwoLevel:
    """The mean over cases of each case's mean over runs, with both kinds of noise.

    Attributes:
        mean: each case counts once, regardless of its number of runs.
        repeat: repeat noise on these cases: the spread of the mean if the same cases run again.
        general: generalisation to new cases: the spread with other cases and other runs.
        var_item: variance between cases, without that of the runs; at least 0.
        var_run: variance between runs of the same case.
        icc: var_item / (var_item + var_run): the correlation of two runs of one case.
        icc_low: lower end of its interval; not clipped, and below 0 if cases hardly differ.
        icc_high: upper end.
        n: number of cases.
        rows: number of runs of all cases.
        runs: the usual number of runs of a case; k0 of the unbalanced analysis of variance.
        n_eff: equivalent number of independent rows for generalisation.
    """

    mean: float
    repeat: Noise
    general: Noise
    var_item: float | None
    var_run: float | None
    icc: float | None
    icc_low: float | None
    icc_high: float | None
    n: int
    rows: int
    runs: float
    n_eff: float
    clusters: int
    level: float
    method: str = "one-way analysis of variance, Student's t"
    warnings: tuple[str, ...] = ()

    @property
    def se_repeat(self) -> float | None:
        """The standard error of ``repeat``."""
        return self.repeat.se

    @property
    def se_general(self) -> float | None:
        """The standard error of ``general``."""
        return self.general.se


def two_level(items: Iterable[Hashable], values: ArrayLike, *, level: float = 0.95) -> TwoLevel:
    """Variance components and both standard errors, of rows in any order.

    One-way analysis of variance, unbiased for unequal numbers of runs (Searle, Casella and
    McCulloch 1992, Variance Components, section 3.6): σ²_run = MSW and σ²_item = (MSB - MSW) / k0
    with k0 = (N - Σn_i²/N) / (n - 1), taken as 0 where it comes out below, with a warning. With
    h the mean of 1/n_i over the n cases, se_repeat² = h σ²_run / n and
    se_general² = (σ²_item + h σ²_run) / n. Intervals of the mean: Student's t with N - n and
    n - 1 degrees of freedom; of the ICC: the F interval (ibid., section 3.6; exact for equal
    numbers of runs and normal values).

    Args:
        items: the case of every row.
        values: the value of every row, finite.
        level: of the intervals, between 0 and 1.

    Raises:
        SpecError: a row that can't be used, by its number (from 1).
        NotEnoughData: there is no row.

    >>> found = two_level(["a", "a", "b", "b", "c", "c"], [1, 1, 0, 1, 0, 0])
    >>> found.mean, round(found.se_repeat, 4), round(found.se_general, 4), round(found.icc, 4)
    (0.5, 0.1667, 0.2887, 0.5)
    """
    check_level(level)
    anova = _Anova.of(items, values)
    item, warnings = anova.item_variance()
    low, high = anova.icc_interval(level)
    return TwoLevel(
        mean=anova.mean,
        repeat=anova.repeat_noise(level),
        general=anova.general_noise(item, level),
        var_item=item,
        var_run=anova.within,
        icc=_share(item, anova.within),
        icc_low=low,
        icc_high=high,
        n=anova.n,
        rows=anova.rows,
        runs=anova.runs,
        n_eff=anova.effective_size(item),
        clusters=anova.n,
        level=level,
        warnings=warnings + ((f"only {anova.n} cases",) if 1 < anova.n < _FEW else ()),
    )


@dataclass(frozen=True, slots=True)
class _Anova:
    """Counts, means and mean squares; a mean square is None without degrees of freedom."""

    counts: NDArray[np.int64]
    means: Floats
    mean: float
    within: float | None
    between: float | None

    @classmethod
    def of(cls, items: Iterable[Hashable], values: ArrayLike) -> "_Anova":
        codes, x = encode_labels(items, "case"), finite_column(values, "value")
        if len(codes) != len(x):
            raise SpecError(f"There are {len(x)} values and {len(codes)} cases; give one each.")
        if not len(x):
            raise NotEnoughData("There is no value.", needed=1, got=0)
        parts = _parts(codes, x)
        counts = np.array([len(part) for part in parts], dtype=np.int64)
        means = np.array([_mean(part) for part in parts])
        n, rows = len(parts), len(x)
        grand = _mean(x)
        inside = math.fsum(
            math.fsum((part - mean) ** 2) for part, mean in zip(parts, means, strict=True)
        )
        outside = math.fsum(counts * (means - grand) ** 2)
        return cls(
            counts=counts,
            means=means,
            mean=_mean(means),
            within=inside / (rows - n) if rows > n else None,
            between=outside / (n - 1) if n > 1 else None,
        )

    @property
    def n(self) -> int:
        return len(self.counts)

    @property
    def rows(self) -> int:
        return int(self.counts.sum())

    @property
    def runs(self) -> float:
        """k0; the number of runs for a single case."""
        if self.n == 1:
            return float(self.rows)
        return (self.rows - float((self.counts**2).sum()) / self.rows) / (self.n - 1)

    @property
    def h(self) -> float:
        """The mean of 1/n_i."""
        return math.fsum(1.0 / self.counts) / self.n

    def item_variance(self) -> tuple[float | None, tuple[str, ...]]:
        if self.within is None or self.between is None:
            return None, ()
        raw = (self.between - self.within) / self.runs
        if raw >= 0.0:
            return raw, ()
        return 0.0, (f"the variance between cases came out as {raw:.3g} and is taken as 0",)

    def repeat_noise(self, level: float) -> Noise:
        df = self.rows - self.n
        if self.within is None:
            return Noise(None, None, None, df, "every case ran once, at least 2 runs are needed")
        if self.within == 0.0:
            return Noise(0.0, None, None, df, "no case differs between its runs")
        return self._noise(self.h * self.within / self.n, df, level)

    def general_noise(self, item: float | None, level: float) -> Noise:
        df = self.n - 1
        if self.n == 1:
            return Noise(None, None, None, df, "1 case, at least 2 are needed")
        if self.means.min() == self.means.max() and not self.within:
            return Noise(None, None, None, df, f"all {self.rows} values are equal")
        if item is None or self.within is None:
            spread = math.fsum((self.means - self.mean) ** 2) / df
            return self._noise(spread / self.n, df, level)
        return self._noise((item + self.h * self.within) / self.n, df, level)

    def icc_interval(self, level: float) -> tuple[float | None, float | None]:
        """From F = MSB/MSW; None where either is missing or 0."""
        if not self.within or not self.between:
            return None, None
        ratio, tail = self.between / self.within, (1.0 - level) / 2
        df = self.n - 1, self.rows - self.n
        return tuple(  # type: ignore[return-value]  # two ends, two quantiles
            (ratio / f - 1.0) / (ratio / f + self.runs - 1.0)
            for f in (f_quantile(*df, 1.0 - tail), f_quantile(*df, tail))
        )

    def effective_size(self, item: float | None) -> float:
        """Rows over the design effect of the cases; the cases themselves where it is unknown."""
        if item is None or self.within is None or item + self.within == 0.0:
            return float(self.n)
        return self.n * (item + self.within) / (item + self.h * self.within)

    def _noise(self, variance: float, df: int, level: float) -> Noise:
        se = math.sqrt(variance)
        half = t_quantile(df, level) * se
        return Noise(se, self.mean - half, self.mean + half, df)


def _share(item: float | None, within: float | None) -> float | None:
    if item is None or within is None or item + within == 0.0:
        return None
    return item / (item + within)


def _mean(x: Floats) -> float:
    """Rounding does not carry it past the smallest or largest value."""
    return min(max(math.fsum(x) / len(x), float(x.min())), float(x.max()))


def _parts(codes: NDArray[np.int64], x: Floats) -> list[Floats]:
    order = np.argsort(codes, kind="stable")
    return np.split(x[order], np.flatnonzero(np.diff(codes[order])) + 1)
