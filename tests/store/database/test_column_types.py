"""Texts of any characters in columns, on both databases."""

import pytest
from sqlalchemy import insert, select, text, type_coerce, types

from benchmaker.store.database.account_tables import teams
from benchmaker.store.database.agentic_tables import metric_rows, tasks
from benchmaker.store.database.escaping import escape
from benchmaker.store.database.inserts import insert_all, insert_named
from benchmaker.store.database.paging import decode_cursor, encode_cursor, select_page

ODD = ("plain", "é", "nul \x00", "half \ud800", "mark \x1a", "spelt \x1a0000", "\x1a\x1a")
SHORT_NAME = "odd"


def team(title):
    return {
        "slug": SHORT_NAME, "title": title, "made_at": "now", "is_public": 0, "is_moderated": 0,
    }  # fmt: skip


def figures(name):
    return {
        "submission_id": name, "task_id": "t", "category": None, "input_hash": "h",
        "updated_at": "now", "body": "{}",
    }  # fmt: skip


@pytest.mark.parametrize("title", ODD)
def test_a_text_is_stored_escaped_and_comes_back_as_it_was(store, title):
    stored = select(type_coerce(teams.c.title, types.Text))
    with store.database.write() as connection:
        connection.execute(insert(teams).values(**team(title)))
        assert connection.scalar(stored) == escape(title)
        assert connection.scalar(select(teams.c.title)) == title
        assert connection.scalar(select(teams.c.slug).where(teams.c.title == title)) == SHORT_NAME
        assert connection.scalar(select(teams.c.slug).where(teams.c.title.in_([title])))


@pytest.mark.parametrize("title", ODD)
def test_a_row_that_was_escaped_by_its_writer_is_read(store, title):
    """As every row was stored before columns had the type."""
    row = {**team(""), "title": escape(title)}
    into = text(
        "INSERT INTO teams (slug, title, made_at, is_public, is_moderated) "
        "VALUES (:slug, :title, :made_at, :is_public, :is_moderated)"
    )
    with store.database.write() as connection:
        connection.execute(into, row)
        assert connection.scalar(select(teams.c.title)) == title
        assert connection.scalar(select(teams.c.slug).where(teams.c.title == title)) == SHORT_NAME


def test_rows_that_go_past_sqlalchemy_are_stored_alike(store):
    stored = select(type_coerce(metric_rows.c.submission_id, types.Text))
    with store.database.write() as connection:
        numbers = insert_named(
            connection, metric_rows, [figures(name) for name in ODD[:3]], key="submission_id"
        )
        one = insert_named(connection, metric_rows, [figures(ODD[3])], key="submission_id")
        assert insert_all(connection, metric_rows, [figures(name) for name in ODD]) == 3
        assert {*numbers, *one} == {*ODD[:4]}
        assert {*connection.scalars(stored)} == {escape(name) for name in ODD}
        assert {*connection.scalars(select(metric_rows.c.submission_id))} == {*ODD}


@pytest.mark.parametrize("part", ["\x00", "\ud800", "\x1a"])
def test_parts_of_texts_are_found(store, part):
    row = {"is_newest": 1, "created_at": "now", "body": "{}"}
    odd = {**row, "digest": "odd", "id": f"a {part} Ä"}
    with store.database.write() as connection:
        connection.execute(insert(tasks), [odd, {**row, "digest": "other", "id": "a"}])
        for found in (tasks.c.id.icontains(part), tasks.c.id.startswith(f"a {part}")):
            assert connection.scalars(select(tasks.c.digest).where(found)).all() == ["odd"]


def test_pages_go_on_behind_any_text(store):
    wanted, names = select(metric_rows.c.seq, metric_rows.c.submission_id), list[str]()
    with store.database.write() as connection:
        insert_named(connection, metric_rows, [figures(name) for name in ODD], key="submission_id")
        after = ""
        for _ in ODD:
            page = select_page(
                wanted, metric_rows.c.submission_id, metric_rows.c.seq,
                descending=False, after=after, limit=1,
            )  # fmt: skip
            row = connection.execute(page).first()
            names.append(row.submission_id)
            after = encode_cursor(row.submission_id, row.seq)
            assert decode_cursor(after) == (row.submission_id, row.seq)
    assert sorted(names) == sorted(ODD)
