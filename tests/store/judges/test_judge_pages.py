"""Judges a page at a time, and how much a store holds, on both databases."""

import pytest

from benchmaker.record.judgment import Judgment
from benchmaker.store import Writer
from tests.store.filled import add_run, all_trials, put
from tests.web.stored import calibration

pytestmark = pytest.mark.postgresql("pagination")

JUDGES = ("one%", "two\x00", "three", "four_", "five")


@pytest.fixture
def judged(store):
    """Five judges with one calibration each, the first with two; one that only judged."""
    for number, judge in enumerate(JUDGES):
        store.add_calibration(calibration(judge, number))
    store.add_calibration(calibration(JUDGES[0], 9))
    add_run(store)
    put(store, *all_trials(2))
    with Writer(store) as writer:
        for number, judge in enumerate(("never\x00", "three", "never\x00")):
            writer.put_judgment(Judgment(key=f"{number}" * 64, judge=judge))
    return store


def walked(store, **given):
    rows, after = [], ""
    while True:
        page = store.judge_pages.page(limit=2, after=after, **given)
        rows += page.rows
        if not page.after:
            return rows
        after = page.after


def test_the_judge_calibrated_last_comes_first(judged):
    found = [(row.judge, row.calibrations) for row in walked(judged)]

    assert found == [("one%", 2), ("five", 1), ("four_", 1), ("three", 1), ("two\x00", 1)]


@pytest.mark.parametrize(("text", "found"), [("%", ["one%"]), ("_", ["four_"]), ("E", 3)])
def test_a_text_is_taken_as_it_stands(judged, text, found):
    names = [row.judge for row in walked(judged, text=text)]

    assert names == found if isinstance(found, list) else len(names) == found


def test_a_judge_keeps_the_number_of_its_first_calibration(judged):
    row = walked(judged, text="one")[0]

    assert judged.judge_pages.judge_at(row.number) == "one%"
    assert row.newest.id == calibration("one%", 9).id
    assert judged.judge_pages.judge_at(10_000) is None


def test_a_later_calibrations_number_is_no_judges(judged):
    row = walked(judged, text="one")[0]

    assert judged.judge_pages.judge_at(row.number + len(JUDGES)) is None


def test_judges_that_were_never_calibrated_are_counted(judged):
    assert judged.judge_pages.list_uncalibrated() == (("never\x00", 2),)


def test_what_a_store_holds_is_counted(judged):
    found = judged.row_counts()

    assert (found["suite version"], found["run"], found["trial"]) == (1, 1, 4)
    assert (found["judgment"], found["calibration"], found["label"]) == (3, 6, 0)
