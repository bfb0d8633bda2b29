"""The failed cases of a result with the reason of each, those that became worse first."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.summary.case_grid import CaseGrid
from benchmaker.engine.runs.case_selection import is_failed
from benchmaker.record import Run, Trial
from benchmaker.record.counts import count
from benchmaker.record.run import began_at
from benchmaker.report.runs.page import ReportPage, mark_words
from benchmaker.report.sentences.check_words import failed_check_lines
from benchmaker.report.tables import numbers
from benchmaker.store import Store
from benchmaker.web.results.answers import mean_pill
from benchmaker.web.results.changes import CHANGED
from benchmaker.web.results.earlier import changes_address, earlier_means, earlier_name
from benchmaker.web.results.panels import identities
from benchmaker.web.results.run_cache import OverviewCache, Unit, next_number, read_cases
from benchmaker.web.results.subject import Subject

MOST = 10
"""Maximum number of failed cases with their texts."""

_EXCERPT, _MARGIN = 200, 300
_LAST = 2.0
"""Behind every score, for trials without one."""

Floats = NDArray[np.float64]


class FailedCell(NamedTuple):
    """A case by its position, a setup, its mean, its earlier mean, and the difference.

    Each is NaN where it is missing. ``mean`` is over the scores of ``trials`` trials, of which
    ``unscored`` have none.
    """

    position: int
    model: str
    mean: float
    trials: int
    unscored: int
    before: float
    change: float


@dataclass(frozen=True, slots=True, eq=False)
class FailedCells:
    """The first failed cells, and the number of all; ``lower`` and ``higher`` count changed cells.

    ``lost`` counts cells that had a score, were run again, and have none now. A cell has failed as
    in :class:`CaseGrid`; ``cases`` is the number of cases with such a cell.
    ``before`` is the earlier run, or the runs of the earlier series; empty without one. ``number``
    identifies this result of the runs.
    """

    cells: tuple[FailedCell, ...]
    total: int
    cases: int
    lower: int = 0
    higher: int = 0
    lost: int = 0
    before: tuple[Run, ...] = ()
    number: int = field(default_factory=next_number)


def failed_cells(
    known: OverviewCache, store: Store, subject: Subject, before: tuple[Run, ...]
) -> FailedCells:
    """Return the failed cells of a result: the largest losses first, then the lowest scores.

    A cell that had a score and has none now is no loss of points: it follows the losses.
    ``before`` are the earlier runs to compare with; none leaves only the scores.
    """
    units = [Unit(subject.id, subject.run_ids)]
    if before:
        units.append(Unit(earlier_name(subject, before), tuple(run.id for run in before)))
    return known.current(store, tuple(units), "", _compute_failed)


def _compute_failed(
    store: Store, runs: tuple[Run, ...], units: tuple[Unit, ...], metric: str
) -> FailedCells:
    own = units[0]
    ours = tuple(run for run in runs if run.id in own.run_ids)
    grid = read_cases(store, ours, units[:1], metric).grid
    earlier = earlier_means(store, grid, runs, units)
    change = grid.mean - earlier
    rows, columns = np.nonzero(grid.failed)
    order = _order(grid, earlier, rows, columns)[:MOST].tolist()
    places = zip(rows[order].tolist(), columns[order].tolist(), strict=True)
    return FailedCells(
        tuple(_cell(grid, earlier, row, column) for row, column in places),
        total=len(rows),
        cases=len(np.unique(rows)),
        lower=int((change < -CHANGED).sum()),
        higher=int((change > CHANGED).sum()),
        lost=int((np.isnan(grid.mean) & ~np.isnan(earlier) & (grid.counts.sum(axis=-1) > 0)).sum()),
        before=tuple(run for run in runs if run.id not in own.run_ids),
    )


def _cell(grid: CaseGrid, earlier: Floats, row: int, column: int) -> FailedCell:
    mean, before = float(grid.mean[row, column]), float(earlier[row, column])
    trials = int(grid.counts[row, column].sum())
    return FailedCell(
        int(grid.position[row]),
        grid.models[column],
        mean=mean,
        trials=trials,
        unscored=trials - int(grid.scores[row, column]),
        before=before,
        change=mean - before,
    )


def _order(
    grid: CaseGrid, earlier: Floats, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The order of failed cells; at equal scores the hardest case comes first.

    Losses come first, then cells that lost their score, the highest one first, then all others.
    """
    now, before = grid.mean[rows, columns], earlier[rows, columns]
    is_gone = np.isnan(now) & ~np.isnan(before)
    loss = np.minimum(np.nan_to_num(now - before, nan=0.0), 0.0)
    group = np.where(loss < 0, 0, np.where(is_gone, 1, 2))
    by = np.where(is_gone, -before, loss)
    mean = np.nan_to_num(now, nan=_LAST)
    hardness = np.nan_to_num(grid.case_mean[rows], nan=_LAST)
    keys = (columns, grid.position[rows], hardness, mean, by, group)
    order: NDArray[np.int64] = np.lexsort(keys)
    return order


def failed_panel(
    page: ReportPage, store: Store, subject: Subject, found: FailedCells, *, limit: int = MOST
) -> dict[str, Any]:
    """Return the rows of the panel: case, setup, scores, expected value, answer and reason.

    The score is the mean over the runs; answer and reason are those of one failed trial.
    """
    cells = found.cells[:limit]
    called = store.case_pages.names(subject.run.suite_hash, [cell.position for cell in cells])
    return {
        "rows": [
            {
                **identities(page, [cell.model])[0],
                "case": page.clean(called.get(cell.position, "")),
                "href": f"/runs/{subject.run.id}/cases/{cell.position}",
                "score": mean_pill(cell.mean),
                "trials": cell.trials,
                "unscored": cell.unscored,
                "before": numbers.score(cell.before) if _is_worse(cell) else "",
                **_texts(
                    page,
                    subject,
                    _failed_trial(store, subject, cell),
                    store.case(subject.run.suite_hash, cell.position).expectation,
                ),
            }
            for cell in cells
        ],
        "total": found.total,
        "cases": found.cases,
        "changed": ", ".join(_changed_words(found)),
        "unit": "case means" if len(subject.runs) > 1 else "answers",
        "since": began_at(found.before),
        "changes": changes_address(subject, found.before),
        "base": subject.base,
    }


def _changed_words(found: FailedCells) -> Iterator[str]:
    """Yield the numbers of scores that are lower, lost and higher than in the earlier run."""
    if found.lower or found.higher:
        yield f"{count(found.lower, 'score')} lower"
    if found.lost:
        yield f"{count(found.lost, 'score')} lost"
    if found.lower or found.higher:
        yield f"{found.higher:,} higher"
    if not (found.lower or found.lost or found.higher):
        yield "no score changed"


def _is_worse(cell: FailedCell) -> bool:
    """True if the cell lost points, or its score."""
    return cell.change < -CHANGED or (math.isnan(cell.mean) and not math.isnan(cell.before))


def _failed_trial(store: Store, subject: Subject, cell: FailedCell) -> Trial | None:
    """The first failed trial of the cell."""
    return next(
        (
            trial
            for run in subject.runs
            for trial in store.trials_at(run.id, cell.position, model=cell.model)
            if is_failed(trial)
        ),
        None,
    )


def _texts(
    page: ReportPage, subject: Subject, trial: Trial | None, expected: str | None
) -> dict[str, Any]:
    """The texts of a row; ``expected`` is that of the case, where the score names none."""
    if trial is None:  # deleted in between
        expected = _excerpt(page, expected or "")
        return {
            "expected": expected,
            "answer": "",
            "reason": "",
            "run": 0,
        }
    score = trial.score
    taken = score.extraction if score else None
    answer = taken.text if taken and taken.text else trial.text
    return {
        "expected": _excerpt(page, (score and score.expectation) or expected or ""),
        "answer": _excerpt(page, answer) if trial.completion else "",
        "reason": _excerpt(page, next(_reasons(trial), "")),
        "run": _run_number(subject, trial),
    }


def _run_number(subject: Subject, trial: Trial) -> int:
    """The number of the trial's run in its series; 0 for a run alone."""
    numbers_of = {run.id: run.number for run in subject.runs}
    return numbers_of[trial.run_id] if len(numbers_of) > 1 else 0


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
