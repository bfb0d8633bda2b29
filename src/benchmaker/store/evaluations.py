"""Figures, baselines and evaluations: rows in, rows out."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, insert, select, update

from benchmaker.record.evaluation import BaselineSnapshot, Evaluation
from benchmaker.record.metrics import Metrics
from benchmaker.store.agentic_tables import evaluations, metric_rows, snapshots
from benchmaker.store.body import decode, encode
from benchmaker.store.database import Database
from benchmaker.store.inserts import insert_new
from benchmaker.store.outbox import Message, put_in
from benchmaker.store.text import escape, unescape

_PAGE = 2_000


class Key(NamedTuple):
    """What an evaluation is made from, beside submission and profile."""

    snapshot: str
    input_hash: str


def put_metrics(database: Database, rows: Iterable[tuple[Metrics, str]]) -> set[str]:
    """Keep figures with their hashes; returns the tasks where something is not as it was."""
    changed: set[str] = set()
    with database.write() as connection:
        now = database.now_utc()
        for row, digest in rows:
            changed |= _put_row(connection, row, digest, now)
    return changed


def _put_row(connection: Connection, row: Metrics, digest: str, now: str) -> set[str]:
    """The tasks that the change of one row concerns: none, its own, or also its former one."""
    own = metric_rows.c.submission_id == escape(row.submission_id)
    wanted = select(metric_rows.c.task_id, metric_rows.c.input_hash).where(own)
    before = connection.execute(wanted).first()
    values = {
        "task_id": escape(row.task_id),
        "input_hash": digest,
        "updated_at": now,
        "body": encode(row),
    }
    if before is None:
        new = {"submission_id": escape(row.submission_id), **values}
        connection.execute(insert(metric_rows).values(**new))
        return {row.task_id}
    if before.input_hash == digest:
        return set()
    connection.execute(update(metric_rows).where(own).values(**values))
    return {row.task_id, unescape(before.task_id)}


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


def newest_snapshot(database: Database, profile: str, task_id: str) -> BaselineSnapshot | None:
    """The one that counts now."""
    wanted = _snapshots(profile, task_id).where(snapshots.c.is_newest == 1)
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


def settle(
    database: Database,
    snapshot: BaselineSnapshot,
    made: Sequence[Evaluation],
    *,
    announce: Sequence[Message],
) -> int:
    """Keep a snapshot as the newest of its task, with its evaluations and what they announce."""
    with database.write() as connection:
        now = database.now_utc()
        _put_snapshot(connection, snapshot, now)
        new = sum(_put_evaluation(connection, one, now) for one in made)
        for message in announce:
            put_in(connection, message, now)
    return new


def _put_snapshot(connection: Connection, snapshot: BaselineSnapshot, now: str) -> None:
    """The snapshot is the newest; one that was there before keeps its number."""
    of_task = (
        snapshots.c.profile == escape(snapshot.profile),
        snapshots.c.task_id == escape(snapshot.task_id),
    )
    connection.execute(update(snapshots).where(*of_task).values(is_newest=0))
    again = update(snapshots).where(*of_task, snapshots.c.hash == snapshot.hash)
    if connection.execute(again.values(is_newest=1)).rowcount:
        return
    last = connection.scalar(select(func.max(snapshots.c.number)).where(*of_task)) or 0
    kept = BaselineSnapshot(
        profile=snapshot.profile,
        task_id=snapshot.task_id,
        hash=snapshot.hash,
        number=last + 1,
        n=snapshot.n,
        created_at=snapshot.created_at or now,
        body=snapshot.body,
    )
    row = {
        "profile": escape(kept.profile),
        "task_id": escape(kept.task_id),
        "hash": kept.hash,
        "number": kept.number,
        "n": kept.n,
        "is_newest": 1,
        "created_at": kept.created_at,
        "body": encode(kept),
    }
    connection.execute(insert(snapshots).values(**row))


def _put_evaluation(connection: Connection, one: Evaluation, now: str) -> bool:
    """Keep it and let it count; whether it was new."""
    of_submission = (
        evaluations.c.submission_id == escape(one.submission_id),
        evaluations.c.profile == escape(one.profile),
    )
    older = update(evaluations).where(*of_submission, evaluations.c.is_newest == 1)
    is_first = not connection.execute(older.values(is_newest=0)).rowcount
    row = {
        "submission_id": escape(one.submission_id),
        "task_id": escape(one.task_id),
        "profile": escape(one.profile),
        "snapshot": one.snapshot,
        "input_hash": one.input_hash,
        "is_newest": 1,
        "is_arrival": int(is_first),
        "overall": one.overall_score,
        "reason": one.reason,
        "evaluated_at": one.evaluated_at or now,
        "body": encode(one),
    }
    if insert_new(connection, evaluations, row):
        return True
    same = (evaluations.c.snapshot == one.snapshot, evaluations.c.input_hash == one.input_hash)
    connection.execute(update(evaluations).where(*of_submission, *same).values(is_newest=1))
    return False


def read_evaluations(
    database: Database, profile: str, *, task_id: str | None
) -> Iterator[Evaluation]:
    """Those that count now, in the order in which they were made, a page at a time."""
    wanted = select(evaluations.c.seq, evaluations.c.body).where(
        evaluations.c.profile == escape(profile), evaluations.c.is_newest == 1
    )
    if task_id is not None:
        wanted = wanted.where(evaluations.c.task_id == escape(task_id))
    for body in _bodies(database, wanted, evaluations.c.seq):
        yield decode(body, Evaluation)


def evaluated_under(database: Database, profile: str, task_id: str) -> dict[str, Key]:
    """Under which snapshot and from which figures each submission counts now."""
    wanted = select(
        evaluations.c.submission_id, evaluations.c.snapshot, evaluations.c.input_hash
    ).where(
        evaluations.c.task_id == escape(task_id),
        evaluations.c.profile == escape(profile),
        evaluations.c.is_newest == 1,
    )
    with database.read() as connection:
        rows = connection.execute(wanted)
        return {unescape(one): Key(snapshot, figures) for one, snapshot, figures in rows}


def find_evaluation(
    database: Database, submission_id: str, profile: str, *, on_arrival: bool
) -> Evaluation | None:
    """The one that counts now, or the first that was made."""
    is_it = evaluations.c.is_arrival == 1 if on_arrival else evaluations.c.is_newest == 1
    wanted = select(evaluations.c.body).where(
        evaluations.c.submission_id == escape(submission_id),
        evaluations.c.profile == escape(profile),
        is_it,
    )
    with database.read() as connection:
        body: str | None = connection.scalar(wanted)
    return None if body is None else decode(body, Evaluation)


def _bodies(database: Database, wanted: Select[Any], own: Any) -> Iterator[str]:  # noqa: ANN401  a column
    """The bodies in the order of their numbers; each page is a transaction of its own."""
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
