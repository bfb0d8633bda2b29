import pytest

from benchmaker.store.database.agentic_tables import metric_rows
from benchmaker.store.database.driver import execute_among
from benchmaker.store.database.escaping import unescape
from benchmaker.store.database.inserts import insert_named

NAMES = ("plain", "caf\u00e9 \u2028", "nul \x00", "half \ud800", "\x1a", 'quote " \\', "", "7")


@pytest.mark.parametrize("wanted", [(), NAMES[:1], NAMES[2:5], NAMES, ("unknown", *NAMES[5:])])
def test_rows_with_one_of_many_names_are_those_that_sqlalchemy_finds(store, wanted):
    usual = {"category": None, "input_hash": "h", "updated_at": "now", "body": "{}"}
    rows = [{"submission_id": name, "task_id": "t", **usual} for name in NAMES]
    column = metric_rows.c.submission_id
    with store.database.write() as connection:
        insert_named(connection, metric_rows, rows, key="submission_id")
        statement = "SELECT submission_id FROM metric_rows WHERE task_id = ? AND submission_id"
        found = execute_among(connection, statement, wanted, given=["t"]).fetchall()
        others = execute_among(connection, statement, wanted, given=["other"]).fetchall()
        slow = connection.execute(metric_rows.select().where(column.in_(wanted))).all()
    assert {unescape(name) for (name,) in found} == {row.submission_id for row in slow}
    assert {row.submission_id for row in slow} == set(wanted) & set(NAMES)
    assert not others
