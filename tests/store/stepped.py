"""Stores of earlier revisions: tables made step by step, and filled from a kept file."""

import gzip
from pathlib import Path

from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData, column, create_engine, select
from sqlalchemy import table as from_name

from benchmaker.store.database.address import parse_address
from benchmaker.store.database.database import Database
from benchmaker.store.database.schema import MIGRATIONS
from benchmaker.store.upkeep.contents import set_last_row_number
from tests.data.store import make

_FILLED = {"alembic_version", "counters"}
"""The tables with rows in an empty store."""


def migrated(address: str, to: str = "head") -> Database:
    """A database whose tables were made step by step, up to a revision."""
    database = Database(parse_address(address))
    with database.write() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, "
            "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
        )
        connection.exec_driver_sql("INSERT INTO alembic_version VALUES ('start')")
    steps = ScriptDirectory(str(MIGRATIONS))
    with database.write() as connection:
        connection.exec_driver_sql("DELETE FROM alembic_version")
        context = MigrationContext.configure(
            connection, opts={"fn": lambda at, _: steps._upgrade_revs(to, at)}
        )
        from alembic.operations import Operations  # noqa: PLC0415  patches itself in

        with Operations.context(context):
            context.run_migrations()
    return database


def filled_as_kept(address: str, revision: str, folder: Path) -> Database:
    """A database of an earlier revision with the rows of the kept file of that revision."""
    path = folder / f"{revision}.db"
    path.write_bytes(gzip.decompress((make.FOLDER / f"{revision}.db.gz").read_bytes()))
    database = migrated(address, revision)
    kept = create_engine(f"sqlite:///{path}")
    with kept.connect() as rows, database.write() as connection:
        tables = MetaData()
        tables.reflect(connection)
        for table in tables.sorted_tables:
            if table.name in _FILLED:
                connection.execute(table.delete())
            names = [column.name for column in table.columns]
            wanted = select(*map(column, names)).select_from(from_name(table.name))
            if listed := [dict(zip(names, row, strict=True)) for row in rows.execute(wanted)]:
                connection.execute(table.insert(), listed)
            if "seq" in names:
                set_last_row_number(connection, table, 0)
    kept.dispose()
    return database
