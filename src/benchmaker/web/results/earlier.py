"""The earlier run or series of a suite, and its scores of the same cases by the same setups."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.summary.case_grid import CaseGrid
from benchmaker.errors import AnalysisError
from benchmaker.record import Run, RunState
from benchmaker.record.run import start_order
from benchmaker.store import Store
from benchmaker.web.results.changes import paired_columns
from benchmaker.web.results.run_cache import CasesOverview, Unit, read_cases
from benchmaker.web.results.subject import Subject

Floats = NDArray[np.float64]

_SEARCHED = 20
"""Number of the suite's latest runs among which the earlier one is looked for."""


def earlier_runs(store: Store, subject: Subject) -> tuple[Run, ...]:
    """Return the latest earlier run of the suite, or the runs of its series; () without one.

    Only finished runs with a setup in common count. A run in a series stands for the series if the
    subject is one itself.
    """
    latest = store.runs(limit=_SEARCHED, suite_name=subject.run.suite_name)
    before = next((run for run in latest if _is_before(run, subject)), None)
    if before is None:
        return ()
    if before.series_id and subject.is_series:
        return tuple(sorted(store.runs(series_id=before.series_id), key=lambda run: run.number))
    return (before,)


def earlier_name(subject: Subject, before: Sequence[Run]) -> str:
    """Return the id of the earlier run, or of its series, in addresses."""
    return (before[0].series_id if subject.is_series else None) or before[0].id


def changes_address(subject: Subject, before: Sequence[Run]) -> str:
    """Return the comparison with the earlier run or series; empty without one."""
    return f"/compare?runs={earlier_name(subject, before)},{subject.id}" if before else ""


def earlier_means(
    store: Store, grid: CaseGrid, runs: tuple[Run, ...], units: Sequence[Unit]
) -> Floats:
    """Return the earlier mean of each cell of a grid; NaN for a cell without one.

    All are NaN if there is no earlier run, or if the runs cannot be compared.

    Args:
        store: the store.
        grid: the grid of the first unit.
        runs: the runs of all units.
        units: a run or series, and the earlier one, if there is one.
    """
    means = np.full(grid.mean.shape, np.nan)
    if len(units) == 1:
        return means
    own, other = units
    try:
        both = read_cases(store, runs, (own, other), "")
    except AnalysisError:
        return means
    rows, places = _rows_in(grid, _own_places(both, own))
    for now, then in paired_columns(both, own, other):
        column = grid.models.index(both.unit_of[both.grid.models[now]][1])
        means[rows, column] = both.grid.mean[places, then]
    return means


def _own_places(both: CasesOverview, own: Unit) -> NDArray[np.int64]:
    """The positions of the common cases in the unit's own version of the suite."""
    moved = both.places.get(own.run_ids[0])
    if not moved:
        return both.grid.position
    return np.array([moved.get(at, at) for at in both.grid.position.tolist()], np.int64)


def _rows_in(
    grid: CaseGrid, positions: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of the grid with these positions, and where each of them stands among these."""
    rows = np.searchsorted(grid.position, positions)
    found = np.flatnonzero(rows < len(grid))
    found = found[grid.position[rows[found]] == positions[found]]
    return rows[found], found


def _is_before(run: Run, subject: Subject) -> bool:
    first = subject.run
    is_other = run.series_id is None or run.series_id != first.series_id
    return (
        is_other
        and run.order < start_order(subject.runs)[1]
        and run.state is RunState.FINISHED
        and not set(run.models).isdisjoint(first.models)
    )
