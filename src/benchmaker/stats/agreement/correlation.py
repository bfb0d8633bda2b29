"""Correlations: Pearson's, Spearman's and Kendall's, each with its interval."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchmaker.errors import NotEnoughData
from benchmaker.stats.columns import Codes, Floats, check_level
from benchmaker.stats.paired_columns import align
from benchmaker.stats.quantiles import z_quantile

_NEEDED = 3
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Correlation:
    """The correlation of two columns, from -1 to 1, with its interval.

    ``value`` is None if one side is constant, ``low`` and ``high`` if the rows do not support an
    interval, each with a ``reason``.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    n_eff: float
    clusters: int | None
    level: float
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends, or None."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def pearson(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Correlation:
    """Pearson's correlation, with Fisher's interval, tanh(atanh r ± z/√(n - 3)) (Fisher 1921).

    Args:
        x: one side's numbers.
        y: the other's, of the same rows.
        level: of the interval, between 0 and 1.

    Raises:
        NotEnoughData: fewer than three rows.
        SpecError: a value that is not finite, named by its row; columns of different lengths.

    >>> found = pearson([1, 2, 3, 4, 5, 6], [1, 3, 2, 5, 4, 6])
    >>> round(found.value, 4), [round(end, 4) for end in found.interval]
    (0.8857, [0.2637, 0.9875])
    """
    one, two = _columns(x, y, level)
    value = _product_moment(one, two)
    method = "Pearson's correlation, Fisher's transform"
    return _with_interval(value, 1.0, 3, n=len(one), level=level, method=method)


def spearman(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Correlation:
    """Spearman's rank correlation: Pearson's of the ranks, equal values sharing their mean rank.

    The interval is that of Bonett & Wright 2000, Psychometrika 65, 23-28: Fisher's, with the
    variance (1 + r²/2)/(n - 3).

    Args:
        x: one side's numbers.
        y: the other's, of the same rows.
        level: of the interval, between 0 and 1.

    Raises:
        NotEnoughData: fewer than three rows.
        SpecError: a value that is not finite, named by its row; columns of different lengths.

    >>> round(spearman([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]).value, 4)
    0.8208
    """
    one, two = _columns(x, y, level)
    value = _product_moment(_mean_ranks(one), _mean_ranks(two))
    method = "Spearman's rank correlation, Bonett and Wright's interval"
    factor = 1.0 if value is None else 1.0 + value * value / 2
    return _with_interval(value, factor, 3, n=len(one), level=level, method=method)


def kendall(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Correlation:
    """Kendall's τ-b: concordant less discordant pairs, over √(pairs untied in x · in y).

    Kendall 1945, Biometrika 33, 239-251. The interval is Fisher's with the variance
    .437/(n - 4) (Fieller, Hartley & Pearson 1957; Bonett & Wright 2000). Time grows with n².

    Args:
        x: one side's numbers.
        y: the other's, of the same rows.
        level: of the interval, between 0 and 1.

    Raises:
        NotEnoughData: fewer than three rows.
        SpecError: a value that is not finite, named by its row; columns of different lengths.

    >>> round(kendall([1, 2, 3, 4, 5], [1, 3, 2, 5, 4]).value, 12)
    0.6
    """
    one, two = _columns(x, y, level)
    value = _tau(_codes(one), _codes(two))
    method = "Kendall's τ-b, Fisher's transform"
    return _with_interval(value, 0.437, 4, n=len(one), level=level, method=method)


def _columns(x: ArrayLike, y: ArrayLike, level: float) -> tuple[Floats, Floats]:
    check_level(level)
    one, two = align(x, y)
    if len(one) < _NEEDED:
        raise NotEnoughData("A correlation needs three rows.", needed=_NEEDED, got=len(one))
    return one, two


def _product_moment(x: Floats, y: Floats) -> float | None:
    """None where a side is constant; within [-1, 1] up to rounding, which is taken off."""
    one, two = _centre(x), _centre(y)
    if one is None or two is None:
        return None
    r = math.fsum(one * two) / math.sqrt(math.fsum(one * one) * math.fsum(two * two))
    return math.copysign(1.0, r) if abs(r) > 1.0 - _ROUNDING else r


def _centre(x: Floats) -> Floats | None:
    """Less the mean, the largest scaled to 1, so that no square overflows."""
    if x.min() == x.max():
        return None
    scaled = x / np.abs(x).max()
    away = scaled - math.fsum(scaled) / len(x)
    centred: Floats = away / np.abs(away).max()
    return centred


def _mean_ranks(x: Floats) -> Floats:
    _, place, times = np.unique(x, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(times) - (times - 1) / 2)[place]
    return ranks


def _codes(x: Floats) -> Codes:
    return np.unique(x, return_inverse=True)[1].astype(np.int64)


def _tau(x: Codes, y: Codes) -> float | None:
    """Whole numbers up to the one division."""
    surplus = 0
    for row in range(len(x) - 1):
        surplus += int(np.sign(x[row + 1 :] - x[row]) @ np.sign(y[row + 1 :] - y[row]))
    untied = _untied_pairs(x) * _untied_pairs(y)
    return surplus / math.sqrt(untied) if untied else None


def _untied_pairs(codes: Codes) -> int:
    n = len(codes)
    return (n * (n - 1) - sum(int(t) * (int(t) - 1) for t in np.bincount(codes))) // 2


def _with_interval(
    value: float | None, factor: float, less: int, *, n: int, level: float, method: str
) -> Correlation:
    """Fisher's interval with the variance factor/(n - less)."""
    reason = _why_none(value, n, less)
    half = 0.0 if reason else z_quantile(level) * math.sqrt(factor / (n - less))
    has_ends = value is not None and not reason
    return Correlation(
        value=value,
        low=math.tanh(math.atanh(value) - half) if has_ends and value is not None else None,
        high=math.tanh(math.atanh(value) + half) if has_ends and value is not None else None,
        n=n,
        n_eff=float(n),
        clusters=None,
        level=level,
        method=method,
        reason=reason,
        warnings=(f"only {n} rows",) if n < 10 else (),  # noqa: PLR2004  the transform is rough
    )


def _why_none(value: float | None, n: int, less: int) -> str:
    if value is None:
        return "one side is constant"
    if n <= less:
        return f"{n} rows, an interval needs {less + 1}"
    if abs(value) == 1.0:
        return "the sides run together exactly, so that nothing is left to vary"
    return ""
