"""Trials of another tool as rows: the shortest way from an answer to the tables."""

from typing import NamedTuple

from benchmaker.errors import StoreError
from benchmaker.record import Attempt, Completion, ImportedRecord, Score
from benchmaker.store.database.escaping import escape, escape_or_none
from benchmaker.store.database.json_values import encode
from benchmaker.store.runs.trial_rows import Row, TrialRows, attempt_rows, completion_row, score_row


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


def new_trial_rows(trial: NewTrial, run_seq: int) -> TrialRows:
    """Return the rows of a trial.

    Raises:
        StoreError: a value can't be stored.
    """
    row = (
        run_seq,
        trial.rank,
        trial.position,
        escape(trial.case_id),
        trial.outcome,
        0 if trial.score is None else 1,
        1.0,
        escape_or_none(trial.category),
        None,
        None,
        escape_or_none(trial.group),
        "",
        escape_or_none(trial.error_type),
        escape_or_none(trial.error),
        None,
        trial.finished_at,
        None,
    )
    try:
        completion = completion_row(trial.completion)
        score = None if trial.score is None else score_row(trial.score)
        attempts = attempt_rows(trial.attempts)
    except (TypeError, ValueError) as exc:
        raise StoreError(
            f"the trial can't be stored: {exc}.", where=f"case {trial.case_id}"
        ) from exc
    return TrialRows(trial=row, completion=completion, attempts=attempts, score=score, size=0)


def record_row(record: ImportedRecord) -> Row:
    """Return the row of the tool's own scores, and of the fields that are kept verbatim."""
    return (record.key, encode(record.scores), encode(record.rest) if record.rest else "{}")
