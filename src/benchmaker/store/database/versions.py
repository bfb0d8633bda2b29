"""Detects any change in a database by one cheap query."""

import secrets
import sqlite3
from contextlib import closing
from threading import Lock

from sqlalchemy import text

from benchmaker.store.database.database import Database


class Versions:
    """The state of a database as a text: equal texts mean no change.

    Any commit by anyone changes it, even of data that no page shows. In SQLite it is the number of
    ``PRAGMA data_version`` on a read-only connection, in PostgreSQL the snapshot of transactions.
    It is valid only within this process.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._own = secrets.token_hex(8)
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None

    def current_state(self) -> str:
        """Return the current state.

        Raises:
            StoreError: the database is unavailable.
        """
        if self._database.address.path is None:
            return f"{self._own} {self._snapshot()}"
        with self._lock, self._database.translate_errors():
            return f"{self._own} {self._data_version()}"

    def close(self) -> None:
        """Close the connection; later states are different."""
        with self._lock:
            self._own = secrets.token_hex(8)
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _snapshot(self) -> str:
        with self._database.read() as connection:
            return str(connection.scalar(text("SELECT pg_current_snapshot()::text")))

    def _data_version(self) -> int:
        if self._connection is None:
            path = self._database.address.path
            self._connection = sqlite3.connect(str(path), check_same_thread=False)
        with closing(self._connection.execute("PRAGMA data_version")) as found:
            number: int = found.fetchone()[0]
            return number
