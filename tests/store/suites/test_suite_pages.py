"""Suites and their cases a page at a time, on both databases."""

import pytest

from benchmaker.errors import SpecError
from benchmaker.record import RunState, Score
from benchmaker.spec import Case, ScorerSpec
from benchmaker.store.suites.suite_pages import SORTABLE
from tests.store.filled import a_run, a_suite, a_trial, put

pytestmark = pytest.mark.postgresql("pagination, search")

NAMES = ("Über%", "apples", "bread\x00", "Cheese_")


@pytest.fixture
def filled(store):
    """Four suites, the first in two versions with a run of the older one."""
    first = a_suite(2, name=NAMES[0])
    store.put_suite(first)
    store.add_run(a_run(first))
    put(store, a_trial(0), a_trial(1, score=Score(score=0.5)), a_trial(1, "model-b", score=None))
    store.put_suite(a_suite(3, name=NAMES[0]))
    for number, name in enumerate(NAMES[1:]):
        store.put_suite(a_suite(number + 4, name=name))
    return store


def walked(store, **given):
    names, after = [], ""
    while True:
        page = store.suites.page(limit=2, after=after, **given)
        names += [row.suite.name for row in page.rows]
        if not page.after:
            return names
        after = page.after


@pytest.mark.parametrize("sort", SORTABLE)
@pytest.mark.parametrize("descending", [True, False])
def test_every_order_shows_each_suite_once(filled, sort, descending):
    assert sorted(walked(filled, sort=sort, descending=descending)) == sorted(NAMES)


def test_versions_of_a_suite_are_shown_when_asked_for(filled):
    assert len(walked(filled, every_version=True)) == 5
    assert [row.suite.cases for row in filled.suites.versions(NAMES[0])] == [3, 2]


def test_a_version_that_is_stored_again_is_the_newest(filled):
    older = a_suite(2, name=NAMES[0])
    filled.put_suite(older)
    assert filled.suites.versions(NAMES[0])[0].suite.cases == 3

    filled.renew_suite(older.content_hash)
    filled.renew_suite(older.content_hash)
    assert [row.suite.cases for row in filled.suites.versions(NAMES[0])] == [2, 3]
    page = filled.suites.page()
    assert (page.rows[0].suite.name, page.rows[0].suite.cases) == (NAMES[0], 2)
    assert filled.find_suites()[0].hash == older.content_hash


@pytest.mark.parametrize(("text", "found"), [("PPL", ["apples"]), ("%", ["Über%"]), ("zz", [])])
def test_a_text_is_taken_as_it_stands(filled, text, found):
    assert walked(filled, text=text) == found


def test_a_suite_comes_with_its_last_finished_run(filled):
    assert not filled.suites.versions(NAMES[0])[1].is_finished
    filled.set_run_state("run-1", RunState.FINISHED)
    filled.add_run(a_run(a_suite(2, name=NAMES[0]), "run-2"))
    newest, older = filled.suites.versions(NAMES[0])

    assert (newest.runs, newest.last_run) == (0, "")
    assert (older.runs, older.last_run, older.is_finished) == (2, "run-1", True)


def test_an_unknown_order_is_refused(filled):
    with pytest.raises(SpecError, match="can't be sorted"):
        filled.suites.page(sort="colour")


@pytest.fixture
def cases(store):
    """The hash of a suite with every kind of case."""
    made = (
        Case(id="a\x00", prompt="What is ONE?", tags=("x",), expected="1"),
        Case(id="b", prompt="What is two?", expected="2", scorer=ScorerSpec(id="numeric")),
        Case(id="c", prompt="100%", expected="3", tags=("x", "y")),
        Case(id="d", prompt="four", expected="4"),
    )
    return store.put_suite(a_suite(0, cases=made, scorer=ScorerSpec(id="exact")))


def found(store, content, **given):
    ids, after = [], ""
    while True:
        page = store.suites.page_of_cases(content, limit=1, after=after, **given)
        ids += [(row.position, row.case.id) for row in page.rows]
        if not page.after:
            return ids
        after = page.after


def test_cases_come_in_their_order(store, cases):
    assert found(store, cases) == [(0, "a\x00"), (1, "b"), (2, "c"), (3, "d")]


@pytest.mark.parametrize(
    ("given", "positions"),
    [
        ({"text": "what IS"}, [0, 1]),
        ({"text": "%"}, [2]),
        ({"tag": "x"}, [0, 2]),
        ({"scorer": "numeric", "default_scorer": "exact"}, [1]),
        ({"scorer": "exact", "default_scorer": "exact", "tag": "y"}, [2]),
    ],
)
def test_filters_leave_what_they_name(store, cases, given, positions):
    assert [position for position, _ in found(store, cases, **given)] == positions


def test_a_case_is_found_by_its_id(store, cases):
    assert store.suites.position_of(cases, "a\x00") == 0
    assert store.suites.position_of(cases, "nobody") is None


def test_scores_come_by_the_place_of_their_case(filled):
    assert filled.suites.scores_at("run-1", [0, 1, 7]) == {0: (1.0,), 1: (0.5,)}
