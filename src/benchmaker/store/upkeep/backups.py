"""Backups: one file with everything, its schema revision and the hash of its contents.

A backup of a SQLite file is itself a store, copied by SQLite during writes, with an additional
table that describes it. A backup of PostgreSQL is text, see :mod:`benchmaker.store.upkeep.dumps`.
Either can be restored into either database.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO

from benchmaker.errors import SpecError, StoreError
from benchmaker.store.database.address import Address
from benchmaker.store.database.database import Database
from benchmaker.store.upkeep.contents import SEAL, Contents, DatabaseContents, digest_of
from benchmaker.store.upkeep.digest import Digest
from benchmaker.store.upkeep.dumps import (
    MAGIC,
    Dump,
    DumpHeader,
    damaged_backup_error,
    open_dump,
    write_dump,
)

SQLITE_MAGIC = b"SQLite format 3\x00"

_COLUMNS = ("format", "revision", "created_at", "version", "hash", "rows")


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A completed backup: the rows of each table, and their hash."""

    path: Path
    revision: str
    hash: str
    rows: dict[str, int]
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Backup:
    """An open backup; ``promised`` is its own hash, available once all parts are read."""

    contents: Contents
    promised: Callable[[], str]


def suffix_of(address: Address) -> str:
    """Return the suffix of a backup of this store."""
    return ".db" if address.path else ".jsonl.gz"


def back_up(address: Address, path: Path) -> BackupReport:
    """Copy everything into a new file for its owner alone; the store stays writable.

    The file gets its name when it is complete and on the disk.

    Raises:
        SpecError: the file exists.
        StoreError: the store can't be read, or the file can't be written.
    """
    path = path.absolute()
    if path.exists():
        raise SpecError("the file already exists.", where=str(path), hint="Choose a new file.")
    database = Database(address, read_only=True)
    unfinished = path.with_name(f"{path.name}.part")
    try:
        revision, digest = _write(database, unfinished)
        size = unfinished.stat().st_size
        unfinished.rename(path)
        _keep_folder(path.parent)
    except OSError as exc:
        raise StoreError(
            f"the backup can't be written ({exc.strerror or exc}).",
            where=str(path),
            hint="Free space, or choose another folder. The store is unchanged.",
        ) from exc
    finally:
        database.close()
        _drop(unfinished)
    return BackupReport(path, revision, digest.hash, digest.rows, size)


@contextmanager
def open_backup(path: Path) -> Iterator[Backup]:
    """Open a backup of either kind; it can be read once.

    Raises:
        SpecError: there is no such file.
        Corrupt: it is damaged, or no backup.
        SchemaTooNew: a newer Benchmaker wrote it.
    """
    begins = _read_magic(path)
    if begins.startswith(MAGIC):
        with open_dump(path) as dump:
            yield Backup(dump, lambda: _stored_hash(dump))
    elif begins == SQLITE_MAGIC:
        with _open_file(path) as backup:
            yield backup
    else:
        raise damaged_backup_error(str(path), "this is not a Benchmaker backup")


def _read_magic(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE_MAGIC))
    except OSError as exc:
        said = f"the backup can't be read ({exc.strerror or exc})."
        raise SpecError(said, where=str(path), hint="Give the path of a backup.") from exc


def _stored_hash(dump: Dump) -> str:
    return dump.end.hash if dump.end else ""


@contextmanager
def _open_file(path: Path) -> Iterator[Backup]:
    database = Database(Address(path=path.absolute()), read_only=True)
    try:
        with database.read() as connection:
            contents = DatabaseContents(connection, str(path))
            named = connection.exec_driver_sql(
                "SELECT name FROM sqlite_master WHERE name = ?", (SEAL,)
            )
            if named.first() is None:
                raise _unsealed_error(path)
            seal = connection.exec_driver_sql(f"SELECT revision, hash FROM {SEAL}").first()  # noqa: S608  a name of ours
            if seal is None or seal.revision != contents.revision:
                raise damaged_backup_error(str(path), "its content does not match its header")
            yield Backup(contents, lambda: str(seal.hash))
    finally:
        database.close()


def _unsealed_error(path: Path) -> SpecError:
    return SpecError(
        "this is a store, not a backup: it has no hash.",
        where=str(path),
        hint=f"Copy it with: BENCHMAKER_STORE={path} benchmaker db copy ADDRESS",
    )


def _write(database: Database, path: Path) -> tuple[str, Digest]:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _drop(path)
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    if database.is_sqlite:
        os.close(descriptor)
        return _write_file(database, path)
    with os.fdopen(descriptor, "wb") as file:
        return _write_text(database, file)


def _write_text(database: Database, file: BinaryIO) -> tuple[str, Digest]:
    with database.read() as connection:
        contents = DatabaseContents(connection, str(database.address))
        head = DumpHeader(
            revision=contents.revision, created_at=database.now_utc(), version=_our_version()
        )
        digest = write_dump(file, head, contents)
    file.flush()
    os.fsync(file.fileno())
    return contents.revision, digest


def _write_file(database: Database, path: Path) -> tuple[str, Digest]:
    with (
        database.translate_errors(),
        closing(database.open_connection()) as source,
        closing(sqlite3.connect(path)) as target,
    ):
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")
    copied = Database(Address(path=path), read_only=True)
    try:
        with copied.read() as connection:
            contents = DatabaseContents(connection, str(database.address))
            digest = digest_of(contents)
    finally:
        copied.close()
    row = (
        1,
        contents.revision,
        database.now_utc(),
        _our_version(),
        digest.hash,
        sum(digest.rows.values()),
    )
    with database.translate_errors(), closing(sqlite3.connect(path)) as target, target:
        target.execute(f"DROP TABLE IF EXISTS {SEAL}")
        target.execute(f"CREATE TABLE {SEAL} ({', '.join(_COLUMNS)})")
        target.execute(f"INSERT INTO {SEAL} VALUES (?, ?, ?, ?, ?, ?)", row)  # noqa: S608  a name of ours
    with path.open("rb") as file:
        os.fsync(file.fileno())
    return contents.revision, digest


def _our_version() -> str:
    return version("benchmaker")


def _keep_folder(folder: Path) -> None:
    """Sync the folder, so that the file's name is on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _drop(path: Path) -> None:
    for end in ("", "-journal", "-wal", "-shm"):
        with suppress(OSError):
            Path(f"{path}{end}").unlink(missing_ok=True)
