"""Weighted means with Student's t, of single values or of clusters."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace

from numpy.typing import ArrayLike

from benchmaker.errors import NotEnoughData
from benchmaker.stats.columns import check_level
from benchmaker.stats.means.sample import Sample
from benchmaker.stats.quantiles import t_quantile


@dataclass(frozen=True, slots=True)
class Mean:
    """A weighted mean with its interval.

    ``sd``, ``se``, ``low`` and ``high`` are None if the data do not support them, with a
    ``reason``. ``n`` counts the values of positive weight, ``n_eff`` is (Σw)²/Σw² (Kish 1965),
    divided by the design effect of the clusters. ``clusters`` is their number, None without
    clusters. ``df`` are the degrees of freedom of the interval. All figures are in the unit of the
    values.
    """

    mean: float
    sd: float | None
    se: float | None
    low: float | None
    high: float | None
    df: int
    n: int
    n_eff: float
    total_weight: float
    minimum: float
    maximum: float
    level: float
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()
    clusters: int | None = None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends, or None."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def require_interval(self) -> tuple[float, float]:
        """Return both ends; NotEnoughData with the reason if there is no interval."""
        if self.interval is None:
            raise NotEnoughData(f"No interval: {self.reason}.", needed=2, got=1)
        return self.interval


def weighted_mean(
    values: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
) -> Mean:
    """Return the mean Σwx/Σw with its standard deviation and Student's t interval.

    The standard error is that of a ratio estimator, SE² = n/(n-1) · Σ(w(x-m))² / (Σw)² (Cochran
    1977, Sampling Techniques, section 6.4); with equal weights it is s/√n. The interval is m ±
    t(n-1) · SE, never clipped. The variance is s² = n/(n-1) · Σw(x-m)² / Σw; with equal weights it
    is the sample variance. It is at most n/(n-1) · (range/2)², whatever the weights (Popoviciu
    1935, Mathematica 9). Values of weight 0 are ignored.

    Values that share a cluster may resemble each other. The sums of w(x-m) within the G clusters
    then take the place of the single ones, SE² = G/(G-1) · Σ_g(Σ_i w(x-m))² / (Σw)² ("CR1":
    Cameron and Miller 2015, A Practitioner's Guide to Cluster-Robust Inference), with t(G-1).

    Sums are exact before a single rounding, so that the result does not depend on the order.

    Args:
        values: finite numbers, one dimension.
        weights: as many, finite and at least 0; None for equal ones.
        clusters: as many labels, of any hashable kind; None for independent values.
        level: of the interval, between 0 and 1.

    Raises:
        SpecError: an unusable value, weight or label; the message names its row (from 1).
        NotEnoughData: no value of positive weight.

    >>> m = weighted_mean([0.0, 0.5, 1.0])
    >>> m.mean, m.sd, [round(end, 4) for end in m.require_interval()]
    (0.5, 0.5, [-0.7421, 1.7421])
    >>> weighted_mean([0.0, 0.5, 1.0, 1.0], clusters=["a", "a", "b", "c"]).df
    2
    """
    check_level(level)
    return with_student(bare_mean(Sample.of(values, weights, clusters), level))


def with_student(bare: Mean) -> Mean:
    """The mean with Student's t interval, where it has a standard error."""
    if bare.se is None:
        return bare
    half = t_quantile(bare.df, bare.level) * bare.se
    return replace(bare, low=bare.mean - half, high=bare.mean + half)


def bare_mean(sample: Sample, level: float) -> Mean:
    """Return the :func:`weighted_mean` of a sample without the ends of its interval."""
    reason = sample.why_no_error()
    se = None if reason else sample.error()
    return Mean(
        mean=sample.mean,
        sd=sample.deviation(),
        se=se,
        low=None,
        high=None,
        df=sample.units - 1,
        n=sample.n,
        n_eff=sample.kish if se is None else sample.kish / sample.design_effect(),
        total_weight=sample.total_weight,
        minimum=float(sample.x.min()),
        maximum=float(sample.x.max()),
        level=level,
        method=_method(sample),
        reason=reason,
        warnings=sample.warnings(),
        clusters=sample.clusters,
    )


def _method(sample: Sample) -> str:
    kind = "mean" if sample.w.min() == sample.w.max() else "weighted ratio mean"
    return f"{kind}, Student's t" + ("" if sample.cluster is None else ", clustered (CR1)")
