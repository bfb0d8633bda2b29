"""Submissions waiting for a moderator: rows in, rows out.

A waiting or rejected submission is a row of ``submissions`` that is never the newest of its id, so
that readers of submissions do not find it. Its revision is below 0, since it does not count.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from msgspec.structs import replace
from sqlalchemy import Connection, RowMapping, Select, delete, func, insert, select, text, update

from benchmaker.errors import Conflict
from benchmaker.record.submissions.evaluation import Moderation, ModerationState
from benchmaker.record.submissions.submission import Submission
from benchmaker.store.agentic.submissions import NewSubmission, Parts, is_same, row_of
from benchmaker.store.database.agentic_tables import metric_rows, reviews
from benchmaker.store.database.chunk_numbers import forget, lock
from benchmaker.store.database.database import Room
from benchmaker.store.database.escaping import escape
from benchmaker.store.database.inserts import insert_one
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.database.tables import IS_NEWEST, submissions, traces

_OF_MODERATION: Final = reviews.c.state.in_([str(state) for state in ModerationState])


class PendingSubmission(NamedTuple):
    """A moderated submission, with its state."""

    step: Moderation
    submission: Submission


class ModerationStore(Room):
    """Submissions waiting for a moderator, and the decisions."""

    def put_pending(self, given: NewSubmission, *, by: str) -> ModerationState | None:
        """Store a submission until a moderator decides; return its state.

        A submission that counts under its id keeps counting. None if the same one already counts,
        or the one that claimed the id; an unchanged waiting or rejected one keeps its state.
        """
        submission, parts = given.submission, given.parts
        with self.database.write() as connection:
            _lock_id(connection, submission.id)
            if any(_stays(one, given) for one in _current_submissions(connection, submission.id)):
                return None
            before = _newest_step(connection, submission.id)
            known = _row_at(connection, before) if before else None
            if before and known and is_same(known, given):
                return before.state
            if before and before.state is ModerationState.WAITING:
                _drop_traces(connection, before.number)
            now = self.database.now_utc()
            number = _insert(connection, submission, parts, now)
            _insert_step(
                connection,
                Moderation(
                    submission_id=submission.id, number=number, by=by, actor=by, created_at=now
                ),
            )
        return ModerationState.WAITING

    def moderation(
        self, *, state: ModerationState | None = None, submission_id: str | None = None
    ) -> tuple[Moderation, ...]:
        """Return the state of each moderated submission, oldest first."""
        wanted = _newest_steps().order_by(reviews.c.seq)
        if state is not None:
            wanted = wanted.where(reviews.c.state == str(state))
        if submission_id is not None:
            wanted = wanted.where(reviews.c.submission_id == submission_id)
        with self.database.read() as connection:
            return tuple(decode(body, Moderation) for body in connection.scalars(wanted))

    def moderation_steps(self, submission_id: str) -> tuple[Moderation, ...]:
        """Return every step of one submission, oldest first."""
        own = reviews.c.submission_id == submission_id
        wanted = select(reviews.c.body).where(own, _OF_MODERATION).order_by(reviews.c.seq)
        with self.database.read() as connection:
            return tuple(decode(body, Moderation) for body in connection.scalars(wanted))

    def find_pending(self, submission_id: str = "", *, number: int = 0) -> PendingSubmission | None:
        """Return the waiting or rejected submission with that id or row; None if it counts."""
        with self.database.read() as connection:
            if number:
                own = submissions.c.seq == number
                found = connection.execute(select(submissions.c.body).where(own)).scalar()
                submission_id = decode(found, Submission).id if found is not None else ""
            step = _newest_step(connection, submission_id) if submission_id else None
            row = _row_at(connection, step) if step else None
        if step is None or row is None or (number and step.number != number):
            return None
        return PendingSubmission(step, row)

    def count_pending(self) -> int:
        """Return the number of submissions waiting for a moderator."""
        waiting = reviews.c.state == str(ModerationState.WAITING)
        wanted = select(func.count()).where(reviews.c.is_newest == 1, waiting)
        with self.database.read() as connection:
            return connection.scalar(wanted) or 0

    def pending_parts(self, number: int) -> dict[str, Iterator[bytes]]:
        """Return all parts of the trace of a waiting row; each is read on demand."""
        wanted = select(traces.c.part).where(traces.c.submission_seq == number).distinct()
        with self.database.read() as connection:
            names = list(connection.scalars(wanted))
        return {name: self.pending_trace(number, name) for name in names}

    def drop_pending(self, number: int) -> None:
        """Delete the trace of a waiting row, once it is stored as a submission."""
        with self.database.write() as connection:
            own = (submissions.c.seq == number, submissions.c.revision < 0)
            if connection.scalar(select(submissions.c.seq).where(*own)) is not None:
                _drop_traces(connection, number)

    def pending_trace(self, number: int, part: str) -> Iterator[bytes]:
        """Yield the chunks of one part of the trace of a waiting row."""
        place = 0
        while True:
            own = (
                traces.c.submission_seq == number,
                traces.c.part == part,
                traces.c.number == place,
            )
            with self.database.read() as connection:
                body: bytes | None = connection.scalar(select(traces.c.body).where(*own))
            if body is None:
                return
            yield bytes(body)
            place += 1

    def moderate(self, step: Moderation) -> Moderation:
        """Store a decision as the newest step.

        A rejected submission no longer counts, even if it was accepted earlier; if only a newer
        upload is rejected, the accepted one still counts. An accepted submission must be stored
        before this call. ``number`` 0 matches any pending upload. An upload that arrived while an
        earlier one was being accepted remains pending.

        Raises:
            Conflict: it was never pending, or another version was submitted in the meantime.
        """
        with self.database.write() as connection:
            lock(connection)
            _lock_id(connection, step.submission_id)
            newest = _newest_step(connection, step.submission_id)
            is_late = step.state is ModerationState.ACCEPTED and step.number > 0
            before = refuse_changed(newest, replace(step, number=0) if is_late else step)
            number = step.number if is_late else before.number
            if step.state is ModerationState.REJECTED and before.state is ModerationState.ACCEPTED:
                number = _set_aside(connection, step.submission_id) or number
            made = replace(
                step,
                number=number,
                by=before.by,
                created_at=step.created_at or self.database.now_utc(),
            )
            _insert_step(connection, made, is_newest=number == before.number or not is_late)
        return made


def _insert(connection: Connection, submission: Submission, parts: Parts | None, now: str) -> int:
    kept = replace(submission, revision=_next_pending_revision(connection, submission.id))
    number = insert_one(connection, submissions, {**row_of(kept, now), "is_newest": 0})
    for part, chunks in (parts or {}).items():
        for place, body in enumerate(chunks):
            row = {"submission_seq": number, "part": part, "number": place, "body": body}
            connection.execute(insert(traces), row)
    return number


def _next_pending_revision(connection: Connection, submission_id: str) -> int:
    """Return an unused revision below 0 for the id."""
    lowest = select(func.min(submissions.c.revision)).where(_id_condition(submission_id))
    return min(0, connection.scalar(lowest) or 0) - 1


def _stays(known: Submission, given: NewSubmission) -> bool:
    is_another = given.is_claimed and known.importer != given.submission.importer
    return is_another or is_same(known, given)


def refuse_changed(before: Moderation | None, step: Moderation) -> Moderation:
    """Return the step to decide on; Conflict if another one is pending now."""
    if before is None:
        raise Conflict(
            f"{step.submission_id!r} is not subject to moderation.",
            hint="List waiting submissions with: benchmaker moderate list",
        )
    if step.number and step.number != before.number:
        raise Conflict(
            f"{step.submission_id!r} was resubmitted with other figures in the meantime.",
            hint="Review the new version, then decide.",
        )
    return before


def _set_aside(connection: Connection, submission_id: str) -> int | None:
    """Stop counting the submission; return the number of the row that counted, if any."""
    rows = connection.execute(
        select(submissions.c.seq, submissions.c.body, submissions.c.is_newest)
        .where(_id_condition(submission_id), submissions.c.revision > 0)
        .order_by(submissions.c.revision)
    ).all()
    counted = None
    for row in rows:
        revision = _next_pending_revision(connection, submission_id)
        body = encode(replace(decode(row.body, Submission), revision=revision))
        changed = {"revision": revision, "is_newest": 0, "body": body}
        connection.execute(
            update(submissions).where(submissions.c.seq == row.seq).values(**changed)
        )
        counted = row.seq if row.is_newest else counted
    own = metric_rows.c.submission_id == submission_id
    forget(connection, connection.scalars(select(metric_rows.c.seq).where(own)))
    connection.execute(delete(metric_rows).where(own))
    return counted


def _drop_traces(connection: Connection, number: int) -> None:
    connection.execute(delete(traces).where(traces.c.submission_seq == number))


def _id_condition(submission_id: str) -> Any:  # noqa: ANN401  a condition
    return submissions.c.id == submission_id


def _current_submissions(connection: Connection, submission_id: str) -> list[Submission]:
    wanted = select(submissions.c.body).where(_id_condition(submission_id), IS_NEWEST)
    return [decode(body, Submission) for body in connection.scalars(wanted)]


def _row_at(connection: Connection, step: Moderation) -> Submission | None:
    """Return the waiting or rejected submission at that step; None if it counts now."""
    own = (submissions.c.seq == step.number, submissions.c.is_newest == 0)
    if step.state is ModerationState.ACCEPTED:
        return None
    row: RowMapping | None = (
        connection.execute(select(submissions.c.body).where(*own)).mappings().first()
    )
    return None if row is None else decode(row["body"], Submission)


def _newest_steps() -> Select[Any]:
    return select(reviews.c.body).where(reviews.c.is_newest == 1, _OF_MODERATION)


def _newest_step(connection: Connection, submission_id: str) -> Moderation | None:
    wanted = _newest_steps().where(reviews.c.submission_id == submission_id)
    body: str | None = connection.scalar(wanted)
    return None if body is None else decode(body, Moderation)


def _insert_step(connection: Connection, step: Moderation, *, is_newest: bool = True) -> None:
    own = reviews.c.submission_id == step.submission_id
    if is_newest:
        connection.execute(update(reviews).where(own, _OF_MODERATION).values(is_newest=0))
    row = {
        "submission_id": step.submission_id,
        "state": str(step.state),
        "actor": step.actor,
        "is_newest": int(is_newest),
        "created_at": step.created_at,
        "body": encode(step),
    }
    connection.execute(insert(reviews).values(**row))


def _lock_id(connection: Connection, submission_id: str) -> None:
    """Lock this id against concurrent submissions; SQLite has a single writer anyway."""
    if connection.dialect.name != "sqlite":
        wanted = text("SELECT pg_advisory_xact_lock(6276366, hashtext(:id))")
        connection.execute(wanted, {"id": escape(submission_id)})
