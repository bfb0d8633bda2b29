"""Effect sizes: differences independent of the unit."""

import math

from numpy.typing import ArrayLike

from benchmaker.stats.differences import paired_differences as lined_up
from benchmaker.stats.means.means import weighted_mean

_SERIES_FROM = 200
_TINY = 1e-12


def hedges(df: float) -> float | None:
    """Return Hedges' factor J, which removes the small-sample bias of a standardised difference.

    J = Γ(df/2) / (√(df/2) · Γ((df - 1)/2)) (Hedges 1981, Journal of Educational Statistics 6); from
    200 degrees of freedom its asymptotic series, which is exact to 1e-13. None up to 1 degree.

    >>> round(hedges(10), 6)
    0.922746
    """
    if df <= 1:
        return None
    x = (df - 1) / 2
    if df < _SERIES_FROM:
        return math.exp(math.lgamma(x + 0.5) - math.lgamma(x)) / math.sqrt(df / 2)
    ratio = 1 - 1 / (8 * x) + 1 / (128 * x**2) + 5 / (1024 * x**3) - 21 / (32768 * x**4)
    return ratio * math.sqrt(x / (df / 2))


def d_z(differences: ArrayLike, *, weights: ArrayLike | None = None) -> float | None:
    """The mean difference over the differences' own standard deviation, with Hedges' factor.

    J(n - 1) · mean / sd (Lakens 2013, Frontiers in Psychology 4, formula 6, with the correction).
    None where the differences do not vary or are fewer than 3.
    """
    spread = weighted_mean(differences, weights)
    scale = max(abs(spread.minimum), abs(spread.maximum))
    return standardise(spread.mean, spread.sd, spread.n - 1, scale=scale)


def d_av(a: ArrayLike, b: ArrayLike, *, weights: ArrayLike | None = None) -> float | None:
    """The mean difference over the root mean square of both standard deviations, with J.

    J(2(n - 1)) · (mean_a - mean_b) / √((sd_a² + sd_b²)/2) (Cumming 2012, Understanding The New
    Statistics, chapter 11). None where neither side varies or there are fewer than 2 items.
    """
    rows = lined_up(a, b, weights=weights)
    left, right = weighted_mean(rows.a, rows.weight), weighted_mean(rows.b, rows.weight)
    sd = root_mean_square(left.sd, right.sd)
    mean = weighted_mean(rows.d, rows.weight).mean
    scale = max(abs(rows.a).max(), abs(rows.b).max())
    return standardise(mean, sd, 2 * (left.n - 1), scale=scale)


def p_superior(a: ArrayLike, b: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """P(a > b) + half P(a = b), the weighted share of items (Grissom and Kim 2012, chapter 5)."""
    rows = lined_up(a, b, weights=weights)
    return weighted_mean(rows.outcome, rows.weight).mean


def root_mean_square(one: float | None, other: float | None) -> float | None:
    """√((one² + other²)/2)."""
    return None if one is None or other is None else math.hypot(one, other) / math.sqrt(2)


def standardise(mean: float, sd: float | None, df: float, *, scale: float) -> float | None:
    """J(df) · mean / sd; None where J, or a standard deviation beyond rounding, is missing."""
    factor = hedges(df)
    if factor is None or sd is None or sd <= _TINY * scale:
        return None
    return factor * mean / sd
