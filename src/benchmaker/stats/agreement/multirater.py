"""The common part of Fleiss' kappa and Gwet's coefficients: many raters, chance from shares."""

from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

import numpy as np

from benchmaker.stats.agreement.coefficient import Coefficient, coefficient, undefined_coefficient
from benchmaker.stats.agreement.ratings import RatingTable, clusters_of_units
from benchmaker.stats.columns import Floats


class Chance(NamedTuple):
    """Agreement by chance, and its derivative by the share of each category."""

    expected: float
    slope: Floats


def multirater_coefficient(
    table: RatingTable,
    agree: Floats,
    chance: Callable[[Floats, Floats], Chance],
    *,
    clusters: Iterable[Hashable] | None,
    level: float,
    method: str,
) -> Coefficient:
    """(p_a - p_e) / (1 - p_e) over units of any number of ratings, its variance linearised.

    p_a is the mean over units with two ratings or more of the weighted share of agreeing pairs;
    the share of a category is the mean over rated units of its share among their ratings
    (Gwet 2008; 2014, chapter 5).

    Args:
        table: the ratings.
        agree: categories × categories, the agreement of two of them.
        chance: function from shares and ``agree`` to the agreement by chance.
        clusters: one label per unit, or None.
        level: of the interval.
        method: the name of the coefficient.
    """
    counts = table.counts()
    sizes = counts.sum(axis=1)
    rated, paired = sizes > 0, sizes > 1
    split = counts[rated] / sizes[rated, None]
    shares = split.mean(axis=0)
    by_chance = chance(shares, agree)
    n, ratings = int(paired.sum()), int(sizes[paired].sum())
    if by_chance.expected >= 1.0 - 1e-15:
        reason = f"all {int(sizes.sum())} ratings are in one category"
        return undefined_coefficient(
            reason, n=n, raters=table.raters, ratings=ratings, level=level, method=method
        )
    hits = _agreement_shares(counts[paired], sizes[paired], agree)
    observed = float(hits.mean())
    left = 1.0 - by_chance.expected
    value = (observed - by_chance.expected) / left
    drift = (split - shares) @ by_chance.slope / len(split)
    own = np.zeros(len(sizes))
    own[paired] = (hits - observed) / n
    return coefficient(
        value,
        (own[rated] - (1.0 - value) * drift) / left,
        clusters=clusters_of_units(clusters, rated),
        level=level,
        observed=observed,
        expected=by_chance.expected,
        n=n,
        raters=table.raters,
        ratings=ratings,
        method=method,
        warnings=_few_ratings_warnings(int(rated.sum()) - n, int((~rated).sum())),
    )


def _agreement_shares(counts: Floats, sizes: Floats, agree: Floats) -> Floats:
    """Each unit's weighted share of agreeing pairs of ratings."""
    pairs = (counts * (counts @ agree)).sum(axis=1) - counts @ np.diag(agree)
    share: Floats = pairs / (sizes * (sizes - 1))
    return share


def _few_ratings_warnings(single: int, empty: int) -> tuple[str, ...]:
    ones = f"{single} units with one rating count in the chance term alone"
    nones = f"{empty} units without a rating left out"
    return tuple(text for text, number in ((ones, single), (nones, empty)) if number)
