"""Baseline snapshots and evaluations: rows in, rows out."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace
from sqlalchemy import (
    Connection,
    Row,
    Select,
    bindparam,
    func,
    insert,
    or_,
    select,
    update,
)

from benchmaker.record.submissions.evaluation import BaselineSnapshot, Evaluation
from benchmaker.store.agentic.metric_rows import each_body
from benchmaker.store.database.agentic_tables import evaluations, snapshots
from benchmaker.store.database.database import Room
from benchmaker.store.database.driver import execute_among
from benchmaker.store.database.escaping import escape, unescape
from benchmaker.store.database.inserts import insert_all
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.queues.outbox import Message, put_all_in

_NEWEST_SNAPSHOT = select(snapshots.c.body).where(
    snapshots.c.profile == bindparam("profile"),
    snapshots.c.task_id == bindparam("task"),
    snapshots.c.is_newest == 1,
)
"""Built once: it runs for each task, and building it takes longer than running it."""

_EVALUATED = "SELECT submission_id FROM evaluations WHERE profile = ? AND submission_id"

_PAGE = 2_000
_AT_ONCE = 500
_SNAPSHOTS_AT_ONCE = 200


class SnapshotUpdate(NamedTuple):
    """The latest snapshot of a task, with its evaluations and the messages about them."""

    snapshot: BaselineSnapshot
    evaluations: Sequence[Evaluation] = ()
    announce: Sequence[Message] = ()


class EvaluationStore(Room):
    """Baseline snapshots, and evaluations under them."""

    def profiles(self, task_id: str) -> tuple[str, ...]:
        """Return the profiles, by name and version, under which a task was evaluated."""
        own = snapshots.c.task_id == task_id
        wanted = select(snapshots.c.profile).where(own).distinct()
        with self.database.read() as connection:
            return tuple(sorted(connection.scalars(wanted)))

    def snapshot(
        self, profile: str, task_id: str, *, digest: str | None = None
    ) -> BaselineSnapshot | None:
        """Return a task's latest snapshot under a profile, or the one with that hash; else None."""
        with self.database.read() as connection:
            if digest is None:
                own = {"profile": profile, "task": task_id}
                body: str | None = connection.scalar(_NEWEST_SNAPSHOT, own)
            else:
                bodies = _snapshots(profile, task_id).with_only_columns(snapshots.c.body)
                body = connection.scalar(bodies.where(snapshots.c.hash == digest))
        return None if body is None else decode(body, BaselineSnapshot)

    def newest_snapshots(
        self, profile: str, task_ids: Sequence[str]
    ) -> dict[str, BaselineSnapshot]:
        """Return the latest snapshot under a profile of each of these tasks that has one."""
        found: dict[str, BaselineSnapshot] = {}
        for at in range(0, len(task_ids), _AT_ONCE):
            wanted = select(snapshots.c.body).where(
                snapshots.c.profile == profile,
                snapshots.c.task_id.in_(task_ids[at : at + _AT_ONCE]),
                snapshots.c.is_newest == 1,
            )
            with self.database.read() as connection:
                made = [decode(body, BaselineSnapshot) for body in connection.scalars(wanted)]
            found |= {one.task_id: one for one in made}
        return found

    def snapshots(self, profile: str, task_id: str) -> tuple[BaselineSnapshot, ...]:
        """Return all snapshots of a task under a profile, oldest first."""
        with self.database.read() as connection:
            rows = connection.execute(_snapshots(profile, task_id).order_by(snapshots.c.number))
            return tuple(decode(row.body, BaselineSnapshot) for row in rows)

    def settle(
        self,
        snapshot: BaselineSnapshot,
        made: Sequence[Evaluation],
        *,
        announce: Sequence[Message] = (),
    ) -> int:
        """Store a snapshot and its evaluations, in one transaction.

        Existing evaluations under the profile are kept. Returns the number of new ones.
        """
        return self.settle_all([SnapshotUpdate(snapshot, made, announce)])

    def settle_all(self, made: Sequence[SnapshotUpdate]) -> int:
        """Like :meth:`settle` for several tasks at once; no submission may occur twice."""
        with self.database.write() as connection:
            now = self.database.now_utc()
            for profile in {one.snapshot.profile for one in made}:
                own = (one.snapshot for one in made if one.snapshot.profile == profile)
                _put_snapshots(connection, profile, own, now)
            every = [it for one in made for it in one.evaluations]
            new = _put_evaluations(connection, every, now)
            put_all_in(connection, [it for one in made for it in one.announce], now)
        return new

    def evaluations(self, profile: str, *, task_id: str | None = None) -> Iterator[Evaluation]:
        """Yield the evaluation of each submission on arrival."""
        wanted = select(evaluations.c.seq, evaluations.c.body).where(
            evaluations.c.profile == profile, evaluations.c.is_arrival == 1
        )
        if task_id is not None:
            wanted = wanted.where(evaluations.c.task_id == task_id)
        for body in each_body(self.database, wanted, evaluations.c.seq):
            yield decode(body, Evaluation)

    def evaluations_of(self, submission_id: str) -> dict[str, Evaluation]:
        """Return the latest stored evaluation of a submission, by profile."""
        wanted = select(evaluations.c.body).where(
            evaluations.c.submission_id == submission_id, evaluations.c.is_newest == 1
        )
        with self.database.read() as connection:
            found = [decode(body, Evaluation) for body in connection.scalars(wanted)]
        return {one.profile: one for one in sorted(found, key=lambda one: one.profile)}

    def find_evaluated(self, profile: str, submission_ids: Sequence[str]) -> frozenset[str]:
        """Return those of these submissions with an evaluation under the profile."""
        with self.database.read() as connection:
            return frozenset(
                one
                for at in range(0, len(submission_ids), _AT_ONCE)
                for one in _find_evaluated(connection, profile, submission_ids[at : at + _AT_ONCE])
            )

    def snapshot_hashes(self, profile: str, task_ids: Sequence[str]) -> dict[str, str]:
        """Return the hash of the latest snapshot of each of these tasks that has one."""
        found: dict[str, str] = {}
        for at in range(0, len(task_ids), _AT_ONCE):
            wanted = select(snapshots.c.task_id, snapshots.c.hash).where(
                snapshots.c.profile == profile,
                snapshots.c.task_id.in_(task_ids[at : at + _AT_ONCE]),
                snapshots.c.is_newest == 1,
            )
            with self.database.read() as connection:
                found |= {row.task_id: row.hash for row in connection.execute(wanted)}
        return found

    def evaluation(self, submission_id: str, profile: str) -> Evaluation | None:
        """Return the evaluation of a submission on arrival; None if it was never evaluated."""
        wanted = select(evaluations.c.body).where(
            evaluations.c.submission_id == submission_id,
            evaluations.c.profile == profile,
            evaluations.c.is_arrival == 1,
        )
        with self.database.read() as connection:
            body: str | None = connection.scalar(wanted)
        return None if body is None else decode(body, Evaluation)


def _snapshots(profile: str, task_id: str) -> Select[Any]:
    return select(snapshots.c.seq, snapshots.c.hash, snapshots.c.body).where(
        snapshots.c.profile == profile, snapshots.c.task_id == task_id
    )


def _put_snapshots(
    connection: Connection, profile: str, made: Iterable[BaselineSnapshot], now: str
) -> None:
    """Make each snapshot the latest of its task; a stored one keeps its number."""
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
    """Make each snapshot the latest of its task; every task may occur once."""
    there = _stored_snapshots(connection, profile, made)
    own = {row.task_id: row.seq for row in there if row.hash == made[row.task_id].hash}
    again = set(own.values())
    _mark(connection, [row.seq for row in there if row.seq not in again], is_newest=0)
    _mark(connection, list(again), is_newest=1)
    last = _last_numbers(connection, profile, {row.task_id for row in there} - own.keys())
    new = [
        _snapshot_row(one, last.get(one.task_id, 0) + 1, now)
        for one in made.values()
        if one.task_id not in own
    ]
    if new:
        connection.execute(insert(snapshots), new)


def _stored_snapshots(
    connection: Connection, profile: str, made: Mapping[str, BaselineSnapshot]
) -> Sequence[Row[Any, Any, Any]]:
    """Return the rows of these snapshots, and of the latest ones of their tasks."""
    columns = snapshots.c
    wanted = select(columns.seq, columns.task_id, columns.hash).where(
        columns.profile == profile,
        columns.task_id.in_(list(made)),
        or_(columns.is_newest == 1, columns.hash.in_([one.hash for one in made.values()])),
    )
    return connection.execute(wanted).all()


def _last_numbers(connection: Connection, profile: str, tasks: Collection[str]) -> dict[str, int]:
    """Return the highest snapshot number of each of these tasks, by stored names."""
    columns = snapshots.c
    wanted = select(columns.task_id, func.max(columns.number)).where(
        columns.profile == profile, columns.task_id.in_(tasks)
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
        "profile": kept.profile,
        "task_id": kept.task_id,
        "hash": kept.hash,
        "number": kept.number,
        "n": kept.n,
        "is_newest": 1,
        "created_at": kept.created_at,
        "body": encode(kept),
    }


def _put_evaluations(connection: Connection, made: Sequence[Evaluation], now: str) -> int:
    """Store evaluations; return the number of new ones."""
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


def _find_evaluated(
    connection: Connection, profile: str, submission_ids: Sequence[str]
) -> set[str]:
    rows = execute_among(connection, _EVALUATED, submission_ids, given=[escape(profile)])
    return {unescape(name) for (name,) in rows.fetchall()}


def _evaluation_row(one: Evaluation, now: str) -> dict[str, Any]:
    return {
        "submission_id": one.submission_id,
        "task_id": one.task_id,
        "profile": one.profile,
        "snapshot": one.snapshot,
        "input_hash": one.input_hash,
        "is_newest": 1,
        "is_arrival": 1,
        "overall": one.overall_score,
        "reason": one.reason,
        "evaluated_at": one.evaluated_at or now,
        "body": encode(one),
    }
