"""Means of many judged rows, corrected by the few with human labels."""

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.columns import Codes, Floats, check_level, cluster_codes, finite_column
from benchmaker.stats.differences import item_weights
from benchmaker.stats.means.bounded import effective_size, ends_of_labels, is_skewed
from benchmaker.stats.means.corrected import PpiEstimate
from benchmaker.stats.means.means import Mean, weighted_mean
from benchmaker.stats.means.sample import Sample
from benchmaker.stats.paired_columns import align
from benchmaker.stats.quantiles import t_quantile, z_quantile

Lambda: TypeAlias = float | Literal["optimal"]
Interval: TypeAlias = Literal["t", "normal", "wilson"]
Clusters: TypeAlias = tuple[Sequence[Hashable], Sequence[Hashable]]
Weights: TypeAlias = tuple[ArrayLike, ArrayLike]

FEW_LABELS = 50

_NEEDED = 3
_FEW_CLUSTERS = 20
_ROUNDING = 1e-12
_TAILS = {"t": "Student's t", "normal": "normal", "wilson": "variance-matched Wilson"}


class PpiSample(NamedTuple):
    """One system's labels, the judge on the same rows, and the judge on the rows without label."""

    y_labelled: ArrayLike
    f_labelled: ArrayLike
    f_unlabelled: ArrayLike


class _Parts(NamedTuple):
    """The columns as they are weighed, with the cluster of every row: first of those with a label.

    ``labels`` are the labels as they were given.
    """

    y: Floats
    f: Floats
    rest: Floats
    codes: Codes | None
    labels: Sample

    @property
    def units(self) -> int:
        """The number of independent labels, or of clusters with a label."""
        return len(self.y) if self.codes is None else len(set(self.codes[: len(self.y)].tolist()))


class _Trust(NamedTuple):
    """λ, and whether the data chose it."""

    value: float
    is_chosen: bool

    @property
    def used(self) -> int:
        """The degrees of freedom that a mean and λ take."""
        return 2 if self.is_chosen else 1


_LABELS_ALONE = _Trust(0.0, is_chosen=False)


class _Error(NamedTuple):
    se: float
    df: float | None


def ppi_mean(
    y_labelled: ArrayLike,
    f_labelled: ArrayLike,
    f_unlabelled: ArrayLike,
    *,
    lambda_: Lambda = "optimal",
    interval: Interval = "t",
    weights: Weights | None = None,
    clusters: Clusters | None = None,
    level: float = 0.95,
) -> PpiEstimate:
    """Estimate the mean of human labels from all judged rows and a random labelled part.

    Angelopoulos, Bates, Fannjiang, Jordan & Zrnic 2023, Prediction-powered inference, Science
    382, 669-674 (λ = 1), and Angelopoulos, Duchi & Zrnic 2023, PPI++, arXiv 2311.01453:
    variance λ²σ²_f/N + σ²_{y-λf}/n, least at λ = cov(y, f) / ((1 + n/N) var f). λ = 0 is the mean
    of the labels. λ is not kept within 0 and 1.

    The published interval is ``normal``. Ours, ``t``, is a little wider: it counts a degree of
    freedom for each mean and one for a chosen λ, and takes Satterthwaite's for the sum. With
    clusters both parts are summed by cluster first, λ minimises that variance, and the
    degrees of freedom are those of the labelled clusters.

    ``wilson`` is for labels from 0 to 1, and never leaves that scale: Wilson's interval, with the
    number of observations that matches the variance, but at least that of the labels, and t as
    above. Where labels or errors of the judge are too skewed for t (Cochran's rule, as in
    :func:`~benchmaker.stats.means.bounded.bounded_mean`), or the labels show no variance, unseen
    values are added (:func:`~benchmaker.stats.means.bounded.ends_of_labels`), and the normal
    quantile is used without clusters. Labels that do not vary have this interval too, and no
    ``se``. The simulated coverage is in docs/explanation/coverage.md.

    Args:
        y_labelled: the labels.
        f_labelled: the judge on the same rows.
        f_unlabelled: the judge on all other rows.
        lambda_: the weight of the judge, or ``optimal``.
        interval: t, normal or wilson.
        weights: of the labelled rows and of the others, above 0; None for equal ones.
        clusters: names for the labelled rows and for the others; one name may be on both sides.
        level: of the interval, between 0 and 1.

    Raises:
        NotEnoughData: fewer than three labelled rows, or two others.
        SpecError: an unusable value or weight, named by its row; columns of different
            lengths.

    >>> found = ppi_mean([1, 0, 1, 1], [1, 0, 0, 1], [1, 0, 1, 1, 0, 1], lambda_=1)
    >>> round(found.value, 6)
    0.916667
    """
    parts = _parts(PpiSample(y_labelled, f_labelled, f_unlabelled), weights, clusters)
    return _estimate(parts, lambda_, interval, level, low=0.0)


def ppi_difference(
    a: PpiSample,
    b: PpiSample,
    *,
    lambda_: Lambda = "optimal",
    interval: Interval = "t",
    weights: Weights | None = None,
    clusters: Clusters | None = None,
    level: float = 0.95,
) -> PpiEstimate:
    """Return the mean difference a - b over the same rows: ``ppi_mean`` of the differences.

    The scale of ``wilson`` is then that from -1 to 1.

    Args:
        a: one system; labels and judge.
        b: the other, on the same rows in the same order.
        lambda_: the weight of the judge, or ``optimal``.
        interval: t, normal or wilson.
        weights: of the labelled rows and of the others, above 0; None for equal ones.
        clusters: names for the labelled rows and for the others.
        level: of the interval, between 0 and 1.

    Raises:
        NotEnoughData: fewer than three labelled rows, or two others.
        SpecError: an unusable value or weight, named by its row; columns of different
            lengths.

    >>> good = PpiSample([1, 1, 1, 0], [1, 1, 0, 0], [1, 1, 1])
    >>> poor = PpiSample([0, 1, 0, 0], [0, 1, 0, 1], [0, 1, 0])
    >>> round(ppi_difference(good, poor, lambda_=0).value, 6)
    0.5
    """
    sides = [align(one, two) for one, two in zip(a, b, strict=True)]
    differences = PpiSample(*(one - two for one, two in sides))
    return _estimate(_parts(differences, weights, clusters), lambda_, interval, level, low=-1.0)


def _parts(judged: PpiSample, weights: Weights | None, clusters: Clusters | None) -> _Parts:
    y, f = align(judged.y_labelled, judged.f_labelled, noun="label")
    rest = finite_column(judged.f_unlabelled, "unlabelled value")
    if len(y) < _NEEDED:
        raise NotEnoughData("A correction needs three labelled rows.", needed=_NEEDED, got=len(y))
    if len(rest) < 2:  # noqa: PLR2004  a variance takes two
        message = "A correction needs two rows without a label."
        raise NotEnoughData(message, needed=2, got=len(rest), hint="Use the mean of the labels.")
    codes = None if clusters is None else _codes(clusters, len(y), len(rest))
    mine, others = (None, None) if weights is None else weights
    own, of_rest = _shares(mine, len(y)), _shares(others, len(rest))
    return _Parts(
        y=_linearise(y, own),
        f=_linearise(f, own),
        rest=_linearise(rest, of_rest),
        codes=codes,
        labels=Sample.of(y, own, clusters and clusters[0]),
    )


def _shares(weights: ArrayLike | None, rows: int) -> Floats:
    """Weights that are 1 on average."""
    w = item_weights(weights, rows)
    if not w.all():
        row = int(np.argmin(w)) + 1
        raise SpecError(f"The weight in row {row} is 0.", hint="Leave rows of weight 0 out.")
    return np.asarray(w / w.mean(), np.float64)


def _linearise(values: Floats, shares: Floats) -> Floats:
    """Values whose plain mean is the weighted one, and whose variance is that of the weighted mean.

    m + w (x - m) with weights of mean 1: the linearised ratio (Särndal, Swensson and Wretman 1992,
    Model Assisted Survey Sampling, section 5.7).
    """
    if not np.ptp(shares):
        return values
    mean = np.average(values, weights=shares)
    return np.asarray(mean + shares * (values - mean), np.float64)


def _codes(clusters: Clusters, labelled: int, others: int) -> Codes:
    if len(clusters[0]) != labelled or len(clusters[1]) != others:
        found = f"{len(clusters[0])} and {len(clusters[1])} clusters"
        message = f"There are {found} for {labelled} labelled and {others} other rows"
        raise SpecError(f"{message}; give one per row.")
    return cluster_codes([*clusters[0], *clusters[1]], labelled + others)


def _estimate(
    parts: _Parts, lambda_: Lambda, interval: Interval, level: float, *, low: float
) -> PpiEstimate:
    check_level(level)
    if interval not in _TAILS:
        raise SpecError(f"Unknown interval {interval!r}; take t, normal or wilson.")
    is_chosen = lambda_ == "optimal"
    trust = _Trust(_optimal_lambda(parts) if is_chosen else _number(lambda_), is_chosen)
    n, others = len(parts.y), len(parts.rest)
    value = trust.value * _mean(parts.rest) + _mean(parts.y - trust.value * parts.f)
    error, reason = _error(parts, trust, interval)
    if interval == "wilson":
        ends = _within_scale(parts, value, error, trust, level=level, low=low)
    else:
        ends = None if error is None else _around(value, error, level)
    labels, judge, bias = _single_source_means(parts, level)
    return PpiEstimate(
        value=value,
        se=None if error is None else error.se,
        low=None if ends is None else ends[0],
        high=None if ends is None else ends[1],
        df=None if error is None else error.df,
        lambda_=trust.value,
        labels_only=labels,
        judge_only=judge,
        bias=bias,
        n=n,
        n_unlabelled=others,
        n_eff=n * (labels.se / error.se) ** 2 if error and labels.se else float(n),
        clusters=None if parts.codes is None else int(parts.codes.max()) + 1,
        level=level,
        method=_method("mean" if low == 0.0 else "paired difference", parts, trust, interval),
        reason="" if ends else reason,
        warnings=_warnings(parts, trust.value, reason if ends else ""),
    )


def _number(lambda_: Lambda) -> float:
    if isinstance(lambda_, str) or not math.isfinite(lambda_):
        raise SpecError(f"λ is {lambda_!r}; give a number or 'optimal'.")
    return float(lambda_)


def _optimal_lambda(parts: _Parts) -> float:
    """The λ of least variance; 0 where the judge does not vary."""
    n, others = len(parts.y), len(parts.rest)
    if parts.codes is not None:
        along, across = _sums(parts)
        squares = math.fsum(across * across)
        return math.fsum(along * across) / squares if squares > 0.0 else 0.0
    pooled = np.concatenate([parts.f, parts.rest])
    variance = _squares(pooled) / (n + others - 1)
    away = (parts.y - _mean(parts.y)) * (parts.f - _mean(parts.f))
    return math.fsum(away) / n / ((1 + n / others) * variance) if variance > 0.0 else 0.0


def _error(parts: _Parts, trust: _Trust, interval: Interval) -> tuple[_Error | None, str]:
    """The standard error and its degrees of freedom, or why there is none."""
    if parts.codes is not None:
        return _clustered_error(parts, trust, interval)
    n, others, used = len(parts.y), len(parts.rest), trust.used
    is_normal = interval == "normal"
    label = _squares(parts.y - trust.value * parts.f) / (n if is_normal else n - used) / n
    judge = _squares(parts.rest) / (others if is_normal else others - 1) / others
    judge *= trust.value**2
    total = label + judge
    if total <= 0.0:
        return None, "neither labels nor judge vary"
    if is_normal:
        return _Error(math.sqrt(total), None), ""
    below = label**2 / (n - used) + judge**2 / (others - 1)
    return _Error(math.sqrt(total), total**2 / below), ""


def _clustered_error(parts: _Parts, trust: _Trust, interval: Interval) -> tuple[_Error | None, str]:
    along, across = _sums(parts)
    groups, used = parts.units, trust.used
    if groups <= used:
        return None, f"{groups} labelled clusters, at least {used + 1} are needed"
    total = groups / (groups - used) * math.fsum((along - trust.value * across) ** 2)
    if total <= 0.0:
        return None, "neither labels nor judge vary between clusters"
    return _Error(math.sqrt(total), None if interval == "normal" else float(groups - used)), ""


def _within_scale(
    parts: _Parts, value: float, error: _Error | None, trust: _Trust, *, level: float, low: float
) -> tuple[float, float] | None:
    """The ends of ``wilson`` on the scale from ``low`` to 1; None for a single labelled cluster."""
    freedom = parts.units - trust.used
    if freedom < 1:
        return None
    rests = (_unexplained(parts, trust), _unexplained(parts, _LABELS_ALONE))
    is_rough = error is None or any(map(_is_rough, rests))
    if not is_rough and error is not None and error.df is not None:
        quantile = t_quantile(error.df, level)
    else:
        quantile = z_quantile(level) if parts.codes is None else t_quantile(freedom, level)
    se = 0.0 if error is None else error.se
    size = effective_size(parts.labels).n_eff
    return ends_of_labels(value, se, size, quantile, low, unseen=is_rough)


def _unexplained(parts: _Parts, trust: _Trust) -> Floats:
    """Return the residual of each label given the judge, summed by cluster if there are any.

    A chosen λ is smaller than the slope of the labels on the judge, since unlabelled rows are few;
    the residuals from the slope are the errors of the judge.
    """
    y, f = parts.y - _mean(parts.y), parts.f - _mean(parts.f)
    squares = math.fsum(f * f)
    is_fitted = trust.is_chosen and squares > 0.0
    rest = y - (math.fsum(y * f) / squares if is_fitted else trust.value) * f
    return rest if parts.codes is None else _sum_by_cluster(parts.codes[: len(y)], rest)


def _is_rough(residuals: Floats) -> bool:
    """True if labels or errors are too skewed for Student's t, or constant."""
    return bool(np.abs(residuals).max() <= _ROUNDING) or is_skewed(residuals)


def _sums(parts: _Parts) -> tuple[Floats, Floats]:
    """By cluster: Σ(y - mean)/n, and Σ(f - mean)/n less Σ(f - mean)/N of the other rows."""
    codes = np.zeros(0, np.int64) if parts.codes is None else parts.codes
    n, others = len(parts.y), len(parts.rest)
    along = np.concatenate([(parts.y - _mean(parts.y)) / n, np.zeros(others)])
    across = np.concatenate(
        [(parts.f - _mean(parts.f)) / n, -(parts.rest - _mean(parts.rest)) / others]
    )
    return _sum_by_cluster(codes, along), _sum_by_cluster(codes, across)


def _sum_by_cluster(codes: Codes, numbers: Floats) -> Floats:
    order = np.lexsort((numbers, codes))
    return np.asarray(np.bincount(codes[order], weights=numbers[order]), np.float64)


def _single_source_means(parts: _Parts, level: float) -> tuple[Mean, Mean, Mean]:
    """Labels only, judge only over all rows, and judge less label."""
    everyone = np.concatenate([parts.f, parts.rest])
    mine: Iterable[Hashable] | None = None
    if parts.codes is not None:
        mine = parts.codes[: len(parts.y)].tolist()
    all_of_them = None if parts.codes is None else parts.codes.tolist()
    return (
        weighted_mean(parts.y, clusters=mine, level=level),
        weighted_mean(everyone, clusters=all_of_them, level=level),
        weighted_mean(parts.f - parts.y, clusters=mine, level=level),
    )


def _around(value: float, error: _Error, level: float) -> tuple[float, float]:
    quantile = z_quantile(level) if error.df is None else t_quantile(error.df, level)
    return value - quantile * error.se, value + quantile * error.se


def _mean(x: Floats) -> float:
    return math.fsum(x.tolist()) / len(x)


def _squares(x: Floats) -> float:
    return math.fsum(((x - _mean(x)) ** 2).tolist())


def _method(what: str, parts: _Parts, trust: _Trust, interval: Interval) -> str:
    name = f"{'PPI++' if trust.is_chosen else 'PPI at a given λ'} {what}"
    return f"{name}, {'' if parts.codes is None else 'clustered, '}{_TAILS[interval]}"


def _warnings(parts: _Parts, trust: float, missing: str) -> tuple[str, ...]:
    n = len(parts.y)
    said = [f"only {n} labels; below {FEW_LABELS} the interval may be too narrow"]
    said = said if n < FEW_LABELS else []
    if trust < 0.0:
        said.append(f"the judge runs against the labels (λ = {trust:.3g})")
    if parts.f.min() == parts.f.max() and parts.rest.min() == parts.rest.max():
        said.append("the judge is constant and adds nothing")
    if parts.codes is not None and parts.units < _FEW_CLUSTERS:
        said.append(f"only {parts.units} labelled clusters")
    if missing:
        said.append(f"no standard error: {missing}")
    return tuple(said)
