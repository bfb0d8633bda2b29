"""Writing that survives a lost connection, and happens once.

A connection that breaks at the commit leaves open whether the server made it durable. So each
transaction raises a mark of the writer in the counters, to a number that the writer has not used
before. Whoever begins again finds the mark raised already where the transaction counts; and waits
at the mark's row where the server still works on it.

The number of a transaction would not do: a server that crashes may give it to another one.
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
"""How the names of marks begin; one that stays belongs to a writer that was killed."""

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
        """Do the work in a writing transaction; durable once, however often the connection breaks.

        The work may be called again, and then begins with what the database holds by then.

        Raises:
            Unreachable: the server did not come back in time.
            Conflict: another process kept the store locked, or the server still works on what was
                sent before the connection broke.
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
        """Take the mark away."""
        if self._number and not self._database.is_sqlite:
            with suppress(StoreError), self._database.write() as connection:
                execute(connection, "DELETE FROM counters WHERE name = ?", (self._name,))

    def _is_new(self, connection: Connection) -> bool:
        """True if this transaction was not made durable before; raises the mark."""
        raised: int = execute(connection, _RAISE, (self._name, self._number)).rowcount
        return raised == 1
