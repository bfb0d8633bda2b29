"""Submissions a page at a time."""

import pytest

from benchmaker.errors import SpecError
from benchmaker.record.submissions.submission import System
from benchmaker.store import Store
from benchmaker.store.agentic import submission_pages
from benchmaker.store.agentic.submission_pages import SORTABLE
from tests.arenas.agentic.handed import a_submission, many, the_id

pytestmark = pytest.mark.postgresql("pagination, filters on JSON")


@pytest.fixture
def store(address):
    with Store.open(address) as opened:
        for one in many(23):
            opened.put_submission(one, None)
        yield opened


def walked(store, **given):
    """The ids of all pages, five rows a page."""
    ids, after = [], ""
    while True:
        page = store.submission_pages.page(limit=5, after=after, **given)
        ids += [row.submission.id for row in page.rows]
        if not page.after:
            return ids
        after = page.after


@pytest.mark.parametrize("sort", SORTABLE)
@pytest.mark.parametrize("descending", [True, False])
def test_every_order_shows_each_submission_once(store, sort, descending):
    found = walked(store, sort=sort, descending=descending)

    assert sorted(found) == sorted(one.id for one in many(23))


def test_the_newest_comes_first_unless_said_otherwise(store):
    assert walked(store) == [one.id for one in reversed(many(23))]


def test_filters_leave_what_they_name(store):
    assert walked(store, task="u") == [the_id(n) for n in reversed(range(1, 23, 3))]
    assert walked(store, model="m0", task="u") == []
    assert walked(store, text=the_id(7)) == [the_id(7)]
    assert walked(store, evidence="verified") == []
    assert len(walked(store, evidence="imported")) == 23


def test_a_text_with_wildcards_is_taken_as_it_stands(store):
    odd = a_submission(99, system=System(harness="100%_\\cli"))
    store.put_submission(odd, None)

    assert walked(store, text="100%_\\") == [odd.id]
    assert walked(store, text="%") == [odd.id]


def test_an_earlier_revisions_number_leads_to_the_newest(store):
    number = store.submission_pages.numbers([the_id(4)])[the_id(4)]
    store.put_submission(a_submission(4, task="u", tool_calls=77), None)
    row = store.submission_pages.row_at(number)

    assert row is not None
    assert row.submission.tool_calls == 77
    assert row.number != number
    assert store.submission_pages.row_of(the_id(4)) == row
    assert store.submission_pages.row_at(10_000) is None


def test_names_are_those_of_submissions(store):
    assert store.submission_pages.names_of("model") == ("m0", "m1", "m2")
    assert store.submission_pages.names_of("task") == ("t", "u", "v")


def test_an_unknown_order_is_refused(store):
    with pytest.raises(SpecError, match="can't be sorted"):
        store.submission_pages.page(sort="colour")


@pytest.mark.parametrize("sort", SORTABLE)
@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize("given", [{"text": "cli"}, {"evidence": "imported"}, {"text": "m1"}])
def test_what_no_index_knows_is_looked_for_a_part_at_a_time(
    store, monkeypatch, sort, descending, given
):
    whole = walked(store, sort=sort, descending=descending, **given)
    monkeypatch.setattr(submission_pages, "_LOOKED_AT", 3)

    assert walked(store, sort=sort, descending=descending, **given) == whole
    assert whole


def test_a_page_without_a_hit_has_a_place_to_go_on_from(store, monkeypatch):
    monkeypatch.setattr(submission_pages, "_LOOKED_AT", 3)
    page = store.submission_pages.page(text="nothing like it")

    assert page.rows == ()
    assert page.after


@pytest.mark.parametrize("sort", SORTABLE)
def test_names_that_many_have_leave_the_order_as_it_is(store, monkeypatch, sort):
    few = walked(store, sort=sort, model="m1", task="u")
    monkeypatch.setattr(submission_pages, "_FEW", 2)

    assert walked(store, sort=sort, model="m1", task="u") == few
    assert few


def test_the_last_number_and_whether_there_are_figures(store):
    assert store.submission_pages.newest_number() == 23
    assert not store.submission_pages.has_figures()
