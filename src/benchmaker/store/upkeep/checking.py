"""Checks a store of any revision, or a backup: its integrity, and its hash."""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection

from benchmaker.errors import StoreError
from benchmaker.store.database.address import Address
from benchmaker.store.database.database import Database
from benchmaker.store.database.schema import REVISIONS
from benchmaker.store.upkeep.backups import open_backup
from benchmaker.store.upkeep.contents import (
    DatabaseContents,
    digest_of,
    highest_row_number,
    last_row_number,
)
from benchmaker.store.upkeep.maintenance import Maintenance


@dataclass(frozen=True, slots=True)
class ContentsCheck:
    """The result of a check; ``revision`` and ``hash`` are None if unreadable.

    ``newest`` is the revision written by this Benchmaker.
    """

    where: str
    problems: tuple[str, ...]
    revision: str | None
    newest: str
    hash: str | None
    rows: dict[str, int]

    @property
    def is_ok(self) -> bool:
        """True if there are no faults."""
        return not self.problems

    @property
    def is_newest(self) -> bool:
        """True if the tables are of the revision written by this Benchmaker."""
        return self.revision == self.newest


def check_store(address: Address) -> ContentsCheck:
    """Read the whole store; nothing is changed or upgraded.

    Raises:
        StoreError: it cannot be opened.
    """
    database = Database(address, read_only=True)
    try:
        with database.read() as connection:
            contents = DatabaseContents(connection, str(address))
        problems = (
            Maintenance(database).check().problems if contents.revision == REVISIONS[-1] else ()
        )
        return _read(database, problems)
    finally:
        database.close()


def check_backup(path: Path) -> ContentsCheck:
    """Read a whole backup, and compare its hash with the one that it carries.

    Raises:
        SpecError: there is no such file.
        SchemaTooNew: a newer Benchmaker wrote it.
        Corrupt: it can't be read, or is no backup.
    """
    with open_backup(path) as backup:
        digest = digest_of(backup.contents)
        is_whole = digest.hash == backup.promised()
        problems = () if is_whole else ("its hash does not match its contents",)
        revision = backup.contents.revision
    return ContentsCheck(str(path), problems, revision, REVISIONS[-1], digest.hash, digest.rows)


def _read(database: Database, problems: tuple[str, ...]) -> ContentsCheck:
    where = str(database.address)
    try:
        with database.read() as connection:
            contents = DatabaseContents(connection, where)
            digest = digest_of(contents)
            problems += tuple(_number_conflicts(connection, contents))
    except StoreError as exc:
        return ContentsCheck(where, (*problems, str(exc)), None, REVISIONS[-1], None, {})
    return ContentsCheck(
        where, problems, contents.revision, REVISIONS[-1], digest.hash, digest.rows
    )


def _number_conflicts(connection: Connection, contents: DatabaseContents) -> list[str]:
    """Return the tables whose next row would get a used number."""
    last = {table: last_row_number(connection, table) for table in contents.tables}
    return [
        f"{table.name}: the next row number is already in use"
        for table, number in last.items()
        if number is not None and highest_row_number(connection, table) > number
    ]
