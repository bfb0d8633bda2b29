"""Whether anything in a database has changed, by one quick look."""

import secrets
import sqlite3
from contextlib import closing
from threading import Lock

from sqlalchemy import text

from benchmaker.store.database.database import Database


class Versions:
    """The state that a database is in, as a text: the same text twice, and nothing was changed.

    Whatever is committed by anybody makes another one, also what no page shows. In SQLite it is
    the number that ``PRAGMA data_version`` gives on a connection that itself writes nothing, in
    PostgreSQL the snapshot of transactions. It holds for this process alone.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._own = secrets.token_hex(8)
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None

    def current_state(self) -> str:
        """The state as it is now.

        Raises:
            StoreError: the database can't be asked.
        """
        if self._database.address.path is None:
            return f"{self._own} {self._snapshot()}"
        with self._lock, self._database.translate_errors():
            return f"{self._own} {self._data_version()}"

    def close(self) -> None:
        """Give the connection back; asked again, it is another state."""
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
