"""Submissions a page at a time, sorted and filtered by the database."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    case,
    func,
    literal,
    literal_column,
    or_,
    select,
)

from benchmaker.errors import SpecError
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.record.submissions.submission import Submission
from benchmaker.store.database.agentic_tables import metric_rows
from benchmaker.store.database.database import Database
from benchmaker.store.database.json_values import decode
from benchmaker.store.database.paging import encode_cursor, select_after
from benchmaker.store.database.tables import IS_NEWEST, submissions

_TOOL: ColumnElement[Any] = submissions.c.harness
_MODEL = func.coalesce(submissions.c.model, literal_column("''"))
_TASK = func.coalesce(submissions.c.task_id, literal_column("''"))
_BY: dict[str, ColumnElement[Any]] = {
    "added": submissions.c.seq,
    "started": func.coalesce(submissions.c.started_at, literal_column("''")),
    "tool": _TOOL,
    "model": _MODEL,
    "task": _TASK,
}
SORTABLE = tuple(_BY)
"""The sort keys of submissions."""

_NAMED: dict[str, ColumnElement[Any]] = {
    "tool": submissions.c.harness,
    "model": submissions.c.model,
    "task": submissions.c.task_id,
}
_LOOKED_AT = 20_000
"""Number of latest submissions searched for names, and of submissions per step of a text search."""

_LOOKED_AT_FIRST = 1_000
"""Number of rows after which a page is usually full."""

_FEW = 5_000
"""Maximum number of rows to sort without an index."""


class SubmissionRow(NamedTuple):
    """A submission with its row number and, if it names a task, its scored figures."""

    number: int
    submission: Submission
    metrics: Metrics | None = None


class SubmissionPage(NamedTuple):
    """Submissions, and the cursor of the next page; "" at the end.

    A page may have few rows or none, and still a cursor, from which the text search continues.
    """

    rows: tuple[SubmissionRow, ...]
    after: str = ""


class _Order(NamedTuple):
    """The sort key of submissions, the direction, and the start."""

    by: ColumnElement[Any]
    after: str
    descending: bool

    def select_after(
        self, wanted: Select[Any], named: Sequence[tuple[ColumnElement[Any], str]]
    ) -> Select[Any]:
        """Select the rows after the start with these names."""
        wanted = wanted.where(*(column == value for column, value in named))
        return select_after(
            wanted, self.by, submissions.c.seq, after=self.after, descending=self.descending
        )

    def sort(self, wanted: Select[Any], by: Any, seq: Any) -> Select[Any]:  # noqa: ANN401  columns
        """Sort the rows in this order."""
        return wanted.order_by(*((by.desc(), seq.desc()) if self.descending else (by, seq)))


def _numbers(order: _Order, wanted: Select[Any], offset: int) -> Select[Any]:
    return order.sort(wanted, order.by, submissions.c.seq).offset(offset).limit(1)


def _page_numbers(
    order: _Order,
    wanted: Select[Any],
    seen: Sequence[ColumnElement[bool]],
    looked_at: int,
    limit: int,
) -> Select[Any]:
    """Select the numbers of one page's rows and one more.

    Conditions without an index are checked on a limited number of next rows, so that no page reads
    all submissions.
    """
    ordered = order.sort(wanted, order.by, submissions.c.seq)
    if not seen:
        return ordered.limit(limit + 1)
    part = ordered.limit(looked_at).subquery("part")
    chosen = (
        select(part.c.seq, part.c.by)
        .join(submissions, submissions.c.seq == part.c.seq)
        .join(metric_rows, metric_rows.c.submission_id == submissions.c.id, isouter=True)
        .where(*seen)
    )
    return order.sort(chosen, part.c.by, part.c.seq).limit(limit + 1)


def _bodies_of(connection: Connection, order: _Order, numbers: Select[Any]) -> Sequence[RowMapping]:
    """Return the rows with these numbers; they are sorted before their bodies are read."""
    page = numbers.subquery("page")
    wanted = _rows().join(page, page.c.seq == submissions.c.seq).add_columns(page.c.by)
    return connection.execute(order.sort(wanted, page.c.by, page.c.seq)).mappings().all()


def _are_many(connection: Connection, named: Sequence[tuple[ColumnElement[Any], str]]) -> bool:
    """Return True if too many rows have these names for sorting; then the order's index is used."""
    if not named:
        return False
    some = select(literal(1)).where(*(column == value for column, value in named)).limit(_FEW + 1)
    return (connection.scalar(select(func.count()).select_from(some.subquery())) or 0) > _FEW


def _find_row(database: Database, own: ColumnElement[bool]) -> SubmissionRow | None:
    with database.read() as connection:
        row = connection.execute(_rows().where(own)).mappings().first()
    return _row(row) if row else None


def _rows() -> Select[Any]:
    figures = metric_rows.c.submission_id == submissions.c.id
    return (
        select(submissions.c.seq, submissions.c.body, metric_rows.c.body.label("figures"))
        .join(metric_rows, figures, isouter=True)
        .where(IS_NEWEST)
    )


def _row(row: RowMapping) -> SubmissionRow:
    figures = row["figures"]
    return SubmissionRow(
        row["seq"],
        decode(row["body"], Submission),
        None if figures is None else decode(figures, Metrics),
    )


def _holds(text: str) -> ColumnElement[bool]:
    begins = (submissions.c.id, submissions.c.session_id, submissions.c.row_id)
    holds = (submissions.c.harness, submissions.c.model, submissions.c.task_id)
    return or_(
        *(column.startswith(text, autoescape=True) for column in begins),
        *(column.icontains(text, autoescape=True) for column in holds),
    )


def _has_evidence(level: str) -> ColumnElement[bool]:
    """Return a condition for evidence: the task's verification precedes the record."""
    known = case((metric_rows.c.body.is_not(None), metric_rows.c.body), else_=submissions.c.body)
    return known.contains(f'"evidence_level":"{level}"', autoescape=True)


class SubmissionPages:
    """Submissions a page at a time, with the names and numbers among them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(
        self,
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
        """Return one page of submissions, each in its latest revision.

        Args:
            sort: one of ``SORTABLE``; ``added`` is the order of import.
            descending: whether to reverse the order.
            after: the cursor.
            limit: number of rows.
            text: a prefix of an id, of the id of a session or of a row in its table, or part of a
                tool, model or task.
            tool: only this tool; the other words likewise.
            model: model of the system.
            task: the task's id.
            evidence: the current level of evidence.

        Raises:
            SpecError: unknown order or cursor.
        """
        if sort not in _BY:
            hint = f"Choose {', '.join(_BY)}."
            raise SpecError(f"submissions can't be sorted by {sort!r}.", hint=hint)
        order = _Order(_BY[sort], after, descending=descending)
        named = [
            (column, value)
            for column, value in ((_TOOL, tool), (_MODEL, model), (_TASK, task))
            if value
        ]
        with self._database.read() as connection:
            if sort != "added" and _are_many(connection, named):
                named = [(column + "", value) for column, value in named]
            wanted = order.select_after(
                select(submissions.c.seq, order.by.label("by")).where(IS_NEWEST), named
            )
            seen = [_holds(text)] if text else []
            seen += [_has_evidence(evidence)] if evidence else []
            found: Sequence[RowMapping] = ()
            for looked_at in (_LOOKED_AT_FIRST, _LOOKED_AT) if seen else (_LOOKED_AT,):
                if len(found) <= limit:
                    numbers = _page_numbers(order, wanted, seen, looked_at, limit)
                    found = _bodies_of(connection, order, numbers)
            last = found[limit - 1] if len(found) > limit else None
            if last is None and seen:
                place = _numbers(order, wanted, _LOOKED_AT - 1)
                last = connection.execute(place).mappings().first()
        rows = tuple(map(_row, found[:limit]))
        return SubmissionPage(rows, encode_cursor(last["by"], last["seq"]) if last else "")

    def row_at(self, number: int) -> SubmissionRow | None:
        """Return the latest revision of the submission that ever had that row number; else None."""
        meant = select(submissions.c.id).where(submissions.c.seq == number).scalar_subquery()
        return _find_row(self._database, submissions.c.id == meant)

    def row_of(self, submission_id: str) -> SubmissionRow | None:
        """Return the latest revision of the submission with that id, with its row number."""
        return _find_row(self._database, submissions.c.id == submission_id)

    def numbers(self, ids: list[str]) -> dict[str, int]:
        """Return the row number of each of these submissions that is stored."""
        own = submissions.c.id.in_(ids)
        wanted = select(submissions.c.id, submissions.c.seq).where(own, IS_NEWEST)
        with self._database.read() as connection:
            return {row.id: row.seq for row in connection.execute(wanted)}

    def every_name(self, label: str) -> frozenset[str]:
        """Return all tools, models or tasks named by submissions; this reads every submission."""
        column = _NAMED[label]
        wanted = select(column).where(IS_NEWEST, column.is_not(None)).distinct()
        with self._database.read() as connection:
            return frozenset(connection.scalars(wanted))

    def names_of(self, label: str, limit: int = 200) -> tuple[str, ...]:
        """Return at most ``limit`` tools, models or tasks named by the latest submissions."""
        column = _NAMED[label]
        newest = select(column.label("name")).where(IS_NEWEST)
        last = newest.order_by(submissions.c.seq.desc()).limit(_LOOKED_AT).subquery()
        named = select(last.c.name).where(last.c.name.is_not(None))
        wanted = named.distinct().order_by(last.c.name).limit(limit)
        with self._database.read() as connection:
            return tuple(connection.scalars(wanted))

    def counts_by_task(self) -> dict[str, int]:
        """Return the number of submissions by task, for all tasks with a name or figures."""
        figures = select(metric_rows.c.task_id, func.count()).group_by(metric_rows.c.task_id)
        named = (
            select(submissions.c.task_id, func.count())
            .where(IS_NEWEST, submissions.c.task_id.is_not(None))
            .group_by(submissions.c.task_id)
        )
        counts: dict[str, int] = {}
        with self._database.read() as connection:
            for wanted in (figures, named):
                for task, n in connection.execute(wanted):
                    counts[task] = max(n, counts.get(task, 0))
        return counts

    def has_figures(self) -> bool:
        """True if any submission has figures."""
        with self._database.read() as connection:
            return (
                connection.scalar(select(literal(1)).select_from(metric_rows).limit(1)) is not None
            )

    def newest_number(self) -> int:
        """Return the row number of the last stored submission; 0 without any."""
        with self._database.read() as connection:
            return connection.scalar(select(func.max(submissions.c.seq))) or 0
