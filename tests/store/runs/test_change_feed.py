from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.record import Completion, Outcome, Score
from benchmaker.record.setup import Setup
from benchmaker.store import Writer
from benchmaker.store.runs.change_feed import has_words
from tests.store.filled import MODELS, a_trial, add_run, put


@pytest.mark.postgresql("no other test has its statements")
def test_changes_come_once_each_and_in_parts_of_any_size(store):
    run = add_run(store)
    put(store, *(a_trial(position=at) for at in range(3)))
    whole = store.change_feed.changes_after([run.id], 0)

    assert {cell.position for cell in whole.cells} == {0, 1, 2}
    assert whole.upto == store.change_feed.newest_row_number()
    assert store.change_feed.changes_after([run.id], whole.upto).cells == ()

    at, seen = 0, set()
    while (part := store.change_feed.changes_after([run.id], at, most=1)).cells:
        assert part.upto > at
        at, seen = part.upto, seen | {cell.position for cell in part.cells}
    assert seen == {0, 1, 2}


def test_a_new_score_is_a_change_of_its_cell(store):
    run = add_run(store)
    put(store, a_trial(position=0), a_trial(position=1))
    before = store.change_feed.changes_after([run.id], 0).upto
    with Writer(store) as writer:
        writer.put_score(a_trial(position=1).key, Score(score=0.25, scorer="exact"))

    later = store.change_feed.changes_after([run.id], before)
    assert [(cell.position, cell.score) for cell in later.cells] == [(1, 0.25)]


def test_the_rate_is_that_of_trials_that_ended_in_the_last_minute(store):
    run = add_run(store)
    ends = ["00:00:00", "00:05:00", "00:05:10", "00:05:20", "00:05:30"]
    put(store, *(a_trial(position=at, finished_at=f"2026-01-01T{ends[at]}Z") for at in range(5)))

    rates = {
        clock: store.change_feed.recent_rate([run.id], f"2026-01-01T{clock}Z")
        for clock in ("00:05:40", "00:06:25", "00:07:00")
    }
    assert rates == {"00:05:40": pytest.approx(0.1), "00:06:25": None, "00:07:00": None}
    assert store.change_feed.recent_rate(["run-2"], "2026-01-01T00:05:40Z") is None


def test_other_runs_change_nothing(store):
    run = add_run(store)
    other = add_run(store, "run-2", number=2)
    put(store, a_trial(run_id=other.id))

    assert store.change_feed.changes_after([run.id], 0).cells == ()


@pytest.mark.postgresql("no other test has its statements")
def test_cells_between_two_places(store):
    run = add_run(store)
    put(store, *(a_trial(position=at) for at in range(3)))

    found = store.change_feed.cells_between(run.id, 1, 2)
    assert sorted(cell.position for cell in found) == [1, 2]
    assert all(cell.outcome in set(Outcome) for cell in found)


@pytest.mark.postgresql("no other test has its statements")
def test_what_is_known_of_models_and_times(store):
    run = add_run(store)
    put(store, a_trial(position=0))

    assert set(store.change_feed.models_used()) == set(MODELS)
    assert store.change_feed.models_used("nothing-like-it") == []
    assert store.change_feed.request_pace([run.id]).retries >= 0
    assert store.change_feed.latency_of("nobody") is None


@pytest.mark.postgresql("no other test has its statements")
def test_models_requested_are_those_of_setups_once_each(store):
    setups = tuple(
        Setup(name=f"{model} · {effort}", model=model, effort=effort)
        for model in ("openai/a", "openai/b")
        for effort in ("low", "high")
    )
    add_run(store, "run-0", models=tuple(one.name for one in setups), setups=setups)
    assert set(store.change_feed.recent_models().requested) == {"openai/a", "openai/b"}
    add_run(store)
    assert store.change_feed.recent_models().requested[0] in MODELS


@pytest.mark.postgresql("no other test has its statements")
def test_models_of_recorded_answers_alone_are_apart(store):
    recorded = {"kind": "recorded"}
    add_run(store, "run-0", models=("openai/both",), provider={"kind": "live"})
    add_run(store, "run-1", models=("openai/both", "openai/recorded"), provider=recorded)
    found = store.change_feed.recent_models()
    assert found == (("openai/both",), ("openai/recorded",))


@given(st.text(alphabet="ab/- "), st.text(alphabet="ab/- "))
def test_a_name_has_the_words_of_each_of_its_parts(name, other):
    assert has_words(f"{name} {other}", name)
    assert has_words(f"{name} {other}", f"{other.upper()} {name}")
    assert not has_words(name, f"{name} c")


@pytest.mark.parametrize("taken", [(), (2.0,), (9.0, 1.0), (5.0, 1.0, 0.5), (4.0, 4.0, 1.0, 8.0)])
def test_the_time_of_an_answer_is_the_median(store, taken):
    run = add_run(store, cases=5)
    known = [Completion(text="x", latency_s=one) for one in taken]
    put(
        store, *(a_trial(at, completion=it) for at, it in enumerate([*known, Completion(text="x")]))
    )

    assert store.change_feed.request_pace([run.id]).median_latency_s == (
        median(taken) if taken else None
    )
