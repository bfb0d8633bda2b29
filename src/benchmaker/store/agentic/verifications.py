"""Verifications: rows in, rows out; never overwritten."""

from collections.abc import Sequence

from sqlalchemy import insert, select, update

from benchmaker.record.submissions.evaluation import Verification
from benchmaker.store.database.agentic_tables import verifications
from benchmaker.store.database.database import Database
from benchmaker.store.database.escaping import escape
from benchmaker.store.database.json_values import decode, encode


def add_verification(database: Database, new: Verification) -> None:
    """Keep it as the one that counts for its submission."""
    own = verifications.c.submission_id == escape(new.submission_id)
    row = {
        "id": escape(new.id),
        "submission_id": escape(new.submission_id),
        "task_digest": new.task_digest,
        "isolation": new.isolation,
        "is_newest": 1,
        "created_at": database.now_utc(),
        "body": encode(new),
    }
    with database.write() as connection:
        connection.execute(update(verifications).where(own).values(is_newest=0))
        connection.execute(insert(verifications).values(**row))


def find_verification(database: Database, submission_id: str) -> Verification | None:
    """Return the current verification of a submission; None without one."""
    wanted = select(verifications.c.body).where(
        verifications.c.submission_id == escape(submission_id), verifications.c.is_newest == 1
    )
    with database.read() as connection:
        body: str | None = connection.scalar(wanted)
    return None if body is None else decode(body, Verification)


def newest_verifications(
    database: Database, submission_ids: Sequence[str]
) -> dict[str, Verification]:
    """The one that counts for each of these submissions that has any."""
    wanted = select(verifications.c.body).where(
        verifications.c.submission_id.in_([escape(one) for one in submission_ids]),
        verifications.c.is_newest == 1,
    )
    with database.read() as connection:
        found = [decode(body, Verification) for body in connection.scalars(wanted)]
    return {one.submission_id: one for one in found}


def list_verifications(database: Database, submission_id: str) -> tuple[Verification, ...]:
    """All of a submission, the last first."""
    wanted = select(verifications.c.body).where(
        verifications.c.submission_id == escape(submission_id)
    )
    with database.read() as connection:
        bodies = connection.scalars(wanted.order_by(verifications.c.seq.desc()))
        return tuple(decode(body, Verification) for body in bodies)
