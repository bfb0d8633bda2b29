"""Writes that survive a lost connection, and happen exactly once.

If a connection breaks at the commit, it is unknown if the transaction is durable. So each
transaction raises a mark of the writer in the counters, to a number that the writer has not used
before. A retry finds the mark already raised if the transaction is durable, and waits at the mark's
row if the server is still working on it.

Transaction numbers do not suffice: after a crash a server may reuse them.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar
from uuid import uuid4

from sqlalchemy import Connection

from benchmaker.errors import StoreError
from benchmaker.store.database.database import Database
from benchmaker.store.database.driver import execute
from benchmaker.store.database.retry import WRITER_S, persist

T = TypeVar("T")

PREFIX = "writer "
"""The prefix of marks; a leftover mark belongs to a killed writer."""

_RAISE = (
    "INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) "
    "DO UPDATE SET value = EXCLUDED.value WHERE counters.value < EXCLUDED.value"
)


class IdempotentWriter:
    """Writes transactions of one writer, one after the other; close it."""

    def __init__(self, database: Database, *, within_s: float = WRITER_S) -> None:
        self._database = database
        self._within_s = within_s
        self._name = f"{PREFIX}{uuid4().hex}"
        self._number = 0

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run the work in a writing transaction; durable exactly once, despite broken connections.

        The work may be called again, and then starts from the database's current content.

        Raises:
            Unreachable: the server did not return in time.
            Conflict: another process kept the store locked, or the server still works on the
                earlier transaction.
        """
        if self._database.is_sqlite:
            with self._database.write() as connection:
                return work(connection)
        self._number += 1
        done: list[T] = []

        def attempt() -> T:
            with self._database.write() as connection:
                if self._is_new(connection):
                    done[:] = [work(connection)]
            return done[0]

        return persist(attempt, within_s=self._within_s)

    def close(self) -> None:
        """Remove the mark."""
        if self._number and not self._database.is_sqlite:
            with suppress(StoreError), self._database.write() as connection:
                execute(connection, "DELETE FROM counters WHERE name = ?", (self._name,))

    def _is_new(self, connection: Connection) -> bool:
        """True if this transaction was not made durable before; raises the mark."""
        raised: int = execute(connection, _RAISE, (self._name, self._number)).rowcount
        return raised == 1
