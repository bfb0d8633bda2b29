"""The failed cases of a result with the reason of each, those that became worse first."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.summary.case_grid import CaseGrid
from benchmaker.record import Run, Trial
from benchmaker.report.runs.page import ReportPage, mark_words
from benchmaker.report.sentences.check_words import failed_check_lines
from benchmaker.report.tables import numbers
from benchmaker.store import Store
from benchmaker.web.results.answers import DistinctAnswer, ScorePill, score_pill
from benchmaker.web.results.changes import CHANGED
from benchmaker.web.results.earlier import changes_address, earlier_means
from benchmaker.web.results.panels import identities
from benchmaker.web.results.run_cache import OverviewCache
from benchmaker.web.results.subject import Subject

_EXCERPT, _MARGIN = 200, 300
_LAST = 2.0
"""Behind every score, for trials without one."""

Floats = NDArray[np.float64]


class GridCell(NamedTuple):
    """A cell of a grid by row and column, its earlier mean, and the difference; NaN without one."""

    row: int
    column: int
    before: float
    change: float


@dataclass(frozen=True, slots=True, eq=False)
class FailedCells:
    """The first failed cells, and the number of all; ``lower`` and ``higher`` count changed cells.

    A cell has failed if its mean is below 1 or missing although it has trials. ``before`` is the
    earlier run, or the runs of the earlier series; empty without one.
    """

    cells: tuple[GridCell, ...]
    total: int
    lower: int = 0
    higher: int = 0
    before: tuple[Run, ...] = ()


def failed_cells(
    known: OverviewCache,
    store: Store,
    grid: CaseGrid,
    subject: Subject,
    *,
    before: tuple[Run, ...],
    limit: int,
) -> FailedCells:
    """Return the failed cells of a result: the largest losses first, then the lowest scores.

    Args:
        known: the cache of results.
        store: the store.
        grid: the grid of the subject.
        subject: a run or series.
        before: the earlier runs to compare with.
        limit: maximum number of cells.
    """
    earlier = (
        earlier_means(known, store, grid, subject, before)
        if before
        else np.full(grid.mean.shape, np.nan)
    )
    change = grid.mean - earlier
    rows, columns = np.nonzero((grid.counts.sum(axis=2) > 0) & ~(grid.mean >= 1.0))
    order = _order(grid, change, rows, columns)[:limit].tolist()
    cells = (
        GridCell(row, column, float(earlier[row, column]), float(change[row, column]))
        for row, column in zip(rows[order].tolist(), columns[order].tolist(), strict=True)
    )
    lower, higher = int((change < -CHANGED).sum()), int((change > CHANGED).sum())
    return FailedCells(tuple(cells), len(rows), lower, higher, before)


def _order(
    grid: CaseGrid, change: Floats, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The order of failed cells; at equal scores the hardest case comes first."""
    loss = np.minimum(np.nan_to_num(change[rows, columns], nan=0.0), 0.0)
    mean = np.nan_to_num(grid.mean[rows, columns], nan=_LAST)
    hardness = np.nan_to_num(grid.case_mean[rows], nan=_LAST)
    order: NDArray[np.int64] = np.lexsort((columns, grid.position[rows], hardness, mean, loss))
    return order


def failed_panel(
    page: ReportPage, store: Store, grid: CaseGrid, subject: Subject, found: FailedCells
) -> dict[str, Any]:
    """Return the rows of the panel: case, setup, scores, expected value, answer and reason."""
    places = [int(grid.position[cell.row]) for cell in found.cells]
    called = store.case_pages.names(subject.run.suite_hash, places)
    return {
        "rows": [
            {
                **identities(page, [grid.models[cell.column]])[0],
                "case": page.clean(called.get(place, "")),
                "href": f"/runs/{subject.run.id}/cases/{place}",
                "before": numbers.score(cell.before) if cell.change < -CHANGED else "",
                **_texts(page, _failed_trial(store, grid, subject, place, cell)),
            }
            for place, cell in zip(places, found.cells, strict=True)
        ],
        "total": found.total,
        "lower": found.lower,
        "higher": found.higher,
        "since": found.before[0].started_at if found.before else "",
        "changes": changes_address(subject, found.before),
        "base": subject.base,
    }


def _failed_trial(
    store: Store, grid: CaseGrid, subject: Subject, place: int, cell: GridCell
) -> Trial | None:
    """The first trial of the cell without full marks."""
    model = grid.models[cell.column]
    return next(
        (
            trial
            for run in subject.runs
            for trial in store.trials_at(run.id, place, model=model)
            if not (trial.score and trial.score.is_right)
        ),
        None,
    )


def _texts(page: ReportPage, trial: Trial | None) -> dict[str, Any]:
    if trial is None:  # deleted in between
        return {"expected": "", "answer": "", "reason": "", "score": ScorePill("unscored", "none")}
    score = trial.score
    taken = score.extraction if score else None
    answer = taken.text if taken and taken.text else trial.text
    return {
        "expected": _excerpt(page, score.expectation or "") if score else "",
        "answer": _excerpt(page, answer) if trial.completion else "",
        "reason": _excerpt(page, next(_reasons(trial), "")),
        "score": score_pill(DistinctAnswer((trial,))),
    }


def _reasons(trial: Trial) -> Iterator[str]:
    """Yield why a trial has no full marks, the most precise reason first."""
    score = trial.score
    if trial.completion is None or score is None or score.score is None:
        yield mark_words(trial)
        return
    yield from failed_check_lines(score)
    if score.notes:
        yield score.notes
    yield mark_words(trial)


def _excerpt(page: ReportPage, text: str) -> str:
    """The beginning of a text on one line; no secret is cut before it is removed."""
    shown = page.clean(" ".join(text[: 2 * _EXCERPT + _MARGIN].split()))
    return shown if len(shown) <= _EXCERPT else f"{shown[:_EXCERPT]}…"
