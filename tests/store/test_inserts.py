import sqlite3

import pytest

from benchmaker.store.address import parse_address
from benchmaker.store.database import Database
from benchmaker.store.inserts import insert_rows
from benchmaker.store.kinds import metadata
from benchmaker.store.tables import cached_answers


@pytest.fixture
def connection(tmp_path):
    database = Database(parse_address(tmp_path / "store.db"))
    metadata.create_all(database.engine)
    with database.write() as connection:
        yield connection
    database.close()


def rows(first, last):
    return [(f"key {number}", "now", "{}") for number in range(first, last)]


@pytest.mark.parametrize("most_values", [3, 40, 999, 32_766])
def test_all_rows_arrive_however_few_values_a_statement_takes(connection, most_values):
    driver = connection.connection.driver_connection
    driver.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, most_values)
    assert insert_rows(connection, cached_answers, rows(0, 1_234)) == 1_234
    stored = connection.execute(cached_answers.select()).all()
    assert [tuple(row) for row in stored] == rows(0, 1_234)


def test_rows_that_are_there_are_left_alone_and_not_counted(connection):
    assert insert_rows(connection, cached_answers, rows(0, 600)) == 600
    assert insert_rows(connection, cached_answers, rows(500, 1_600)) == 1_000
    assert insert_rows(connection, cached_answers, []) == 0
