"""A line through points that a few wild ones do not move."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchmaker.errors import NotEnoughData
from benchmaker.stats.columns import Floats, check_level
from benchmaker.stats.paired_columns import align
from benchmaker.stats.quantiles import z_quantile

NEEDED = 3


@dataclass(frozen=True, slots=True)
class Slope:
    """The median slope of all pairs of points; ``low`` and ``high`` None where n is too small."""

    slope: float
    intercept: float
    low: float | None
    high: float | None
    n: int
    level: float
    method: str = "Theil-Sen, Kendall's interval"
    reason: str = ""


def theil_sen(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Slope:
    """The median of the slopes between all pairs of points with different x.

    The interval takes the order statistics of the slopes that Kendall's test of no trend does not
    reject, with ties in x and y in its variance (Sen 1968, Journal of the American Statistical
    Association 63). The intercept is median(y) - slope · median(x).

    Args:
        x: independent values.
        y: dependent values, one per x.
        level: of the interval, between 0 and 1.

    Raises:
        NotEnoughData: fewer than three points, or all at one x.
        SpecError: a value that is not finite, columns of different lengths.

    >>> theil_sen([0, 1, 2, 3, 4], [1, 3, 5, 7, 90]).slope
    2.0
    """
    check_level(level)
    one, two = align(x, y)
    if len(one) < NEEDED:
        raise NotEnoughData("A trend needs three points.", needed=NEEDED, got=len(one))
    i, j = np.triu_indices(len(one), 1)
    apart = one[j] != one[i]
    if not apart.any():
        raise NotEnoughData("All points lie at one x.", needed=2, got=1)
    slopes = np.sort((two[j] - two[i])[apart] / (one[j] - one[i])[apart])
    slope = float(np.median(slopes))
    low, high = _ends(slopes, _variance(one, two), level)
    return Slope(
        slope=slope,
        intercept=float(np.median(two)) - slope * float(np.median(one)),
        low=low,
        high=high,
        n=len(one),
        level=level,
        reason="" if low is not None else f"{len(one)} points, too few for this level",
    )


def _ends(slopes: Floats, variance: float, level: float) -> tuple[float | None, float | None]:
    away = z_quantile(level) * math.sqrt(variance)
    low, high = round((len(slopes) - away) / 2) - 1, round((len(slopes) + away) / 2)
    if low < 0 or high >= len(slopes):
        return None, None
    return float(slopes[low]), float(slopes[high])


def _variance(x: Floats, y: Floats) -> float:
    """Of Kendall's sum of signs, ties on both sides (Kendall 1970, Rank Correlation Methods)."""
    n = len(x)
    of_x, of_y = (np.unique(side, return_counts=True)[1].astype(np.float64) for side in (x, y))

    def pairs(times: Floats) -> float:
        return float((times * (times - 1)).sum())

    def triples(times: Floats) -> float:
        return float((times * (times - 1) * (times - 2)).sum())

    def tied(times: Floats) -> float:
        return float((times * (times - 1) * (2 * times + 5)).sum())

    alone = (n * (n - 1) * (2 * n + 5) - tied(of_x) - tied(of_y)) / 18
    both = pairs(of_x) * pairs(of_y) / (2 * n * (n - 1))
    both += triples(of_x) * triples(of_y) / (9 * n * (n - 1) * (n - 2))
    return max(alone + both, 0.0)
