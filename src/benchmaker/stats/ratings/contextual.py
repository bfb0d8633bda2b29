"""Bradley-Terry with covariates: strengths and shared coefficients by blockwise Newton steps."""

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from benchmaker.errors import NotConverged
from benchmaker.stats.ratings.battles import Battles
from benchmaker.stats.ratings.codes import Codes, intersect_clusters
from benchmaker.stats.ratings.covariance import largest_variances
from benchmaker.stats.ratings.effective import effective_clusters
from benchmaker.stats.ratings.rating import Floats, Ints, level_ties
from benchmaker.stats.ratings.slopes import ClusterSlopes
from benchmaker.stats.ratings.ties import logistic

_TOLERANCE = 1e-10
_MOST_STEPS = 100
_MOST_HALVINGS = 40
_ROUNDING = 1e-13
_UNSETTLED = f"The ratings with covariates did not settle within {_MOST_STEPS} steps."
_HINT = (
    "Leave out a feature that decides every battle, or one of two that carry the same information."
)


@dataclass(frozen=True, slots=True, eq=False)
class BattleRows:
    """Battles in a fixed order, seen from the model that comes first.

    ``share`` is 1, ½ or 0; ``gaps`` (n × f) are its covariates less its opponent's. ``floor``
    names what no variance may be below: ``battles`` for independent battles, finer clusters for
    these as well. ``crossed`` are clusters of a second kind. ``group`` is the group of each model
    whose strengths share a scale, None for one group; no battle is between two groups.
    """

    models: int
    low: Ints
    high: Ints
    share: Floats
    gaps: Floats
    weight: Floats
    cluster: Codes | None
    floor: Codes | Literal["battles"] | None = None
    crossed: Codes | None = None
    group: Ints | None = None

    @classmethod
    def of(
        cls,
        battles: Battles,
        gaps: Floats,
        cluster: Codes | None,
        floor: Codes | Literal["battles"] | None = None,
        crossed: Codes | None = None,
    ) -> Self:
        """Return the rows of positive weight, sorted by content, regardless of input order."""
        m = len(battles.names)
        weight = np.ones(len(battles)) if battles.weight is None else battles.weight
        cells = battles.cells()
        turned = np.where(battles.a > battles.b, -1.0, 1.0)[:, None] * gaps + 0.0
        order = np.lexsort((*turned.T, weight, cells))
        order = order[weight[order] > 0]
        cell = cells[order]
        return cls(
            models=m,
            low=cell // m % m,
            high=cell % m,
            share=cell // (m * m) / 2,
            gaps=turned[order],
            weight=weight[order],
            cluster=None if cluster is None else cluster[order],
            floor=floor if floor is None or isinstance(floor, str) else floor[order],
            crossed=None if crossed is None else crossed[order],
        )

    def log_odds(self, theta: Floats, beta: Floats) -> Floats:
        """The log odds of each battle."""
        return np.asarray(theta[self.low] - theta[self.high] + self.gaps @ beta)

    def centres(self) -> Floats:
        """The sum over groups of 1·1ᵀ/size, which projects strengths on the mean of their group."""
        group = np.zeros(self.models, np.int64) if self.group is None else self.group
        return np.asarray((group[:, None] == group) / np.bincount(group)[group])

    def net(self, value: Floats) -> Floats:
        """Each model's sum, its own side less the other."""
        m = self.models
        return np.asarray(np.bincount(self.low, value, m) - np.bincount(self.high, value, m))

    def laplacian(self, value: Floats) -> Floats:
        """Σ value·(e_low - e_high)(e_low - e_high)ᵀ."""
        m = self.models
        pair = np.bincount(self.low * m + self.high, value, m * m).reshape(m, m)
        pair = pair + pair.T
        return np.asarray(np.diag(pair.sum(axis=1)) - pair)


@dataclass(frozen=True, slots=True, eq=False)
class ContextualFit:
    """Strengths, coefficients, and the sandwich covariance of both, strengths first.

    ``independent`` is the covariance of both that the model expects of independent battles.
    ``effective`` are the effective clusters of each parameter and difference, None without
    clusters.
    """

    theta: Floats
    beta: Floats
    cov: Floats
    independent: Floats
    value: float
    iterations: int
    effective: Floats | None


def fit_contextual(given: BattleRows, l2: float) -> ContextualFit:
    """Maximise the log-likelihood less l2·|β|²/2.

    Raises:
        NotConverged: the steps did not settle; without l2 a feature may foretell every battle.
    """
    try:
        found = _climb(given, l2)
    except np.linalg.LinAlgError as exc:
        raise NotConverged(_UNSETTLED, hint=_HINT) from exc
    if found is None:
        raise NotConverged(_UNSETTLED, hint=_HINT)
    return found


def _climb(given: BattleRows, l2: float) -> ContextualFit | None:
    """Newton steps, halved until the value grows; None where they do not settle."""
    theta, beta = np.zeros(given.models), np.zeros(given.gaps.shape[1])
    value = _value(given, theta, beta, l2)
    for iteration in range(1, _MOST_STEPS + 1):
        inverse = _inverse(given, theta, beta, l2)
        step = inverse @ _gradient(given, theta, beta, l2)
        share = 1.0
        for _ in range(_MOST_HALVINGS):
            there = theta + share * step[: given.models], beta + share * step[given.models :]
            reached = _value(given, *there, l2)
            if reached >= value - _ROUNDING * abs(value):
                break
            share /= 2
        else:
            return None
        (theta, beta), value = there, reached
        if np.abs(step).max() < _TOLERANCE:
            inverse = _inverse(given, theta, beta, l2)
            meats, effective = _meats(given, theta, beta, l2)
            spreads = [inverse @ meat @ inverse for meat in meats]
            return ContextualFit(
                theta=level_ties(theta),
                beta=beta,
                cov=spreads[0] if len(spreads) == 1 else largest_variances(spreads),
                independent=inverse @ _expected_meat(given, theta, beta) @ inverse,
                value=value,
                iterations=iteration,
                effective=effective,
            )
    return None


def _value(given: BattleRows, theta: Floats, beta: Floats, l2: float) -> float:
    odds = given.log_odds(theta, beta)
    log_p, _, _ = logistic(odds)
    each = log_p - (1 - given.share) * odds
    return float((given.weight * each).sum()) - l2 / 2 * float(beta @ beta)


def _slopes(given: BattleRows, theta: Floats, beta: Floats) -> Floats:
    _, p, _ = logistic(given.log_odds(theta, beta))
    return np.asarray(given.weight * (given.share - p))


def _gradient(given: BattleRows, theta: Floats, beta: Floats, l2: float) -> Floats:
    slope = _slopes(given, theta, beta)
    return np.concatenate([given.net(slope), given.gaps.T @ slope - l2 * beta])


def _inverse(given: BattleRows, theta: Floats, beta: Floats, l2: float) -> Floats:
    """The inverse information by Schur's complement; strengths sum to zero in each group."""
    m = given.models
    _, p, rest = logistic(given.log_odds(theta, beta))
    bend = given.weight * p * rest
    strengths = given.laplacian(bend)
    c = float(np.trace(strengths)) / m
    centres = given.centres()
    own = np.linalg.inv(strengths + c * centres) - centres / c
    mixed = np.column_stack([given.net(bend * column) for column in given.gaps.T])
    covariates = given.gaps.T @ (bend[:, None] * given.gaps) + l2 * np.eye(len(beta))
    across = own @ mixed
    corner = np.linalg.inv(covariates - mixed.T @ across)
    side = across @ corner
    return np.block([[own + side @ across.T, -side], [-side.T, corner]])


def _meats(
    given: BattleRows, theta: Floats, beta: Floats, l2: float
) -> tuple[tuple[Floats, ...], Floats | None]:
    """The middle of the sandwich, those of its floors, and the effective clusters."""
    slope = _slopes(given, theta, beta)
    independent = _independent_meat(given, slope**2)
    if given.cluster is None:
        return (independent,), None
    if given.crossed is not None:
        meats, effective = _two_way_meats(given, (given.cluster, given.crossed), theta, beta, l2)
        return (*meats, independent), effective
    grouped = _cluster_slopes(given, given.cluster, theta, beta)
    effective = effective_clusters(grouped, _information(given, theta, beta, l2))
    meat = _clustered_meat(grouped, l2 * beta)
    if given.floor is None:
        return (meat,), effective
    if isinstance(given.floor, str):
        return (meat, independent), effective
    finer = _cluster_slopes(given, given.floor, theta, beta)
    return (meat, independent, _clustered_meat(finer, l2 * beta)), effective


def _two_way_meats(
    given: BattleRows, kinds: tuple[Codes, Codes], theta: Floats, beta: Floats, l2: float
) -> tuple[tuple[Floats, ...], Floats]:
    """Both kinds of clusters less their intersection, each alone, and the fewer effective ones."""
    found = [
        _cluster_slopes(given, codes, theta, beta) for codes in (*kinds, intersect_clusters(*kinds))
    ]
    first, second, common = (_clustered_meat(grouped, l2 * beta) for grouped in found)
    known = _information(given, theta, beta, l2)
    fewer = np.minimum(*(effective_clusters(grouped, known) for grouped in found[:2]))
    return (first + second - common, first, second), fewer


def _cluster_slopes(
    given: BattleRows, cluster: Codes, theta: Floats, beta: Floats
) -> ClusterSlopes:
    slope = _slopes(given, theta, beta)[:, None]
    square = _expected_squares(given, theta, beta)[:, None]
    order = np.argsort(cluster, kind="stable")
    return ClusterSlopes(
        cluster=cluster[order],
        low=given.low[order],
        high=given.high[order],
        gap=slope[order, 0],
        more=(slope * given.gaps)[order],
        gap_square=square[order, 0],
        more_squares=(square * given.gaps**2)[order],
        models=given.models,
    )


def _clustered_meat(grouped: ClusterSlopes, penalty: Floats) -> Floats:
    """CR1 over clusters, whose slopes add up to that of the penalty."""
    total = np.concatenate([np.zeros(grouped.models), penalty])
    meat = grouped.meat() - np.outer(total, total) / grouped.number
    return np.asarray(meat * (grouped.number / (grouped.number - 1)))


def _information(given: BattleRows, theta: Floats, beta: Floats, l2: float) -> Floats:
    """The diagonal of the information."""
    _, p, rest = logistic(given.log_odds(theta, beta))
    bend = given.weight * p * rest
    return np.concatenate([np.diag(given.laplacian(bend)), given.gaps.T**2 @ bend + l2])


def _expected_squares(given: BattleRows, theta: Floats, beta: Floats) -> Floats:
    """The squares of slopes that the model expects, w²·p·(1 - p)."""
    _, p, rest = logistic(given.log_odds(theta, beta))
    return np.asarray(given.weight**2 * p * rest)


def _expected_meat(given: BattleRows, theta: Floats, beta: Floats) -> Floats:
    """Σ w²·p·(1 - p) over battles, times the gaps: independent battles, as the model expects."""
    return _independent_meat(given, _expected_squares(given, theta, beta))


def _independent_meat(given: BattleRows, squares: Floats) -> Floats:
    mixed = np.column_stack([given.net(squares * column) for column in given.gaps.T])
    rest = given.gaps.T @ (squares[:, None] * given.gaps)
    return np.block([[given.laplacian(squares), mixed], [mixed.T, rest]])
