"""Marks of stored submissions that are not yet evaluated: their rows, and their holder.

A receiver of submissions holds a slot, and sets a mark there before storing the first of them: the
number of the last row before it. The mark is removed when all later rows are evaluated. A mark of a
dead holder is found by the next one, which then evaluates the rows after it.
"""

from collections.abc import Iterator
from contextlib import suppress

from sqlalchemy import delete, func, insert, select

from benchmaker.errors import Conflict
from benchmaker.store.database.database import Database
from benchmaker.store.database.leases import Lease, LeaseStore, refuse_lost
from benchmaker.store.database.tables import IS_NEWEST, counters, submissions

_PREFIX = "handed in "
_HOLDER = "handing in"
_PLACES = 64
_PAGE = 500


class PendingSlots:
    """Slots of receivers of submissions, with their marks."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def acquire(self, *, ttl_s: float) -> Lease:
        """Return a free slot: the first without a mark or a living holder.

        Raises:
            Conflict: all slots are taken.
        """
        marked = self.marks()
        for name in (f"{_PREFIX}{number}" for number in range(1, _PLACES + 1)):
            if name not in marked:
                with suppress(Conflict):
                    return LeaseStore(self._database).acquire_lease(
                        name, holder=_HOLDER, ttl_s=ttl_s
                    )
        raise Conflict(
            f"{_PLACES} processes are already receiving submissions for this store.",
            where=str(self._database.address),
            hint="Stop some of them, then try again.",
        )

    def acquire_abandoned(self, *, ttl_s: float) -> Iterator[Lease]:
        """Yield the marked slots whose holder died, acquired."""
        for name in self.marks():
            try:
                yield LeaseStore(self._database).acquire_lease(name, holder=_HOLDER, ttl_s=ttl_s)
            except Conflict:
                continue

    def marks(self) -> dict[str, int]:
        """Return the marks by slot: the number of the last row before."""
        wanted = select(counters.c.name, counters.c.value).where(
            counters.c.name.startswith(_PREFIX)
        )
        with self._database.read() as connection:
            return {row.name: row.value for row in connection.execute(wanted)}

    def mark(self, lease: Lease) -> None:
        """Set a mark in the slot, unless there is one.

        Raises:
            Conflict: the slot belongs to another holder by now.
        """
        own = counters.c.name == lease.name
        with self._database.write() as connection:
            refuse_lost(connection, lease)
            if connection.scalar(select(counters.c.value).where(own)) is None:
                last = connection.scalar(select(func.max(submissions.c.seq))) or 0
                connection.execute(insert(counters).values(name=lease.name, value=last))

    def unmark(self, lease: Lease) -> None:
        """Remove the mark: all later rows are evaluated."""
        with self._database.write() as connection:
            connection.execute(delete(counters).where(counters.c.name == lease.name))

    def stored_since(self, last: int) -> Iterator[str]:
        """Yield the ids of submissions whose latest revision is after that row."""
        while True:
            wanted = (
                select(submissions.c.seq, submissions.c.id)
                .where(submissions.c.seq > last, IS_NEWEST)
                .order_by(submissions.c.seq)
                .limit(_PAGE)
            )
            with self._database.read() as connection:
                rows = connection.execute(wanted).all()
            yield from (row.id for row in rows)
            if len(rows) < _PAGE:
                return
            last = rows[-1].seq
