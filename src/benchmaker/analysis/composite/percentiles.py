"""Ranks and percentiles of submissions within their task."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.composite.rounding import round_as_python
from benchmaker.analysis.composite.row_groups import RowGroups

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Every row's place in its group; ``rank`` is 0 and ``percentile`` NaN where it has none.

    Equal scores share the best rank of theirs (1, 1, 3). ``n`` counts the ranked rows of the
    row's group.
    """

    rank: Ints
    percentile: Floats
    n: Ints


def places(
    scores: Floats,
    groups: NDArray[np.integer],
    count: int,
    *,
    is_ranked: Mask | None = None,
    percentile: Literal["mid", "published"] = "mid",
) -> Places:
    """Return ranks from the highest score down, and percentiles, within every group.

    ``mid`` is the mid-rank percentile, 100 · (below + equal/2)/n, counting the row itself as equal;
    ``published`` 100 · below/n, rounded to one digit. An unranked row does not affect others.

    Args:
        scores: NaN for none.
        groups: the code of every row's group, from 0 to ``count`` - 1.
        count: number of groups.
        is_ranked: mask of rows that count; None for all with a score.
        percentile: the kind of percentile.
    """
    counts = ~np.isnan(scores) if is_ranked is None else is_ranked & ~np.isnan(scores)
    segments = RowGroups.of(groups, count, rows=np.flatnonzero(counts))
    rank, below_and_equal = np.zeros((len(scores),), np.int64), np.zeros((2, len(scores)))
    for block in segments.blocks():
        falling = np.where(block.is_row, -scores[block.rows], np.inf)
        order = np.argsort(falling, axis=1)
        values = np.take_along_axis(falling, order, axis=1)
        rows = np.take_along_axis(block.rows, order, axis=1)
        first, end = _runs(values)
        own = np.arange(values.shape[1])[None, :] < segments.count[block.groups][:, None]
        size = segments.count[block.groups][:, None]
        rank[rows[own]] = first[own] + 1
        below_and_equal[0, rows[own]] = (size - np.minimum(end, size))[own]
        below_and_equal[1, rows[own]] = (np.minimum(end, size) - first)[own]
    n = segments.count[groups] if len(groups) else np.zeros(0, np.int64)
    return Places(rank=rank, percentile=_percentile(percentile, below_and_equal, n, counts), n=n)


def part_ranks(scores: Floats, is_ranked: Mask, *, shared: bool) -> Ints:
    """Return ranks by one part of the composite within a task, highest first; 0 for none.

    As published, each rank is given once, to the first among equals.

    Args:
        scores: in the order in which the submissions finished, NaN for none.
        is_ranked: mask of rows that count.
        shared: equal scores share the best of their ranks instead.
    """
    if shared:
        return places(scores, np.zeros(len(scores), np.int64), 1, is_ranked=is_ranked).rank
    rows = np.flatnonzero(is_ranked & ~np.isnan(scores))
    found = np.zeros(len(scores), np.int64)
    found[rows[np.argsort(-scores[rows], kind="stable")]] = np.arange(1, len(rows) + 1)
    return found


def _runs(values: Floats) -> tuple[Ints, Ints]:
    """Return the start and end of each run of equal values, for every place of every line."""
    steps = np.arange(values.shape[1])
    is_new = np.ones(values.shape, np.bool_)
    is_new[:, 1:] = values[:, 1:] != values[:, :-1]
    first = np.maximum.accumulate(np.where(is_new, steps, 0), axis=1)
    is_last = np.ones(values.shape, np.bool_)
    is_last[:, :-1] = is_new[:, 1:]
    ends = np.where(is_last, steps + 1, values.shape[1])
    end = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    return first, end


def _percentile(kind: str, below_and_equal: Floats, n: Ints, counts: Mask) -> Floats:
    below, equal = below_and_equal
    size = np.maximum(n, 1)
    if kind == "published":
        found = round_as_python(below / size * 100, 1)
    else:
        found = 100 * (below + equal / 2) / size
    return np.where(counts, found, np.nan)
