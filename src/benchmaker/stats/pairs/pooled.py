"""Student's two-sample t with one pooled variance."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchmaker.stats.columns import check_level
from benchmaker.stats.means.means import Mean, weighted_mean
from benchmaker.stats.quantiles import t_quantile
from benchmaker.stats.student import two_sided

_ROUNDING = 1e-12
_FEW = 5


@dataclass(frozen=True, slots=True)
class PooledT:
    """Two independent samples of one variance.

    ``sd`` is the pooled standard deviation, ``d`` Cohen's diff / sd, uncorrected. Figures that the
    data cannot support are None, with a ``reason``.
    """

    mean_a: float
    mean_b: float
    diff: float
    sd: float | None
    se: float | None
    df: int
    t: float | None
    low: float | None
    high: float | None
    p_value: float | None
    d: float | None
    n_a: int
    n_b: int
    level: float
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()


def pooled_t(a: ArrayLike, b: ArrayLike, *, level: float = 0.95) -> PooledT:
    """mean_a - mean_b with the pooled variance and n_a + n_b - 2 degrees of freedom.

    s² = ((n_a - 1)s_a² + (n_b - 1)s_b²)/(n_a + n_b - 2), SE = s √(1/n_a + 1/n_b) (Student 1908,
    Fisher 1925). Values that are equal up to rounding do not vary.

    Raises:
        SpecError: a value that can't be used; its row is named, from 1.
        NotEnoughData: a side without a value.

    >>> got = pooled_t([0.8, 0.9], [0.5, 0.6])
    >>> round(got.t, 4), got.df, round(got.p_value, 4)
    (4.2426, 2, 0.0513)
    """
    check_level(level)
    left, right = weighted_mean(a), weighted_mean(b)
    diff, df = left.mean - right.mean, left.n + right.n - 2
    sd = _pooled_sd(left, right)
    reason = _reason(sd)
    se = None if reason or sd is None else sd * math.sqrt(1 / left.n + 1 / right.n)
    t = None if se is None else diff / se
    half = None if se is None else t_quantile(df, level) * se
    return PooledT(
        mean_a=left.mean,
        mean_b=right.mean,
        diff=diff,
        sd=sd,
        se=se,
        df=df,
        t=t,
        low=None if half is None else diff - half,
        high=None if half is None else diff + half,
        p_value=None if t is None else two_sided(t, df),
        d=None if se is None or sd is None else diff / sd,
        n_a=left.n,
        n_b=right.n,
        level=level,
        method="Student's two-sample t, pooled variance",
        reason=reason,
        warnings=_warnings(left, right),
    )


def _pooled_sd(left: Mean, right: Mean) -> float | None:
    """None for two single values; 0 where neither side varies beyond rounding."""
    df = left.n + right.n - 2
    if df < 1:
        return None
    parts = [(side.n - 1) * side.sd**2 for side in (left, right) if side.sd is not None]
    sd = math.sqrt(math.fsum(parts) / df)
    ends = (left.minimum, left.maximum, right.minimum, right.maximum)
    return 0.0 if sd <= _ROUNDING * np.abs(ends).max() else sd


def _reason(sd: float | None) -> str:
    if sd is None:
        return "1 value each, at least 3 in all are needed"
    return "" if sd > 0 else "all values are equal on both sides"


def _warnings(left: Mean, right: Mean) -> tuple[str, ...]:
    return tuple(
        f"{name}: only {side.n} values"
        for name, side in (("a", left), ("b", right))
        if side.n < _FEW
    )
