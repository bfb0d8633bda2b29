import gzip
import shutil
import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect

from benchmaker.errors import Corrupt, SchemaTooNew, SchemaTooOld, StoreError
from benchmaker.store import Store
from benchmaker.store.database.address import parse_address
from benchmaker.store.database.column_types import metadata
from benchmaker.store.database.database import Database
from benchmaker.store.database.schema import MIGRATIONS, REVISIONS, SchemaUpgrade, prepare, revision
from benchmaker.store.database.schema import upgrade as upgrade_store
from tests.data.store import make
from tests.store.filled import a_trial, add_run, put
from tests.store.stepped import migrated

pytestmark = pytest.mark.postgresql("migrations")

NEXT = """
import sqlalchemy as sa
from alembic import op

revision = "next"
down_revision = "{last}"
branch_labels = None
depends_on = None


def upgrade():
    with op.batch_alter_table("trials", recreate="auto") as table:
        table.add_column(sa.Column("difficulty_rating", sa.Float))
        table.alter_column("category", new_column_name="kind")
    {then}
"""


@pytest.fixture
def upgrade(tmp_path):
    """Opens a database with one revision more; ``then`` ends it."""

    def run(address: str, then: str = "pass") -> Database:
        steps = tmp_path / "migrations"
        shutil.copytree(MIGRATIONS, steps, dirs_exist_ok=True)
        text = NEXT.format(last=REVISIONS[-1], then=then)
        (steps / "versions" / "next.py").write_text(text, encoding="utf-8")
        database = Database(parse_address(address))
        try:
            prepare(database, may_upgrade=True, revisions=(*REVISIONS, "next"), migrations=steps)
        finally:
            database.close()
        return database

    return run


def test_the_known_revisions_are_those_of_the_steps():
    steps = ScriptDirectory(str(MIGRATIONS)).walk_revisions()
    assert tuple(step.revision for step in steps)[::-1] == REVISIONS


@pytest.mark.filterwarnings("ignore:Skipped unsupported reflection of expression-based index")
@pytest.mark.filterwarnings("ignore:autogenerate skipping metadata-specified expression-based")
def test_tables_made_at_once_equal_tables_made_step_by_step(address, new_database, tmp_path):
    other = new_database() if "postgresql" in address else str(tmp_path / "steps.db")
    stepped = migrated(other)
    with Store.open(address) as store, stepped.read() as one, store.database.read() as two:
        assert described(one) == described(two)
        assert written(one) == written(two)
        assert revision(one) == revision(two) == REVISIONS[-1]
        assert one.exec_driver_sql("SELECT * FROM counters").all() == [("rows", 0)]
        assert two.exec_driver_sql("SELECT * FROM counters").all() == [("rows", 0)]
        context = MigrationContext.configure(one, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    stepped.close()


def written(connection):
    """The indexes, those over expressions among them, and the triggers as they are written."""
    of_sqlite = (
        "SELECT name, sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL"
    )
    of_postgresql = (
        "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' UNION ALL "
        "SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal UNION ALL "
        "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
    )
    is_sqlite = connection.dialect.name == "sqlite"
    found = connection.exec_driver_sql(of_sqlite if is_sqlite else of_postgresql)
    return {name: text for name, text in found}  # noqa: C416  rows, not pairs


def told(index):
    """An index with its conditions as text."""
    options = index.get("dialect_options", {})
    return {**index, "dialect_options": {name: str(value) for name, value in options.items()}}


def described(connection):
    """Everything the database knows of its tables."""
    tables = inspect(connection)
    return {
        name: {
            "columns": [
                {**column, "type": str(column["type"])} for column in tables.get_columns(name)
            ],
            "key": tables.get_pk_constraint(name),
            "foreign": ordered(tables.get_foreign_keys(name)),
            "unique": ordered(tables.get_unique_constraints(name)),
            "indexes": ordered(map(told, tables.get_indexes(name))),
        }
        for name in sorted(tables.get_table_names())
    }


def ordered(parts):
    return sorted(parts, key=lambda part: part["name"])


def test_an_older_store_is_upgraded_with_its_rows(address, upgrade):
    with Store.open(address) as store:
        add_run(store)
        put(store, a_trial(category="algebra"))
    database = upgrade(address)
    with database.read() as connection:
        assert revision(connection) == "next"
        rows = connection.exec_driver_sql("SELECT kind, difficulty_rating FROM trials").all()
        assert rows == [("algebra", None)]
        assert connection.exec_driver_sql("SELECT count(*) FROM scores").scalar() == 1
    database.close()


def test_a_copy_of_the_file_is_kept_before_an_upgrade(path, upgrade):
    with Store.open(path) as store:
        run = add_run(store)
        put(store, a_trial())
        upgrade(str(path))
    copy = Path(f"{path}.bak-{REVISIONS[-1]}")
    assert copy.stat().st_mode & 0o777 == 0o600
    with Store.open(copy) as store:
        assert store.run(run.id) == run
        assert store.trial(*a_trial().key) == a_trial()
        assert store.check().is_ok


@pytest.mark.parametrize(
    "then", ["raise ValueError('half-way')", "op.execute('INSERT INTO nothing VALUES (1)')"]
)
def test_an_upgrade_that_fails_changes_nothing(address, upgrade, then):
    with Store.open(address) as store:
        add_run(store)
        put(store, a_trial())
    with pytest.raises((ValueError, StoreError)):
        upgrade(address, then)
    with Store.open(address) as store:
        assert store.trial(*a_trial().key) == a_trial()
        assert store.check().is_ok


def test_an_upgrade_that_leaves_rows_dangling_is_undone(path, upgrade):
    with Store.open(path) as store:
        add_run(store)
        put(store, a_trial())
    with pytest.raises(Corrupt, match="not upgraded"):
        upgrade(str(path), "op.execute('DELETE FROM runs')")
    with Store.open(path) as store:
        assert store.trial(*a_trial().key) == a_trial()


def test_an_older_store_is_not_read_without_an_upgrade(address):
    Store.open(address).close()
    database = Database(parse_address(address), read_only=True)
    words = (
        "needs an upgrade.*Open it once for writing"
        if database.is_sqlite
        else "older than this Benchmaker.*benchmaker db upgrade"
    )
    with pytest.raises(SchemaTooOld, match=words):
        prepare(database, revisions=(*REVISIONS, "next"))
    database.close()


def test_a_database_that_others_may_use_is_upgraded_when_that_is_asked_for_alone(
    new_database, template
):
    address = new_database(template)
    database = Database(parse_address(address))
    with pytest.raises(SchemaTooOld, match=r"only on request.*benchmaker db upgrade"):
        prepare(database, revisions=(*REVISIONS, "next"))
    with database.read() as connection:
        assert revision(connection) == REVISIONS[-1]
    database.close()


def test_an_upgrade_tells_where_it_came_from_and_may_be_asked_for_again(path):
    path.write_bytes(gzip.decompress((make.FOLDER / "0007.db.gz").read_bytes()))
    database = Database(parse_address(path))
    assert upgrade_store(database) == SchemaUpgrade("0007", REVISIONS[-1])
    assert upgrade_store(database) == SchemaUpgrade(REVISIONS[-1], REVISIONS[-1])
    database.close()


@pytest.mark.parametrize("read_only", [True, False])
def test_a_newer_store_is_refused_and_left_alone(address, upgrade, read_only):
    Store.open(address).close()
    upgrade(address)
    with pytest.raises(SchemaTooNew, match=r"revision next.*Install a newer version"):
        Store.open(address, read_only=read_only)
    database = Database(parse_address(address))
    with database.read() as connection:
        assert revision(connection) == "next"
    database.close()


def test_a_database_of_something_else_is_refused_and_left_alone(blank):
    database = Database(parse_address(blank))
    with database.write() as connection:
        connection.exec_driver_sql("CREATE TABLE guests (name TEXT)")
    database.close()
    with pytest.raises(Corrupt, match="not a Benchmaker store"):
        Store.open(blank)
    database = Database(parse_address(blank))
    with database.read() as connection:
        assert inspect(connection).get_table_names() == ["guests"]
    database.close()


def test_an_empty_file_becomes_a_store(path):
    path.touch()
    with Store.open(path) as store:
        assert store.check().is_ok


def test_a_backup_that_can_not_be_written_stops_the_upgrade(path, upgrade):
    Store.open(path).close()
    Path(f"{path}.bak-{REVISIONS[-1]}.part").mkdir()
    with pytest.raises(StoreError, match="backup copy"):
        upgrade(str(path))
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT * FROM alembic_version").fetchall() == [(REVISIONS[-1],)]
    connection.close()
