"""Copies a whole store, or a backup, into an empty database: all of it, or nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, delete, select

from benchmaker.errors import SpecError
from benchmaker.store.database.address import Address
from benchmaker.store.database.database import Database
from benchmaker.store.database.schema import (
    REVISIONS,
    ROWS,
    create,
    exclusive_transaction,
    migrate,
    refuse_foreign,
    revision,
)
from benchmaker.store.database.tables import counters
from benchmaker.store.upkeep.backups import open_backup
from benchmaker.store.upkeep.contents import Contents, DatabaseContents, digest_of, fill, tables_of
from benchmaker.store.upkeep.dumps import damaged_backup_error


@dataclass(frozen=True, slots=True)
class StoreCopy:
    """The result of a copy: rows of each table, and the hash verified in the target.

    ``revision`` is that of the source; the target has the latest one.
    """

    source: str
    target: str
    revision: str
    hash: str
    rows: dict[str, int]


def copy_store(source: Address, target: Address) -> StoreCopy:
    """Copy a store in its current state into an empty database.

    Later writes to the source are not in the copy.

    Raises:
        SpecError: the target is not empty.
        Corrupt: the copy differs from the source; nothing is kept.
        StoreError: either is unusable.
    """
    database = Database(source, read_only=True)
    try:
        with database.read() as connection, _open_empty_target(target) as into:
            contents = DatabaseContents(connection, str(source))
            return _put(into, contents, None, source=str(source))
    finally:
        database.close()


def restore(path: Path, target: Address) -> StoreCopy:
    """Write a backup into an empty database, and upgrade it to the latest revision.

    Raises:
        SpecError: unknown backup, or the target is not empty.
        Corrupt: the backup does not match its own hash; nothing is kept.
        SchemaTooNew: a newer Benchmaker wrote it.
        StoreError: the target is unusable.
    """
    with open_backup(path) as backup, _open_empty_target(target) as into:
        return _put(into, backup.contents, backup.promised, source=str(path))


def _put(
    database: Database, contents: Contents, promised: Callable[[], str] | None, *, source: str
) -> StoreCopy:
    where = str(database.address)
    with database.translate_errors(), exclusive_transaction(database) as connection:
        _make_ready(connection, database, contents.revision)
        given = fill(connection, tables_of(connection, contents.revision), contents)
        if promised is not None and promised() != given.hash:
            raise damaged_backup_error(source, "its hash does not match its contents")
        found = digest_of(DatabaseContents(connection, where))
        if found.hash != given.hash:
            raise damaged_backup_error(source, f"the copy in {where} has a different hash")
        if contents.revision != REVISIONS[-1]:
            migrate(connection)
    if not database.is_sqlite:
        with database.autocommit() as connection:
            connection.exec_driver_sql("ANALYZE")
    return StoreCopy(source, where, contents.revision, found.hash, found.rows)


@contextmanager
def _open_empty_target(address: Address) -> Iterator[Database]:
    """Open the target; on failure, a file created here is deleted."""
    is_new = address.path is not None and not address.path.exists()
    database = Database(address)
    try:
        yield database
    except BaseException:
        database.close()
        if is_new:
            _drop(address.path)
        raise
    finally:
        database.close()


def _drop(path: Path | None) -> None:
    for end in ("", "-wal", "-shm"):
        with suppress(OSError):
            Path(f"{path}{end}").unlink(missing_ok=True)


def _make_ready(connection: Connection, database: Database, wanted: str) -> None:
    """Create the tables of the wanted revision, without rows."""
    found = revision(connection)
    if found is None:
        refuse_foreign(connection, database)
        create(connection, wanted)
    elif found != wanted or _holds_something(connection):
        raise SpecError(
            "the database to copy into is not empty.",
            where=str(database.address),
            hint="Choose a new file, or a database without tables.",
        )
    connection.execute(delete(counters))


def _holds_something(connection: Connection) -> bool:
    """Return True if there is any row except the counter of rows at 0."""
    for table in tables_of(connection, REVISIONS[-1]):
        wanted = select(1).select_from(table)
        if table is counters:
            wanted = wanted.where((counters.c.name != ROWS) | (counters.c.value != 0))
        if connection.execute(wanted.limit(1)).first() is not None:
            return True
    return False
