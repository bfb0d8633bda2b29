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
    columns = _Columns._make(zip(*trials, strict=True))
    try:
        return columns.rows(run_seq)
    except (TypeError, ValueError):
        for trial in trials:
            _check(trial)
        raise


def _check(trial: NewTrial) -> None:
    """Raise StoreError if a value of this trial can't be stored."""
    try:
        _Columns._make((value,) for value in trial).rows(0)
    except (TypeError, ValueError) as exc:
        raise StoreError(
            f"the trial can't be stored: {exc}.", where=f"case {trial.case_id}"
        ) from exc


class _Columns(NamedTuple):
    """The fields of several trials, one column for each."""

    rank: Sequence[int]
    position: Sequence[int]
    case_id: Sequence[str]
    outcome: Sequence[str]
    record: Sequence[ImportedRecord]
    finished_at: Sequence[str]
    completion: Sequence[Completion | None]
    score: Sequence[Score | None]
    category: Sequence[str | None]
    group: Sequence[str | None]
    error_type: Sequence[str | None]
    error: Sequence[str | None]
    attempts: Sequence[tuple[Attempt, ...]]

    def rows(self, run_seq: int) -> NewRows:
        return NewRows(
            trials=self._trials(run_seq),
            completions=[None if one is None else completion_row(one) for one in self.completion],
            attempts=[attempt_rows(one) if one else () for one in self.attempts],
            scores=[None if one is None else score_row(one) for one in self.score],
            records=list(map(record_row, self.record)),
        )

    def _trials(self, run_seq: int) -> list[Row]:
        """Return rows in the order of the table's columns, without their numbers."""
        columns: tuple[Iterable[Any], ...] = (
            repeat(run_seq),
            self.rank,
            self.position,
            escape_all(self.case_id),
            self.outcome,
            [0 if one is None else 1 for one in self.score],
            repeat(1.0),
            escape_all(self.category),
            _NOTHING,
            _NOTHING,
            escape_all(self.group),
            repeat(""),
            escape_all(self.error_type),
            escape_all(self.error),
            _NOTHING,
            self.finished_at,
            _NOTHING,
        )
        return list(zip(*columns, strict=False))


_NOTHING = repeat(None)


def record_row(record: ImportedRecord) -> Row:
    """Return the row of the tool's own scores, and of the fields that are kept verbatim."""
    return (record.key, encode(record.scores), encode(record.rest) if record.rest else "{}")
