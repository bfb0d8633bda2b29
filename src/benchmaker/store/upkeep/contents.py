"""The whole content of a store, table by table: read in pages, written to an empty database."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import (
    Column,
    Connection,
    Float,
    ForeignKeyConstraint,
    Inspector,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Select,
    Table,
    Text,
    collate,
    func,
    inspect,
    select,
    type_coerce,
)
from sqlalchemy.types import TypeEngine

from benchmaker.errors import Corrupt
from benchmaker.store.database.column_types import EscapedText, metadata
from benchmaker.store.database.driver import execute
from benchmaker.store.database.errors import foreign_store_error
from benchmaker.store.database.schema import REVISIONS, revision, too_new_error
from benchmaker.store.upkeep.digest import Digest, Kind, Row, Shape, row_normaliser

PAGE = 200
"""Number of rows read at once."""

PAGE_OF_FILES = 8
"""Number of rows read at once from a table with files, which may be large."""

SEAL = "benchmaker_backup"
"""The table that describes the contents of a backup file."""

_BESIDE = frozenset({"alembic_version", SEAL})


@dataclass(frozen=True, slots=True)
class TableContents:
    """One table: its rows in pages, and its last row number, if it has one."""

    shape: Shape
    last: int | None
    pages: Iterator[list[Row]]


class Contents(Protocol):
    """The content of a store in any form."""

    revision: str

    def parts(self) -> Iterator[TableContents]:
        """Yield each table, referenced ones first; read all pages before the next part."""


class DatabaseContents:
    """The content of a database, as seen by one transaction."""

    def __init__(self, connection: Connection, where: str) -> None:
        """Inspect the database.

        Raises:
            Corrupt: it has no store.
            SchemaTooNew: unknown revision.
        """
        self._connection = connection
        found = revision(connection)
        if found is None:
            raise foreign_store_error(where)
        if found not in REVISIONS:
            raise too_new_error(where, found)
        self.revision: str = found
        self.tables = tables_of(connection, found)

    def parts(self) -> Iterator[TableContents]:
        """Each table, those that others refer to first."""
        for table in self.tables:
            shape = shape_of(table)
            last = last_row_number(self._connection, table)
            yield TableContents(shape, last, _pages(self._connection, table, shape))


def tables_of(connection: Connection, found: str) -> list[Table]:
    """Return the tables of a database of this revision, referenced ones first."""
    if found == REVISIONS[-1]:
        return metadata.sorted_tables
    known, found_there = MetaData(), inspect(connection)
    for name in found_there.get_table_names():
        if name not in _BESIDE:
            _reflect_table(found_there, known, name)
    return known.sorted_tables


def shape_of(table: Table) -> Shape:
    """Return the table's columns by name, and its key."""
    columns = sorted((str(column.name), _kind(column.type)) for column in table.c)
    return Shape(str(table.name), tuple(columns), tuple(str(it.name) for it in table.primary_key))


def digest_of(contents: Contents) -> Digest:
    """Return the hash over all contents."""
    digest = Digest()
    for part in contents.parts():
        digest.begin(part.shape)
        for page in part.pages:
            digest.add(part.shape, page)
    return digest


def fill(connection: Connection, tables: Iterable[Table], contents: Contents) -> Digest:
    """Write everything into empty tables; return the hash of the input.

    New rows get numbers above all former ones.

    Raises:
        Corrupt: a part has no table, or other columns.
    """
    digest, empty = Digest(), {table.name: table for table in tables}
    for part in contents.parts():
        table = empty.pop(part.shape.table, None)
        if table is None or shape_of(table) != part.shape:
            raise Corrupt(f"table {part.shape.table} is not one of revision {contents.revision}.")
        digest.begin(part.shape)
        for page in _insert_pages(connection, part):
            digest.add(part.shape, page)
        if part.last is not None:
            set_last_row_number(connection, table, part.last)
    for table in empty.values():
        digest.begin(shape_of(table))
    return digest


def highest_row_number(connection: Connection, table: Table) -> int:
    """Return the highest row number; 0 without rows."""
    return connection.scalar(select(func.max(table.c.seq))) or 0


def last_row_number(connection: Connection, table: Table) -> int | None:
    """Return the last row number of the table, 0 before the first; None without numbering."""
    if [column.name for column in table.primary_key] != ["seq"]:
        return None
    if connection.dialect.name == "sqlite":
        return _last_of_sqlite(connection, table)
    name = _sequence(connection, table)
    if name is None:
        return None
    last, is_given = execute(connection, f"SELECT last_value, is_called FROM {name}").fetchone()  # noqa: S608  the server's own name
    return int(last) if is_given else 0


def _last_of_sqlite(connection: Connection, table: Table) -> int | None:
    made = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?"
    if "AUTOINCREMENT" not in execute(connection, made, (table.name,)).fetchone()[0]:
        return None
    given = "SELECT seq FROM sqlite_sequence WHERE name = ?"
    row = execute(connection, given, (table.name,)).fetchone()
    return row[0] if row else 0


def set_last_row_number(connection: Connection, table: Table, last: int) -> None:
    """Make the next row's number larger than this one, and than all existing ones."""
    last = max(last, highest_row_number(connection, table))
    if connection.dialect.name == "sqlite":
        execute(connection, "DELETE FROM sqlite_sequence WHERE name = ?", (table.name,))
        if last:
            row = (table.name, last)
            execute(connection, "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", row)
        return
    values = (_sequence(connection, table), max(last, 1), last > 0)
    execute(connection, "SELECT setval(?::text::regclass, ?, ?)", values)


def _sequence(connection: Connection, table: Table) -> str | None:
    found = execute(connection, "SELECT pg_get_serial_sequence(?, 'seq')", (table.name,))
    name: str | None = found.fetchone()[0]
    return name


def _reflect_table(found: Inspector, known: MetaData, name: str) -> None:
    """Load a table's definition from the database, as far as copying needs it."""
    columns = [Column(it["name"], it["type"]) for it in found.get_columns(name)]
    key = PrimaryKeyConstraint(*found.get_pk_constraint(name)["constrained_columns"])
    others = [
        ForeignKeyConstraint(
            it["constrained_columns"],
            [f"{it['referred_table']}.{column}" for column in it["referred_columns"]],
        )
        for it in found.get_foreign_keys(name)
    ]
    Table(name, known, *columns, key, *others)


def _kind(kind: TypeEngine[Any]) -> Kind:
    match kind:
        case LargeBinary():
            return Kind.BYTES
        case Float():
            return Kind.REAL
        case Integer():
            return Kind.WHOLE
        case _:
            return Kind.TEXT


def _pages(connection: Connection, table: Table, shape: Shape) -> Iterator[list[Row]]:
    size = PAGE_OF_FILES if shape.places(Kind.BYTES) else PAGE
    wanted = _select_ordered(connection, table, shape).execution_options(yield_per=size)
    spell = row_normaliser(shape)
    with connection.execute(wanted) as result:
        for page in result.partitions(size):
            yield [spell(row) for row in page]


def _select_ordered(connection: Connection, table: Table, shape: Shape) -> Select[Any]:
    """Select all rows in the order of the key; texts by code points in either database."""
    kinds = dict(shape.columns)
    is_sqlite = connection.dialect.name == "sqlite"
    order = [
        collate(table.c[name], "C") if kinds[name] is Kind.TEXT and not is_sqlite else table.c[name]
        for name in shape.key
    ]
    stored = (type_coerce(table.c[name], _stored_type(table.c[name])) for name in shape.names)
    return select(*stored).order_by(*order)


def _stored_type(column: Column[Any]) -> TypeEngine[Any]:
    """Return the type for reading a column as stored, escapes included."""
    return Text() if isinstance(column.type, EscapedText) else column.type


def _insert_pages(connection: Connection, part: TableContents) -> Iterator[list[Row]]:
    """Yield the pages of a part, each after its insertion."""
    insert = _insert_sqlite if connection.dialect.name == "sqlite" else _insert_postgresql
    for page in part.pages:
        insert(connection, part.shape, page)
        yield page


def _insert_sqlite(connection: Connection, shape: Shape, rows: Sequence[Row]) -> None:
    marks = ", ".join("?" * len(shape.columns))
    cursor: Any = connection.connection.cursor()  # the driver's own
    with closing(cursor):
        target = _insert_target(connection, shape)
        cursor.executemany(f"INSERT INTO {target} VALUES ({marks})", rows)  # noqa: S608  names of our own tables


def _insert_postgresql(connection: Connection, shape: Shape, rows: Sequence[Row]) -> None:
    cursor: Any = connection.connection.cursor()  # the driver's own
    with (
        closing(cursor),
        cursor.copy(f"COPY {_insert_target(connection, shape)} FROM STDIN") as copy,
    ):
        for row in rows:
            copy.write_row(row)


def _insert_target(connection: Connection, shape: Shape) -> str:
    quote = connection.dialect.identifier_preparer.quote
    return f"{quote(shape.table)} ({', '.join(map(quote, shape.names))})"
