"""The version of a store's tables: created, checked, upgraded.

A new store gets all tables at once. An older one is upgraded by Alembic, step by step, in one
transaction. The file of SQLite is copied first, to ``<name>.bak-<revision>``, and upgraded on
opening. A database of PostgreSQL, which others may be using, is upgraded only on request.
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    MetaData,
    String,
    Table,
    create_mock_engine,
    insert,
    inspect,
    select,
)
from sqlalchemy.schema import ExecutableDDLElement

import benchmaker.store.database.account_tables
import benchmaker.store.database.agent_tables
import benchmaker.store.database.agentic_tables
import benchmaker.store.database.code_tables
import benchmaker.store.database.job_tables  # noqa: F401  their tables join the metadata
from benchmaker.errors import Corrupt, SchemaTooNew, SchemaTooOld, StoreError
from benchmaker.store.database.column_types import metadata
from benchmaker.store.database.database import Database, advisory_lock
from benchmaker.store.database.driver import execute
from benchmaker.store.database.errors import foreign_store_error
from benchmaker.store.database.tables import counters

REVISIONS = tuple(f"{number:04}" for number in range(1, 23))
"""All revisions, oldest first; this version of Benchmaker writes the last one."""

MIGRATIONS = Path(__file__).parents[1] / "migrations"

ROWS = "rows"
"""The counter behind ``trials.seq``, ``scores.seq`` and ``judgments.seq``."""

_SPOKEN = {"sqlite": "sqlite://", "postgresql": "postgresql+psycopg://"}

_versions = Table(
    "alembic_version",
    MetaData(naming_convention={"pk": "alembic_version_pkc"}),
    Column("version_num", String(32), primary_key=True),
)


@dataclass(frozen=True, slots=True)
class SchemaUpgrade:
    """Revisions before (None where there were no tables) and after an upgrade."""

    before: str | None
    after: str


def upgrade(database: Database) -> SchemaUpgrade:
    """Upgrade the tables to this Benchmaker's revision, also in PostgreSQL.

    Raises:
        SchemaTooNew: a newer Benchmaker wrote this store.
        Corrupt: the database has other content.
    """
    with database.read() as connection:
        before = revision(connection)
    prepare(database, may_upgrade=True)
    return SchemaUpgrade(before, REVISIONS[-1])


def prepare(
    database: Database,
    *,
    may_upgrade: bool = False,
    revisions: Sequence[str] = REVISIONS,
    migrations: Path = MIGRATIONS,
) -> None:
    """Upgrade the tables to the last of ``revisions``, creating them if there are none.

    PostgreSQL's are upgraded only with it ``may_upgrade``.

    Raises:
        SchemaTooNew: a newer Benchmaker wrote this store.
        SchemaTooOld: an older one did, and the store is read-only, or no upgrade was requested.
        Corrupt: the database has other content.
    """
    with database.read() as connection:
        found = revision(connection)
        if found is None:
            refuse_foreign(connection, database)
    if found == revisions[-1]:
        return
    if found is not None and found not in revisions:
        raise too_new_error(str(database.address), found, revisions[-1])
    if found is not None and not database.is_sqlite and not may_upgrade:
        raise _upgrade_needed_error(database, found, revisions[-1])
    if database.read_only:
        raise SchemaTooOld(
            "the store needs an upgrade, but is open read-only.",
            where=str(database.address),
            hint="Open it once for writing to upgrade it.",
        )
    if found is None:
        _create(database)
    else:
        _upgrade(database, revisions=revisions, migrations=migrations)


def revision(connection: Connection) -> str | None:
    """Return the revision of the tables; None if there are none yet."""
    if not inspect(connection).has_table(_versions.name):
        return None
    return connection.scalar(select(_versions.c.version_num))


def refuse_foreign(connection: Connection, database: Database) -> None:
    """Raise Corrupt if the database has foreign tables."""
    if inspect(connection).get_table_names():
        raise foreign_store_error(str(database.address))


def _create(database: Database) -> None:
    """Create all tables in one transaction; a concurrent second caller finds them."""
    with database.write() as connection:
        if not database.is_sqlite:
            advisory_lock(connection)
        if revision(connection) is None:
            create(connection)


def create(connection: Connection, wanted: str = REVISIONS[-1]) -> None:
    """Create the empty tables of a revision if there are none, with the counter of rows."""
    if wanted != REVISIONS[-1]:
        migrate(connection, to=wanted)
        return
    for statement in _statements(connection.dialect.name):
        execute(connection, statement)
    connection.execute(insert(counters).values(name=ROWS, value=0))
    connection.execute(insert(_versions).values(version_num=wanted))


@cache
def _statements(dialect: str) -> Sequence[str]:
    """Return the SQL of all tables; building it takes longer than running it in SQLite."""
    written: list[str] = []

    def write(element: ExecutableDDLElement, *_: object, **__: object) -> None:
        written.append(str(element.compile(dialect=engine.dialect)))

    engine = create_mock_engine(_SPOKEN[dialect], write)
    metadata.create_all(engine, checkfirst=False)
    _versions.create(engine, checkfirst=False)
    return tuple(written)


def _upgrade(database: Database, *, revisions: Sequence[str], migrations: Path) -> None:
    with exclusive_transaction(database) as connection:
        found = revision(connection)
        if found == revisions[-1]:
            return
        if database.is_sqlite and database.address.path:
            _back_up(database.address.path, Path(f"{database.address.path}.bak-{found}"))
        migrate(connection, migrations)


@contextmanager
def exclusive_transaction(database: Database) -> Iterator[Connection]:
    """Open a writing transaction for schema changes.

    SQLite changes a table by recreating it and dropping the old one, which would delete referring
    rows; so references are not enforced during the change, and checked before the commit.
    """
    if not database.is_sqlite:
        with database.write() as connection:
            advisory_lock(connection)
            yield connection
        return
    with database.autocommit() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        try:
            yield connection
            _refuse_dangling(connection, database)
            connection.exec_driver_sql("COMMIT")
        except BaseException:
            _roll_back(connection)
            raise
        finally:
            connection.exec_driver_sql("PRAGMA foreign_keys = ON")


def _roll_back(connection: Connection) -> None:
    """Roll back, unless SQLite already did, as on a full disk."""
    driver: Any = connection.connection.driver_connection
    if driver.in_transaction:
        driver.rollback()


def _refuse_dangling(connection: Connection, database: Database) -> None:
    if connection.exec_driver_sql("PRAGMA foreign_key_check").first():
        raise Corrupt(
            "rows refer to missing rows, so the store was not upgraded.",
            where=str(database.address),
            hint="Check the store with: benchmaker doctor",
        )


def _back_up(path: Path, copy: Path) -> None:
    """Copy the store to ``path``; an incomplete copy never has that name."""
    unfinished = Path(f"{copy}.part")
    try:
        unfinished.unlink(missing_ok=True)
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        _copy(path, unfinished)
        unfinished.replace(copy)
    except (OSError, sqlite3.Error) as exc:
        raise StoreError(
            f"the backup copy before the upgrade failed ({exc}); nothing was changed.",
            where=str(copy),
            hint="Free space on the disk of the store, then try again.",
        ) from exc


def _copy(path: Path, empty: Path) -> None:
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(empty)) as target:
        source.backup(target)


def migrate(connection: Connection, migrations: Path = MIGRATIONS, *, to: str = "head") -> None:
    """Upgrade the tables to a revision, step by step, within the connection's transaction."""
    from alembic.config import Config  # noqa: PLC0415  needed only when there is something to do
    from alembic.runtime.environment import EnvironmentContext  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    scripts = ScriptDirectory(str(migrations))

    def steps(revision: Any, _: object) -> Any:  # noqa: ANN401  Alembic's own types
        return scripts._upgrade_revs(to, revision)  # noqa: SLF001  as Alembic's own commands do

    with EnvironmentContext(Config(), scripts, fn=steps) as environment:
        environment.configure(connection=connection, target_metadata=metadata)
        environment.run_migrations()


def too_new_error(where: str, found: str, known: str = REVISIONS[-1]) -> SchemaTooNew:
    """Return the error for a store or backup of a newer revision."""
    return SchemaTooNew(
        f"this store needs a newer Benchmaker (revision {found}; this version supports {known}).",
        where=where,
        hint="Install a newer version of Benchmaker.",
    )


def _upgrade_needed_error(database: Database, found: str, known: str) -> SchemaTooOld:
    return SchemaTooOld(
        f"the store is older than this Benchmaker (revision {found}; this version writes {known}), "
        "and a shared database is upgraded only on request.",
        where=str(database.address),
        hint="Stop its users, copy it with: benchmaker db backup, then run: benchmaker db upgrade",
    )
