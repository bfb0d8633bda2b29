"""Weighted means with Student's t."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmaker.errors import NotEnoughData, SpecError

Floats = NDArray[np.float64]

_FEW = 5


@dataclass(frozen=True, slots=True)
class Mean:
    """A weighted mean and how sure it is.

    ``sd``, ``se``, ``low`` and ``high`` are None where the data can't carry them; ``reason`` then
    says why. ``n`` counts the values of positive weight, ``n_eff`` is (Σw)²/Σw² (Kish 1965).
    ``df`` are the degrees of freedom of the interval. Everything is in the unit of the values.
    """

    mean: float
    sd: float | None
    se: float | None
    low: float | None
    high: float | None
    df: int
    n: int
    n_eff: float
    total_weight: float
    minimum: float
    maximum: float
    level: float
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends, or None."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def require_interval(self) -> tuple[float, float]:
        """Both ends; NotEnoughData with the reason where there is none."""
        if self.interval is None:
            raise NotEnoughData(f"No interval: {self.reason}.", needed=2, got=1)
        return self.interval


def weighted_mean(
    values: ArrayLike, weights: ArrayLike | None = None, *, level: float = 0.95
) -> Mean:
    """The mean Σwx/Σw with its standard deviation and Student's t interval.

    The standard error is that of a ratio estimator, SE² = n/(n-1) · Σ(w(x-m))² / (Σw)²
    (Cochran 1977, Sampling Techniques, section 6.4); with equal weights it is s/√n. The interval
    is m ± t(n-1) · SE, never clipped. The variance takes the weights as reliabilities,
    s² = Σw(x-m)² / (Σw - Σw²/Σw) (GNU Scientific Library manual, "Weighted Samples"); with equal
    weights it is the sample variance. Values of weight 0 count in nothing.

    Sums are exact before their one rounding, so that the order of the values changes no digit.

    Args:
        values: finite numbers, one dimension.
        weights: as many, finite and at least 0; None for equal ones.
        level: of the interval, between 0 and 1.

    Raises:
        SpecError: a value or weight that can't be used; the message names its row (from 1).
        NotEnoughData: no value of positive weight.

    >>> m = weighted_mean([0.0, 0.5, 1.0])
    >>> m.mean, m.sd, [round(end, 4) for end in m.require_interval()]
    (0.5, 0.5, [-0.7421, 1.7421])
    """
    x, w = _checked(values, weights, level)
    if not len(x):
        raise NotEnoughData("There is no value of positive weight.", needed=1, got=0)
    total = math.fsum(w)
    m = _ratio(x, w, total)
    sd, se, reason = _spread(x, w, total, m)
    half = None if reason or se is None else _quantile(len(x) - 1, level) * se
    squares = math.fsum(w * w)
    return Mean(
        mean=m,
        sd=sd,
        se=se,
        low=None if half is None else m - half,
        high=None if half is None else m + half,
        df=len(x) - 1,
        n=len(x),
        n_eff=total * total / squares,
        total_weight=float(len(x)) if weights is None else _unscaled(total, weights),
        minimum=float(x.min()),
        maximum=float(x.max()),
        level=level,
        method=_method(w),
        reason=reason,
        warnings=(f"only {len(x)} values",) if 1 < len(x) < _FEW else (),
    )


def _checked(values: ArrayLike, weights: ArrayLike | None, level: float) -> tuple[Floats, Floats]:
    """Values and weights of the rows that count; the largest weight scaled into [0.5, 1)."""
    if not 0.0 < level < 1.0:
        raise SpecError(f"The confidence level {level!r} is not between 0 and 1.")
    x = _column(values, "value")
    w = np.ones_like(x) if weights is None else _column(weights, "weight")
    if len(w) != len(x):
        raise SpecError(f"There are {len(x)} values and {len(w)} weights; give one weight each.")
    if (w < 0).any():
        row = int(np.argmax(w < 0))
        raise SpecError(f"The weight in row {row + 1} is {w[row]:g}; weights are at least 0.")
    x, w = x[w > 0], w[w > 0]
    return (x, np.ldexp(w, -_exponent(w))) if len(w) else (x, w)


def _column(numbers: ArrayLike, noun: str) -> Floats:
    column = np.asarray(numbers, dtype=np.float64)
    if column.ndim != 1:
        raise SpecError(f"The {noun}s have {column.ndim} dimensions; give a plain list.")
    finite = np.isfinite(column)
    if not finite.all():
        row = int(np.argmin(finite))
        hint = "Leave missing rows out." if noun == "value" else ""
        raise SpecError(f"The {noun} in row {row + 1} is {column[row]}.", hint=hint)
    return column


def _exponent(weights: Floats) -> int:
    return int(np.frexp(weights.max())[1])


def _ratio(x: Floats, w: Floats, total: float) -> float:
    """Σwx/Σw; rounding does not carry it past the smallest or largest value."""
    return min(max(math.fsum(w * x) / total, float(x.min())), float(x.max()))


def _spread(x: Floats, w: Floats, total: float, m: float) -> tuple[float | None, float | None, str]:
    """Standard deviation, standard error, and why there is no interval (empty when there is)."""
    n = len(x)
    if n == 1:
        return None, None, "1 value, at least 2 are needed"
    if x.min() == x.max():
        return 0.0, None, f"all {n} values are equal"
    freedom = total - math.fsum(w * w) / total
    if freedom <= 0.0:
        return None, None, "one value holds all the weight"
    away = x - m
    variance = math.fsum(w * away**2) / freedom
    error = math.sqrt(n / (n - 1) * math.fsum((w * away) ** 2)) / total
    return math.sqrt(variance), error, ""


def _quantile(df: int, level: float) -> float:
    """Student's t at the upper end of a two-sided interval."""
    from scipy.special import stdtrit  # noqa: PLC0415  loads for a third of a second

    return float(stdtrit(df, 0.5 + level / 2))


def _unscaled(total: float, weights: ArrayLike) -> float:
    try:
        return math.ldexp(total, _exponent(np.asarray(weights, dtype=np.float64)))
    except OverflowError as exc:
        raise SpecError("The weights are too large to be added up.") from exc


def _method(w: Floats) -> str:
    kind = "mean" if w.min() == w.max() else "weighted ratio mean"
    return f"{kind}, Student's t"
