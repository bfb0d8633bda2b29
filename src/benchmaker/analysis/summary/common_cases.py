"""Runs of one model over the same cases, so that what differs is the runs and not their cases."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmaker.record.score_columns import ScoreColumns

Rows = NDArray[np.bool_]


class CommonCases(NamedTuple):
    """What runs have in common: ``runs`` are their codes, ``n_cases`` the cases scored in each.

    ``rows`` are those of these runs and cases. ``left_out`` are runs with a score that lack too
    many of the cases.
    """

    runs: tuple[int, ...]
    rows: Rows
    n_cases: int
    left_out: tuple[int, ...]


def common_cases(columns: ScoreColumns, rows: Rows) -> CommonCases:
    """The runs and cases over which the spread of runs is measured.

    A run in which a judge failed, or that is not judged to the end, has scores of some cases only,
    and its mean differs for want of the others. So only cases with a score in each of the runs
    count. A run with few scores would leave few cases: the runs are taken in the order of how many
    cases they have, as many as make (runs - 1) × cases the largest.

    Args:
        columns: the scores of several runs.
        rows: those of one model.
    """
    scored = rows & ~np.isnan(columns.score) & (columns.weight > 0)
    places, case = np.unique(columns.position[scored], return_inverse=True)
    has = np.zeros((len(columns.run_ids), len(places)), dtype=np.bool_)
    has[columns.run[scored], case] = True
    sizes = has.sum(axis=1)
    order = np.argsort(-sizes, kind="stable")[: int((sizes > 0).sum())]
    if not len(order):
        return CommonCases((), scored, 0, ())
    shared = np.logical_and.accumulate(has[order], axis=0)
    last = int(np.argmax(np.arange(len(order)) * shared.sum(axis=1)))
    runs, left_out = np.sort(order[: last + 1]), np.sort(order[last + 1 :])
    kept = np.isin(columns.position, places[shared[last]]) & np.isin(columns.run, runs)
    n_cases = int(shared[last].sum())
    return CommonCases(tuple(runs.tolist()), scored & kept, n_cases, tuple(left_out.tolist()))
