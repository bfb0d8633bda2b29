import sqlite3

import pytest

from benchmaker.store.database.address import parse_address
from benchmaker.store.database.agentic_tables import metric_rows
from benchmaker.store.database.column_types import metadata
from benchmaker.store.database.database import Database
from benchmaker.store.database.inserts import insert_all, insert_named, insert_rows
from benchmaker.store.database.tables import cached_answers


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


@pytest.mark.parametrize("most_values", [16, 40, 999, 32_766])
@pytest.mark.parametrize("number", [0, 1, 2, 77])
def test_rows_that_number_themselves_are_known_by_a_text(connection, most_values, number):
    driver = connection.connection.driver_connection
    driver.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, most_values)
    first = insert_named(connection, metric_rows, figures(0, 3), key="submission_id")
    later = insert_named(connection, metric_rows, figures(3, 3 + number), key="submission_id")
    stored = connection.execute(metric_rows.select()).all()
    assert {row.submission_id: row.seq for row in stored} == first | later
    assert len(later) == number


def figures(first, last):
    usual = {"task_id": "t", "category": None, "input_hash": "h", "updated_at": "now", "body": "{}"}
    return [{"submission_id": f"s{number}", **usual} for number in range(first, last)]


def test_named_rows_that_are_there_are_left_alone_in_any_order_of_their_columns(connection):
    later = [dict(reversed(row.items())) | {"body": "other"} for row in figures(2, 5)]
    assert insert_all(connection, metric_rows, figures(0, 3)) == 3
    assert insert_all(connection, metric_rows, [*later, *figures(5, 6)]) == 3
    assert insert_all(connection, metric_rows, []) == 0
    stored = connection.execute(metric_rows.select().order_by(metric_rows.c.seq)).all()
    assert [(row.submission_id, row.body) for row in stored] == [
        ("s0", "{}"),
        ("s1", "{}"),
        ("s2", "{}"),
        ("s3", "other"),
        ("s4", "other"),
        ("s5", "{}"),
    ]


def test_rows_that_are_there_are_left_alone_and_not_counted(connection):
    assert insert_rows(connection, cached_answers, rows(0, 600)) == 600
    assert insert_rows(connection, cached_answers, rows(500, 1_600)) == 1_000
    assert insert_rows(connection, cached_answers, []) == 0
