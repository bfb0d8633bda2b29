"""A mean with its interval out of sums over clusters, for tables whose rows are never loaded."""

import math

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
    """What :func:`benchmaker.stats.means.weighted_mean` says with clusters, out of their sums.

    SE² = G/(G-1) · Σ_g (V_g - m W_g)² / (Σw)², with W_g = Σ_i w and V_g = Σ_i wx of a cluster,
    m = ΣV/ΣW, multiplied out. No interval below two clusters or without any spread.

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
    (0.5, [-0.7421, 1.7421])
    """
    mean = value / weight
    spread = value_2 - 2 * mean * both + mean * mean * weight_2
    if clusters < 2 or spread <= 1e-12 * weight_2:  # noqa: PLR2004  one cluster has no spread
        return mean, None
    half = t_quantile(clusters - 1, level) * math.sqrt(spread * clusters / (clusters - 1)) / weight
    return mean, (mean - half, mean + half)
