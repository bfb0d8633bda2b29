"""Uncertainty of strengths: independent battles, or clusters of correlated battles."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from benchmaker.errors import NotEnoughData
from benchmaker.stats.ratings.battles import Battles
from benchmaker.stats.ratings.codes import Codes, cluster_codes, intersect_clusters
from benchmaker.stats.ratings.effective import effective_clusters
from benchmaker.stats.ratings.likelihood import Fit
from benchmaker.stats.ratings.rating import (
    LEAST_EFFECTIVE,
    Covariance,
    Floats,
    difference_variances,
    round_down,
)
from benchmaker.stats.ratings.slopes import ClusterSlopes, cluster_slopes

FEW_CLUSTERS = 20

AtLeast: TypeAlias = Sequence[Hashable] | Literal["battles"] | None
Degrees: TypeAlias = Literal["clusters", "effective"]


@dataclass(frozen=True, slots=True, eq=False)
class RatingCovariance:
    """A covariance matrix of all parameters, with its source.

    ``df`` is None for a normal interval; ``clusters`` is the smaller number of two ways.
    ``effective`` are the effective clusters of each parameter and difference, None if t has
    ``clusters`` - 1.
    """

    matrix: Floats
    kind: Covariance
    said: str
    clusters: int | None = None
    df: float | None = None
    effective: Floats | None = None
    warnings: tuple[str, ...] = ()


def model_covariance(fit: Fit) -> RatingCovariance:
    """H⁻¹: right when the model of wins and ties is; half-win ties make it too wide."""
    return RatingCovariance(fit.inverse, "model", "model-based")


def sandwich(fit: Fit) -> RatingCovariance:
    """H⁻¹BH⁻¹ with independent battles, from the counts alone (Huber 1967, White 1982)."""
    meat = fit.likelihood.meat(fit.outlook)
    return RatingCovariance(fit.inverse @ meat @ fit.inverse, "sandwich", "sandwich")


def expected_sandwich(fit: Fit) -> Floats:
    """H⁻¹·E[B]·H⁻¹ with the B that the model expects of independent battles.

    The sandwich can be 0, this not: it is the scale of rounding errors. It is H⁻¹ if all weights
    are 1.
    """
    likelihood, counts = fit.likelihood, fit.likelihood.counts
    squares = replace(counts, win=counts.win_squares, tie=counts.tie_squares)
    meat = replace(likelihood, counts=squares, prior=0.0).information(fit.at, fit.outlook)
    return np.asarray(fit.inverse @ meat @ fit.inverse)


def cluster_sandwich(
    fit: Fit,
    battles: Battles,
    clusters: Sequence[Hashable],
    at_least: AtLeast = None,
    degrees: Degrees = "clusters",
) -> RatingCovariance:
    """H⁻¹BH⁻¹ with B = G/(G-1)·Σ s_g·s_gᵀ over clusters (CR1), and t with G - 1.

    With a prior the slopes s_g do not add up to 0, and their mean is subtracted.

    With few clusters, or one that holds most battles, B is often far too small: the slopes of a
    dominant cluster nearly add up to 0, and those of two battles of one case cancel by chance.
    With ``at_least`` no variance is then below that of independent battles, nor below that over
    the finer clusters given there. With ``effective`` degrees t has G* - 1; see
    :func:`~benchmaker.stats.ratings.effective.effective_clusters`.

    Source: Liang and Zeger 1986; Cameron and Miller 2015, Journal of Human Resources 50, on few
    clusters; Carter, Schnepel and Steigerwald 2017, Review of Economics and Statistics 99, on
    clusters of unequal size.

    Raises:
        NotEnoughData: fewer than two clusters.
    """
    codes = cluster_codes(clusters, len(battles), battles.counted_mask)
    one = _one_way(fit, battles, codes, "cluster")
    matrices = [fit.inverse @ one.meat @ fit.inverse]
    note = ""
    if at_least is not None:
        matrices.append(_independent(fit))
        note = ", at least independent battles"
    if at_least is not None and at_least != "battles":
        finer = cluster_codes(at_least, len(battles), battles.counted_mask)
        matrices.append(fit.inverse @ _one_way(fit, battles, finer, "cluster").meat @ fit.inverse)
        note += " and single cases"
    effective = one.effective(fit) if degrees == "effective" else None
    of_models = None if effective is None else effective[: one.slopes.models, : one.slopes.models]
    shape = _describe_t(one.number, of_models)
    return RatingCovariance(
        matrix=matrices[0] if len(matrices) == 1 else largest_variances(matrices),
        kind="clustered",
        said=f"sandwich over {one.number:,} clusters (CR1{note}), {shape}",
        clusters=one.number,
        df=base_degrees(one.number, of_models),
        effective=effective,
        warnings=_few_clusters_warning(one.number),
    )


def two_way_sandwich(
    fit: Fit,
    battles: Battles,
    clusters: Sequence[Hashable],
    crossed: Sequence[Hashable],
    degrees: Degrees = "clusters",
) -> RatingCovariance:
    """Clustered by both labels: one way plus the other minus their intersection.

    With few clusters the difference is often far too small, even negative. No variance is therefore
    below those of clustering one way, nor below that of independent battles; see
    :func:`largest_variances`. Each of the three sums has its own G/(G-1), and t has the smaller
    number of clusters less one, or of effective ones with ``effective`` degrees. With few clusters
    this is conservative if battles of a cluster are in fact independent.

    Source: Cameron, Gelbach and Miller 2011, Journal of Business and Economic Statistics 29;
    Cameron and Miller 2015, Journal of Human Resources 50; for the largest of several variances,
    MacKinnon, Nielsen and Webb 2024, Jackknife inference with two-way clustering.

    Raises:
        NotEnoughData: fewer than two clusters of either kind.
    """
    one = cluster_codes(clusters, len(battles), battles.counted_mask)
    two = cluster_codes(crossed, len(battles), battles.counted_mask)
    first = _one_way(fit, battles, one, "first kind of cluster")
    second = _one_way(fit, battles, two, "second kind of cluster")
    common = _one_way(fit, battles, intersect_clusters(one, two), "pair of clusters")
    meats = (first.meat + second.meat - common.meat, first.meat, second.meat)
    spreads = [fit.inverse @ meat @ fit.inverse for meat in meats]
    effective = None
    if degrees == "effective":
        effective = np.minimum(first.effective(fit), second.effective(fit))
    fewest, models = min(first.number, second.number), first.slopes.models
    of_models = None if effective is None else effective[:models, :models]
    return RatingCovariance(
        matrix=largest_variances([*spreads, _independent(fit)]),
        kind="two-way",
        said=(
            f"sandwich over {first.number:,} × {second.number:,} clusters (two-way CR1, at least "
            f"one-way CR1 and independent battles), {_describe_t(fewest, of_models)}"
        ),
        clusters=fewest,
        df=base_degrees(fewest, of_models),
        effective=effective,
        warnings=_few_clusters_warning(fewest),
    )


def base_degrees(number: int, effective: Floats | None) -> float:
    """Return the degrees of freedom of the model with most effective clusters.

    ``effective`` are those of the models, without further parameters. Without any, or
    if no model has two of them, it is clusters - 1.
    """
    own = np.zeros(0) if effective is None else np.diag(effective)
    most = float(own.max(initial=0.0))
    return number - 1 if most < LEAST_EFFECTIVE or most == number else most - 1


def _describe_t(number: int, effective: Floats | None) -> str:
    own = np.array([float(number)]) if effective is None else np.diag(effective)
    own = own[own > 0]  # a model alone in its group has none
    if (own == number).all():
        return f"t({number - 1:,})"
    ends = " to ".join(dict.fromkeys(f"{round_down(end):,}" for end in (own.min(), own.max())))
    return f"t with the effective clusters, {ends}, minus 1 as degrees of freedom"


def _independent(fit: Fit) -> Floats:
    """The covariance of independent battles; with a prior the one that the model expects.

    The slopes of battles that all end alike are nearly 0 at strengths that only a prior keeps
    finite, so that they say nothing of the variance.
    """
    return expected_sandwich(fit) if fit.likelihood.prior > 0 else sandwich(fit).matrix


@dataclass(frozen=True, slots=True, eq=False)
class _OneWay:
    """The middle of the sandwich (CR1) with its slopes."""

    meat: Floats
    slopes: ClusterSlopes

    @property
    def number(self) -> int:
        return self.slopes.number

    def effective(self, fit: Fit) -> Floats:
        information = fit.likelihood.information(fit.at, fit.outlook)
        return effective_clusters(self.slopes, np.diag(information))


def _one_way(fit: Fit, battles: Battles, codes: Codes, what: str) -> _OneWay:
    number = int(codes.max()) + 1
    if number < 2:  # noqa: PLR2004
        raise NotEnoughData(
            f"There is only one {what}; nothing shows how much clusters differ.",
            needed=2,
            got=number,
            hint="Leave the clusters out only if the battles are independent of one another.",
        )
    slopes = cluster_slopes(fit, battles, codes)
    meat = slopes.meat()
    if fit.likelihood.prior > 0:
        total = fit.likelihood.prior_slope(fit.at)
        meat -= np.outer(total, total) / number
    return _OneWay(meat * (number / (number - 1)), slopes)


def _few_clusters_warning(number: int) -> tuple[str, ...]:
    if number >= FEW_CLUSTERS:
        return ()
    said = f"intervals are rough with fewer than {FEW_CLUSTERS} clusters, here {number}"
    return (f"{said}: add cases or voters",)


def largest_variances(matrices: Sequence[Floats]) -> Floats:
    """Return a covariance with the largest variance of each figure and of each difference.

    The largest variances of figures d and of differences D define the matrix (d_i + d_j - D_ij)/2.
    It is one of the given ones if that has the largest variances everywhere. Otherwise it can have
    negative eigenvalues; raising these to 0 makes it a covariance and lowers no variance.
    """
    own = np.max([np.diag(matrix) for matrix in matrices], axis=0)
    apart = np.max([difference_variances(matrix) for matrix in matrices], axis=0)
    return _raise_eigenvalues((own[:, None] + own[None, :] - apart) / 2)


def _raise_eigenvalues(matrix: Floats) -> Floats:
    values, vectors = np.linalg.eigh(matrix)
    rounding = float(values[-1]) * len(values) * float(np.finfo(np.float64).eps)
    if values[0] >= -rounding:
        return matrix
    return np.asarray(matrix - (vectors * np.minimum(values, 0)) @ vectors.T)
