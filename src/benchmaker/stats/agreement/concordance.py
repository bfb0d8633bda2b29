"""Lin's concordance: agreement of two scales, not mere correlation."""

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from benchmaker.errors import NotEnoughData
from benchmaker.stats.columns import Floats, check_level
from benchmaker.stats.paired_columns import align
from benchmaker.stats.quantiles import z_quantile

_NEEDED = 3
_FEW = 20
_ROUNDING = 1e-15


@dataclass(frozen=True, slots=True)
class Concordance:
    """The concordance of pairs of values with the line of equality, with its interval.

    ``value`` is ``correlation`` (precision) times ``accuracy``, the loss from a shift of location
    or scale. ``shift`` is the difference of the means in units of √(s_x s_y), ``scale`` the ratio
    s_x/s_y. Undefined figures are None, with a ``reason``.
    """

    value: float | None
    low: float | None
    high: float | None
    correlation: float | None
    accuracy: float | None
    shift: float | None
    scale: float | None
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


def concordance(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Concordance:
    """Lin's concordance correlation coefficient, 2 s_xy / (s_x² + s_y² + (m_x - m_y)²).

    Lin 1989, Biometrics 45, 255-268, with sums over n; the interval by the inverse hyperbolic
    tangent, with the variance as corrected in Lin 2000, Biometrics 56, 324-325. For clustered rows
    use ``bootstrap``.

    Args:
        x: one side's numbers.
        y: the other's, of the same rows.
        level: of the interval, between 0 and 1.

    Raises:
        NotEnoughData: fewer than three rows.
        SpecError: a value that is not finite, named by its row; columns of different lengths.

    >>> round(concordance([3, -0.5, 2, 7], [2.5, 0, 2, 8]).value, 6)
    0.976789
    """
    one, two = align(x, y)
    check_level(level)
    n = len(one)
    if n < _NEEDED:
        raise NotEnoughData("Concordance needs three rows.", needed=_NEEDED, got=n)
    mean_x, mean_y = math.fsum(one) / n, math.fsum(two) / n
    var_x, var_y = _product(one, one, mean_x, mean_x), _product(two, two, mean_y, mean_y)
    if var_x == 0.0 and var_y == 0.0:
        return _undefined_concordance(n, level, "both sides are constant")
    covariance = _product(one, two, mean_x, mean_y)
    value = 2 * covariance / (var_x + var_y + (mean_x - mean_y) ** 2)
    if var_x == 0.0 or var_y == 0.0:
        reason = "one side is constant, so that concordance is 0 whatever it says"
        return _undefined_concordance(n, level, reason)
    middle = math.sqrt(var_x * var_y)
    shift = (mean_x - mean_y) / math.sqrt(middle)
    scale = math.sqrt(var_x / var_y)
    accuracy = 2 / (scale + 1 / scale + shift * shift)
    ends, reason = _ends(value, accuracy, r=covariance / middle, u=shift * shift, n=n, level=level)
    return Concordance(
        value=value,
        low=None if ends is None else ends[0],
        high=None if ends is None else ends[1],
        correlation=covariance / middle,
        accuracy=accuracy,
        shift=shift,
        scale=scale,
        n=n,
        n_eff=float(n),
        clusters=None,
        level=level,
        method=_METHOD,
        reason=reason,
        warnings=(f"only {n} rows",) if n < _FEW else (),
    )


_METHOD = "Lin's concordance correlation, inverse hyperbolic tangent"


def _product(one: Floats, two: Floats, mean_one: float, mean_two: float) -> float:
    return math.fsum((one - mean_one) * (two - mean_two)) / len(one)


def _ends(
    value: float, accuracy: float, *, r: float, u: float, n: int, level: float
) -> tuple[tuple[float, float] | None, str]:
    """Lin's variance of atanh, with value/r written as the accuracy, which holds at r = 0 too."""
    left = 1.0 - value * value
    if left <= _ROUNDING:
        return None, "the values agree or oppose exactly, so that nothing is left to vary"
    variance = (1.0 - r * r) * accuracy**2 / left
    variance += 2.0 * value**2 * accuracy * (1.0 - value) * u / left**2
    variance -= (value * accuracy * u / left) ** 2 / 2.0
    half = z_quantile(level) * math.sqrt(max(variance, 0.0) / (n - 2))
    middle = math.atanh(value)
    return (math.tanh(middle - half), math.tanh(middle + half)), ""


def _undefined_concordance(n: int, level: float, reason: str) -> Concordance:
    return Concordance(
        value=None,
        low=None,
        high=None,
        correlation=None,
        accuracy=None,
        shift=None,
        scale=None,
        n=n,
        n_eff=float(n),
        clusters=None,
        level=level,
        method=_METHOD,
        reason=reason,
    )
