"""Figures, baselines and evaluations: rows in, rows out."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from msgspec.structs import replace
from sqlalchemy import (
    CTE,
    ColumnElement,
    Connection,
    Row,
    Select,
    bindparam,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from benchmaker.record.submissions.evaluation import BaselineSnapshot, Evaluation
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.store.database.agentic_tables import evaluations, metric_rows, snapshots
from benchmaker.store.database.chunk_numbers import forget, lock
from benchmaker.store.database.database import Database
from benchmaker.store.database.escaping import escape, escape_or_none, unescape
from benchmaker.store.database.inserts import insert_all, insert_named
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.queues.outbox import Message, put_all_in

_NEWEST_SNAPSHOT = select(snapshots.c.body).where(
    snapshots.c.profile == bindparam("profile"),
    snapshots.c.task_id == bindparam("task"),
    snapshots.c.is_newest == 1,
)
"""Made once: it is asked for each task, and making it takes longer than carrying it out."""

_PAGE = 2_000
_AT_ONCE = 500
_SNAPSHOTS_AT_ONCE = 200


def put_metrics(database: Database, rows: Iterable[tuple[Metrics, str]]) -> set[str]:
    """Store figures with their hashes; return the tasks where something changed."""
    given = {row.submission_id: (row, digest) for row, digest in rows}
    names = list(given)
    if not names:
        return set()
    with database.write() as connection:
        lock(connection)
        put = _MetricsWrite(connection, database.now_utc())
        for at in range(0, len(names), _AT_ONCE):
            put.rows([given[name] for name in names[at : at + _AT_ONCE]])
        forget(connection, put.numbers)
    return put.tasks


@dataclass(slots=True)
class _MetricsWrite:
    """A write of figures: the numbers of the rows that changed, and the tasks they concern."""

    connection: Connection
    now: str
    numbers: set[int] = field(default_factory=set)
    tasks: set[str] = field(default_factory=set)

    def rows(self, given: Sequence[tuple[Metrics, str]]) -> None:
        """Insert new rows, and update those that changed."""
        columns = metric_rows.c
        own = columns.submission_id.in_([escape(row.submission_id) for row, _ in given])
        wanted = select(columns.submission_id, columns.seq, columns.task_id, columns.input_hash)
        before = {one.submission_id: one for one in self.connection.execute(wanted.where(own))}
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
                self.tasks |= {row.task_id, unescape(was.task_id)}
        made = insert_named(self.connection, metric_rows, new, key="submission_id")
        self.numbers.update(made.values())


def _metric_row(row: Metrics, digest: str, now: str) -> dict[str, Any]:
    return {
        "submission_id": escape(row.submission_id),
        "task_id": escape(row.task_id),
        "category": escape_or_none(row.category),
        "input_hash": digest,
        "updated_at": now,
        "body": encode(row),
    }


def read_metrics(database: Database, task_id: str | None) -> Iterator[Metrics]:
    """The figures in the order of arrival, a page at a time."""
    wanted = select(metric_rows.c.seq, metric_rows.c.body)
    if task_id is not None:
        wanted = wanted.where(metric_rows.c.task_id == escape(task_id))
    for body in _bodies(database, wanted, metric_rows.c.seq):
        yield decode(body, Metrics)


def metric_digests(database: Database, submission_ids: Sequence[str]) -> dict[str, str]:
    """The hash that each of these submissions' figures were kept with; none where none are."""
    own = metric_rows.c.submission_id.in_([escape(one) for one in submission_ids])
    wanted = select(metric_rows.c.submission_id, metric_rows.c.input_hash).where(own)
    with database.read() as connection:
        return {unescape(one): digest for one, digest in connection.execute(wanted)}


def find_metrics(database: Database, submission_id: str) -> Metrics | None:
    """The figures of one submission."""
    own = metric_rows.c.submission_id == escape(submission_id)
    with database.read() as connection:
        body: str | None = connection.scalar(select(metric_rows.c.body).where(own))
    return None if body is None else decode(body, Metrics)


def profiles_of(database: Database, task_id: str) -> tuple[str, ...]:
    """The profiles that a task was evaluated under, by name."""
    own = snapshots.c.task_id == escape(task_id)
    wanted = select(snapshots.c.profile).where(own).distinct()
    with database.read() as connection:
        return tuple(sorted(unescape(one) for one in connection.scalars(wanted)))


def metric_tasks(database: Database) -> tuple[str, ...]:
    """The tasks that have figures, by id."""
    wanted = select(metric_rows.c.task_id).distinct().order_by(metric_rows.c.task_id)
    with database.read() as connection:
        return tuple(unescape(one) for one in connection.scalars(wanted))


def tasks_of_category(database: Database, category: str) -> tuple[str, ...]:
    """The tasks that have figures under this category, by id."""
    own = metric_rows.c.category == escape(category)
    with database.read() as connection:
        found = connection.scalars(select(_distinct_values(metric_rows.c.task_id, own).c.name))
        return tuple(sorted(unescape(one) for one in found if one is not None))


def categories_of(database: Database, task_ids: Sequence[str]) -> frozenset[str]:
    """The categories that the figures of these tasks name."""
    found: set[str] = set()
    known = _distinct_values(metric_rows.c.category)
    for at in range(0, len(task_ids), _AT_ONCE):
        own = metric_rows.c.task_id.in_([escape(one) for one in task_ids[at : at + _AT_ONCE]])
        has_rows = exists().where(metric_rows.c.category == known.c.name, own)
        with database.read() as connection:
            names = connection.scalars(select(known.c.name).where(has_rows))
            found.update(unescape(one) for one in names)
    return frozenset(found)


def _distinct_values(column: ColumnElement[str], *own: ColumnElement[bool]) -> CTE:
    """The distinct values of an indexed column, and None; each is one step in the index."""
    known = select(func.min(column).label("name")).where(*own).cte(recursive=True)
    beyond = select(func.min(column)).where(column > known.c.name, *own).scalar_subquery()
    return known.union_all(select(beyond).where(known.c.name.is_not(None)))


def size_of_task(database: Database, task_id: str) -> int:
    """The number of rows of a task."""
    with database.read() as connection:
        own = metric_rows.c.task_id == escape(task_id)
        return connection.scalar(select(func.count()).where(own)) or 0


def uncategorised_sizes(database: Database, task_ids: Sequence[str]) -> dict[str, int]:
    """The number of rows of each of these tasks whose figures name no category."""
    columns = metric_rows.c
    found: dict[str, int] = {}
    for at in range(0, len(task_ids), _AT_ONCE):
        names = [escape(one) for one in task_ids[at : at + _AT_ONCE]]
        wanted = (
            select(columns.task_id, func.count(), func.count(columns.category))
            .where(columns.task_id.in_(names))
            .group_by(columns.task_id)
            .order_by(columns.task_id)
        )
        with database.read() as connection:
            rows = connection.execute(wanted).all()
        found |= {unescape(name): many for name, many, named in rows if not named}
    return found


def newest_snapshot(database: Database, profile: str, task_id: str) -> BaselineSnapshot | None:
    """The one that counts now."""
    own = {"profile": escape(profile), "task": escape(task_id)}
    with database.read() as connection:
        body: str | None = connection.scalar(_NEWEST_SNAPSHOT, own)
    return None if body is None else decode(body, BaselineSnapshot)


def newest_snapshots(
    database: Database, profile: str, task_ids: Sequence[str]
) -> dict[str, BaselineSnapshot]:
    """The one that counts now of each of these tasks that has any."""
    found: dict[str, BaselineSnapshot] = {}
    for at in range(0, len(task_ids), _AT_ONCE):
        wanted = select(snapshots.c.body).where(
            snapshots.c.profile == escape(profile),
            snapshots.c.task_id.in_([escape(one) for one in task_ids[at : at + _AT_ONCE]]),
            snapshots.c.is_newest == 1,
        )
        with database.read() as connection:
            made = [decode(body, BaselineSnapshot) for body in connection.scalars(wanted)]
        found |= {one.task_id: one for one in made}
    return found


def snapshot_hashes(database: Database, profile: str, task_ids: Sequence[str]) -> dict[str, str]:
    """The hash of the newest snapshot of each task that has one."""
    found: dict[str, str] = {}
    for at in range(0, len(task_ids), _AT_ONCE):
        wanted = select(snapshots.c.task_id, snapshots.c.hash).where(
            snapshots.c.profile == escape(profile),
            snapshots.c.task_id.in_([escape(one) for one in task_ids[at : at + _AT_ONCE]]),
            snapshots.c.is_newest == 1,
        )
        with database.read() as connection:
            found |= {unescape(task): digest for task, digest in connection.execute(wanted)}
    return found


def find_snapshot(
    database: Database, profile: str, task_id: str, digest: str
) -> BaselineSnapshot | None:
    """The one of that hash."""
    wanted = _snapshots(profile, task_id).where(snapshots.c.hash == digest)
    with database.read() as connection:
        row = connection.execute(wanted).first()
    return None if row is None else decode(row.body, BaselineSnapshot)


def list_snapshots(database: Database, profile: str, task_id: str) -> tuple[BaselineSnapshot, ...]:
    """All of a task, the first first."""
    with database.read() as connection:
        rows = connection.execute(_snapshots(profile, task_id).order_by(snapshots.c.number))
        return tuple(decode(row.body, BaselineSnapshot) for row in rows)


def _snapshots(profile: str, task_id: str) -> Select[Any]:
    return select(snapshots.c.seq, snapshots.c.hash, snapshots.c.body).where(
        snapshots.c.profile == escape(profile), snapshots.c.task_id == escape(task_id)
    )


class SnapshotUpdate(NamedTuple):
    """The newest snapshot of a task, with the evaluations under it and the messages about them."""

    snapshot: BaselineSnapshot
    evaluations: Sequence[Evaluation] = ()
    announce: Sequence[Message] = ()


def put_snapshot_updates(database: Database, made: Sequence[SnapshotUpdate]) -> int:
    """Store snapshots with the evaluations under them; no submission may occur twice.

    Returns the number of new evaluations.
    """
    with database.write() as connection:
        now = database.now_utc()
        for profile in {one.snapshot.profile for one in made}:
            own = (one.snapshot for one in made if one.snapshot.profile == profile)
            _put_snapshots(connection, profile, own, now)
        every = [it for one in made for it in one.evaluations]
        new = _put_evaluations(connection, every, now)
        put_all_in(connection, [it for one in made for it in one.announce], now)
    return new


def _put_snapshots(
    connection: Connection, profile: str, made: Iterable[BaselineSnapshot], now: str
) -> None:
    """Make each the newest of its task; one that is stored already keeps its number."""
    waiting: dict[str, BaselineSnapshot] = {}
    for one in made:
        is_later = one.task_id in waiting and waiting[one.task_id].hash != one.hash
        if is_later or len(waiting) >= _SNAPSHOTS_AT_ONCE:
            _put_newest(connection, profile, waiting, now)
            waiting = {}
        waiting[one.task_id] = one
    _put_newest(connection, profile, waiting, now)


def _put_newest(
    connection: Connection, profile: str, made: Mapping[str, BaselineSnapshot], now: str
) -> None:
    """The same for snapshots of as many tasks."""
    there = _stored_snapshots(connection, profile, made)
    own = {row.task_id: row.seq for row in there if row.hash == made[unescape(row.task_id)].hash}
    again = set(own.values())
    _mark(connection, [row.seq for row in there if row.seq not in again], is_newest=0)
    _mark(connection, list(again), is_newest=1)
    last = _last_numbers(connection, profile, {row.task_id for row in there} - own.keys())
    new = [
        _snapshot_row(one, last.get(escape(one.task_id), 0) + 1, now)
        for one in made.values()
        if escape(one.task_id) not in own
    ]
    if new:
        connection.execute(insert(snapshots), new)


def _stored_snapshots(
    connection: Connection, profile: str, made: Mapping[str, BaselineSnapshot]
) -> Sequence[Row[Any, Any, Any]]:
    """The rows of these snapshots, and of the newest ones of their tasks."""
    columns = snapshots.c
    wanted = select(columns.seq, columns.task_id, columns.hash).where(
        columns.profile == escape(profile),
        columns.task_id.in_([escape(one) for one in made]),
        or_(columns.is_newest == 1, columns.hash.in_([one.hash for one in made.values()])),
    )
    return connection.execute(wanted).all()


def _last_numbers(connection: Connection, profile: str, tasks: Collection[str]) -> dict[str, int]:
    """The highest number of the snapshots of each of these tasks, all by their stored names."""
    columns = snapshots.c
    wanted = select(columns.task_id, func.max(columns.number)).where(
        columns.profile == escape(profile), columns.task_id.in_(tasks)
    )
    if not tasks:
        return {}
    rows = connection.execute(wanted.group_by(columns.task_id))
    return {row.task_id: row[1] for row in rows}


def _mark(connection: Connection, numbers: Sequence[int], *, is_newest: int) -> None:
    if numbers:
        own = snapshots.c.seq.in_(numbers)
        connection.execute(update(snapshots).where(own).values(is_newest=is_newest))


def _snapshot_row(snapshot: BaselineSnapshot, number: int, now: str) -> dict[str, Any]:
    kept = replace(snapshot, number=number, created_at=snapshot.created_at or now)
    return {
        "profile": escape(kept.profile),
        "task_id": escape(kept.task_id),
        "hash": kept.hash,
        "number": kept.number,
        "n": kept.n,
        "is_newest": 1,
        "created_at": kept.created_at,
        "body": encode(kept),
    }


def _put_evaluations(connection: Connection, made: Sequence[Evaluation], now: str) -> int:
    """Store evaluations; return how many were new."""
    by_profile: dict[str, list[Evaluation]] = {}
    for one in made:
        by_profile.setdefault(one.profile, []).append(one)
    return sum(
        _put_part(connection, profile, part[at : at + _AT_ONCE], now)
        for profile, part in by_profile.items()
        for at in range(0, len(part), _AT_ONCE)
    )


def _put_part(connection: Connection, profile: str, made: Sequence[Evaluation], now: str) -> int:
    known = _find_evaluated(connection, profile, [one.submission_id for one in made])
    rows = [_evaluation_row(one, now) for one in made if one.submission_id not in known]
    return insert_all(connection, evaluations, rows)


def find_evaluated(
    database: Database, profile: str, submission_ids: Sequence[str]
) -> frozenset[str]:
    """Return those of these submissions with an evaluation under the profile."""
    with database.read() as connection:
        return frozenset(
            one
            for at in range(0, len(submission_ids), _AT_ONCE)
            for one in _find_evaluated(connection, profile, submission_ids[at : at + _AT_ONCE])
        )


def _find_evaluated(
    connection: Connection, profile: str, submission_ids: Sequence[str]
) -> set[str]:
    own = evaluations.c.submission_id.in_([escape(one) for one in submission_ids])
    wanted = select(evaluations.c.submission_id).where(
        own, evaluations.c.profile == escape(profile)
    )
    return {unescape(one) for one in connection.scalars(wanted)}


def _evaluation_row(one: Evaluation, now: str) -> dict[str, Any]:
    return {
        "submission_id": escape(one.submission_id),
        "task_id": escape(one.task_id),
        "profile": escape(one.profile),
        "snapshot": one.snapshot,
        "input_hash": one.input_hash,
        "is_newest": 1,
        "is_arrival": 1,
        "overall": one.overall_score,
        "reason": one.reason,
        "evaluated_at": one.evaluated_at or now,
        "body": encode(one),
    }


def read_evaluations(
    database: Database, profile: str, *, task_id: str | None
) -> Iterator[Evaluation]:
    """The evaluations on arrival, in the order in which they were made, a page at a time."""
    wanted = select(evaluations.c.seq, evaluations.c.body).where(
        evaluations.c.profile == escape(profile), evaluations.c.is_arrival == 1
    )
    if task_id is not None:
        wanted = wanted.where(evaluations.c.task_id == escape(task_id))
    for body in _bodies(database, wanted, evaluations.c.seq):
        yield decode(body, Evaluation)


def read_arrivals(
    database: Database, profile: str, task_ids: Sequence[str]
) -> Iterator[list[Metrics]]:
    """The figures of submissions that have no evaluation under the profile, a page at a time."""
    is_known = exists().where(
        evaluations.c.submission_id == metric_rows.c.submission_id,
        evaluations.c.profile == escape(profile),
    )
    for at in range(0, len(task_ids), _AT_ONCE):
        own = metric_rows.c.task_id.in_([escape(one) for one in task_ids[at : at + _AT_ONCE]])
        wanted = select(metric_rows.c.seq, metric_rows.c.body).where(own, ~is_known)
        bodies = _bodies(database, wanted, metric_rows.c.seq)
        while page := [decode(body, Metrics) for body in islice(bodies, _PAGE)]:
            yield page


def find_evaluation(database: Database, submission_id: str, profile: str) -> Evaluation | None:
    """The evaluation of a submission on arrival."""
    wanted = select(evaluations.c.body).where(
        evaluations.c.submission_id == escape(submission_id),
        evaluations.c.profile == escape(profile),
        evaluations.c.is_arrival == 1,
    )
    with database.read() as connection:
        body: str | None = connection.scalar(wanted)
    return None if body is None else decode(body, Evaluation)


def evaluations_of(database: Database, submission_id: str) -> dict[str, Evaluation]:
    """The last evaluation written for a submission, by profile."""
    wanted = select(evaluations.c.body).where(
        evaluations.c.submission_id == escape(submission_id), evaluations.c.is_newest == 1
    )
    with database.read() as connection:
        found = [decode(body, Evaluation) for body in connection.scalars(wanted)]
    return {one.profile: one for one in sorted(found, key=lambda one: one.profile)}


def _bodies(database: Database, wanted: Select[Any], own: Any) -> Iterator[str]:  # noqa: ANN401  a column
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
