"""Two systems on the same items: the difference of their means."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchmaker.stats.columns import check_level
from benchmaker.stats.differences import Clusters, Differences, paired_differences
from benchmaker.stats.means.bounded import bounded_mean
from benchmaker.stats.means.means import Mean, weighted_mean
from benchmaker.stats.pairs.effects import root_mean_square, standardise
from benchmaker.stats.student import two_sided

_FEW_DIFFERING = 10


@dataclass(frozen=True, slots=True)
class PairedT:
    """The difference mean_a - mean_b over common items, with its interval.

    ``se``, ``t``, ``low``, ``high`` and ``p_value`` come from Student's t with ``df`` degrees of
    freedom (clusters - 1) and are None if the data do not support them, with a ``reason``.
    ``sd`` is that of the differences. ``d_z`` and ``d_av`` are standardised differences with
    Hedges' correction, ``p_superior`` is P(a > b) + half P(a = b) with its interval, which
    never leaves [0, 1]. ``wins``, ``losses`` and ``ties`` count items. Differences are in the unit
    of the scores.
    """

    mean_a: float
    mean_b: float
    diff: float
    sd: float | None
    se: float | None
    df: int
    t: float | None
    low: float | None
    high: float | None
    p_value: float | None
    d_z: float | None
    d_av: float | None
    p_superior: float
    p_superior_low: float | None
    p_superior_high: float | None
    wins: int
    losses: int
    ties: int
    n: int
    n_eff: float
    clusters: int
    level: float
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()


def paired_t(
    a: ArrayLike,
    b: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    clusters: Clusters | None = None,
    level: float = 0.95,
) -> PairedT:
    """Compare two systems by a paired, clustered Student's t test.

    The differences of the items are averaged as in :func:`weighted_mean`: ratio mean, CR1 standard
    error over clusters, t(clusters - 1). Equal weights without clusters give the paired t test.
    Scores that are equal up to rounding count as ties.

    Args:
        a: one finite number per item: a score, or its mean over runs.
        b: the other system's, in the same order of items.
        weights: one per item, at least 0; None for equal ones. Items of weight 0 are ignored.
        clusters: one label per item; items with the same label are not independent.
        level: of the interval, between 0 and 1.

    Raises:
        SpecError: an unusable number (its row is named, from 1) or unequal lengths.
        NotEnoughData: no item of positive weight.

    >>> got = paired_t([1.0, 0.5, 1.0, 0.0], [0.5, 0.5, 0.0, 0.25])
    >>> got.diff, round(got.p_value, 4), got.wins, got.losses, got.ties
    (0.3125, 0.3416, 2, 1, 1)
    """
    check_level(level)
    return paired_t_rows(paired_differences(a, b, weights=weights, clusters=clusters), level)


def paired_t_rows(rows: Differences, level: float) -> PairedT:
    """The same for rows that are checked already."""
    mean = mean_difference(rows, level)
    left, right = weighted_mean(rows.a, rows.weight), weighted_mean(rows.b, rows.weight)
    share = bounded_mean(rows.outcome, rows.weight, clusters=rows.labels, level=level)
    signs = np.sign(rows.d)
    wins, losses = int((signs > 0).sum()), int((signs < 0).sum())
    t = None if mean.se is None else mean.mean / mean.se
    scale = max(abs(rows.a).max(), abs(rows.b).max())
    sd_av = root_mean_square(left.sd, right.sd)
    return PairedT(
        mean_a=left.mean,
        mean_b=right.mean,
        diff=mean.mean,
        sd=mean.sd,
        se=mean.se,
        df=mean.df,
        t=t,
        low=mean.low,
        high=mean.high,
        p_value=None if t is None else two_sided(t, mean.df),
        d_z=standardise(mean.mean, mean.sd, mean.n - 1, scale=scale),
        d_av=standardise(mean.mean, sd_av, 2 * (mean.n - 1), scale=scale),
        p_superior=share.mean,
        p_superior_low=share.low,
        p_superior_high=share.high,
        wins=wins,
        losses=losses,
        ties=len(signs) - wins - losses,
        n=mean.n,
        n_eff=mean.n_eff,
        clusters=rows.clusters,
        level=level,
        method=f"paired {mean.method}",
        reason=mean.reason.replace("value", "difference"),
        warnings=_warnings(rows, mean),
    )


def mean_difference(rows: Differences, level: float) -> Mean:
    """The mean of the differences; differences that are equal up to rounding do not vary."""
    d = np.full_like(rows.d, np.median(rows.d)) if rows.is_constant else rows.d
    return weighted_mean(d, rows.weight, clusters=rows.labels, level=level)


def _warnings(rows: Differences, mean: Mean) -> tuple[str, ...]:
    said = [warning.replace("values", "differences") for warning in mean.warnings]
    differing = int(np.count_nonzero(rows.by_cluster()[0]))
    if mean.se is not None and differing < _FEW_DIFFERING <= rows.clusters:
        noun = "clusters" if rows.is_clustered else "items"
        said.append(f"only {differing} of {rows.clusters} {noun} differ")
    return tuple(said)
