import tracemalloc

import pytest

from benchmaker.errors import StoreError
from benchmaker.record import Attempt, Completion
from benchmaker.store.runs import trials
from tests.store.filled import a_trial, add_run, all_trials, put


@pytest.fixture
def small_pages(monkeypatch):
    monkeypatch.setattr(trials, "PAGE", 3)


@pytest.mark.usefixtures("small_pages")
def test_trials_come_in_the_order_of_cases_and_models_over_pages(store):
    add_run(store, cases=5, models=("model-b", "model-a"))
    put(store, *reversed(list(all_trials(5))))
    places = [(trial.position, trial.model) for trial in store.trials("run-1")]
    assert places == [(at, model) for at in range(5) for model in ("model-b", "model-a")]


@pytest.mark.usefixtures("small_pages")
def test_trials_of_one_model_or_one_case_are_found(store):
    add_run(store, cases=8)
    put(store, *all_trials(8))
    assert [trial.position for trial in store.trials("run-1", model="model-b")] == list(range(8))
    of_case = store.trials("run-1", case_id="case-7")
    assert [trial.model for trial in of_case] == ["model-a", "model-b"]
    assert len(list(store.trials("run-1", model="model-a", case_id="case-2"))) == 1
    assert list(store.trials("run-1", case_id="case-9")) == []


def test_a_model_the_run_does_not_have_is_named(store):
    add_run(store)
    with pytest.raises(StoreError, match=r"no model 'gpt'.*model-a, model-b"):
        store.trials("run-1", model="gpt")


def test_a_trial_that_is_not_there_is_named(store):
    add_run(store)
    with pytest.raises(StoreError, match="no trial of case 'case-2'"):
        store.trial("run-1", "model-a", "case-2")


@pytest.mark.usefixtures("small_pages")
def test_trials_keep_their_own_attempts(store):
    add_run(store, cases=5)
    made = [
        a_trial(at, attempts=tuple(attempt(number) for number in range(1, at + 1)))
        for at in range(5)
    ]
    put(store, *made)
    assert list(store.trials("run-1")) == made


def attempt(number):
    return Attempt(number=number, status="ok", started_at="now", cost_usd=0.5)


def test_reading_does_not_hold_up_writing(store):
    add_run(store, cases=3)
    put(store, a_trial(0), a_trial(1))
    reading = store.trials("run-1")
    assert next(reading).position == 0
    put(store, a_trial(2))
    store.delete_run("run-1")
    assert [trial.position for trial in reading] == [1]


@pytest.mark.postgresql("no other test has its statements")
def test_done_keys_are_those_with_a_row_between_two_places(store):
    add_run(store, cases=6)
    put(store, a_trial(1), a_trial(2, "model-b"), a_trial(4), a_trial(5))
    assert store.done_keys("run-1", 1, 4) == {
        ("case-1", "model-a"),
        ("case-2", "model-b"),
        ("case-4", "model-a"),
    }


def test_long_answers_are_read_a_few_at_a_time(store):
    """Thirty answers of a million characters, of which a handful are in memory at once."""
    add_run(store, cases=30)
    text = "x" * 1_000_000
    for at in range(30):
        put(store, a_trial(at, completion=Completion(text=text)))
    tracemalloc.start()
    try:
        assert sum(len(trial.text) for trial in store.trials("run-1")) == 30_000_000
        assert tracemalloc.get_traced_memory()[1] < 22_000_000
    finally:
        tracemalloc.stop()
