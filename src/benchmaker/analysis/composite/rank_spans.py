"""Ranks of the submissions of one task whose scores may be ranges, with an interval for each.

A row's rank is that of its lower end. A baseline row that omits a figure also leaves that figure's
quantiles, which may lower the scores of others. It gains no rank by that: its lower end is compared
with each other row's score with that figure at its best, which no baseline can exceed.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.composite.baseline_columns import robust_eligible
from benchmaker.analysis.composite.composite_columns import CompositeColumns
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.scored_figures import Figure

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

AtBest: TypeAlias = Callable[[frozenset[Figure]], CompositeColumns]
"""Evaluates the same rows with these figures at their best in each."""


class RankSpans(NamedTuple):
    """The rank of every row with its interval; 0 for none.

    ``best`` counts the rows certainly above it, ``worst`` also those that may be above it.
    """

    rank: Ints
    best: Ints
    worst: Ints


def rank_spans(
    columns: MetricColumns, scores: CompositeColumns, is_ranked: Mask, at_best: AtBest
) -> RankSpans:
    """Return the ranks of the rows of one task; equal scores share the best rank.

    Args:
        columns: the submissions.
        scores: their scores by the profile.
        is_ranked: mask of rows that count.
        at_best: re-evaluates them, for baseline rows that lack a figure.
    """
    low, high = scores.overall, scores.upper_part("overall")
    counts = is_ranked & ~np.isnan(low)
    rank = _one_more_than_above(low, low, counts)
    worst = _one_more_than_above(high, low, counts) - (high > low)
    for rows, missing in _patterns(columns, scores, counts):
        best_of = at_best(missing)
        of_low = np.fmax(low, best_of.overall)
        of_high = np.fmax(high, best_of.upper_part("overall"))
        rank[rows] = _above_each(of_low, low, counts, rows)
        worst[rows] = _above_each(of_high, low, counts, rows)
    best = _one_more_than_above(low, high, counts)
    found = (np.where(counts, one, 0) for one in (rank, best, np.maximum(worst, rank)))
    return RankSpans(*found)


def rank_of_row(
    columns: MetricColumns, scores: CompositeColumns, at: int, rows: Ints, at_best: AtBest
) -> int:
    """Return the rank of one row among those of its task, as in :func:`rank_spans`; 0 for none.

    Args:
        columns: the submissions.
        scores: their scores by the profile.
        at: the index of the row.
        rows: the indexes of all rows of its task.
        at_best: as in :func:`rank_spans`.
    """
    own, others = scores.overall[at], scores.overall[rows]
    if np.isnan(own):
        return 0
    missing = frozenset(name for name, lacks in scores.lacking.items() if lacks[at])
    if missing and robust_eligible(columns.take(np.array([at])))[0]:
        others = np.fmax(others, at_best(missing).overall[rows])
    return 1 + int((others[rows != at] > own).sum())


def _one_more_than_above(of_others: Floats, own: Floats, counts: Mask) -> Ints:
    ordered = np.sort(of_others[counts])
    above: Ints = len(ordered) - np.searchsorted(ordered, own, side="right")
    return above + 1


def _above_each(of_others: Floats, own: Floats, counts: Mask, rows: Ints) -> Ints:
    """Return the ranks of some rows; no row is above itself."""
    ranks = _one_more_than_above(of_others, own[rows], counts)
    return ranks - (of_others[rows] > own[rows])


def _patterns(
    columns: MetricColumns, scores: CompositeColumns, counts: Mask
) -> Iterator[tuple[Ints, frozenset[Figure]]]:
    """The rows that would be in the baseline of figures that they lack, by these figures."""
    if not scores.lacking:
        return
    of_baseline = counts & robust_eligible(columns)
    names = list(scores.lacking)
    code = np.sum([scores.lacking[name] << at for at, name in enumerate(names)], axis=0)
    code = np.where(of_baseline, code, 0)
    for one in np.unique(code[code > 0]).tolist():
        missing = frozenset(name for at, name in enumerate(names) if one >> at & 1)
        yield np.flatnonzero(code == one), missing
