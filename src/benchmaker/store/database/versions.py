"""Detects any change in a database by one cheap query."""

import secrets
import sqlite3
import time
from contextlib import closing
from threading import Lock
from typing import Final

from sqlalchemy import text

from benchmaker.store.database.database import Database

_PATIENCE_S: Final = 5.0
_PAUSE_S: Final = 0.005


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
            until = time.monotonic() + _PATIENCE_S
            while (number := self._data_version()) is None:
                if time.monotonic() > until:
                    raise sqlite3.OperationalError("database is locked")
                time.sleep(_PAUSE_S)
            return self._text_of(number)

    def current_state_at_once(self) -> str | None:
        """Return the current state, or None if that takes a wait: for use in an event loop.

        On PostgreSQL it is always None.

        Raises:
            StoreError: the database is unavailable.
        """
        if self._database.address.path is None or not self._lock.acquire(blocking=False):
            return None
        try:
            with self._database.translate_errors():
                number = self._data_version()
                return None if number is None else self._text_of(number)
        finally:
            self._lock.release()

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

    def _text_of(self, number: int) -> str:
        return f"{self._own} {number}"

    def _data_version(self) -> int | None:
        """The number of the last change that this connection sees; None while it is locked."""
        if self._connection is None:
            path = self._database.address.path
            self._connection = sqlite3.connect(str(path), timeout=0, check_same_thread=False)
        try:
            with closing(self._connection.execute("PRAGMA data_version")) as found:
                number: int = found.fetchone()[0]
                return number
        except sqlite3.OperationalError as exc:
            if exc.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                return None
            raise
