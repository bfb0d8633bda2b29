"""Verifications: rows in, rows out; never overwritten."""

from collections.abc import Sequence

from sqlalchemy import insert, select, update

from benchmaker.record.submissions.evaluation import Verification
from benchmaker.store.database.agentic_tables import verifications
from benchmaker.store.database.database import Room
from benchmaker.store.database.json_values import decode, encode

_ANY = select(verifications.c.seq).limit(1)
"""Most stores have no verification; this is faster than a search for each submission."""


class VerificationStore(Room):
    """Verifications of submissions."""

    def add_verification(self, verification: Verification) -> None:
        """Store a verification, which becomes the one that counts for its submission."""
        own = verifications.c.submission_id == verification.submission_id
        row = {
            "id": verification.id,
            "submission_id": verification.submission_id,
            "task_digest": verification.task_digest,
            "isolation": verification.isolation,
            "is_newest": 1,
            "created_at": self.database.now_utc(),
            "body": encode(verification),
        }
        with self.database.write() as connection:
            connection.execute(update(verifications).where(own).values(is_newest=0))
            connection.execute(insert(verifications).values(**row))

    def verification(self, submission_id: str) -> Verification | None:
        """Return the last verification of a submission; None without one."""
        wanted = select(verifications.c.body).where(
            verifications.c.submission_id == submission_id, verifications.c.is_newest == 1
        )
        with self.database.read() as connection:
            body: str | None = connection.scalar(wanted)
        return None if body is None else decode(body, Verification)

    def newest_verifications(self, submission_ids: Sequence[str]) -> dict[str, Verification]:
        """Return the latest verification of each of these submissions that has one."""
        wanted = select(verifications.c.body).where(
            verifications.c.submission_id.in_(submission_ids),
            verifications.c.is_newest == 1,
        )
        with self.database.read() as connection:
            if connection.scalar(_ANY) is None:
                return {}
            found = [decode(body, Verification) for body in connection.scalars(wanted)]
        return {one.submission_id: one for one in found}

    def verifications(self, submission_id: str) -> tuple[Verification, ...]:
        """Return all verifications of a submission, latest first."""
        wanted = select(verifications.c.body).where(verifications.c.submission_id == submission_id)
        with self.database.read() as connection:
            bodies = connection.scalars(wanted.order_by(verifications.c.seq.desc()))
            return tuple(decode(body, Verification) for body in bodies)
