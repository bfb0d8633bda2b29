"""A mean with its interval out of sums over clusters, for tables whose rows are never loaded."""

import math

from benchmaker.stats.bounded import ends_within
from benchmaker.stats.quantiles import t_quantile


def mean_of_sums(
    clusters: int,
    *,
    weight: float,
    value: float,
    weight_2: float,
    value_2: float,
    both: float,
    level: float = 0.95,
) -> tuple[float, tuple[float, float] | None]:
    """The mean of scores from 0 to 1 with clusters, out of their sums; the interval stays there.

    SE² = G/(G-1) · Σ_g (V_g - m W_g)² / (Σw)², with W_g = Σ_i w and V_g = Σ_i wx of a cluster,
    m = ΣV/ΣW, multiplied out: that of :func:`benchmaker.stats.means.weighted_mean`. The ends are
    those of :func:`benchmaker.stats.bounded.within_scale`. No interval below two clusters or
    without any spread.

    Args:
        clusters: G.
        weight: ΣW.
        value: ΣV.
        weight_2: ΣW².
        value_2: ΣV².
        both: ΣWV.
        level: of the interval.

    >>> mean, ends = mean_of_sums(3, weight=3, value=1.5, weight_2=3, value_2=1.25, both=1.5)
    >>> mean, [round(end, 4) for end in ends]
    (0.5, [0.0362, 0.9638])
    """
    mean = value / weight
    spread = value_2 - 2 * mean * both + mean * mean * weight_2
    if clusters < 2 or spread <= 1e-12 * weight_2:  # noqa: PLR2004  one cluster has no spread
        return mean, None
    se = math.sqrt(spread * clusters / (clusters - 1)) / weight
    return mean, ends_within(mean, se, clusters, t_quantile(clusters - 1, level))
