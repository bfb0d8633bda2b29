"""Style control: ratings adjusted for length and formatting."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from benchmaker.errors import AnalysisError, SpecError
from benchmaker.stats.ratings.battles import Battles
from benchmaker.stats.ratings.bradley_terry import (
    bradley_terry,
    inside_groups,
    interval_warnings,
    quantile,
    t_widening,
)
from benchmaker.stats.ratings.codes import cluster_codes, describe_rows
from benchmaker.stats.ratings.contextual import BattleRows, ContextualFit, fit_contextual
from benchmaker.stats.ratings.covariance import AtLeast, Degrees, base_degrees
from benchmaker.stats.ratings.rating import (
    OFFSET,
    SCALE,
    Floats,
    Ints,
    Ratings,
    known_errors,
    standard_errors,
)

ClusterLabels: TypeAlias = tuple[Sequence[Hashable] | None, Sequence[Hashable] | None, AtLeast]
"""Labels of the clusters, those of a second kind, and the floor of each variance."""


@dataclass(frozen=True, slots=True, eq=False)
class StyleControl:
    """Ratings before and after adjustment for the features, with each feature's coefficient.

    ``coefficients``, ``se``, ``low`` and ``high`` are log odds for one standard deviation of a
    feature's difference; the last three are NaN if all battles or clusters agree exactly, or with
    fewer than two effective clusters.
    ``spreads`` are those standard deviations, around zero. ``climbed`` is each model's raw rank
    minus its adjusted one, in the order of ``raw.names``: positive for models penalised by style.
    """

    raw: Ratings
    adjusted: Ratings
    features: tuple[str, ...]
    coefficients: Floats
    se: Floats
    low: Floats
    high: Floats
    spreads: Floats
    climbed: Ints
    l2: float
    level: float
    n: int
    n_eff: float
    clusters: int | None
    method: str
    warnings: tuple[str, ...] = ()


def style_control(
    battles: Battles,
    left: ArrayLike,
    right: ArrayLike,
    *,
    features: Sequence[str],
    difference: Literal["relative", "plain"] = "relative",
    l2: float = 0.0,
    clusters: Sequence[Hashable] | None = None,
    crossed_with: Sequence[Hashable] | None = None,
    at_least: AtLeast = None,
    degrees: Degrees = "clusters",
    disconnected: Literal["error", "components"] = "error",
    scale: float = SCALE,
    offset: float = OFFSET,
    level: float = 0.95,
) -> StyleControl:
    """Fit Bradley-Terry with covariates: logit P(a beats b) = θ_a - θ_b + β·z.

    β is shared by all models. z is (x_a - x_b)/(x_a + x_b), or x_a - x_b, divided by its root mean
    square, so that swapping the sides changes nothing. The fit is by maximum likelihood; with
    ``l2`` above 0 the log-likelihood is reduced by l2·|β|²/2, a penalty on β alone. Standard
    errors are sandwich ones of all parameters together.

    Args:
        battles: one row each; ties count as half wins.
        left: the features of ``a``'s answer, a row for each battle, a column for each feature.
        right: those of ``b``'s answer.
        features: their names.
        difference: ``relative`` for counts such as lengths (at least 0; nothing on both sides is
            no difference), ``plain`` for others.
        l2: strength of the penalty on coefficients; 0 for none.
        clusters: a label for each battle.
        crossed_with: a second label for each battle, as in ``bradley_terry``.
        at_least: with clusters, below whose variance none may be, as in ``bradley_terry``.
        degrees: of freedom of Student's t with clusters, as in ``bradley_terry``.
        disconnected: as in ``bradley_terry``; the groups share β, and nothing else.
        scale: points for one unit of log odds.
        offset: points of the average.
        level: of the intervals.

    Raises:
        AnalysisError: a feature that is not finite, negative for ``relative``, or the same on both
            sides in every battle; with the first row numbers.
        DisconnectedBattles, NotEnoughData: as ``bradley_terry``.
        NotConverged: without a penalty, a feature decides every battle, or two carry the same
            information.

    Source: Li, Angelopoulos and Chiang 2024, "Does style matter?" (Chatbot Arena).
    """
    if not 0.0 <= l2 < np.inf:
        raise SpecError(f"l2={l2!r} is not a weight of at least 0.")
    raw = bradley_terry(
        battles,
        clusters=clusters,
        crossed_with=crossed_with,
        at_least=at_least,
        degrees=degrees,
        disconnected=disconnected,
        scale=scale,
        offset=offset,
        level=level,
    )
    rated = inside_groups(battles, raw.group)
    gaps, spreads = _gaps(rated, left, right, tuple(features), difference)
    rows = _rows(rated, gaps, (clusters, crossed_with, at_least))
    found = fit_contextual(replace(rows, group=raw.group), l2)
    adjusted = _with_strengths(raw, found)
    m = len(raw.names)
    effective = _own_clusters(raw, found)
    own = None if effective is None else effective[m:]
    se = known_errors(standard_errors(np.diag(found.cov)[m:], np.diag(found.independent)[m:]), own)
    half = quantile(0.5 + level / 2, adjusted.df) * se * t_widening(own, adjusted.df, level)
    return StyleControl(
        raw=raw,
        adjusted=adjusted,
        features=tuple(features),
        coefficients=found.beta,
        se=se,
        low=found.beta - half,
        high=found.beta + half,
        spreads=spreads,
        climbed=_ranks(raw) - _ranks(adjusted),
        l2=l2,
        level=level,
        n=raw.n,
        n_eff=raw.n_eff,
        clusters=raw.clusters,
        method=f"{adjusted.method}; {_words(difference, l2)}",
        warnings=adjusted.warnings,
    )


def _words(difference: Literal["relative", "plain"], l2: float) -> str:
    gap = "(a - b)/(a + b)" if difference == "relative" else "a - b"
    fit = f"with a penalty of {l2 / 2:g}·|β|²" if l2 else "without a penalty"
    return f"each feature as {gap} in standard deviations, {fit}"


def _rows(battles: Battles, gaps: Floats, labels: ClusterLabels) -> BattleRows:
    clusters, crossed_with, at_least = labels
    if clusters is None:
        return BattleRows.of(battles, gaps, None)
    codes = cluster_codes(clusters, len(battles), battles.counted_mask)
    if crossed_with is not None:
        crossed = cluster_codes(crossed_with, len(battles), battles.counted_mask)
        return BattleRows.of(battles, gaps, codes, crossed=crossed)
    if at_least is None or at_least == "battles":
        return BattleRows.of(battles, gaps, codes, None if at_least is None else "battles")
    finer = cluster_codes(at_least, len(battles), battles.counted_mask)
    return BattleRows.of(battles, gaps, codes, finer)


def _own_clusters(raw: Ratings, found: ContextualFit) -> Floats | None:
    """The effective clusters of each parameter, None if t has clusters - 1."""
    if raw.effective_clusters is None or found.effective is None:
        return None
    return np.diag(found.effective)


def _with_strengths(raw: Ratings, found: ContextualFit) -> Ratings:
    """The same battles with other strengths."""
    m = len(raw.names)
    cov, independent = found.cov[:m, :m], found.independent[:m, :m]
    counts = None
    if raw.effective_clusters is not None and found.effective is not None:
        counts = found.effective[:m, :m]
    own = None if counts is None else np.diag(counts)
    df = raw.df if counts is None or raw.clusters is None else base_degrees(raw.clusters, counts)
    se = known_errors(standard_errors(np.diag(cov), np.diag(independent)), own)
    alone = np.isnan(raw.theta)
    theta, se = np.where(alone, np.nan, found.theta), np.where(alone, np.nan, se)
    score = raw.offset + raw.scale * theta
    half = raw.scale * quantile(0.5 + raw.level / 2, df) * se * t_widening(own, df, raw.level)
    others = set(interval_warnings(raw))
    made = replace(
        raw,
        theta=theta,
        cov=cov,
        independent=independent,
        se=se,
        score=score,
        low=score - half,
        high=score + half,
        method=f"{raw.method}, features held equal",
        df=df,
        effective_clusters=counts,
        log_likelihood=found.value,
        iterations=found.iterations,
        warnings=tuple(said for said in raw.warnings if said not in others),
    )
    return replace(made, warnings=(*made.warnings, *interval_warnings(made)))


def _ranks(ratings: Ratings) -> Ints:
    return np.asarray((ratings.score[None, :] > ratings.score[:, None]).sum(axis=1) + 1, np.int64)


def _gaps(
    battles: Battles,
    left: ArrayLike,
    right: ArrayLike,
    features: tuple[str, ...],
    difference: Literal["relative", "plain"],
) -> tuple[Floats, Floats]:
    """Return standardised differences, and their divisors."""
    a = _columns(left, len(battles), features, difference)
    b = _columns(right, len(battles), features, difference)
    gap = a - b
    if difference == "relative":
        gap = np.divide(gap, a + b, out=np.zeros_like(gap), where=(a + b) > 0)
    weight = np.ones(len(battles)) if battles.weight is None else battles.weight
    spreads = np.sqrt(np.sort(weight[:, None] * gap**2, axis=0).sum(axis=0) / np.sort(weight).sum())
    flat = [name for name, spread in zip(features, spreads, strict=True) if spread == 0]
    if flat:
        raise AnalysisError(
            f"The feature {flat[0]!r} is the same on both sides in every battle.",
            hint="Leave it out.",
        )
    return gap / spreads, spreads


def _columns(
    given: ArrayLike, n: int, features: tuple[str, ...], difference: Literal["relative", "plain"]
) -> Floats:
    table = np.asarray(given, np.float64)
    table = table[:, None] if table.ndim == 1 else table
    if table.shape != (n, len(features)) or not features:
        raise SpecError(
            f"Features of shape {table.shape} for {n:,} battles and {len(features)} names."
        )
    fine = np.isfinite(table) & ((table >= 0) | (difference == "plain"))
    if not fine.all():
        wrong = np.flatnonzero(~fine.all(axis=1))
        name = features[int(np.argmin(fine[wrong[0]]))]
        what = (
            "missing, infinite or negative" if difference == "relative" else "missing or infinite"
        )
        raise AnalysisError(f"The feature {name!r} is {what}: {describe_rows(wrong)}.")
    return table
