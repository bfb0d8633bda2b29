"""Merge submissions that are the same table row, or parts of one session, into one."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, Select, delete, exists, or_, select, update

from benchmaker.record.submissions.evaluation import ReviewState
from benchmaker.record.submissions.submission import Submission
from benchmaker.store.agentic.deletions import drop_references
from benchmaker.store.database.account_tables import registered_attempts
from benchmaker.store.database.agentic_tables import reviews, verifications
from benchmaker.store.database.chunk_numbers import lock
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.database.tables import submissions, traces

_BEYOND: Final = 10**9
"""An upper limit of revisions per submission."""


def gather(connection: Connection, kept: str, others: Sequence[str]) -> None:
    """Merge the revisions of ``others`` into ``kept``, in order of arrival; the last one counts.

    Evaluations, flags and figures of the others are deleted. A submission that was verified, has a
    decided review or is the result of a registered attempt is not merged.
    """
    lock(connection)
    merged = [one for one in others if not is_held(connection, one)]
    rows = connection.execute(_revisions([kept, *merged])).all()
    if merged and rows:
        _merge(connection, kept, merged, rows)


def absorb(connection: Connection, kept: str, parts: Sequence[str]) -> None:
    """Merge the revisions of ``parts`` into ``kept``, before its own, so that the last one counts.

    Unknown ids are skipped. Evaluations, flags and figures of the parts are deleted, and those that
    :func:`gather` leaves separate stay so here.
    """
    lock(connection)
    merged = [one for one in parts if one != kept and not is_held(connection, one)]
    rows = connection.execute(_revisions(merged)).all() if merged else []
    if rows:
        own = connection.execute(_revisions([kept])).all()
        _merge(connection, kept, merged, [*rows, *own])


def _merge(
    connection: Connection, kept: str, merged: Sequence[str], rows: Sequence[Row[Any]]
) -> None:
    for one in merged:
        drop_references(connection, one)
    _renumber(connection, kept, rows)
    older = [row.seq for row in rows[:-1]]
    connection.execute(delete(traces).where(traces.c.submission_seq.in_(older)))


def _revisions(ids: Sequence[str]) -> Select[Any]:
    """Return every revision that counts or counted; pending ones are below 0."""
    own = submissions.c.id.in_(ids), submissions.c.revision > 0
    columns = (submissions.c.seq, submissions.c.body)
    return select(*columns).where(*own).order_by(submissions.c.seq)


def _renumber(connection: Connection, kept: str, rows: Sequence[Row[Any]]) -> None:
    for beyond in (_BEYOND, 0):  # no number may occur twice in between
        for number, row in enumerate(rows, start=1):
            body = msgspec.structs.replace(decode(row.body, Submission), id=kept, revision=number)
            values = {
                "id": kept,
                "revision": number + beyond,
                "is_newest": int(number == len(rows)),
                "body": encode(body),
            }
            own = submissions.c.seq == row.seq
            connection.execute(update(submissions).where(own).values(**values))


def is_held(connection: Connection, submission_id: str) -> bool:
    """True if a submission must not become a revision of another."""
    about = reviews.c.submission_id == submission_id
    holds = (
        exists().where(verifications.c.submission_id == submission_id),
        exists().where(about, reviews.c.state != str(ReviewState.OPEN)),
        exists().where(registered_attempts.c.submission_id == submission_id),
    )
    return bool(connection.scalar(select(or_(*holds))))
