"""Flags and reviews: rows in, rows out; nothing is deleted."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace
from sqlalchemy import Connection, func, insert, select, update

from benchmaker.errors import Conflict
from benchmaker.record.submissions.evaluation import Flag, Review, ReviewState
from benchmaker.store.database.agentic_tables import flags, reviews
from benchmaker.store.database.database import Room
from benchmaker.store.database.inserts import insert_new
from benchmaker.store.database.json_values import decode, encode

_AT_ONCE: Final = 500

_OF_FLAGS = reviews.c.state.in_([str(state) for state in ReviewState])
"""The table also holds the steps of moderation, under other states."""


class ReviewStore(Room):
    """Flags, and the reviews of flagged submissions."""

    def add_flags(self, new: Iterable[Flag]) -> tuple[Flag, ...]:
        """Store the new ones; each opens a review of its submission unless one is open.

        A decided review is reopened by a flag of a new kind.
        """
        kept: list[Flag] = []
        with self.database.write() as connection:
            now = self.database.now_utc()
            for flag in _new_flags(connection, list(new)):
                made = replace(flag, created_at=flag.created_at or now)
                if insert_new(connection, flags, _flag_row(made)):
                    kept.append(made)
                    _reopen(connection, made, now)
        return tuple(kept)

    def flags(self, submission_id: str | None = None) -> tuple[Flag, ...]:
        """Return the flags of a submission, or of all, in the order in which they were raised."""
        wanted = select(flags.c.body).order_by(flags.c.seq)
        if submission_id is not None:
            wanted = wanted.where(flags.c.submission_id == submission_id)
        with self.database.read() as connection:
            return tuple(decode(body, Flag) for body in connection.scalars(wanted))

    def decide(self, review: Review) -> Review:
        """Store a decision as the latest step.

        Raises:
            Conflict: the submission has no flag to decide on.
        """
        with self.database.write() as connection:
            before = _newest_review(connection, review.submission_id)
            if before is None:
                raise Conflict(
                    f"{review.submission_id!r} has no flags.",
                    hint="List flagged submissions with: benchmaker reviews",
                )
            made = replace(
                review, flags=before.flags, created_at=review.created_at or self.database.now_utc()
            )
            _insert_review(connection, made)
        return made

    def reviews(
        self, *, state: ReviewState | None = None, submission_id: str | None = None
    ) -> tuple[Review, ...]:
        """Return the state of each flagged submission, oldest first."""
        wanted = (
            select(reviews.c.body)
            .where(reviews.c.is_newest == 1, _OF_FLAGS)
            .order_by(reviews.c.seq)
        )
        if state is not None:
            wanted = wanted.where(reviews.c.state == str(state))
        if submission_id is not None:
            wanted = wanted.where(reviews.c.submission_id == submission_id)
        with self.database.read() as connection:
            return tuple(decode(body, Review) for body in connection.scalars(wanted))

    def quarantined_submissions(self) -> frozenset[str]:
        """Return the quarantined submissions."""
        quarantined = self.reviews(state=ReviewState.QUARANTINED)
        return frozenset(it.submission_id for it in quarantined)

    def count_reviews(self, state: ReviewState) -> int:
        """Return the number of flagged submissions in this state."""
        wanted = select(func.count()).where(reviews.c.is_newest == 1, reviews.c.state == str(state))
        with self.database.read() as connection:
            return connection.scalar(wanted) or 0


def _new_flags(connection: Connection, new: Sequence[Flag]) -> list[Flag]:
    """Return the flags that are not stored yet; this saves an insert for each of the others."""
    columns = flags.c
    wanted = select(columns.submission_id, columns.kind, columns.source)
    known: set[tuple[str, str, str]] = set()
    names = sorted({flag.submission_id for flag in new})
    for at in range(0, len(names), _AT_ONCE):
        own = columns.submission_id.in_(names[at : at + _AT_ONCE])
        known.update((one, kind, of) for one, kind, of in connection.execute(wanted.where(own)))
    return [flag for flag in new if (flag.submission_id, flag.kind, flag.source) not in known]


def _flag_row(flag: Flag) -> dict[str, str]:
    return {
        "submission_id": flag.submission_id,
        "kind": flag.kind,
        "source": flag.source,
        "created_at": flag.created_at,
        "body": encode(flag),
    }


def _reopen(connection: Connection, flag: Flag, now: str) -> None:
    before = _newest_review(connection, flag.submission_id)
    known = before.flags if before else ()
    if flag.kind not in known:
        opened = Review(
            submission_id=flag.submission_id,
            flags=(*known, flag.kind),
            actor="benchmaker",
            created_at=now,
        )
        _insert_review(connection, opened)


def _newest_review(connection: Connection, submission_id: str) -> Review | None:
    wanted = select(reviews.c.body).where(
        reviews.c.submission_id == submission_id, reviews.c.is_newest == 1, _OF_FLAGS
    )
    body: str | None = connection.scalar(wanted)
    return None if body is None else decode(body, Review)


def _insert_review(connection: Connection, review: Review) -> None:
    own = reviews.c.submission_id == review.submission_id
    connection.execute(update(reviews).where(own, _OF_FLAGS).values(is_newest=0))
    row = {
        "submission_id": review.submission_id,
        "state": str(review.state),
        "actor": review.actor,
        "is_newest": 1,
        "created_at": review.created_at,
        "body": encode(review),
    }
    connection.execute(insert(reviews).values(**row))
