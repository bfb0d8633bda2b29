"""Bland and Altman's limits of agreement between two ways to measure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from numpy.typing import ArrayLike

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.columns import check_level
from benchmaker.stats.paired_columns import align
from benchmaker.stats.quantiles import t_quantile, z_quantile

_NEEDED = 3
_FEW = 20


@dataclass(frozen=True, slots=True)
class BlandAltman:
    """The bias of one measurement against another, with limits of agreement.

    Differences are first minus second. ``lower`` and ``upper`` are the limits of agreement, bias
    minus and plus ``multiplier`` · sd; ``bias_interval``, ``lower_interval`` and ``upper_interval``
    are their intervals, None with a reason if the differences do not vary. All figures are in the
    unit of the values.
    """

    bias: float
    sd: float
    lower: float
    upper: float
    bias_interval: tuple[float, float] | None
    lower_interval: tuple[float, float] | None
    upper_interval: tuple[float, float] | None
    multiplier: float
    n: int
    n_eff: float
    clusters: int | None
    level: float
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()


def bland_altman(
    first: ArrayLike,
    second: ArrayLike,
    *,
    multiplier: float | None = None,
    intervals: Literal["exact", "published"] = "exact",
    level: float = 0.95,
) -> BlandAltman:
    """The bias and the limits between which a share ``level`` of the differences lies.

    Bland & Altman 1986, The Lancet 327, 307-310. The limits hold for normal differences. Their
    exact interval is that of a normal quantile, by the noncentral t (Carkeet 2015, Optometry and
    Vision Science 92, e71-e80); the published one takes √(3s²/n) for their standard error.

    Args:
        first: one side's numbers.
        second: the other's, of the same rows.
        multiplier: distance of the limits in standard deviations; by default the normal
            quantile of ``level``, 1.96 at 0.95; the paper's own figures take 2.
        intervals: the kind of intervals of the limits, exact or as published.
        level: of the limits and of all intervals, between 0 and 1.

    Raises:
        NotEnoughData: fewer than three rows.
        SpecError: a value that is not finite, named by its row; columns of different lengths.

    >>> found = bland_altman([1.0, 2.0, 3.0, 4.0], [1.5, 2.0, 2.5, 4.0])
    >>> found.bias, round(found.sd, 4)
    (0.0, 0.4082)
    """
    one, two = align(first, second)
    n = len(one)
    if n < _NEEDED:
        raise NotEnoughData("Limits of agreement need three rows.", needed=_NEEDED, got=n)
    k = z_quantile(check_level(level)) if multiplier is None else multiplier
    if not (math.isfinite(k) and k > 0):
        raise SpecError(f"The multiplier {k!r} is not above 0.")
    differences = one - two
    bias = math.fsum(differences) / n
    sd = math.sqrt(math.fsum((differences - bias) ** 2) / (n - 1))
    half = t_quantile(n - 1, level) * sd / math.sqrt(n)
    reach = _reach(k, sd, n, level) if intervals == "exact" else _published_reach(k, sd, n, level)
    return BlandAltman(
        bias=bias,
        sd=sd,
        lower=bias - k * sd,
        upper=bias + k * sd,
        bias_interval=(bias - half, bias + half) if sd > 0.0 else None,
        lower_interval=(bias - reach[1], bias - reach[0]) if sd > 0.0 else None,
        upper_interval=(bias + reach[0], bias + reach[1]) if sd > 0.0 else None,
        multiplier=k,
        n=n,
        n_eff=float(n),
        clusters=None,
        level=level,
        method=f"Bland–Altman limits, {intervals} intervals",
        reason="" if sd > 0.0 else f"all {n} differences are equal",
        warnings=(f"only {n} rows",) if n < _FEW else (),
    )


def _reach(k: float, sd: float, n: int, level: float) -> Sequence[float]:
    """Return the interval of the upper limit's distance from the bias, by the noncentral t."""
    from scipy.special import nctdtrit  # noqa: PLC0415  loads for a third of a second

    root = math.sqrt(n)
    ends = (0.5 - level / 2, 0.5 + level / 2)
    return [float(nctdtrit(n - 1, k * root, p)) * sd / root for p in ends]


def _published_reach(k: float, sd: float, n: int, level: float) -> Sequence[float]:
    half = t_quantile(n - 1, level) * sd * math.sqrt(3 / n)
    return [k * sd - half, k * sd + half]
