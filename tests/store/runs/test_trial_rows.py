from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmaker.errors import StoreError
from benchmaker.record import Attempt, Completion, Outcome, Score, Usage
from benchmaker.store import Store, Writer
from tests.draws import draws
from tests.store import strategies
from tests.store.filled import a_suite, a_trial, add_run, put

numbers = count()
MODEL = "model \x00\ud800"
examples = settings(
    max_examples=draws(12, 40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@examples
@given(data=st.data())
def test_a_trial_comes_back_as_it_was(lasting_store: Store, data):
    run = add_run(lasting_store, f"run-{next(numbers)}", models=(MODEL,))
    trial = data.draw(strategies.trials(run.id, MODEL))
    put(lasting_store, trial)
    assert lasting_store.trial(run.id, MODEL, trial.case_id) == trial
    assert list(lasting_store.trials(run.id)) == [trial]


@examples
@given(data=st.data())
def test_versions_of_a_score_come_back_as_they_were(lasting_store: Store, data):
    run = add_run(lasting_store, f"run-{next(numbers)}", models=(MODEL,))
    versions = data.draw(st.lists(strategies.scores, min_size=1, max_size=3))
    trial = a_trial(run_id=run.id, model=MODEL, score=versions[0])
    put(lasting_store, trial)
    with Writer(lasting_store) as writer:
        for score in versions[1:]:
            writer.put_score(trial.key, score)
    assert lasting_store.scores.versions(*trial.key) == versions


@pytest.mark.postgresql("no other test has its statements")
@examples
@given(data=st.data())
def test_a_run_comes_back_as_it_was(lasting_store: Store, data):
    content = lasting_store.put_suite(a_suite())
    run = data.draw(strategies.runs(content, f"run-{next(numbers)}-"))
    lasting_store.add_run(run)
    assert lasting_store.run(run.id) == run
    assert lasting_store.runs(limit=1) == (run,)


def test_a_text_of_five_megabytes_comes_back_as_it_was(store):
    add_run(store)
    text = "\x00é\ud800" + "x" * 5_000_000
    trial = a_trial(
        completion=Completion(text=text), error=text, score=Score(score=1.0, notes=text)
    )
    put(store, trial)
    assert store.trial(*trial.key) == trial


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("weight", float("nan")),
        ("position", 2**63),
        ("model", "model-x"),
        ("completion", Completion(text="", cost_usd=float("nan"))),
        ("completion", Completion(text="", usage=Usage(input_tokens=2**63))),
        ("score", Score(score=float("nan"))),
        ("score", Score(score=1.0, detail={"thing": object()})),
        ("attempts", (Attempt(number=1, status="", started_at=""),) * 2),
    ],
)
def test_what_can_not_be_stored_is_refused_by_itself(file_store, field, value):
    add_run(file_store)
    with Writer(file_store) as writer:
        with pytest.raises(StoreError, match="run-1"):
            writer.put(a_trial(**{field: value}))
        writer.put(a_trial())
    assert [trial.key for trial in file_store.trials("run-1")] == [a_trial().key]


def test_a_run_that_is_not_there_is_named(file_store):
    with Writer(file_store) as writer, pytest.raises(StoreError, match="no run 'run-1'"):
        writer.put(a_trial())


def test_a_usage_without_figures_differs_from_no_usage(store):
    add_run(store)
    with_usage = a_trial(0, completion=Completion(text="", usage=Usage()))
    without = a_trial(1, completion=Completion(text=""))
    put(store, with_usage, without)
    assert list(store.trials("run-1")) == [with_usage, without]


def test_an_outcome_without_completion_keeps_its_error(store):
    add_run(store)
    failed = a_trial(
        outcome=Outcome.TIMEOUT, score=None, score_version=0, error_type="Timeout", error="late"
    )
    put(store, failed)
    assert store.trial(*failed.key) == failed
