"""Ratings by each of the methods, brought to one shape."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

import numpy as np

from benchmaker.analysis.ratings.battles import Cluster, Rounds
from benchmaker.analysis.ratings.ranking import Method, StyleEffect
from benchmaker.errors import AnalysisError, SpecError
from benchmaker.stats.ratings import (
    EloRatings,
    Glicko,
    Ratings,
    WinRates,
    bradley_terry,
    components,
    elo,
    glicko2,
    newman,
    style_control,
    win_rate,
)
from benchmaker.stats.ratings.rating import Floats, Ints, Ties

TIES: dict[Method, Ties] = {
    "bradley_terry": "half",
    "davidson": "davidson",
    "rao_kupper": "rao_kupper",
}
"""The methods that maximise a likelihood, and how each takes a tie."""


@dataclass(frozen=True, slots=True)
class RatingOptions:
    """Options of rating battles, as in :func:`~benchmaker.analysis.ratings.rate.rank`."""

    method: Method
    cluster: Cluster
    style: tuple[str, ...]
    prior: float
    level: float

    def __post_init__(self) -> None:
        if self.style and self.method != "bradley_terry":
            raise SpecError("Style control requires Bradley-Terry.", hint="Remove the method.")
        if self.prior and (self.method not in TIES or self.style):
            raise SpecError("A prior requires Bradley-Terry without style control.")


@dataclass(frozen=True, slots=True, eq=False)
class Strengths:
    """Scores of models with their intervals; arrays in the order of ``names``, NaN for missing.

    ``n_eff`` is NaN if every standard error is unknown. ``ratings`` holds the covariance, if the
    method has one. ``is_connected``: all models are on one scale.
    """

    names: tuple[str, ...]
    score: Floats
    low: Floats
    high: Floats
    n_battles: Ints
    effective: Floats
    group: Ints
    method: str
    n: int
    n_eff: float
    clusters: int | None
    warnings: tuple[str, ...]
    ratings: Ratings | None = None
    style: tuple[StyleEffect, ...] = ()
    is_order_dependent: bool = False

    @property
    def is_connected(self) -> bool:
        """True if all models share one scale."""
        return int(self.group.max()) == 0


def strengths(rounds: Rounds, options: RatingOptions) -> Strengths:
    """Rate the models as requested.

    Raises:
        DisconnectedBattles, NotEnoughData, NotConverged: as the method.
        SpecError: a feature, a label or a time that the battles do not have.
    """
    match options.method:
        case "win_rate":
            return _from_win_rates(win_rate(rounds.battles, level=options.level), options)
        case "elo":
            return _from_online(elo(rounds.battles), options)
        case "glicko2":
            _refuse_weights(rounds)
            made = glicko2(rounds.battles, _periods(rounds), level=options.level)
            return _from_online(made, options)
        case "newman":
            return _from_ratings(
                newman(rounds.battles, level=options.level), _clustering_warning(options)
            )
        case _ if options.style:
            return _with_style(rounds, options)
        case _:
            return _from_ratings(_fit_bradley_terry(rounds, options))


def _fit_bradley_terry(rounds: Rounds, options: RatingOptions) -> Ratings:
    """Bradley-Terry; within the groups that share a scale where not everybody does."""
    labels = rounds.labels(options.cluster)
    return bradley_terry(
        rounds.battles,
        ties=TIES[options.method],
        clusters=labels[0] if labels else None,
        crossed_with=labels[1] if len(labels) > 1 else None,
        at_least="battles" if rounds.case is None else rounds.case,
        degrees="effective",
        disconnected=_scales(rounds),
        prior=options.prior,
        level=options.level,
    )


def _scales(rounds: Rounds) -> Literal["error", "components"]:
    """``components`` if not all models share a scale, and some do."""
    groups = components(rounds.battles.counts())
    return "components" if len(groups) > 1 and len(groups[0]) > 1 else "error"


def _with_style(rounds: Rounds, options: RatingOptions) -> Strengths:
    missing = [name for name in options.style if name not in rounds.features]
    if missing:
        raise SpecError(
            f"The battles have no feature {missing[0]!r}.",
            hint=f"Add columns {missing[0]}_a and {missing[0]}_b.",
        )
    left, right = (
        np.array([rounds.features[name][side] for name in options.style], np.float64).T
        for side in (0, 1)
    )
    labels = rounds.labels(options.cluster)
    made = style_control(
        rounds.battles,
        left,
        right,
        features=options.style,
        clusters=labels[0] if labels else None,
        crossed_with=labels[1] if len(labels) > 1 else None,
        at_least="battles" if rounds.case is None else rounds.case,
        degrees="effective",
        disconnected=_scales(rounds),
        level=options.level,
    )
    columns = (made.se, made.low, made.high)
    ends = zip(*([known_or_none(it) for it in column] for column in columns), strict=True)
    sizes = zip(made.features, made.spreads.tolist(), made.coefficients.tolist(), strict=True)
    style = tuple(StyleEffect(*size, *row) for size, row in zip(sizes, ends, strict=True))
    return replace(_from_ratings(made.adjusted, (), style), method=made.method)


def known_or_none(value: float) -> float | None:
    """Return a finite number, None for others."""
    return float(value) if np.isfinite(value) else None


def _from_ratings(
    made: Ratings, said: tuple[str, ...] = (), style: tuple[StyleEffect, ...] = ()
) -> Strengths:
    return Strengths(
        names=made.names,
        score=made.score,
        low=made.low,
        high=made.high,
        n_battles=made.n_battles,
        effective=made.effective,
        group=made.group,
        method=made.method,
        n=made.n,
        n_eff=made.n_eff,
        clusters=made.clusters,
        warnings=made.warnings + said,
        ratings=made,
        style=style,
    )


def _from_win_rates(made: WinRates, options: RatingOptions) -> Strengths:
    return Strengths(
        names=made.names,
        score=made.rate,
        low=made.low,
        high=made.high,
        n_battles=made.n_battles,
        effective=np.full(len(made.names), np.nan),
        group=np.zeros(len(made.names), np.int64),
        method=made.method,
        n=made.n,
        n_eff=made.n_eff,
        clusters=None,
        warnings=made.warnings + _clustering_warning(options),
    )


def _from_online(made: EloRatings | Glicko, options: RatingOptions) -> Strengths:
    nothing = np.full(len(made.names), np.nan)
    return Strengths(
        names=made.names,
        score=made.score,
        low=made.low if isinstance(made, Glicko) else nothing,
        high=made.high if isinstance(made, Glicko) else nothing,
        n_battles=made.n_battles,
        effective=nothing,
        group=np.zeros(len(made.names), np.int64),
        method=made.method,
        n=made.n,
        n_eff=float(made.n),
        clusters=None,
        warnings=made.warnings + (_clustering_warning(options) if isinstance(made, Glicko) else ()),
        is_order_dependent=True,
    )


def _clustering_warning(options: RatingOptions) -> tuple[str, ...]:
    """Said where the battles are clustered, and the method takes them as independent."""
    if options.cluster == "none":
        return ()
    what = {"voter": "voter", "prompt": "prompt", "both": "voter or prompt"}[options.cluster]
    return (f"battles are treated as independent; those of one {what} may not be",)


def _refuse_weights(rounds: Rounds) -> None:
    if rounds.battles.weight is not None:
        what = "cases" if rounds.source == "suite" else "votes"
        raise SpecError(
            f"Glicko-2 does not support weights, and these {what} have weights.",
            hint="Choose another method.",
        )


def _periods(rounds: Rounds) -> Sequence[str]:
    """The day of every battle; one period for all of a suite."""
    if rounds.source == "suite":
        return ["all"] * len(rounds.battles)
    if rounds.at is None:
        raise SpecError(
            "Glicko-2 rates by day, but the battles have no times.",
            hint="Add a column at (ISO 8601), or choose another method.",
        )
    return [_day(stamp, row) for row, stamp in enumerate(rounds.at, start=1)]


def _day(stamp: str, row: int) -> str:
    try:
        return datetime.fromisoformat(stamp).date().isoformat()
    except ValueError as exc:
        raise AnalysisError(f"The time {stamp!r} is not ISO 8601: row {row}.") from exc
