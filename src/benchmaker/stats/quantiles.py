"""Quantiles for two-sided intervals.

``scipy.special`` loads for a third of a second and takes 12 MB, therefore on first use; the normal
quantile, which most tables need alone, does without it.
"""

import math
from statistics import NormalDist


def t_quantile(df: float, level: float) -> float:
    """Student's t with ``df`` degrees of freedom at the upper end of a two-sided interval."""
    from scipy.special import stdtrit  # noqa: PLC0415  see above

    return float(stdtrit(df, 0.5 + level / 2))


def z_quantile(level: float) -> float:
    """The standard normal at the upper end of a two-sided interval.

    That of the standard library (Wichura 1988, algorithm AS 241), whose last digits one step of
    Newton's method on ``erfc`` then sets right.

    >>> z_quantile(0.95)
    1.959963984540054
    """
    outside = 1.0 - level
    x = -NormalDist().inv_cdf(outside / 2) / math.sqrt(2.0)
    slope = 2.0 / math.sqrt(math.pi) * math.exp(-x * x)
    return (x + (math.erfc(x) - outside) / slope) * math.sqrt(2.0)


def beta_quantile(a: float, b: float, share: float) -> float:
    """Where ``share`` of a Beta(a, b) distribution lies below; 0 for a = 0, 1 for b = 0."""
    from scipy.special import betaincinv  # noqa: PLC0415  see above

    if a <= 0.0:
        return 0.0
    return 1.0 if b <= 0.0 else float(betaincinv(a, b, share))


def f_quantile(df_above: float, df_below: float, share: float) -> float:
    """Where ``share`` of an F distribution lies below."""
    from scipy.special import fdtri  # noqa: PLC0415  see above

    return float(fdtri(df_above, df_below, share))
