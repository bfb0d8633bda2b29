"""Newman's iteration: another road to strengths with modelled ties."""

from dataclasses import replace
from typing import Literal

import numpy as np

from benchmaker.errors import NotConverged
from benchmaker.stats.ratings.battles import BattleCounts, Battles
from benchmaker.stats.ratings.bradley_terry import Display, select_comparable, to_ratings
from benchmaker.stats.ratings.covariance import model_covariance, sandwich
from benchmaker.stats.ratings.likelihood import Fit, Likelihood, starting_point
from benchmaker.stats.ratings.rating import OFFSET, SCALE, Floats, Ratings
from benchmaker.stats.ratings.ties import MODELS

_TOLERANCE = 1e-11


def newman(
    data: Battles | BattleCounts,
    *,
    covariance: Literal["sandwich", "model"] = "sandwich",
    scale: float = SCALE,
    offset: float = OFFSET,
    level: float = 0.95,
    limit: int = 10_000,
) -> Ratings:
    """Strengths by Newman's fixed-point iteration, ties after Davidson with nu = 2v.

    It climbs the same likelihood as ``bradley_terry(ties="davidson")`` (or ``"half"`` where there
    is no tie) and ends at the same place, by other steps. Intervals are those of that place.

    Raises:
        DisconnectedBattles, NotEnoughData: as ``bradley_terry``.
        NotConverged: ``limit`` iterations did not bring the change below 1e-11.

    Source: Newman 2023, "Efficient computation of rankings from pairwise comparisons", Journal of
    Machine Learning Research 24.
    """
    display = Display(scale, offset, None, level)
    counts = data.counts() if isinstance(data, Battles) else data
    counts, group, _ = select_comparable(counts, "error", 0.0)
    ties = MODELS["davidson" if counts.tie.any() else "half"]
    likelihood = Likelihood(counts, ties, 0.0, group)
    at, iterations = _iterate(counts, starting_point(likelihood), limit)
    outlook = likelihood.outlook(at)
    inverse = likelihood.inverse(likelihood.information(at, outlook))
    found = Fit(likelihood, at, outlook, inverse, likelihood.value(at, outlook), iterations)
    spread = model_covariance(found) if covariance == "model" else sandwich(found)
    result = to_ratings(found, spread, display, warnings=())
    return replace(result, method=f"{result.method}, by Newman's iteration")


def _iterate(counts: BattleCounts, start: Floats, limit: int) -> tuple[Floats, int]:
    """Parameters at which another round changes nothing."""
    at, moved = start, np.inf
    for iteration in range(1, limit + 1):
        there = _round(counts, at)
        moved = float(np.abs(there - at).max())
        at = there
        if moved < _TOLERANCE:
            return at, iteration
    raise NotConverged(
        f"Newman's iteration still moved by {moved:.1g} after {limit:,} rounds.",
        hint="bradley_terry(ties='davidson') reaches the same ratings in a few steps.",
    )


def _round(counts: BattleCounts, at: Floats) -> Floats:
    """One pass over the strengths, and over the tie parameter where there is one."""
    theta = at[: counts.m] - at[: counts.m].mean()
    v = float(np.exp(at[-1])) / 2 if len(at) > counts.m else 0.0
    strength = np.exp(theta)
    won = counts.win + counts.tie / 2
    root = np.sqrt(np.outer(strength, strength))
    total = strength[:, None] + strength[None, :]
    common = total + 2 * v * root
    gained = (won * (strength[None, :] + v * root) / common).sum(axis=1)
    ratio = np.sqrt(strength[:, None] / strength[None, :])
    given = (won * (1 + v * ratio) / common).sum(axis=0)
    moved = np.log(gained / given)
    moved -= moved.mean()
    if len(at) == counts.m:
        return np.asarray(moved)
    ties = (counts.tie * total / common).sum() / 2
    decided = (counts.win * root / common).sum() * 2
    return np.append(moved, np.log(2 * ties / decided))
