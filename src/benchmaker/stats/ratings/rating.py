"""Ratings: strengths on one scale, their uncertainty, and the method."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchmaker.errors import SpecError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Ties = Literal["half", "davidson", "rao_kupper"]
Covariance = Literal["sandwich", "model", "clustered", "two-way"]

SCALE = 400 / float(np.log(10))
"""Points for one unit of log odds: 400 points are odds of ten to one."""

OFFSET = 1000.0
"""Points of an average model."""

SAME = 1e-11
"""Log odds that differ by less differ by rounding alone, which is each machine's own."""

NO_SPREAD = 1e-7
"""A standard error below this share of that of independent battles is rounding of 0."""

LEAST_EFFECTIVE = 2
"""With fewer effective clusters there is no interval."""

_NEAR_ONE = 1e-6
"""An effective number of clusters this near to 1 is 1 up to rounding."""


def level_ties(values: Floats, size: float = 1.0) -> Floats:
    """Return the figures with those equal up to rounding made equal.

    Tied models then share a rank instead of differing by 1e-16. ``size`` is the magnitude of the
    figures if not about 1.

    >>> level_ties(np.array([0.3, 1.0, 0.1 + 0.2])).tolist()
    [0.3, 1.0, 0.3]
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-np.inf) > SAME * size)
    result = np.empty_like(values)
    result[order] = np.repeat(ordered[starts], np.diff(starts, append=len(values)))
    return result


def standard_errors(variance: Floats, independent: Floats) -> Floats:
    """Return the roots of variances, NaN for a variance that is 0 up to rounding.

    A variance of 0 means that the battles, or the clusters, agree exactly; it does not mean that
    the figure is certain. Its rounding error grows with ``independent``, the variance of the same
    figure if the battles were independent.

    >>> standard_errors(np.array([0.25, 1e-32]), np.array([1.0, 1.0])).tolist()
    [0.5, nan]
    """
    is_known = variance > NO_SPREAD**2 * np.maximum(independent, 0.0)
    return np.sqrt(np.where(is_known, variance, np.nan))


def difference_variances(cov: Floats) -> Floats:
    """Return the variances of all differences, m × m, from the covariance of m figures."""
    variance = np.diag(cov)
    return np.asarray(variance[:, None] + variance[None, :] - 2 * cov)


@dataclass(frozen=True, slots=True)
class RatingRow:
    """One model's line. ``theta`` and ``se`` are log odds, the rest is in points.

    Numbers are None if the battles do not support them, with a ``reason``. ``rank`` is
    1 + the models of the same ``group`` with a higher score: a place, not a claim; claims are the
    ranks of ``rank_intervals``.
    """

    name: str
    rank: int | None
    score: float | None
    low: float | None
    high: float | None
    theta: float | None
    se: float | None
    n_battles: int
    effective: float | None
    group: int
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Bradley-Terry strengths with their covariance; every array is in the order of ``names``.

    ``theta``, ``se`` (m) and ``cov`` (m × m) are log odds; ``theta`` sums to zero within each
    ``group``, and ``se`` is that of the distance from the group's average. ``score``, ``low`` and
    ``high`` are points: offset + scale · theta, and its interval at ``level``. They are NaN for a
    model alone in its group; ``warnings`` names it. ``independent`` (m × m) is the covariance that
    independent battles would have if the model is right: a variance that is 0 up to rounding on
    this scale is unknown, and ``se``, ``low``, ``high`` and ``effective`` are then NaN.

    ``group`` numbers the groups that share a scale, 0 for all if the battles connect all models.
    ``n_battles`` counts each model's battles of positive weight, ``effective`` their effective
    number after unequal weights (Kish 1965) and clusters (the ratio of the two variances, at most
    1). ``n`` and ``n_eff`` are the same for all battles. ``df`` are the degrees of freedom of the
    interval, None for a normal one; ``clusters`` is the number of clusters (the smaller one for two
    ways).
    ``effective_clusters`` (m × m) are those of each model (diagonal) and of each difference, None
    if t has ``clusters`` - 1. Each figure has its own less one as degrees of freedom, ``df`` are
    the most of any model, and below 2 its standard error is unknown.
    ``tie_parameter`` is Davidson's nu or Rao and Kupper's κ, and ``tie_se`` None if unknown.
    ``log_likelihood`` counts each battle with its weight; with half wins it is a quasi-likelihood
    and is not comparable.
    """

    names: tuple[str, ...]
    theta: Floats
    cov: Floats
    independent: Floats
    se: Floats
    score: Floats
    low: Floats
    high: Floats
    n_battles: Ints
    effective: Floats
    group: Ints
    n: int
    n_eff: float
    method: str
    covariance: Covariance
    ties: Ties
    tie_parameter: float | None
    tie_se: float | None
    clusters: int | None
    df: float | None
    level: float
    scale: float
    offset: float
    prior: float
    log_likelihood: float
    iterations: int
    warnings: tuple[str, ...] = ()
    effective_clusters: Floats | None = None

    def rows(self) -> tuple[RatingRow, ...]:
        """A line for each model, the strongest first; within groups, the larger group first."""
        sizes = np.bincount(self.group)
        order = sorted(range(len(self.names)), key=lambda i: self._place(i, sizes))
        return tuple(self._row(i) for i in order)

    def gap(self, a: str, b: str) -> tuple[float, float]:
        """Return the lead of ``a`` over ``b`` and its standard error, in points; NaN if unknown."""
        for name in (a, b):
            if name not in self.names:
                raise SpecError(f"There is no rating of {name!r}.")
        i, j = self.names.index(a), self.names.index(b)
        away = self.score[i] - self.score[j]
        return float(away), self.scale * float(self.difference_errors()[i, j])

    def difference_errors(self) -> Floats:
        """Return the standard errors of all differences, in log odds; NaN if unknown.

        A model with fewer than two effective clusters has no known difference.
        """
        own = np.diag(self.cov)
        rounding = np.maximum(difference_variances(self.independent), own[:, None] + own[None, :])
        errors = standard_errors(difference_variances(self.cov), rounding)
        if (counts := self.effective_clusters) is None:
            return errors
        own = np.diag(counts)
        return known_errors(errors, np.minimum(counts, np.minimum.outer(own, own)))

    def interval_reasons(self) -> tuple[str, ...]:
        """Return for each model the reason why its rating has no interval, empty if it has one."""
        counts = self.effective_clusters
        own = np.full(len(self.names), np.inf) if counts is None else np.diag(counts)
        return tuple(
            no_interval(self.clusters, float(number)) if rated and unknown else ""
            for rated, unknown, number in zip(
                np.isfinite(self.score), np.isnan(self.se), own, strict=True
            )
        )

    def to_dict(self) -> dict[str, object]:
        """Return the content of a JSON file: method, overall figures, ``rows`` for the arrays."""
        return {
            "method": self.method,
            "covariance": self.covariance,
            "ties": self.ties,
            "tie_parameter": self.tie_parameter,
            "tie_se": self.tie_se,
            "n": self.n,
            "n_eff": _number(self.n_eff),
            "clusters": self.clusters,
            "df": self.df,
            "level": self.level,
            "scale": self.scale,
            "offset": self.offset,
            "prior": self.prior,
            "warnings": list(self.warnings),
            "rows": [_as_dict(row) for row in self.rows()],
        }

    def _place(self, i: int, sizes: Ints) -> tuple[int, int, float, str]:
        group = int(self.group[i])
        return -int(sizes[group]), group, -float(np.nan_to_num(self.score[i])), self.names[i]

    def _row(self, i: int) -> RatingRow:
        known = bool(np.isfinite(self.score[i]))
        above = (self.group == self.group[i]) & (self.score > self.score[i])
        return RatingRow(
            name=self.names[i],
            rank=1 + int(above.sum()) if known else None,
            score=_number(self.score[i]),
            low=_number(self.low[i]),
            high=_number(self.high[i]),
            theta=_number(self.theta[i]),
            se=_number(self.se[i]),
            n_battles=int(self.n_battles[i]),
            effective=_number(self.effective[i]),
            group=int(self.group[i]),
            reason=self._reason(i),
        )

    def _reason(self, i: int) -> str:
        if not np.isfinite(self.score[i]):
            return "no battles tie it to another model's scale"
        reason = self.interval_reasons()[i]
        return f"no interval: {reason}" if reason else ""


def known_errors(errors: Floats, effective: Floats | None) -> Floats:
    """Return the standard errors, NaN for figures with fewer than two effective clusters."""
    return errors if effective is None else np.where(effective < LEAST_EFFECTIVE, np.nan, errors)


def no_interval(clusters: int | None, effective: float = np.inf) -> str:
    """Return the reason for an unknown standard error."""
    if abs(effective - 1.0) < _NEAR_ONE:
        return f"all its battles are in one cluster, at least {LEAST_EFFECTIVE} are needed"
    if clusters is not None and effective < LEAST_EFFECTIVE:
        return (
            f"{clusters:,} clusters of unequal weight count as {round_down(effective)} equal ones, "
            f"at least {LEAST_EFFECTIVE} are needed"
        )
    alike = "battles" if clusters is None else "clusters"
    return f"the {alike} agree exactly, so the standard error is unknown"


def round_down(number: float) -> float:
    """Return a number with one decimal, not above it.

    >>> round_down(1.98)
    1.9
    """
    return float(np.floor(number * 10) / 10)


def _as_dict(row: RatingRow) -> dict[str, object]:
    return {name: getattr(row, name) for name in RatingRow.__slots__}


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
