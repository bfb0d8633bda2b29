"""SQLite databases that other tools on this machine keep, read so that nothing in them changes."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from benchmaker.errors import StoreError

MAGIC: Final = b"SQLite format 3\0"
"""How every such file begins."""

_MOST_BYTES = 64 * 2**20
_BUSY_S = 1.0


class ForeignDatabase:
    """A database of another tool, open for reading; names of columns are ours, never a file's."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @property
    def names(self) -> frozenset[str]:
        """Its tables and indexes."""
        return frozenset(name for (name,) in self.rows("sqlite_master", ("name",)))

    def columns(self, table: str) -> frozenset[str]:
        """The columns of a table; none where there is no such table."""
        return frozenset(row[1] for row in self._read(f"PRAGMA table_info({_quoted(table)})", ()))

    def rows(
        self,
        table: str,
        columns: Sequence[str],
        *,
        where: Mapping[str, Any] | None = None,
        order: Sequence[str] = (),
    ) -> Iterator[tuple[Any, ...]]:
        """The rows of a table with these values, in the order of these columns.

        Raises:
            StoreError: the table has other columns, or the file is damaged.
        """
        names = ", ".join(map(_quoted, columns))
        query = f"SELECT {names} FROM {_quoted(table)}"  # noqa: S608  names are quoted
        if where:
            query += " WHERE " + " AND ".join(f"{_quoted(name)} = ?" for name in where)
        if order:
            query += " ORDER BY " + ", ".join(map(_quoted, order))
        return self._read(query, tuple((where or {}).values()))

    def _read(self, query: str, values: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        try:
            with closing(self._connection.execute(query, values)) as rows:
                yield from rows
        except sqlite3.Error as exc:
            raise StoreError(f"the database can't be read: {exc}.") from exc


@contextmanager
def opened_foreign(path: Path) -> Iterator[ForeignDatabase]:
    """The database in a file, which may be in use; a value in it may have 64 MiB.

    Where a journal can't be opened beside it, as in a folder that can't be written, the file is
    read as it stands.

    Raises:
        StoreError: it can't be opened.
    """
    with closing(_connected(path)) as connection:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
        connection.execute("PRAGMA trusted_schema = OFF")
        yield ForeignDatabase(connection)


def _connected(path: Path) -> sqlite3.Connection:
    reason: Exception | None = None
    for how in ("mode=ro", "immutable=1"):
        try:
            connection = sqlite3.connect(
                f"file:{quote(str(path))}?{how}", uri=True, timeout=_BUSY_S
            )
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        except sqlite3.Error as exc:
            reason = exc
            continue
        return connection
    raise StoreError(f"the database can't be opened: {reason}.", where=str(path)) from reason


def _quoted(name: str) -> str:
    """A name; in double quotes SQLite would take one that is not there for a text."""
    return "`" + name.replace("`", "``") + "`"
