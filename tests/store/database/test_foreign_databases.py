"""Databases that other tools keep."""

import sqlite3
from contextlib import closing

import pytest

from benchmaker.errors import StoreError
from benchmaker.store.database import foreign_databases
from benchmaker.store.database.foreign_databases import MAGIC, open_foreign_database


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "100% ours?#.db"
    with closing(sqlite3.connect(path)) as base, base:
        base.execute('CREATE TABLE "odd ""table" (id, "two words")')
        base.executemany('INSERT INTO "odd ""table" VALUES (?,?)', [(2, "b"), (1, "a"), (3, "a")])
    return path


def test_rows_are_chosen_by_value_and_put_in_order(database):
    table = 'odd "table'
    with open_foreign_database(database) as base:
        assert table in base.names
        assert base.columns(table) == {"id", "two words"}
        assert list(base.rows(table, ("id",), order=("id",))) == [(1,), (2,), (3,)]
        chosen = base.rows(table, ("id",), where={"two words": "a"}, order=("id",))
        assert list(chosen) == [(1,), (3,)]


def test_a_value_is_never_read_as_a_statement(database):
    with open_foreign_database(database) as base:
        hostile = {"two words": "a' OR 1=1 --"}
        assert list(base.rows('odd "table', ("id",), where=hostile)) == []


def test_nothing_is_written(database):
    before = database.read_bytes()
    with open_foreign_database(database) as base:
        list(base.rows('odd "table', ("id",)))
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            base._connection.execute('DELETE FROM "odd ""table"')
    assert database.read_bytes() == before
    assert [it.name for it in database.parent.iterdir()] == [database.name]


def test_one_that_is_being_written_is_read(database):
    with closing(sqlite3.connect(database)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute('INSERT INTO "odd ""table" VALUES (4, "d")')
        writer.commit()
        with open_foreign_database(database) as base:
            assert len(list(base.rows('odd "table', ("id",)))) == 4


def test_what_is_no_database_is_refused(tmp_path, database):
    broken = tmp_path / "broken.db"
    broken.write_bytes(database.read_bytes()[:1_000])
    assert database.read_bytes().startswith(MAGIC)
    for path in (broken, tmp_path / "missing.db"):
        with pytest.raises(StoreError), open_foreign_database(path) as base:
            list(base.rows('odd "table', ("id",)))
    assert not (tmp_path / "missing.db").exists()


def test_one_that_is_locked_is_not_read_as_it_is(database, monkeypatch):
    monkeypatch.setattr(foreign_databases, "_BUSY_S", 0)
    with closing(sqlite3.connect(database, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="locked"), open_foreign_database(database):
            pass


def test_a_column_that_is_not_there_is_named(database):
    with (
        open_foreign_database(database) as base,
        pytest.raises(StoreError, match=r"no such column"),
    ):
        list(base.rows("sqlite_master", ("nothing",), where={"nothing": 1}))
