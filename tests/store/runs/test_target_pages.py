"""Series and runs without one, a page at a time and filtered by parts of names."""

import pytest
from msgspec.structs import replace

from benchmaker.errors import SpecError
from benchmaker.record import Outcome, RunState, Series
from benchmaker.spec import Case, Suite
from benchmaker.store.runs.run_filters import RunFilter
from benchmaker.store.runs.run_pages import SORTABLE
from tests.store.filled import a_suite, add_run, all_trials, put

pytestmark = pytest.mark.postgresql("pagination")


@pytest.fixture
def filled(store):
    """A series of two runs between two runs without one, of different models and days."""
    add_run(store, "alone-1", models=("openai/strong",), started_at="2026-11-20T23:30:00.000Z")
    suite_hash = store.put_suite(a_suite(3))
    store.add_series(Series(id="s-1", suite_hash=suite_hash, runs=2, created_at="now"))
    of_series = {"series_id": "s-1", "models": ("other/weak",)}
    add_run(store, "part-1", number=1, started_at="2026-11-21T08:00:00.000Z", **of_series)
    add_run(store, "alone-2", models=("it's 100%",), started_at="2026-11-21T09:00:00.000Z")
    add_run(store, "part-2", number=2, started_at="2026-11-22T08:00:00.000Z", **of_series)
    return store


def walked(store, **given):
    found, after = [], ""
    while True:
        page = store.target_pages.page(limit=1, after=after, **given)
        found += [[run.id for run in target] for target in page.rows]
        if not page.after:
            return found
        after = page.after


def test_a_series_is_one_row_with_all_its_runs_at_the_place_of_its_last(filled):
    assert walked(filled) == [["part-1", "part-2"], ["alone-2"], ["alone-1"]]


@pytest.mark.parametrize("sort", SORTABLE)
@pytest.mark.parametrize("descending", [True, False])
def test_every_order_has_each_series_and_run_once(filled, sort, descending):
    found = walked(filled, sort=sort, descending=descending)
    assert sorted(found) == [["alone-1"], ["alone-2"], ["part-1", "part-2"]]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"model": "STRONG"}, ["alone-1"]),
        ({"model": "0%"}, ["alone-2"]),
        ({"model": "%s%"}, []),
        ({"text": "weak"}, ["part-1"]),
        ({"text": "s-1"}, ["part-1"]),
        ({"text": "art-2"}, ["part-1"]),
        ({"text": "alone", "model": "100"}, ["alone-2"]),
        ({"since": "2026-11-21", "until": "2026-11-22"}, ["alone-2", "part-1"]),
        ({"until": "2026-11-21"}, ["alone-1"]),
        ({"text": "nothing"}, []),
    ],
)
def test_any_part_of_a_name_and_any_day_finds_a_series_as_a_whole(filled, given, found):
    shown = walked(filled, filters=RunFilter(**given))
    assert sorted(target[0] for target in shown) == found
    assert all(len(target) == 2 for target in shown if target[0] == "part-1")
    listed = filled.run_pages.page(filters=RunFilter(**given)).rows
    assert {row.run.id for row in listed} <= {run for target in shown for run in target}


def test_a_tag_of_a_case_finds_the_runs_of_its_suite(store):
    tags = {"Maths, hard": "sums", 'say "x"': "quotes", "": "plain"}
    for tag, name in tags.items():
        case = Case(id="c", prompt="maths", expected="x", tags=(tag,) if tag else ())
        hash_ = store.put_suite(Suite(name, [case], scorer="exact"))
        add_run(store, f"run-{name}", suite_hash=hash_, suite_name=name)

    def found(**given):
        return sorted(target[0] for target in walked(store, filters=RunFilter(**given)))

    assert found(tag="MATHS") == ["run-sums"]
    assert found(tag='"x"') == ["run-quotes"]
    assert found(tag="prompt") == []
    assert found(text="hard") == ["run-sums"]


def test_the_state_of_a_series_is_that_of_its_least_finished_run(store):
    suite_hash = store.put_suite(a_suite(3))
    store.add_series(Series(id="s-1", suite_hash=suite_hash, runs=2, created_at="now"))
    one = {"state": RunState.FINISHED, "models": ("model-a", "model-b"), "planned": 4}
    add_run(store, "done", series_id="s-1", number=1, **one)
    add_run(store, "open", series_id="s-1", number=2, **(one | {"state": RunState.INTERRUPTED}))
    add_run(store, "failed", **one)
    put(store, *all_trials(2, "done"))
    put(store, *(_failed(trial) for trial in all_trials(2, "failed")))

    assert walked(store, filters=RunFilter(state="interrupted")) == [["done", "open"]]
    assert walked(store, filters=RunFilter(state="failed")) == [["failed"]]
    assert walked(store, filters=RunFilter(state="finished")) == []
    assert walked(store, sort="state", descending=False) == [["done", "open"], ["failed"]]


def _failed(trial):
    return replace(trial, outcome=Outcome.TIMEOUT, score=None, completion=None)


def test_an_unknown_order_is_refused(store):
    with pytest.raises(SpecError, match="can't be sorted"):
        store.target_pages.page(sort="colour")


def test_the_latest_of_a_suite_are_the_newest_ones_in_the_order_of_time(filled):
    name = filled.run("alone-1").suite_name
    found = filled.target_pages.latest_of_suites([name, "unknown"], 2)
    assert [target[0].id for target in found[name]] == ["alone-2", "part-1"]
    assert found["unknown"] == ()
    everything = filled.target_pages.latest_of_suites([name], 9)[name]
    assert [len(target) for target in everything] == [1, 1, 2]


def test_stamps_of_many_are_those_of_each(filled):
    add_run(filled, "scored")
    put(filled, *all_trials(1, "scored"))
    targets = filled.target_pages.page().rows
    each = [filled.run_changes.stamp_of([run.id for run in target]) for target in targets]
    assert filled.run_changes.stamps_of(targets) == each


def test_runs_with_new_rows_are_named(filled):
    add_run(filled, "scored")
    (stamp, *_) = filled.run_changes.stamps_of(filled.target_pages.page().rows)
    assert filled.run_changes.written_since(stamp.number) == frozenset()
    put(filled, *all_trials(1, "scored"))
    assert filled.run_changes.written_since(stamp.number) == {"scored"}
