"""Trials of another tool as rows: the shortest way from an answer to the tables.

Rows are made together, column by column: a call for each value takes longer than its storage.
"""

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any, NamedTuple

from benchmaker.errors import StoreError
from benchmaker.record import Attempt, Completion, ImportedRecord, Score
from benchmaker.store.database.escaping import escape_all
from benchmaker.store.database.json_values import encode
from benchmaker.store.runs.batch import NewRows
from benchmaker.store.runs.trial_rows import Row, attempt_rows, completion_row, score_row


class NewTrial(NamedTuple):
    """An answer of a tool's file: its place in a run, the completion, and the tool's score.

    ``rank`` is that of the setup, ``position`` that of the case. Errors and attempts are those of a
    failed request.
    """

    rank: int
    position: int
    case_id: str
    outcome: str
    record: ImportedRecord
    finished_at: str
    completion: Completion | None = None
    score: Score | None = None
    category: str | None = None
    group: str | None = None
    error_type: str | None = None
    error: str | None = None
    attempts: tuple[Attempt, ...] = ()


def new_trial_rows(trials: Sequence[NewTrial], run_seq: int) -> NewRows:
    """Return the rows of trials of one run.

    Raises:
        StoreError: a value can't be stored; the message names its case.
    """
    try:
        return _rows_of(trials, run_seq)
    except (TypeError, ValueError):
        for trial in trials:
            _check(trial)
        raise


def _check(trial: NewTrial) -> None:
    """Raise StoreError if a value of this trial can't be stored."""
    try:
        _rows_of([trial], 0)
    except (TypeError, ValueError) as exc:
        raise StoreError(
            f"the trial can't be stored: {exc}.", where=f"case {trial.case_id}"
        ) from exc


def _rows_of(trials: Sequence[NewTrial], run_seq: int) -> NewRows:
    completions, scores = [it.completion for it in trials], [it.score for it in trials]
    return NewRows(
        trials=_trial_rows(trials, run_seq),
        completions=[None if one is None else completion_row(one) for one in completions],
        attempts=[attempt_rows(it.attempts) if it.attempts else () for it in trials],
        scores=[None if one is None else score_row(one) for one in scores],
        records=[record_row(it.record) for it in trials],
    )


def _trial_rows(trials: Sequence[NewTrial], run_seq: int) -> list[Row]:
    """Return rows in the order of the table's columns, without their numbers."""
    columns: tuple[Iterable[Any], ...] = (
        repeat(run_seq),
        [it.rank for it in trials],
        [it.position for it in trials],
        escape_all([it.case_id for it in trials]),
        [it.outcome for it in trials],
        [0 if it.score is None else 1 for it in trials],
        repeat(1.0),
        escape_all([it.category for it in trials]),
        _NOTHING,
        _NOTHING,
        escape_all([it.group for it in trials]),
        repeat(""),
        escape_all([it.error_type for it in trials]),
        escape_all([it.error for it in trials]),
        _NOTHING,
        [it.finished_at for it in trials],
        _NOTHING,
    )
    return list(zip(*columns, strict=False))


_NOTHING = repeat(None)


def record_row(record: ImportedRecord) -> Row:
    """Return the row of the tool's own scores, and of the fields that are kept verbatim."""
    return (record.key, encode(record.scores), encode(record.rest) if record.rest else "{}")
