"""Krippendorff's alpha for any number of raters, with gaps, on four scales."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

import numpy as np

from benchmaker.errors import SpecError
from benchmaker.stats.agreement.coefficient import Coefficient, coefficient, undefined_coefficient
from benchmaker.stats.agreement.ratings import (
    MISSING,
    Bools,
    RatingTable,
    Rows,
    clusters_of_units,
    positions,
    rating_table,
)
from benchmaker.stats.columns import Codes, Floats

Scale: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]

_SCALES = ("nominal", "ordinal", "interval", "ratio")
_BLOCK = 512


@dataclass(frozen=True, slots=True)
class _Pairable:
    """Ratings that can be paired with another one, item by item.

    ``unit`` and ``code`` run over the ratings, ``size`` over the units, ``counts`` over the
    categories.
    """

    unit: Codes
    code: Codes
    size: Codes
    counts: Floats

    def by_unit(self, numbers: Floats) -> Floats:
        """The sum over each unit's ratings."""
        return _sums(self.unit, numbers, len(self.size))

    def by_code(self, numbers: Floats) -> Floats:
        """The sum over each category's ratings."""
        return _sums(self.code, numbers, len(self.counts))


@dataclass(frozen=True, slots=True)
class _Distances:
    """The components of alpha, with their derivatives.

    ``within`` is each unit's Σ_{i≠j} d²(i, j) / (m - 1); ``away`` each category's distance from all
    pairable ratings, Σ_k n_k d²(c, k). ``within_pull`` and ``between_pull`` are the changes of both
    sums per additional rating of a category through the shifted categories (ordinal only).
    """

    within: Floats
    away: Floats
    within_pull: Floats
    between_pull: Floats


def krippendorff_alpha(
    rows: Rows,
    *,
    scale: Scale = "nominal",
    labels: Sequence[Hashable] | None = None,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
) -> Coefficient:
    """Krippendorff's alpha, 1 - D_o/D_e.

    Krippendorff 2011, Computing Krippendorff's Alpha-Reliability; 2019, Content Analysis, 4th
    edition, chapter 12. D_o is the mean squared distance of two ratings of one unit, D_e that of
    any two ratings. The interval is not Krippendorff's: it linearises alpha unit by unit, with
    units (or clusters of them) as the sampling units; ``bootstrap`` is a slower alternative.

    Args:
        rows: units × raters; None and NaN are gaps. Units with fewer than two ratings are ignored,
            and named in the warnings.
        scale: the distance of two ratings: nominal 0 or 1, ordinal by mid-ranks, interval by
            their difference, ratio by their difference over their sum.
        labels: all categories in their order; needed for ordinal ratings that are not numbers.
        clusters: one label per unit, for dependent units.
        level: of the interval, between 0 and 1.

    Raises:
        NotEnoughData: fewer than two raters, or no unit that two raters rated.
        SpecError: ratings that do not fit the scale.

    >>> krippendorff_alpha([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]]).value
    0.5333333333333333
    """
    table = rating_table(rows, labels=labels)
    at = _places(table, scale)
    keep = (table.codes != MISSING).sum(axis=1) >= 2  # noqa: PLR2004  a pair
    parts = _pairable_ratings(table, keep)
    n, raters, ratings = len(parts.size), table.raters, len(parts.code)
    method = f"Krippendorff's alpha, {scale}"
    if (parts.counts > 0).sum() == 1:
        reason = f"all {ratings} ratings are equal, so that no disagreement could be expected"
        return undefined_coefficient(
            reason, n=n, raters=raters, ratings=ratings, level=level, method=method
        )
    apart = _distances(parts, at, scale)
    observed = float(apart.within.sum()) / ratings
    expected = float(parts.counts @ apart.away) / (ratings * (ratings - 1))
    return coefficient(
        1.0 - observed / expected,
        _influences(parts, apart),
        clusters=clusters_of_units(clusters, keep),
        level=level,
        observed=observed,
        expected=expected,
        n=n,
        raters=raters,
        ratings=ratings,
        method=method,
        warnings=_left_out_warning(keep),
    )


def _sums(codes: Codes, numbers: Floats, length: int) -> Floats:
    return np.asarray(np.bincount(codes, weights=numbers, minlength=length), np.float64)


def _places(table: RatingTable, scale: Scale) -> Floats:
    """The value of each category; its code where values do not matter."""
    if scale not in _SCALES:
        raise SpecError(f"Unknown scale {scale!r}; take one of {', '.join(_SCALES)}.")
    if scale == "nominal":
        return np.arange(len(table.labels), dtype=np.float64)
    at = positions(table)
    if scale != "ordinal" and not all(isinstance(label, int | float) for label in table.labels):
        raise SpecError(f"The {scale} scale needs numbers, and some ratings are none.")
    if scale == "ratio" and at.min() < 0:
        raise SpecError(f"The ratio scale begins at 0, and a rating is {at.min():g}.")
    return at


def _pairable_ratings(table: RatingTable, keep: Bools) -> _Pairable:
    codes = table.codes[keep]
    unit, rater = np.nonzero(codes != MISSING)
    code = codes[unit, rater]
    size = np.bincount(unit, minlength=len(codes))
    counts = np.bincount(code, minlength=len(table.labels)).astype(np.float64)
    return _Pairable(unit, code, size, counts)


def _distances(parts: _Pairable, at: Floats, scale: Scale) -> _Distances:
    none = np.zeros_like(at)
    match scale:
        case "nominal":
            return _Distances(_differing_pairs(parts), len(parts.code) - parts.counts, none, none)
        case "ordinal":
            ranks = np.cumsum(parts.counts) - parts.counts / 2
            return _rank_distances(_interval_distances(parts, ranks), parts, ranks)
        case "interval":
            return _interval_distances(parts, at)
        case "ratio":
            return _Distances(_ratio_within_units(parts, at), _ratio_to_all(parts, at), none, none)
        case _:
            assert_never(scale)


def _differing_pairs(parts: _Pairable) -> Floats:
    """m² - Σ_c n_uc² pairs of a unit differ."""
    cell, number = np.unique(parts.unit * len(parts.counts) + parts.code, return_counts=True)
    same = np.bincount(cell // len(parts.counts), weights=number.astype(np.float64) ** 2)
    return (parts.size**2 - same) / (parts.size - 1)


def _interval_distances(parts: _Pairable, at: Floats) -> _Distances:
    """Σ_{i≠j}(x_i - x_j)² = 2m Σ(x - mean)², within a unit as over all."""
    x = at[parts.code]
    centre = parts.by_unit(x) / parts.size
    spread = parts.by_unit((x - centre[parts.unit]) ** 2)
    n = len(x)
    middle = float(parts.counts @ at) / n
    away = n * (at - middle) ** 2 + float(parts.counts @ (at - middle) ** 2)
    none = np.zeros_like(at)
    return _Distances(2 * parts.size * spread / (parts.size - 1), away, none, none)


def _rank_distances(apart: _Distances, parts: _Pairable, ranks: Floats) -> _Distances:
    """Mid-ranks move with the counts: by 1 for every lower rating, by ½ for an equal one."""
    x = ranks[parts.code]
    centre = (parts.by_unit(x) / parts.size)[parts.unit]
    factor = (parts.size / (parts.size - 1))[parts.unit]
    within = parts.by_code(4 * factor * (x - centre))
    n = len(x)
    between = 4 * n * parts.counts * (ranks - float(parts.counts @ ranks) / n)
    return _Distances(apart.within, apart.away, _sum_above(within), _sum_above(between))


def _sum_above(numbers: Floats) -> Floats:
    """The sum over all higher categories and half the own one."""
    return np.cumsum(numbers[::-1])[::-1] - numbers / 2


def _ratio_within_units(parts: _Pairable, at: Floats) -> Floats:
    """Sum pair by pair within each unit; the ratings of a unit are contiguous."""
    sums = np.zeros(len(parts.size))
    x = at[parts.code]
    for shift in range(1, int(parts.size.max())):
        same = parts.unit[shift:] == parts.unit[:-shift]
        far = _relative_distance(x[shift:][same], x[:-shift][same])
        sums += np.bincount(parts.unit[shift:][same], weights=far, minlength=len(sums))
    return 2 * sums / (parts.size - 1)


def _ratio_to_all(parts: _Pairable, at: Floats) -> Floats:
    """By blocks, so that many different values stay within memory."""
    blocks = (at[start : start + _BLOCK, None] for start in range(0, len(at), _BLOCK))
    return np.concatenate([_relative_distance(b, at[None, :]) @ parts.counts for b in blocks])


def _relative_distance(one: Floats, two: Floats) -> Floats:
    total = one + two
    far: Floats = ((one - two) / np.where(total > 0, total, 1.0)) ** 2
    return far


def _influences(parts: _Pairable, apart: _Distances) -> Floats:
    """The derivative of alpha by each unit's weight, less its mean."""
    n = len(parts.code)
    within, between = float(apart.within.sum()), float(parts.counts @ apart.away)
    moved = apart.within + parts.by_unit(apart.within_pull[parts.code])
    gone = parts.by_unit((2 * apart.away + apart.between_pull)[parts.code])
    slope = -(parts.size * within + (n - 1) * (moved - within * gone / between)) / between
    centred: Floats = slope - slope.mean()
    return centred


def _left_out_warning(keep: Bools) -> tuple[str, ...]:
    gone = int((~keep).sum())
    return (f"{gone} units with fewer than two ratings left out",) if gone else ()
