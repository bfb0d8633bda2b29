"""Figures of submissions: rows in, rows out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import (
    CTE,
    ColumnElement,
    Connection,
    Select,
    exists,
    func,
    select,
    update,
)

from benchmaker.record.submissions.metrics import Metrics
from benchmaker.store.database.agentic_tables import evaluations, metric_rows
from benchmaker.store.database.chunk_numbers import forget, lock
from benchmaker.store.database.database import Database, Room
from benchmaker.store.database.driver import execute_among
from benchmaker.store.database.escaping import unescape
from benchmaker.store.database.inserts import insert_named
from benchmaker.store.database.json_values import decode, encode

_PAGE = 2_000
_AT_ONCE = 500
_ROWS_OF = "SELECT submission_id, seq, task_id, input_hash FROM metric_rows WHERE submission_id"


class MetricStore(Room):
    """Figures of submissions, by task and category."""

    def put_metrics(self, rows: Iterable[tuple[Metrics, str]]) -> set[str]:
        """Store figures, each with its hash; return the tasks with changes."""
        given = {row.submission_id: (row, digest) for row, digest in rows}
        names = list(given)
        if not names:
            return set()
        with self.database.write() as connection:
            lock(connection)
            put = _MetricsWrite(connection, self.database.now_utc())
            for at in range(0, len(names), _AT_ONCE):
                put.rows([given[name] for name in names[at : at + _AT_ONCE]])
            forget(connection, put.numbers)
        return put.tasks

    def metrics(self, task_id: str | None = None) -> Iterator[Metrics]:
        """Yield the figures of every submission to a task, or to any, in the order of arrival."""
        wanted = select(metric_rows.c.seq, metric_rows.c.body)
        if task_id is not None:
            wanted = wanted.where(metric_rows.c.task_id == task_id)
        for body in each_body(self.database, wanted, metric_rows.c.seq):
            yield decode(body, Metrics)

    def arrivals(self, profile: str, task_ids: Iterable[str]) -> Iterator[list[Metrics]]:
        """Yield the figures of submissions to these tasks without an evaluation, in pages."""
        names = list(task_ids)
        is_known = exists().where(
            evaluations.c.submission_id == metric_rows.c.submission_id,
            evaluations.c.profile == profile,
        )
        for at in range(0, len(names), _AT_ONCE):
            own = metric_rows.c.task_id.in_(names[at : at + _AT_ONCE])
            wanted = select(metric_rows.c.seq, metric_rows.c.body).where(own, ~is_known)
            bodies = each_body(self.database, wanted, metric_rows.c.seq)
            while page := [decode(body, Metrics) for body in islice(bodies, _PAGE)]:
                yield page

    def size_of_task(self, task_id: str) -> int:
        """Return the number of submissions to a task."""
        with self.database.read() as connection:
            own = metric_rows.c.task_id == task_id
            return connection.scalar(select(func.count()).where(own)) or 0

    def metric_tasks(self) -> tuple[str, ...]:
        """Return the tasks with submissions, by id."""
        wanted = select(metric_rows.c.task_id).distinct().order_by(metric_rows.c.task_id)
        with self.database.read() as connection:
            return tuple(connection.scalars(wanted))

    def tasks_of_category(self, category: str | None) -> tuple[str, ...]:
        """Return the tasks whose submissions are of this category, by id; empty for None."""
        if category is None:
            return ()
        own = metric_rows.c.category == category
        with self.database.read() as connection:
            found = connection.scalars(select(_distinct_values(metric_rows.c.task_id, own).c.name))
            return tuple(sorted(one for one in found if one is not None))

    def categories_of(self, task_ids: Sequence[str]) -> frozenset[str]:
        """Return the categories of the submissions to these tasks."""
        found: set[str] = set()
        known = _distinct_values(metric_rows.c.category)
        for at in range(0, len(task_ids), _AT_ONCE):
            own = metric_rows.c.task_id.in_(task_ids[at : at + _AT_ONCE])
            has_rows = exists().where(metric_rows.c.category == known.c.name, own)
            with self.database.read() as connection:
                names = connection.scalars(select(known.c.name).where(has_rows))
                found.update(names)
        return frozenset(found)

    def uncategorised_sizes(self, task_ids: Sequence[str]) -> dict[str, int]:
        """Return the number of each of these tasks' submissions without a category."""
        columns = metric_rows.c
        found: dict[str, int] = {}
        for at in range(0, len(task_ids), _AT_ONCE):
            names = task_ids[at : at + _AT_ONCE]
            wanted = (
                select(columns.task_id, func.count(), func.count(columns.category))
                .where(columns.task_id.in_(names))
                .group_by(columns.task_id)
                .order_by(columns.task_id)
            )
            with self.database.read() as connection:
                rows = connection.execute(wanted).all()
            found |= {name: many for name, many, named in rows if not named}
        return found

    def metric_digests(self, submission_ids: Sequence[str]) -> dict[str, str]:
        """Return the hash stored with the figures of each of these submissions that has any."""
        with self.database.read() as connection:
            stored = _stored_rows(connection, submission_ids)
        return {name: one.input_hash for name, one in stored.items()}

    def metrics_of(self, submission_id: str) -> Metrics | None:
        """Return the figures of one submission; None if none are stored."""
        own = metric_rows.c.submission_id == submission_id
        with self.database.read() as connection:
            body: str | None = connection.scalar(select(metric_rows.c.body).where(own))
        return None if body is None else decode(body, Metrics)


@dataclass(slots=True)
class _MetricsWrite:
    """A write of figures: the numbers of the changed rows, and their tasks."""

    connection: Connection
    now: str
    numbers: set[int] = field(default_factory=set)
    tasks: set[str] = field(default_factory=set)

    def rows(self, given: Sequence[tuple[Metrics, str]]) -> None:
        """Insert new rows, and update those that changed."""
        before = _stored_rows(self.connection, [row.submission_id for row, _ in given])
        new: list[dict[str, Any]] = []
        for row, digest in given:
            values = _metric_row(row, digest, self.now)
            was = before.get(values["submission_id"])
            if was is None:
                new.append(values)
                self.tasks.add(row.task_id)
            elif was.input_hash != digest:
                this = metric_rows.c.seq == was.seq
                self.connection.execute(update(metric_rows).where(this).values(**values))
                self.numbers.add(was.seq)
                self.tasks |= {row.task_id, was.task_id}
        made = insert_named(self.connection, metric_rows, new, key="submission_id")
        self.numbers.update(made.values())


class _StoredRow(NamedTuple):
    seq: int
    task_id: str
    input_hash: str


def _stored_rows(connection: Connection, submission_ids: Sequence[str]) -> dict[str, _StoredRow]:
    """Return the stored rows of these submissions, without their figures."""
    rows = execute_among(connection, _ROWS_OF, submission_ids).fetchall()
    return {
        unescape(name): _StoredRow(seq, unescape(task), unescape(digest))
        for name, seq, task, digest in rows
    }


def _metric_row(row: Metrics, digest: str, now: str) -> dict[str, Any]:
    return {
        "submission_id": row.submission_id,
        "task_id": row.task_id,
        "category": row.category,
        "input_hash": digest,
        "updated_at": now,
        "body": encode(row),
    }


def _distinct_values(column: ColumnElement[str], *own: ColumnElement[bool]) -> CTE:
    """Select the distinct values of an indexed column, and None; each is one index lookup."""
    known = select(func.min(column).label("name")).where(*own).cte(recursive=True)
    beyond = select(func.min(column)).where(column > known.c.name, *own).scalar_subquery()
    return known.union_all(select(beyond).where(known.c.name.is_not(None)))


def each_body(database: Database, wanted: Select[Any], own: Any) -> Iterator[str]:  # noqa: ANN401  a column
    """Yield the bodies in numerical order; each page is a separate transaction."""
    last = 0
    while True:
        page = wanted.where(own > last).order_by(own).limit(_PAGE)
        with database.read() as connection:
            rows = connection.execute(page).all()
        for row in rows:
            yield row.body
        if len(rows) < _PAGE:
            return
        last = rows[-1].seq
