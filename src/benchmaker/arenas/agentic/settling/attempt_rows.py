"""Attempts registered before the work, as counted on boards.

An attempt without a result counts as failed, without other figures, so that withholding results
gains nothing. It counts once the same person has a result of the same system, and as long as there
is one: registration alone changes nothing. An agent trial without a score does
not count.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from benchmaker.record.account import RegisteredAttempt
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import NO_RESULT, REGISTERED, UNKNOWN_US, Metrics
from benchmaker.record.submissions.submission import JOINT, EvidenceLevel
from benchmaker.store import Store

_PREFIX: Final = "\x1aregistered "
"""Before the ids of attempts; no submission is called so."""


def counted_attempts(
    store: Store, columns: MetricColumns
) -> tuple[list[Metrics], dict[int, tuple[str, ...]]]:
    """Figures of the attempts without a result, and the rows of the results of the others.

    ``columns`` are the submissions by id.
    """
    attempts = store.agentic.attempts()
    if attempts:
        unscored = {key.submission_id for key in store.agent_trials.unscored_keys()}
        attempts = tuple(it for it in attempts if it.submission_id not in unscored)
    rows = {it.id: _row_of(columns, it.submission_id) for it in attempts}
    known = {(it.by, it.system) for it in attempts if rows[it.id] is not None}
    counted = [it for it in attempts if (it.by, it.system) in known]
    missing = [it for it in counted if rows[it.id] is None]
    results = (row for it in counted if (row := rows[it.id]) is not None)
    found: dict[int, tuple[str, ...]] = dict.fromkeys(results, (REGISTERED,))
    ends = columns.finished_us[columns.finished_us != UNKNOWN_US]
    newest_us = int(ends.max()) if len(ends) else None
    return list(_failed_attempts(store, missing, newest_us)), found


def _row_of(columns: MetricColumns, submission_id: str | None) -> int | None:
    """The row of a submission that counts."""
    if submission_id is None:
        return None
    row = bisect_left(columns.ids, submission_id)
    is_there = row < len(columns) and columns.ids[row] == submission_id
    return row if is_there and not columns.quarantined[row] else None


def _failed_attempts(
    store: Store, attempts: Sequence[RegisteredAttempt], newest_us: int | None
) -> Iterator[Metrics]:
    """Their rows; none ends after the newest submission, so that no window moves with them."""
    tasks = {it.task_id: store.agentic.task(it.task_id) for it in attempts}
    for it in attempts:
        task = tasks[it.task_id]
        tool, model, effort = split_system(it.system)
        yield Metrics(
            submission_id=f"{_PREFIX}{it.id}",
            task_id=it.task_id,
            system=it.system,
            category=task.category if task else None,
            difficulty=task.difficulty if task else None,
            tool=tool,
            model=model,
            effort=effort,
            submitter=it.by,
            finished_us=None if newest_us is None else min(_us(it.made_at), newest_us),
            correctness=0.0,
            success=False,
            evidence_level=EvidenceLevel.VERIFIED,
            flags=(REGISTERED, NO_RESULT),
        )


def split_system(system: str) -> tuple[str, str | None, str | None]:
    """Tool, model and effort out of a system's name.

    >>> split_system("claude-code · opus")
    ('claude-code', 'opus', None)
    """
    tool, *others = system.split(JOINT)
    model, effort, *_ = [*others, None, None]
    return tool, model, effort


def _us(moment: str) -> int:
    return int(datetime.fromisoformat(moment).timestamp() * 1e6)
