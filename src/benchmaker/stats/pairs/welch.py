"""Two systems on different items: Welch's test."""

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from benchmaker.stats.differences import Clusters
from benchmaker.stats.means.means import Mean, weighted_mean
from benchmaker.stats.pairs.effects import root_mean_square, standardise
from benchmaker.stats.quantiles import t_quantile
from benchmaker.stats.student import two_sided


@dataclass(frozen=True, slots=True)
class Welch:
    """The difference of two independent means with Satterthwaite's degrees of freedom.

    ``d_av`` is the difference over the root mean square of both standard deviations, with Hedges'
    correction. Figures that the data cannot support are None, with a ``reason``. ``clusters_a`` and
    ``clusters_b`` are the numbers of items if there are no clusters.
    """

    mean_a: float
    mean_b: float
    diff: float
    se: float | None
    df: float | None
    t: float | None
    low: float | None
    high: float | None
    p_value: float | None
    d_av: float | None
    n_a: int
    n_b: int
    n_eff_a: float
    n_eff_b: float
    clusters_a: int
    clusters_b: int
    level: float
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()


def welch(
    a: ArrayLike,
    b: ArrayLike,
    *,
    weights_a: ArrayLike | None = None,
    weights_b: ArrayLike | None = None,
    clusters_a: Clusters | None = None,
    clusters_b: Clusters | None = None,
    level: float = 0.95,
) -> Welch:
    """Return mean_a - mean_b for sides without common items; otherwise use :func:`paired`.

    SE² = SE_a² + SE_b² with (SE²)² / (SE_a⁴/df_a + SE_b⁴/df_b) degrees of freedom (Welch 1947,
    Biometrika 34; Satterthwaite 1946), the sides' errors being those of :func:`weighted_mean`. A
    side whose values are all equal adds no variance; a warning reports it.

    Args:
        a: finite numbers, one per item of a.
        b: finite numbers, one per item of b.
        weights_a: one per item of a, at least 0; None for equal ones.
        weights_b: the same for b.
        clusters_a: one label per item of a; None for independent items.
        clusters_b: the same for b.
        level: of the interval, between 0 and 1.

    Raises:
        SpecError: an unusable number; its row is named, from 1.
        NotEnoughData: a side without an item of positive weight.
    """
    left = weighted_mean(a, weights_a, clusters=clusters_a, level=level)
    right = weighted_mean(b, weights_b, clusters=clusters_b, level=level)
    diff = left.mean - right.mean
    reason = _reason(left, right)
    se, df = (None, None) if reason else _error(left, right)
    t = None if se is None else diff / se
    half = None if se is None or df is None else t_quantile(df, level) * se
    scale = max(abs(end) for side in (left, right) for end in (side.minimum, side.maximum))
    sd = root_mean_square(left.sd, right.sd)
    return Welch(
        mean_a=left.mean,
        mean_b=right.mean,
        diff=diff,
        se=se,
        df=df,
        t=t,
        low=None if half is None else diff - half,
        high=None if half is None else diff + half,
        p_value=None if t is None or df is None else two_sided(t, df),
        d_av=standardise(diff, sd, left.n + right.n - 2, scale=scale),
        n_a=left.n,
        n_b=right.n,
        n_eff_a=left.n_eff,
        n_eff_b=right.n_eff,
        clusters_a=left.clusters or left.n,
        clusters_b=right.clusters or right.n,
        level=level,
        method="Welch's t of independent means" + _cluster_note(left, right),
        reason=reason,
        warnings=(*_warnings("a", left), *_warnings("b", right)),
    )


def _error(left: Mean, right: Mean) -> tuple[float, float]:
    """Standard error of the difference and its degrees of freedom; a constant side adds none."""
    parts = [(side.se**2, side.df) for side in (left, right) if side.se is not None]
    variance = math.fsum(part for part, _ in parts)
    return math.sqrt(variance), variance**2 / math.fsum(part**2 / df for part, df in parts)


def _reason(left: Mean, right: Mean) -> str:
    """Return the reason why there is no interval; empty if there is one."""
    for name, side in (("a", left), ("b", right)):
        if side.se is None and not _is_constant(side):
            return f"{name}: {side.reason}"
    if left.se is None and right.se is None:
        return "all values are equal on both sides"
    return ""


def _is_constant(side: Mean) -> bool:
    return side.n > 1 and side.sd == 0.0 and side.clusters != 1


def _warnings(name: str, side: Mean) -> list[str]:
    said = [f"{name}: {warning}" for warning in side.warnings]
    return [*said, f"{name}: {side.reason}"] if side.se is None else said


def _cluster_note(left: Mean, right: Mean) -> str:
    return ", clustered (CR1)" if left.clusters or right.clusters else ""
