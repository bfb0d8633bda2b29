"""Quantiles for two-sided intervals.

``scipy.special`` takes a third of a second and 12 MB to load, and is therefore imported on first
use; the normal quantile, the only one most tables need, does not use it.
"""

import math
from statistics import NormalDist


def t_quantile(df: float, level: float) -> float:
    """Student's t with ``df`` degrees of freedom at the upper end of a two-sided interval."""
    from scipy.special import stdtrit  # noqa: PLC0415  see above

    return float(stdtrit(df, 0.5 + level / 2))


def z_quantile(level: float) -> float:
    """Return the standard normal quantile at the upper end of a two-sided interval.

    The standard library's value (Wichura 1988, algorithm AS 241), whose last digits are refined by
    one step of Newton's method on ``erfc``.

    >>> z_quantile(0.95)
    1.959963984540054
    """
    outside = 1.0 - level
    x = -NormalDist().inv_cdf(outside / 2) / math.sqrt(2.0)
    slope = 2.0 / math.sqrt(math.pi) * math.exp(-x * x)
    return (x + (math.erfc(x) - outside) / slope) * math.sqrt(2.0)


def beta_quantile(a: float, b: float, share: float) -> float:
    """Return the ``share`` quantile of a Beta(a, b) distribution; 0 for a = 0, 1 for b = 0."""
    from scipy.special import betaincinv  # noqa: PLC0415  see above

    if a <= 0.0:
        return 0.0
    return 1.0 if b <= 0.0 else float(betaincinv(a, b, share))


def f_quantile(df_above: float, df_below: float, share: float) -> float:
    """Return the ``share`` quantile of an F distribution."""
    from scipy.special import fdtri  # noqa: PLC0415  see above

    return float(fdtri(df_above, df_below, share))
