"""Runs a page at a time, on both databases."""

import subprocess
import sys

import pytest
from msgspec.structs import replace

from benchmaker.errors import SpecError
from benchmaker.record import AWAITING_JUDGE, Outcome, RunState
from benchmaker.report.runs.state import shown_states
from benchmaker.store.runs.run_filters import LISTED_STATES
from benchmaker.store.runs.run_pages import SORTABLE
from tests.store.filled import add_run, all_trials, put

pytestmark = pytest.mark.postgresql("pagination")

STATES = (RunState.FINISHED, RunState.INTERRUPTED, RunState.FINISHED)


@pytest.fixture
def runs(store):
    """Five runs of one suite, the first with trials."""
    for number in range(5):
        add_run(
            store,
            f"run-{number}",
            state=STATES[number % 3],
            models=("a%", "b") if number else ("model-a", "model-b"),
            started_at=f"2026-11-20T14:0{number}:00.000Z",
        )
    put(store, *all_trials(2, "run-0"))
    return store


def walked(store, **given):
    ids, after = [], ""
    while True:
        page = store.run_pages.page(limit=2, after=after, **given)
        ids += [row.run.id for row in page.rows]
        if not page.after:
            return ids
        after = page.after


@pytest.mark.parametrize("sort", SORTABLE)
@pytest.mark.parametrize("descending", [True, False])
def test_every_order_shows_each_run_once(runs, sort, descending):
    found = walked(runs, sort=sort, descending=descending)

    assert sorted(found) == [f"run-{number}" for number in range(5)]


def test_runs_are_sorted_and_filtered_by_the_state_that_lists_show(store):
    failures = {"failed-1": True, "done-1": False, "failed-2": True, "done-2": False}
    for name, is_failed in failures.items():
        add_run(store, name, state=RunState.FINISHED, models=("model-a", "model-b"), planned=4)
        put(store, *(_failed(one) if is_failed else one for one in all_trials(2, name)))
    add_run(store, "stopped-1", state=RunState.FINISHED, models=("model-a", "model-b"), planned=4)
    put(store, *all_trials(1, "stopped-1"))
    add_run(store, "open-1", state=RunState.INTERRUPTED, models=("model-a", "model-b"), planned=4)
    listed = [row.run for row in store.run_pages.page().rows]
    shown = {name: one.word for name, one in shown_states(store, listed).items()}
    assert set(shown.values()) == {"failed", "finished", "stopped", "interrupted"}
    for descending in (True, False):
        found = walked(store, sort="state", descending=descending)
        states = [shown[name] for name in found]
        assert states == sorted(shown.values(), reverse=descending)
        assert len(set(found)) == len(shown)
    for state in LISTED_STATES:
        named = {name for name, word in shown.items() if word == state}
        assert set(walked(store, state=state)) == named


def _failed(trial):
    return replace(trial, outcome=Outcome.TIMEOUT, score=None, completion=None)


def test_the_last_started_comes_first(runs):
    assert walked(runs) == [f"run-{number}" for number in (4, 3, 2, 1, 0)]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"state": "interrupted"}, ["run-4", "run-1"]),
        ({"model": "model-a"}, ["run-0"]),
        ({"model": "a"}, []),
        ({"text": "run-3"}, ["run-3"]),
        ({"text": "A SUI", "model": "model-b"}, ["run-0"]),
    ],
)
def test_filters_leave_what_they_name(runs, given, found):
    assert walked(runs, **given) == found


def test_trials_are_counted(runs):
    counted = {row.run.id: row.done for row in runs.run_pages.page().rows}

    assert counted == {"run-0": 4, "run-1": 0, "run-2": 0, "run-3": 0, "run-4": 0}


def test_answers_that_wait_for_a_judge_are_not_done(store):
    add_run(store, "run-0", models=("model-a", "model-b"))
    first, *others = all_trials(2, "run-0")
    put(store, replace(first, flags=(AWAITING_JUDGE,), score=None), *others)

    assert [row.done for row in store.run_pages.page().rows] == [3]
    assert store.run_pages.count_ended(["run-0", "gone"]) == {"run-0": 3, "gone": 0}


def test_an_unknown_order_is_refused(runs):
    with pytest.raises(SpecError, match="can't be sorted"):
        runs.run_pages.page(sort="colour")


def _start(store, name, **lease):
    add_run(store, name, state=RunState.RUNNING)
    store.acquire_lease(f"run {name}", **{"holder": "engine", "ttl_s": 60.0, **lease})


def test_runs_whose_process_died_are_interrupted_in_every_list(store):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    _start(store, "alive-here")
    _start(store, "alive-there", pid=1, host="elsewhere")
    _start(store, "dead-here", pid=dead.pid)
    _start(store, "expired-there", pid=1, host="elsewhere", ttl_s=-1.0)
    add_run(store, "not-begun", state=RunState.RUNNING)
    lost = {"dead-here", "expired-there"}
    everything = {"alive-here", "alive-there", "not-begun", *lost}
    for runs in (
        store.runs(),
        [row.run for row in store.run_pages.page().rows],
        [store.run(name) for name in everything],
        [run for target in store.target_pages.page().rows for run in target],
        store.run_changes.stamp_of(sorted(everything)).runs,
    ):
        assert {run.id for run in runs if run.state is RunState.INTERRUPTED} == lost
        assert {run.id for run in runs} == everything
    assert set(walked(store, state="interrupted")) == lost
    assert set(walked(store, state="running")) == everything - lost
    assert store.stored_state("dead-here") is RunState.RUNNING
