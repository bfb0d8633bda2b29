"""Bradley-Terry ratings with intervals."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.ratings.battles import BattleCounts, Battles
from benchmaker.stats.ratings.connectivity import groups, require_connected
from benchmaker.stats.ratings.covariance import (
    AtLeast,
    Degrees,
    RatingCovariance,
    cluster_sandwich,
    expected_sandwich,
    model_covariance,
    sandwich,
    two_way_sandwich,
)
from benchmaker.stats.ratings.likelihood import Fit, Likelihood, fit
from benchmaker.stats.ratings.rating import (
    LEAST_EFFECTIVE,
    OFFSET,
    SCALE,
    Floats,
    Ints,
    Ratings,
    Ties,
    known_errors,
    standard_errors,
)
from benchmaker.stats.ratings.ties import tie_model

_FEW_BATTLES = 10


@dataclass(frozen=True, slots=True)
class Display:
    """Display of strengths: points, their origin, and the confidence level."""

    scale: float = SCALE
    offset: float = OFFSET
    anchor: tuple[str, float] | None = None
    level: float = 0.95

    def __post_init__(self) -> None:
        if not 0.0 < self.level < 1.0:
            raise SpecError(f"The confidence level {self.level!r} is not between 0 and 1.")
        if not (0.0 < self.scale < np.inf and np.isfinite(self.offset)):
            raise SpecError(f"A scale of {self.scale!r} from {self.offset!r} shows nothing.")

    def origin(self, names: Sequence[str], theta: Floats) -> float:
        """Points of θ = 0."""
        if self.anchor is None:
            return self.offset
        name, points = self.anchor
        if name not in names:
            raise SpecError(f"The anchor {name!r} is in no battle.")
        return points - self.scale * float(theta[list(names).index(name)])


Labels: TypeAlias = Sequence[Hashable] | None


def bradley_terry(
    data: Battles | BattleCounts,
    *,
    ties: Ties = "half",
    covariance: Literal["sandwich", "model"] = "sandwich",
    clusters: Sequence[Hashable] | None = None,
    crossed_with: Sequence[Hashable] | None = None,
    at_least: AtLeast = None,
    degrees: Degrees = "clusters",
    disconnected: Literal["error", "components"] = "error",
    prior: float = 0.0,
    anchor: tuple[str, float] | None = None,
    scale: float = SCALE,
    offset: float = OFFSET,
    level: float = 0.95,
) -> Ratings:
    """Estimate strengths θ with P(i beats j) = 1 / (1 + exp(θ_j - θ_i)), by maximum likelihood.

    Args:
        data: battles, or their counts if there are no clusters.
        ties: ``half`` counts a tie as half a win; ``davidson`` and ``rao_kupper`` model it.
        covariance: ``sandwich`` (robust, independent battles) or ``model``; clusters take
            precedence.
        clusters: a label for each battle: the voter, or the prompt. Battles of a cluster may be
            correlated; the interval is Student's t with clusters - 1.
        crossed_with: a second label for each battle, for two-way clusters.
        at_least: with one label, ``battles``: no variance is below that of independent battles. A
            label of finer clusters: nor below theirs. None for plain CR1. Two-way clusters are
            always at least independent battles.
        degrees: of freedom of Student's t with clusters: their number less one, or the
            ``effective`` number of each figure less one, without an interval below 2.
        disconnected: ``components`` rates within each group of models that share a scale and
            leaves out the battles between groups; ``error`` refuses.
        prior: the weight of one tie of each model with an average opponent. Above 0 it puts all
            models on one scale, and shrinks them towards the middle.
        anchor: a model and its fixed points. It moves the origin; intervals stay those
            of the distance from the average.
        scale: points for one unit of log odds.
        offset: points of the average, unless there is an anchor.
        level: of the intervals.

    Raises:
        DisconnectedBattles: groups that never met, or of which one won every battle; named.
        NotEnoughData: fewer than two models, nothing decided, a single cluster, no tie to model.
        NotConverged: Newton's steps did not converge.
        SpecError: an unusable argument.

    Source: Bradley and Terry 1952; Ford 1957 for when strengths exist.

    >>> from benchmaker.stats.ratings.battles import counts
    >>> r = bradley_terry(counts(["x", "x", "x", "y"], ["y"] * 3 + ["x"], ["a"] * 4))
    >>> [round(points) for points in r.score]
    [1095, 905]
    """
    display = Display(scale, offset, anchor, level)
    table = data.counts() if isinstance(data, Battles) else data
    table, group, said = select_comparable(table, disconnected, prior)
    found = fit(Likelihood(table, tie_model(ties), prior, group))
    rows = inside_groups(data, group) if isinstance(data, Battles) else None
    spread = _spread(found, rows, covariance, (clusters, crossed_with, at_least), degrees)
    return to_ratings(found, spread, display, warnings=said)


def to_ratings(
    found: Fit, spread: RatingCovariance, display: Display, *, warnings: tuple[str, ...]
) -> Ratings:
    """A fit and its covariance as ratings."""
    likelihood, counts = found.likelihood, found.likelihood.counts
    m = counts.m
    expected = expected_sandwich(found)
    cov, independent = spread.matrix[:m, :m], expected[:m, :m]
    alone = np.bincount(likelihood.group)[likelihood.group] == 1
    theta = np.where(alone, np.nan, found.theta)
    effective = None if spread.effective is None else spread.effective[:m, :m]
    own = None if effective is None else np.diag(effective)
    se = known_errors(standard_errors(np.diag(cov), np.diag(independent)), own)
    se = np.where(alone, np.nan, se)
    score = display.origin(counts.names, theta) + display.scale * theta
    half = display.scale * quantile(0.5 + display.level / 2, spread.df) * se
    half = half * t_widening(own, spread.df, display.level)
    ratio = _variance_ratio(found, spread, se)
    eta, ties = found.eta, likelihood.ties
    made = Ratings(
        names=counts.names,
        theta=theta,
        cov=cov,
        independent=independent,
        se=se,
        score=score,
        low=score - half,
        high=score + half,
        n_battles=counts.n_battles,
        effective=counts.effective_battles * ratio,
        group=likelihood.group,
        n=counts.n,
        n_eff=counts.n_eff * _mean_known(ratio, counts.effective_battles),
        method=f"Bradley-Terry, {_SAID[ties.name]}, {spread.said}",
        covariance=spread.kind,
        ties=ties.name,
        tie_parameter=None if eta is None else ties.parameter(eta),
        tie_se=None if eta is None else _tie_se(found, spread, expected),
        clusters=spread.clusters,
        df=spread.df,
        level=display.level,
        scale=display.scale,
        offset=display.offset,
        prior=likelihood.prior,
        log_likelihood=found.value,
        iterations=found.iterations,
        warnings=(*warnings, *spread.warnings, *_warnings(found)),
        effective_clusters=effective,
    )
    return replace(made, warnings=(*made.warnings, *interval_warnings(made)))


_SAID: dict[Ties, str] = {
    "half": "ties as half wins",
    "davidson": "ties after Davidson",
    "rao_kupper": "ties after Rao and Kupper",
}


def quantile(p: float, df: float | None) -> float:
    """Return the quantile of Student's t, or of the normal distribution if ``df`` is None."""
    if df is None:
        return NormalDist().inv_cdf(p)
    from scipy.special import stdtrit  # noqa: PLC0415  loads for a third of a second

    return float(stdtrit(df, p))


def t_widening(effective: Floats | None, df: float | None, level: float) -> Floats | float:
    """Return the quantile of t with effective clusters - 1 over that with ``df``.

    It is 1 without effective clusters, and for figures with fewer than two of them.
    """
    if effective is None or df is None:
        return 1.0
    from scipy.special import stdtrit  # noqa: PLC0415  loads for a third of a second

    own = np.where(effective < LEAST_EFFECTIVE, df, effective - 1)
    return np.asarray(stdtrit(own, 0.5 + level / 2) / stdtrit(float(df), 0.5 + level / 2))


def select_comparable(
    table: BattleCounts, disconnected: Literal["error", "components"], prior: float
) -> tuple[BattleCounts, Ints, tuple[str, ...]]:
    """Return the usable counts, the groups that share a scale, and remarks."""
    if table.m < 2:  # noqa: PLR2004
        raise NotEnoughData("Ratings compare models.", needed=2, got=table.m)
    if not 0.0 <= prior < np.inf:
        raise SpecError(f"The prior weight is {prior!r}; give a number of at least 0.")
    group = groups(table)
    number = int(group.max()) + 1
    together = np.zeros_like(group)
    if prior > 0:
        said = f"a prior: each model tied once, with weight {prior:g}, with an average opponent"
        only = f"; only that puts {number} groups of models on one scale" if number > 1 else ""
        return table, together, (said + only,)
    if number == 1:
        return table, together, ()
    if disconnected == "error":
        require_connected(table)
    kept = table.restrict_to(group)
    if not kept.n:
        require_connected(table)
    return kept, group, _group_warnings(table, kept, group)


def _group_warnings(table: BattleCounts, kept: BattleCounts, group: Ints) -> tuple[str, ...]:
    number = int(group.max()) + 1
    said = (
        f"{number} groups of models have scales of their own; scores of two groups do not compare"
    )
    dropped = table.n - kept.n
    are = "battle between groups is" if dropped == 1 else "battles between groups are"
    left_out = [f"{dropped:,} {are} left out"] if dropped else []
    single = np.bincount(group)[group] == 1
    names = ", ".join(name for name, one in zip(table.names, single, strict=True) if one)
    alone = [f"no rating for {names}: alone in its group"] if names else []
    return (said, *left_out, *alone)


def inside_groups(battles: Battles, group: Ints) -> Battles:
    """Return the battles with weight 0 for those between two groups of models."""
    same = group[battles.a] == group[battles.b]
    if same.all():
        return battles
    own = np.ones(len(battles)) if battles.weight is None else battles.weight
    return Battles(battles.names, battles.a, battles.b, battles.outcome, own * same)


def _spread(
    found: Fit,
    battles: Battles | None,
    covariance: Literal["sandwich", "model"],
    labels: tuple[Labels, Labels, AtLeast],
    degrees: Degrees,
) -> RatingCovariance:
    clusters, crossed_with, at_least = labels
    if clusters is None:
        if crossed_with is not None:
            raise SpecError("crossed_with is the second of two labels; give clusters as well.")
        return model_covariance(found) if covariance == "model" else sandwich(found)
    if battles is None:
        raise SpecError(
            "Counts no longer know which battle belonged to which cluster.",
            hint="Give the result of battles(), not of counts().",
        )
    if covariance == "model":
        raise SpecError("A model-based covariance knows no clusters; leave one of the two out.")
    if crossed_with is None:
        return cluster_sandwich(found, battles, clusters, at_least, degrees)
    return two_way_sandwich(found, battles, clusters, crossed_with, degrees)


def _variance_ratio(found: Fit, spread: RatingCovariance, se: Floats) -> Floats:
    """Variance of independent battles over the variance found, at most 1.

    It is 1 where nothing is clustered, NaN where the standard error is unknown.
    """
    m = found.likelihood.counts.m
    if spread.clusters is None:
        return np.ones(m)
    return np.minimum(1.0, np.diag(sandwich(found).matrix)[:m] / se**2)


def _mean_known(values: Floats, weights: Floats) -> float:
    """The weighted mean of known values, NaN without any."""
    known = np.isfinite(values) & (weights > 0)
    return float(np.average(values[known], weights=weights[known])) if known.any() else np.nan


def _tie_se(found: Fit, spread: RatingCovariance, expected: Floats) -> float | None:
    own = None if spread.effective is None else spread.effective[-1:, -1]
    se = known_errors(standard_errors(spread.matrix[-1:, -1], expected[-1:, -1]), own)[0]
    slope = found.likelihood.ties.slope(float(found.at[-1]))
    return slope * float(se) if np.isfinite(se) else None


def _warnings(found: Fit) -> tuple[str, ...]:
    counts = found.likelihood.counts
    group = found.likelihood.group
    is_rated = np.bincount(group)[group] > 1
    is_few = is_rated & (counts.n_battles < _FEW_BATTLES)
    few = [name for name, one in zip(counts.names, is_few, strict=True) if one]
    said = f"ratings from fewer than {_FEW_BATTLES} battles are rough: {', '.join(few)}"
    return (said,) if few else ()


def interval_warnings(made: Ratings) -> tuple[str, ...]:
    """Return the models with a rating and no interval, by reason, in words."""
    lacking: dict[str, list[str]] = {}
    for name, reason in zip(made.names, made.interval_reasons(), strict=True):
        if reason:
            lacking.setdefault(reason, []).append(name)
    return tuple(f"no interval for {', '.join(names)}: {why}" for why, names in lacking.items())
