"""The version of a store's tables: created, checked, upgraded.

A new store gets all tables at once. An older one is upgraded by Alembic, step by step, in one
transaction; the file of SQLite is copied first, to ``<name>.bak-<revision>``.
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Connection, MetaData, String, Table, insert, inspect, select

import benchmaker.store.agentic_tables
import benchmaker.store.job_tables  # noqa: F401  their tables join the metadata
from benchmaker.errors import Corrupt, SchemaTooNew, SchemaTooOld, StoreError
from benchmaker.store.database import Database, advisory_lock
from benchmaker.store.faults import not_ours
from benchmaker.store.kinds import metadata
from benchmaker.store.tables import counters

REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008")
"""Every revision there was, oldest first; the last is what this Benchmaker writes."""

MIGRATIONS = Path(__file__).parent / "migrations"

ROWS = "rows"
"""The counter behind ``trials.seq``, ``scores.seq`` and ``judgments.seq``."""

_versions = Table(
    "alembic_version",
    MetaData(naming_convention={"pk": "alembic_version_pkc"}),
    Column("version_num", String(32), primary_key=True),
)


def prepare(
    database: Database, *, revisions: Sequence[str] = REVISIONS, migrations: Path = MIGRATIONS
) -> None:
    """Bring the tables to the last of ``revisions``, creating them where there are none.

    Raises:
        SchemaTooNew: a newer Benchmaker wrote this store.
        SchemaTooOld: an older one did, and the store was opened for reading only.
        Corrupt: the database holds something else.
    """
    with database.read() as connection:
        found = revision(connection)
        if found is None:
            _refuse_foreign(connection, database)
    if found == revisions[-1]:
        return
    if found is not None and found not in revisions:
        raise _too_new(database, found, revisions[-1])
    if database.read_only:
        raise SchemaTooOld(
            "the store is older than this Benchmaker and was opened for reading only.",
            where=str(database.address),
            hint="Open it once for writing; that upgrades it.",
        )
    if found is None:
        _create(database)
    else:
        _upgrade(database, revisions=revisions, migrations=migrations)


def revision(connection: Connection) -> str | None:
    """The revision the tables have; None where there are none yet."""
    if not inspect(connection).has_table(_versions.name):
        return None
    return connection.scalar(select(_versions.c.version_num))


def _refuse_foreign(connection: Connection, database: Database) -> None:
    if inspect(connection).get_table_names():
        raise not_ours(str(database.address))


def _create(database: Database) -> None:
    """All tables in one transaction; whoever comes second finds them there."""
    with database.write() as connection:
        if not database.is_sqlite:
            advisory_lock(connection)
        if revision(connection) is not None:
            return
        metadata.create_all(connection, checkfirst=False)
        _versions.create(connection)
        connection.execute(insert(counters).values(name=ROWS, value=0))
        connection.execute(insert(_versions).values(version_num=REVISIONS[-1]))


def _upgrade(database: Database, *, revisions: Sequence[str], migrations: Path) -> None:
    with _alone(database) as connection:
        found = revision(connection)
        if found == revisions[-1]:
            return
        if database.is_sqlite and database.address.path:
            _back_up(database.address.path, Path(f"{database.address.path}.bak-{found}"))
        _migrate(connection, migrations)


@contextmanager
def _alone(database: Database) -> Iterator[Connection]:
    """A writing transaction for schema changes.

    SQLite changes a table by making it anew and dropping the old one, which would take along what
    refers to it; so references are not enforced meanwhile, and checked before the commit.
    """
    if not database.is_sqlite:
        with database.write() as connection:
            advisory_lock(connection)
            yield connection
        return
    with database.outside_transactions() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        try:
            yield connection
            _refuse_dangling(connection, database)
            connection.exec_driver_sql("COMMIT")
        except BaseException:
            connection.exec_driver_sql("ROLLBACK")
            raise
        finally:
            connection.exec_driver_sql("PRAGMA foreign_keys = ON")


def _refuse_dangling(connection: Connection, database: Database) -> None:
    if connection.exec_driver_sql("PRAGMA foreign_key_check").first():
        raise Corrupt(
            "rows refer to rows that are missing; the store was not upgraded.",
            where=str(database.address),
            hint="Look at it with: benchmaker doctor",
        )


def _back_up(path: Path, copy: Path) -> None:
    """A complete copy of the store at ``path``; a copy that was cut short never has its name."""
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
            hint="Make room beside the store, then try again.",
        ) from exc


def _copy(path: Path, empty: Path) -> None:
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(empty)) as target:
        source.backup(target)


def _migrate(connection: Connection, migrations: Path) -> None:
    from alembic.config import Config  # noqa: PLC0415  needed only when there is something to do
    from alembic.runtime.environment import EnvironmentContext  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    scripts = ScriptDirectory(str(migrations))

    def steps(revision: Any, _: object) -> Any:  # noqa: ANN401  Alembic's own types
        return scripts._upgrade_revs("head", revision)  # noqa: SLF001  as Alembic's own commands do

    with EnvironmentContext(Config(), scripts, fn=steps) as environment:
        environment.configure(connection=connection, target_metadata=metadata)
        environment.run_migrations()


def _too_new(database: Database, found: str, known: str) -> SchemaTooNew:
    return SchemaTooNew(
        f"a newer Benchmaker wrote this store (revision {found}; this one knows {known}).",
        where=str(database.address),
        hint="Upgrade with: pip install --upgrade benchmaker",
    )
