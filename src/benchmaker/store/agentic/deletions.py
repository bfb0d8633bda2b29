"""Deletion of a submission with all dependent data, in one transaction."""

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, Delete, Table, delete, select

from benchmaker.errors import StoreError
from benchmaker.store.database.agentic_tables import (
    evaluations,
    flags,
    metric_rows,
    reviews,
    verifications,
)
from benchmaker.store.database.chunk_numbers import forget, lock
from benchmaker.store.database.database import Database, Room
from benchmaker.store.database.tables import outbox, submissions, traces

_BY_SUBMISSION: tuple[tuple[str, Table], ...] = (
    ("figures", metric_rows),
    ("evaluations", evaluations),
    ("verifications", verifications),
    ("flags", flags),
    ("reviews", reviews),
)
"""The tables that refer to a submission by its id, with the noun for their rows in messages."""


class SubmissionDeletion(Room):
    """Deletes submissions."""

    def delete_submission(
        self, submission_id: str, *, notices: Iterable[str] = ()
    ) -> Mapping[str, int]:
        """Delete a submission with all dependent data; return the number of rows by kind.

        This deletes its revisions and traces, its figures, evaluations, verifications, flags and
        the steps of its review, and the waiting messages under the keys ``notices``. Frozen
        baselines that include it are kept, and so are delivered messages. Its task must settle
        afterwards: :func:`benchmaker.arenas.agentic.delete_submission` does both.

        Raises:
            StoreError: unknown id; nothing was deleted.
        """
        own = submissions.c.id == submission_id
        with self.database.write() as connection:
            lock(connection)
            numbers = list(connection.scalars(select(submissions.c.seq).where(own)))
            if not numbers:
                raise _no_submission(submission_id, self.database)
            below = traces.c.submission_seq.in_(numbers)
            counts = {"traces": _delete_rows(connection, delete(traces).where(below))}
            counts["revisions"] = _delete_rows(connection, delete(submissions).where(own))
            counts |= drop_references(connection, submission_id)
            waiting = delete(outbox).where(
                outbox.c.dedupe_key.in_(notices),
                outbox.c.delivered_at.is_(None),
            )
            counts["notices"] = _delete_rows(connection, waiting)
        return counts


def drop_references(connection: Connection, submission_id: str) -> dict[str, int]:
    """Delete all rows that refer to a submission by its id; return the number by kind."""
    _forget_figures(connection, submission_id)
    return {
        name: _delete_rows(connection, delete(table).where(table.c.submission_id == submission_id))
        for name, table in _BY_SUBMISSION
    }


def _forget_figures(connection: Connection, submission_id: str) -> None:
    own = metric_rows.c.submission_id == submission_id
    forget(connection, connection.scalars(select(metric_rows.c.seq).where(own)))


def _delete_rows(connection: Connection, statement: Delete) -> int:
    return connection.execute(statement).rowcount


def _no_submission(submission_id: str, database: Database) -> StoreError:
    return StoreError(
        f"there is no submission {submission_id!r}.",
        where=str(database.address),
        hint="List them with: benchmaker usage --by session",
    )
