"""Graded scores whose means order the models otherwise than their ratings."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from benchmaker.analysis.comparison.pairing import CaseTable
from benchmaker.analysis.ratings.ranking import RankedModel
from benchmaker.record.score_columns import ScoreColumns

_EQUAL = 1e-9
_RULE = "ratings count which answer has the higher score in each case, not by how much"


class _Rated(NamedTuple):
    """A model with its rating and its weighted mean."""

    model: str
    rating: float
    mean: float


def mean_order_warnings(
    lines: Sequence[RankedModel], columns: ScoreColumns, table: CaseTable
) -> tuple[str, ...]:
    """Return a warning if scores are graded and the weighted means have another order.

    Args:
        lines: the models, strongest first.
        columns: the scores; they are graded if one is strictly between 0 and 1.
        table: the same scores by case, which the ratings compare.
    """
    if not np.any((columns.score > 0) & (columns.score < 1)):
        return ()
    rated = list(_rated_models(lines, table))
    swapped = next((pair for pair in combinations(rated, 2) if _is_swapped(*pair)), None)
    if swapped is None:
        return ()
    best = max(rated, key=lambda one: one.mean)
    if any(_is_swapped(one, best) and one.rating == rated[0].rating for one in rated):
        return (f"{_RULE}. By mean, {best.model} is first",)
    return (f"{_RULE}. By mean, {swapped[1].model} is above {swapped[0].model}",)


def _rated_models(lines: Sequence[RankedModel], table: CaseTable) -> Iterator[_Rated]:
    """The models on the scale of the first one."""
    for one in lines:
        if one.score is not None and one.group == lines[0].group:
            own = table.cases_of(one.model)
            mean = float(np.average(own.scores[:, 0], weights=own.weights))
            yield _Rated(one.model, one.score, mean)


def _is_swapped(one: _Rated, other: _Rated) -> bool:
    """True if the first has the higher rating, but the lower mean."""
    return one.rating > other.rating + _EQUAL and one.mean < other.mean - _EQUAL
