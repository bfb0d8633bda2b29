"""Read-only access to the SQLite databases of other tools on this machine."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from benchmaker.errors import StoreError

MAGIC: Final = b"SQLite format 3\0"
"""The first bytes of every SQLite file."""

_MOST_BYTES = 64 * 2**20
_BUSY_S = 1.0


class ForeignDatabase:
    """A database of another tool, open for reading; column names come from Benchmaker's code."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @property
    def names(self) -> frozenset[str]:
        """Return the names of its tables and indexes."""
        return frozenset(name for (name,) in self.rows("sqlite_master", ("name",)))

    def columns(self, table: str) -> frozenset[str]:
        """Return the columns of a table; empty if it does not exist."""
        return frozenset(row[1] for row in self._read(f"PRAGMA table_info({_quote(table)})", ()))

    def rows(
        self,
        table: str,
        columns: Sequence[str],
        *,
        where: Mapping[str, Any] | None = None,
        order: Sequence[str] = (),
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a table that match ``where``, sorted by ``order``.

        Raises:
            StoreError: the table has other columns, or the file is damaged.
        """
        names = ", ".join(map(_quote, columns))
        query = f"SELECT {names} FROM {_quote(table)}"  # noqa: S608  names are quoted
        if where:
            query += " WHERE " + " AND ".join(f"{_quote(name)} = ?" for name in where)
        if order:
            query += " ORDER BY " + ", ".join(map(_quote, order))
        return self._read(query, tuple((where or {}).values()))

    def _read(self, query: str, values: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        try:
            with closing(self._connection.execute(query, values)) as rows:
                yield from rows
        except sqlite3.Error as exc:
            raise StoreError(f"the database can't be read: {exc}.") from exc


@contextmanager
def open_foreign_database(path: Path) -> Iterator[ForeignDatabase]:
    """Open a database file, which may be in use; a value may have up to 64 MiB.

    If SQLite cannot open a journal next to the file, as in a read-only folder, the file is read
    directly.

    Raises:
        StoreError: it cannot be opened, or is locked.
    """
    with closing(_connect(path)) as connection:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
        connection.execute("PRAGMA trusted_schema = OFF")
        yield ForeignDatabase(connection)


def _connect(path: Path) -> sqlite3.Connection:
    reason: Exception | None = None
    for how in ("mode=ro", "mode=ro&immutable=1"):
        try:
            return _connect_and_probe(f"file:{quote(str(path))}?{how}")
        except sqlite3.Error as exc:
            reason = exc
            if exc.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:  # not to be read as it is
                break
    raise StoreError(f"the database can't be opened: {reason}.", where=str(path)) from reason


def _connect_and_probe(address: str) -> sqlite3.Connection:
    """Return a connection after a successful first query."""
    connection = sqlite3.connect(address, uri=True, timeout=_BUSY_S)
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _quote(name: str) -> str:
    """Quote a name; SQLite reads an unknown name in double quotes as a string."""
    return "`" + name.replace("`", "``") + "`"
