"""Insert statements that keep existing rows, compiled once, for one row or many."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Table, insert
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import Dialect

from benchmaker.store.database.column_types import EscapedText
from benchmaker.store.database.driver import execute
from benchmaker.store.database.escaping import escape_all, unescape

_AT_ONCE = (1000, 100, *range(32, 0, -1))
"""Rows per statement of SQLite, if it accepts that many values: few statements for any number."""

_FEW = 100
"""Below this number of rows, each is written with all its columns, by few statements."""

_OR_LEAVE = " ON CONFLICT DO NOTHING"


def insert_new(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    """Insert one row, unless a unique key of it is taken; return True if inserted."""
    statement = insert_into(table, connection).values(**row).on_conflict_do_nothing()
    counted = statement.execution_options(preserve_rowcount=True)
    return connection.execute(counted).rowcount == 1


def insert_all(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> int:
    """Insert self-numbering rows without a taken unique key; return the number.

    The rows must have the same columns.
    """
    if not rows:
        return 0
    if connection.dialect.name == "sqlite":
        names = tuple(rows[0])
        values = _stored_values(table, rows, names)
        return sum(_insert_thousands(connection, table, values, names, _OR_LEAVE))
    statement = insert_into(table, connection).on_conflict_do_nothing()
    counted = statement.execution_options(preserve_rowcount=True)
    number: int = connection.execute(counted, list(rows)).rowcount
    return number


def insert_into(table: Table, connection: Connection) -> Any:  # noqa: ANN401  one class for each
    """Return the insert statement of the connection's database, which handles conflicts."""
    return insert_for(table, connection.dialect.name)


def insert_for(table: Table, dialect: str) -> Any:  # noqa: ANN401  one class for each
    """Return a database's own insert statement, which handles conflicts."""
    if dialect == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415  slow to load, for few

    return postgresql.insert(table)


def insert_one(connection: Connection, table: Table, row: Mapping[str, Any]) -> int:
    """Insert one self-numbering row; return its number."""
    key = connection.execute(insert(table), dict(row)).inserted_primary_key
    number: int = key[0] if key else 0
    return number


def insert_named(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]], *, key: str
) -> dict[str, int]:
    """Insert self-numbering rows together; return their numbers by the text of one column.

    The rows must have the same columns, with distinct texts in that one.
    """
    if not rows:
        return {}
    names = tuple(rows[0])
    values = _stored_values(table, rows, names)
    if connection.dialect.name == "sqlite":
        numbers = _insert_numbered(connection, table, values, names, key)
    else:
        columns = tuple(map(list, zip(*values, strict=True)))
        statement = f"{_for_postgresql(table, names)} RETURNING {key}, seq"
        numbers = dict(execute(connection, statement, columns).fetchall())
    if not isinstance(table.c[key].type, EscapedText):
        return numbers
    return {unescape(name): number for name, number in numbers.items()}


def _stored_values(
    table: Table, rows: Sequence[Mapping[str, Any]], names: tuple[str, ...]
) -> list[tuple[Any, ...]]:
    """Return the stored values of these columns."""
    columns = ([row[name] for row in rows] for name in names)
    stored = (
        escape_all(values) if isinstance(table.c[name].type, EscapedText) else values
        for name, values in zip(names, columns, strict=True)
    )
    return list(zip(*stored, strict=True))


def _insert_numbered(
    connection: Connection,
    table: Table,
    rows: Sequence[tuple[Any, ...]],
    names: tuple[str, ...],
    key: str,
) -> dict[str, int]:
    """Insert in SQLite, with its single writer: all rows after the former last are new."""
    if len(rows) == 1:
        number: int = execute(connection, _for_sqlite(table, names, 1), rows[0]).lastrowid
        return {rows[0][names.index(key)]: number}
    last = execute(connection, f"SELECT max(seq) FROM {table.name}").fetchone()[0] or 0  # noqa: S608  as below
    for _ in _insert_thousands(connection, table, rows, names):
        pass
    wanted = f"SELECT {key}, seq FROM {table.name} WHERE seq > ?"  # noqa: S608  as below
    return dict(execute(connection, wanted, (last,)).fetchall())


def insert_rows(connection: Connection, table: Table, rows: Sequence[tuple[Any, ...]]) -> int:
    """Insert rows, with values in the order of the table's columns; return the number of new ones.

    Texts are stored as given: tables that are filled so have no ``EscapedText``.

    A row with a taken unique key, also by an earlier row of the same call, is skipped. PostgreSQL
    takes all rows at once, as arrays. SQLite takes as many as possible per prepared statement: its
    driver releases the GIL at each statement, and a busy thread would delay each row.
    """
    if not rows:
        return 0
    if connection.dialect.name == "sqlite":
        some, names = _without_nulls(table, rows)
        return sum(_insert_thousands(connection, table, some, names, _OR_LEAVE))
    columns = tuple(map(list, zip(*rows, strict=True)))
    statement = _for_postgresql(table, _names(table)) + _OR_LEAVE
    number: int = execute(connection, statement, columns).rowcount
    return number


def insert_columns(
    connection: Connection, table: Table, columns: Mapping[str, Iterable[Any]]
) -> int:
    """Insert rows as :func:`insert_rows` does, from columns by name; others are NULL.

    At least one column has an end.
    """
    names, rows = tuple(columns), list(zip(*columns.values(), strict=False))
    if not rows:
        return 0
    if connection.dialect.name == "sqlite":
        return sum(_insert_thousands(connection, table, rows, names, _OR_LEAVE))
    statement = _for_postgresql(table, names) + _OR_LEAVE
    arrays = tuple(map(list, zip(*rows, strict=True)))
    number: int = execute(connection, statement, arrays).rowcount
    return number


def _without_nulls(
    table: Table, rows: Sequence[tuple[Any, ...]]
) -> tuple[Sequence[tuple[Any, ...]], tuple[str, ...]]:
    """Return rows and column names without columns of NULL alone, which need not be written.

    SQLite's driver takes five times as long for a NULL as for a text.
    """
    names, size = _names(table), len(rows)
    if size < _FEW or None not in rows[0]:
        return rows, names
    columns = list(zip(*rows, strict=True))
    kept = [at for at, column in enumerate(columns) if column.count(None) < size]
    some = list(zip(*(columns[at] for at in kept), strict=True))
    return some, tuple(names[at] for at in kept)


def _insert_thousands(
    connection: Connection,
    table: Table,
    rows: Sequence[tuple[Any, ...]],
    names: tuple[str, ...],
    otherwise: str = "",
) -> Iterator[int]:
    at = 0
    most = _most_values(connection) // len(names)
    while at < len(rows):
        size = _statement_size(min(most, len(rows) - at))
        values = tuple(chain.from_iterable(rows[at : at + size]))
        yield execute(connection, _for_sqlite(table, names, size) + otherwise, values).rowcount
        at += size


@lru_cache(maxsize=64)
def _names(table: Table) -> tuple[str, ...]:
    return tuple(column.name for column in table.c)


def _most_values(connection: Connection) -> int:
    """Return SQLite's limit of values per statement: 999 formerly, 32,766 since 3.32."""
    driver: Any = connection.connection.driver_connection
    limit: int = driver.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER)
    return limit


def _statement_size(most: int) -> int:
    """Return the largest statement of at most that many rows, but at least one row."""
    return next((size for size in _AT_ONCE if size <= most), 1)


@lru_cache(maxsize=256)
def _for_sqlite(table: Table, names: tuple[str, ...], size: int) -> str:
    row = f"({', '.join('?' * len(names))})"
    into = _columns(table, names, sqlite.dialect())
    return f"INSERT INTO {into} VALUES {', '.join([row] * size)}"  # noqa: S608  as below


@lru_cache(maxsize=16)
def _for_postgresql(table: Table, names: tuple[str, ...]) -> str:
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415  slow to load, for few

    dialect: Dialect = postgresql.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy's
    kinds = [table.c[name].type.compile(dialect=dialect) for name in names]
    arrays = ", ".join(f"?::{kind}[]" for kind in kinds)
    into = _columns(table, names, dialect)
    return f"INSERT INTO {into} SELECT * FROM unnest({arrays})"  # noqa: S608  names from our own tables


def _columns(table: Table, names: tuple[str, ...], dialect: Dialect) -> str:
    """Return the quoted names of the table and of these columns."""
    spelt = map(dialect.identifier_preparer.format_column, (table.c[name] for name in names))
    return f"{table.name} ({', '.join(spelt)})"
