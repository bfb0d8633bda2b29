"""Means of scores between 0 and 1, with an interval that holds at few cases."""

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from benchmaker.errors import SpecError
from benchmaker.stats.columns import Floats, check_level, finite_column
from benchmaker.stats.means.means import Mean, bare_mean, with_student
from benchmaker.stats.means.proportions import clopper_pearson, wilson
from benchmaker.stats.means.sample import Sample
from benchmaker.stats.quantiles import t_quantile, z_quantile

MANY = 50
MATCHED: Final = "variance-matched Wilson, Student's t"
"""A description of the method of :func:`within_scale`."""

_COCHRAN = 25.0
_UNSEEN = 0.5
_MOST_CASES = 10_000_000


def bounded_mean(
    values: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
) -> Mean:
    """Return the weighted mean of scores in [0, 1] with an interval inside [0, 1], not clipped.

    Scores that are all 0 or 1 get Wilson's interval on n_eff observations. Graded scores get
    Wilson's with the number of observations that matches their variance: with n_eff values of mean
    m and variance s², n_eff · (n_eff·m(1-m) + ½) / (n_eff·s² + ½). The halves represent one unseen
    0 and one unseen 1; without them five equal scores would have no width. For 0/1 scores the
    factor is 1. From 50 units on, graded scores get Student's t, unless it exceeds 0 or 1 or the
    scores are too skewed for it: Cochran's rule requires n > 25 · skewness² (Cochran 1977, Sampling
    Techniques, section 2.15). The simulated coverage is in docs/explanation/coverage.md.

    ``n_eff`` is (Σw)²/Σw² over the design effect of the clusters, which is taken as at least 1, and
    Student's t with one degree of freedom less than clusters replaces the normal quantile. ``se``
    is that of :func:`~benchmaker.stats.means.means.weighted_mean`; if it is None, a warning
    explains why, and there is still an interval. Only a single cluster has none.

    Args:
        values: numbers from 0 to 1, one dimension.
        weights: as many, finite and at least 0; None for equal ones.
        clusters: as many labels; None for independent values.
        level: confidence level of the interval, between 0 and 1.

    Raises:
        SpecError: an unusable value, weight or label; the message names its row (from 1).
        NotEnoughData: no value of positive weight.

    >>> m = bounded_mean([1, 1, 1, 1, 1])
    >>> m.mean, [round(end, 4) for end in m.require_interval()], m.method
    (1.0, [0.5655, 1.0], 'mean, Wilson')
    """
    check_level(level)
    sample = Sample.of(_check_unit_range(values), weights, clusters)
    bare = bare_mean(sample, level)
    if sample.clusters == 1:
        return replace(bare, reason="1 cluster, at least 2 are needed")
    if _may_be_for_student(sample, bare):
        student = with_student(bare)
        if _is_inside(student):
            return student
    return _with_wilson(sample, bare)


def exact_mean(
    values: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
) -> Mean:
    """Return the weighted mean of scores in [0, 1] with exact binomial limits, for decisions.

    The limits of Clopper and Pearson (1934) leave at least (1 - level)/2 on either side, which an
    approximation does only on average. Graded scores have those of shares with the same mean, since
    no scores in [0, 1] vary more; a small variance in the sample does not exclude rare zeros
    (Hoeffding 1963, Theorem 1). ``n_eff`` observations stand for weighted or clustered scores, as
    in :func:`bounded_mean`; it is the number the limits were computed with. If values share
    clusters it is multiplied by (t(n - 1) / t(clusters - 1))², since a design effect from few
    clusters is itself uncertain: Korn and Graubard (1998), Survey Methodology 24, 193-201.

    Raises:
        SpecError: an unusable value, weight or label.
        NotEnoughData: no value of positive weight.

    >>> m = exact_mean([1] * 6)
    >>> [round(end, 4) for end in m.require_interval()]
    [0.5407, 1.0]
    """
    check_level(level)
    sample = Sample.of(_check_unit_range(values), weights, clusters)
    bare = bare_mean(sample, level)
    if sample.clusters == 1:
        return replace(bare, reason="1 cluster, at least 2 are needed")
    size = effective_size(sample)
    n_eff = size.n_eff * _few_clusters_factor(sample, level)
    low, high = clopper_pearson(sample.mean * n_eff, (1.0 - sample.mean) * n_eff, level)
    return replace(
        bare,
        low=low,
        high=high,
        n_eff=n_eff,
        method=bare.method.replace("Student's t", "Clopper–Pearson"),
        reason="",
        warnings=bare.warnings + size.warnings,
    )


def within_scale(mean: Mean, low: float = 0.0, high: float = 1.0) -> Mean:
    """Return the mean with an interval that never leaves its scale, if it has a standard error.

    For figures with a standard error but no single 0–1 observations: means of runs or tasks, errors
    of a judge. The ends solve |m - μ| = t · √(μ(1-μ)/N) on the scale of 0 to 1, where N is the
    number of 0/1 values whose mean has the same standard error: Wilson's interval, matched to the
    variance, with Student's t. Near the middle of the scale it is Student's own; beside an end it
    covers better. The simulated coverage is in docs/explanation/coverage.md.

    >>> from benchmaker.stats.means.means import weighted_mean
    >>> m = within_scale(weighted_mean([0.85, 0.95, 0.98]))
    >>> [round(end, 4) for end in m.require_interval()]
    [0.6103, 0.9903]
    """
    if mean.se is None:
        return mean
    ends = ends_within(mean.mean, mean.se, mean.n, t_quantile(mean.df, mean.level), low, high)
    return replace(
        mean,
        low=ends[0],
        high=ends[1],
        method=mean.method.replace("Student's t", MATCHED),
    )


def ends_within(  # noqa: PLR0917  a figure, its error and its scale
    mean: float, se: float, size: float, quantile: float, low: float = 0.0, high: float = 1.0
) -> tuple[float, float]:
    """The ends of :func:`within_scale` out of mean and standard error.

    A mean at an end of the scale has as many observations as its ``size``.
    """
    share, away = _share(mean, low, high), se / (high - low)
    variance = share * (1.0 - share)
    matched = variance / away / away if away > 0 and variance > 0 else size
    return _wilson_on(share, matched, quantile, low, high)


def ends_of_labels(  # noqa: PLR0917  a figure, its error, the labels behind it, and its scale
    mean: float,
    se: float,
    size: float,
    quantile: float,
    low: float = 0.0,
    high: float = 1.0,
    *,
    unseen: bool,
) -> tuple[float, float]:
    """Return the interval of a mean based on ``size`` labels, at most as wide as theirs.

    Wilson's interval with the number of observations that matches the standard error, at least that
    of the labels. With ``unseen``, the sum of squares grows as in :func:`bounded_mean`: by ½ on a
    scale from 0 to 1, by 1 (one value at an end) on that from -1 to 1.
    """
    share, squares = _share(mean, low, high), (size * se / (high - low)) ** 2
    hidden = _UNSEEN / (high - low) if unseen else 0.0
    matched = size * _times(size, share, squares, hidden)
    return _wilson_on(share, matched, quantile, low, high)


def _share(mean: float, low: float, high: float) -> float:
    return min(max((mean - low) / (high - low), 0.0), 1.0)


def _wilson_on(
    share: float, size: float, quantile: float, low: float, high: float
) -> tuple[float, float]:
    """Wilson's ends on a scale."""
    ends = wilson(share, size, quantile)
    return low + (high - low) * ends[0], low + (high - low) * ends[1]


def cases_to_decide(mean: Mean, threshold: float) -> int | None:
    """Return the number of such cases that excludes the threshold from the exact limits.

    At least the present number. None if the mean equals the threshold or millions of cases would
    not suffice.

    >>> cases_to_decide(exact_mean([1] * 6), 0.8)
    17
    """
    each = mean.n_eff / mean.n

    def decides(cases: int) -> bool:
        size = cases * each
        low, high = clopper_pearson(mean.mean * size, (1.0 - mean.mean) * size, mean.level)
        return low >= threshold or high < threshold

    most = mean.n
    while not decides(most):
        most *= 2
        if most > _MOST_CASES or mean.mean == threshold:
            return None
    least = most // 2
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if decides(middle) else (middle, most)
    return most


@dataclass(frozen=True, slots=True)
class EffectiveSize:
    """The effective number of observations of a sample, with remarks."""

    n_eff: float
    warnings: tuple[str, ...] = ()


def _with_wilson(sample: Sample, bare: Mean) -> Mean:
    graded = not _is_binary(sample)
    size = effective_size(sample)
    matched = size.n_eff * (_variance_ratio(sample, size.n_eff) if graded else 1.0)
    low, high = wilson(sample.mean, matched, _quantile(sample, bare.level))
    name = "variance-matched Wilson" if graded else "Wilson"
    missing = (f"no standard error: {bare.reason}",) if bare.reason else ()
    return replace(
        bare,
        low=low,
        high=high,
        n_eff=size.n_eff,
        method=bare.method.replace("Student's t", name),
        reason="",
        warnings=bare.warnings + size.warnings + missing,
    )


def _may_be_for_student(sample: Sample, bare: Mean) -> bool:
    """True if there are enough graded scores for Student's t, and not too skewed.

    Checked before t is computed, so that 0/1 scores never load its library.
    """
    if not bare.se or sample.units < MANY or _is_binary(sample):
        return False
    return not is_skewed(sample.residuals())


def is_skewed(residuals: Floats) -> bool:
    """True if numbers that sum to 0 are too skewed for Student's t, by Cochran's rule."""
    return len(residuals) <= _COCHRAN * _skewness(residuals) ** 2


def _is_inside(mean: Mean) -> bool:
    low, high = mean.require_interval()
    return low >= 0.0 and high <= 1.0


def _skewness(residuals: Floats) -> float:
    """Fisher's, of numbers that sum to 0."""
    n, shape = len(residuals), residuals / np.abs(residuals).max()
    second = math.fsum(shape**2) / n
    return math.fsum(shape**3) / n / math.pow(second, 1.5)


def _is_binary(sample: Sample) -> bool:
    return bool(((sample.x == 0.0) | (sample.x == 1.0)).all())


def effective_size(sample: Sample) -> EffectiveSize:
    """Return n_eff: Kish's number, divided by a design effect of at least 1.

    If all values are equal there is no design effect; each cluster then counts as one value.
    """
    if sample.cluster is None:
        return EffectiveSize(sample.kish)
    if sample.is_constant:
        return EffectiveSize(sample.kish_of_clusters)
    effect = sample.design_effect()
    if sample.units < sample.n and effect < 1.0:
        return EffectiveSize(sample.kish, (f"a design effect of {effect:.2f} is taken as 1",))
    return EffectiveSize(sample.kish / max(effect, 1.0))


def _variance_ratio(sample: Sample, n_eff: float) -> float:
    """By how much less graded scores vary than 0/1 scores of the same mean; at least 1."""
    variance = math.fsum(sample.w * (sample.x - sample.mean) ** 2) / sample.total
    return _times(n_eff, sample.mean, n_eff * variance, _UNSEEN)


def _times(size: float, mean: float, squares: float, unseen: float) -> float:
    """Return the number of 0/1 values equivalent to one observation by spread; at least 1."""
    return max((size * (mean * (1.0 - mean)) + unseen) / (squares + unseen), 1.0)


def _few_clusters_factor(sample: Sample, level: float) -> float:
    """The factor on the effective sample size for a design effect from few clusters."""
    if sample.units == sample.n:
        return 1.0
    return (t_quantile(sample.n - 1, level) / t_quantile(sample.units - 1, level)) ** 2


def _quantile(sample: Sample, level: float) -> float:
    """Normal; Student's t where values share clusters, whose effect is estimated."""
    if sample.units == sample.n:
        return z_quantile(level)
    return t_quantile(sample.units - 1, level)


def _check_unit_range(values: ArrayLike) -> Floats:
    x = finite_column(values, "value")
    outside = (x < 0.0) | (x > 1.0)
    if outside.any():
        row = int(np.argmax(outside))
        message = f"The value in row {row + 1} is {x[row]:g}; a score lies between 0 and 1."
        raise SpecError(message, hint="Use weighted_mean for other scales.")
    return x
