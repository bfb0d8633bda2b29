"""Runs of one model over the same cases, so that differences come from runs, not cases."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmaker.record.score_columns import ScoreColumns

Rows = NDArray[np.bool_]


class CommonCases(NamedTuple):
    """The common part of runs: ``runs`` are their codes, ``n_cases`` the cases scored in each.

    ``rows`` are those of these runs and cases. ``left_out`` are scored runs that lack too many of
    the cases.
    """

    runs: tuple[int, ...]
    rows: Rows
    n_cases: int
    left_out: tuple[int, ...]


def common_cases(columns: ScoreColumns, rows: Rows) -> CommonCases:
    """Select the runs and cases for measuring the spread of runs.

    A run with a failed judge, or with judgments outstanding, has scores for some cases only, and
    its mean differs because others are missing. So only cases scored in all selected runs count. A
    run with few scores would leave few cases: runs are added by descending number of cases while
    (runs - 1) × cases is largest.

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
