"""Submissions a page at a time, sorted and filtered by the database."""

from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, RowMapping, Select, case, func, or_, select

from benchmaker.errors import SpecError
from benchmaker.record.metrics import Metrics
from benchmaker.record.submission import Submission
from benchmaker.store.agentic_tables import metric_rows
from benchmaker.store.body import decode
from benchmaker.store.database import Database
from benchmaker.store.paging import paged, place_after
from benchmaker.store.tables import submissions
from benchmaker.store.text import escape, unescape

_BY: dict[str, ColumnElement[Any]] = {
    "added": submissions.c.seq,
    "started": func.coalesce(submissions.c.started_at, ""),
    "tool": submissions.c.harness,
    "model": func.coalesce(submissions.c.model, ""),
    "task": func.coalesce(submissions.c.task_id, ""),
}
SORTABLE = tuple(_BY)
"""What submissions can be sorted by."""

_IS_NEWEST = submissions.c.is_newest + 0 == 1
"""A sum, so that SQLite goes by the order asked for and not by all that are newest."""

_LOOKED_AT = 20_000
"""Names are looked for among so many of the last submissions."""


class SubmissionRow(NamedTuple):
    """A submission with its row number and, where it names a task, the figures that are scored."""

    number: int
    submission: Submission
    metrics: Metrics | None = None


class SubmissionPage(NamedTuple):
    """Submissions, and the place to go on from; "" at the end."""

    rows: tuple[SubmissionRow, ...]
    after: str = ""


def page_of_submissions(
    database: Database,
    *,
    sort: str = "added",
    descending: bool = True,
    after: str = "",
    limit: int = 50,
    text: str = "",
    tool: str = "",
    model: str = "",
    task: str = "",
    evidence: str = "",
) -> SubmissionPage:
    """One page of submissions, each in its newest revision.

    Args:
        database: where they are.
        sort: one of ``SORTABLE``; ``added`` is the order of import.
        descending: the last first.
        after: the place to go on from.
        limit: how many rows.
        text: the beginning of an id or of a session's id, or part of a tool, model or task.
        tool: only this tool; the other words likewise.
        model: of the system.
        task: its id.
        evidence: the level of evidence that counts now.

    Raises:
        SpecError: no such order, or no place that was given out.
    """
    if sort not in _BY:
        hint = f"Choose {', '.join(_BY)}."
        raise SpecError(f"submissions can't be sorted by {sort!r}.", hint=hint)
    by = _BY[sort]
    wanted = _rows().add_columns(by.label("by"))
    wanted = _chosen(wanted, text=text, tool=tool, model=model, task=task, evidence=evidence)
    wanted = paged(wanted, by, submissions.c.seq, descending=descending, after=after, limit=limit)
    with database.read() as connection:
        found = connection.execute(wanted).mappings().all()
    rows = tuple(map(_row, found[:limit]))
    last = found[limit - 1] if len(found) > limit else None
    return SubmissionPage(rows, place_after(last["by"], last["seq"]) if last else "")


def submission_row(database: Database, number: int) -> SubmissionRow | None:
    """The newest revision of the submission that ever had that row number; None for no such."""
    meant = select(submissions.c.id).where(submissions.c.seq == number).scalar_subquery()
    return _one(database, submissions.c.id == meant)


def submission_row_of(database: Database, submission_id: str) -> SubmissionRow | None:
    """The newest revision of the submission of that id, with its row number."""
    return _one(database, submissions.c.id == escape(submission_id))


def submission_numbers(database: Database, ids: list[str]) -> dict[str, int]:
    """The row number of each of these submissions that is there."""
    own = submissions.c.id.in_([escape(one) for one in ids])
    wanted = select(submissions.c.id, submissions.c.seq).where(own, _IS_NEWEST)
    with database.read() as connection:
        return {unescape(row.id): row.seq for row in connection.execute(wanted)}


def names_of(database: Database, label: str, limit: int = 200) -> tuple[str, ...]:
    """The tools, models or tasks that the last submissions name, at most so many."""
    columns = {
        "tool": submissions.c.harness,
        "model": submissions.c.model,
        "task": submissions.c.task_id,
    }
    column = columns[label]
    newest = select(column.label("name")).where(_IS_NEWEST)
    last = newest.order_by(submissions.c.seq.desc()).limit(_LOOKED_AT).subquery()
    named = select(last.c.name).where(last.c.name.is_not(None))
    wanted = named.distinct().order_by(last.c.name).limit(limit)
    with database.read() as connection:
        return tuple(unescape(one) for one in connection.scalars(wanted))


def _one(database: Database, own: ColumnElement[bool]) -> SubmissionRow | None:
    with database.read() as connection:
        row = connection.execute(_rows().where(own)).mappings().first()
    return _row(row) if row else None


def _rows() -> Select[Any]:
    figures = metric_rows.c.submission_id == submissions.c.id
    return (
        select(submissions.c.seq, submissions.c.body, metric_rows.c.body.label("figures"))
        .join(metric_rows, figures, isouter=True)
        .where(_IS_NEWEST)
    )


def _row(row: RowMapping) -> SubmissionRow:
    figures = row["figures"]
    return SubmissionRow(
        row["seq"],
        decode(row["body"], Submission),
        None if figures is None else decode(figures, Metrics),
    )


def _chosen(
    wanted: Select[Any], *, text: str, tool: str, model: str, task: str, evidence: str
) -> Select[Any]:
    named = {"harness": tool, "model": model, "task_id": task}
    for column, value in named.items():
        if value:
            wanted = wanted.where(submissions.c[column] == escape(value))
    if text:
        wanted = wanted.where(_holds(escape(text)))
    if evidence:
        wanted = wanted.where(_has_evidence(evidence))
    return wanted


def _holds(text: str) -> ColumnElement[bool]:
    begins = (submissions.c.id, submissions.c.session_id)
    holds = (submissions.c.harness, submissions.c.model, submissions.c.task_id)
    return or_(
        *(column.startswith(text, autoescape=True) for column in begins),
        *(column.icontains(text, autoescape=True) for column in holds),
    )


def _has_evidence(level: str) -> ColumnElement[bool]:
    """What a task verified goes before what the record says; quotes inside texts are escaped."""
    known = case((metric_rows.c.body.is_not(None), metric_rows.c.body), else_=submissions.c.body)
    return known.contains(f'"evidence_level":"{level}"', autoescape=True)


def counts_by_task(database: Database) -> dict[str, int]:
    """How many submissions have figures, by task."""
    wanted = select(metric_rows.c.task_id, func.count()).group_by(metric_rows.c.task_id)
    with database.read() as connection:
        return {unescape(task): n for task, n in connection.execute(wanted)}
