import pytest
from msgspec.structs import replace

from benchmaker.errors import Conflict, StoreError
from benchmaker.record import Outcome, RunState, Series
from benchmaker.store import Message
from tests.store.filled import a_run, a_suite, a_trial, add_run, all_trials, put


def add_series(store, series_id="s-1", runs=3):
    content = store.put_suite(a_suite())
    series = Series(
        id=series_id, suite_hash=content, runs=runs, created_at="2025-01-01", actor="ann"
    )
    store.add_series(series)
    return series


def test_a_series_comes_back_as_it_was(store):
    series = add_series(store)
    assert store.series("s-1") == series


def test_runs_are_listed_newest_first_and_may_be_limited(store):
    for name in ("one", "two", "three"):
        add_run(store, name)
    assert [run.id for run in store.runs()] == ["three", "two", "one"]
    assert [run.id for run in store.runs(limit=2)] == ["three", "two"]


@pytest.mark.postgresql("no other test has its statements")
def test_runs_of_a_series_or_a_suite_are_found(store):
    add_series(store)
    add_run(store, "alone")
    add_run(store, "member", series_id="s-1")
    other = add_run(store, "other", cases=5)
    assert [run.id for run in store.runs(series_id="s-1")] == ["member"]
    assert [run.id for run in store.runs(suite_hash=other.suite_hash)] == ["other"]
    assert store.run("member").series_id == "s-1"


def test_the_state_changes_without_touching_the_rest(store):
    run = add_run(store, planned=6)
    store.set_run_state("run-1", RunState.FINISHED, finished_at="later")
    finished = replace(run, state=RunState.FINISHED, finished_at="later")
    assert store.run("run-1") == finished
    store.set_run_state("run-1", RunState.RUNNING)
    assert store.run("run-1") == replace(finished, state=RunState.RUNNING, finished_at=None)


def test_a_change_of_state_and_its_announcement_come_together(store):
    add_run(store)
    news = Message(topic="run.finished", dedupe_key="run-1/finished", body={"run": "run-1"})
    store.set_run_state("run-1", RunState.FINISHED, announce=news)
    store.set_run_state("run-1", RunState.FINISHED, announce=news)
    assert [waiting.message for waiting in store.pending_messages()] == [news]
    with pytest.raises(StoreError):
        store.set_run_state("run-2", RunState.FINISHED, announce=replace_key(news))
    assert len(store.pending_messages()) == 1


def replace_key(message):
    return Message(topic=message.topic, dedupe_key="run-2/finished")


@pytest.mark.postgresql("no other test has its statements")
def test_a_run_is_amended_but_for_plan_and_state(store):
    run = replace(add_run(store, planned=6), planned=8)
    store.amend_run(replace(run, profile="classic", started_at="now", notes=("scored again",)))
    known = store.run("run-1")
    assert (known.profile, known.started_at, known.notes) == ("classic", "now", ("scored again",))
    assert known.planned == 6


@pytest.mark.parametrize("change", [{"models": ("model-x",)}, {"number": 2}])
def test_what_trials_hang_on_can_not_be_amended(store, change):
    run = add_run(store)
    with pytest.raises(Conflict, match=next(iter(change))):
        store.amend_run(replace(run, **change))
    assert store.run("run-1") == run


def test_one_id_names_one_run(store):
    run = add_run(store)
    with pytest.raises(Conflict):
        store.add_run(run)
    assert len(store.runs()) == 1


def test_a_run_needs_its_suite_and_its_series(store):
    with pytest.raises(StoreError, match="no suite"):
        store.add_run(a_run(a_suite()))
    store.put_suite(a_suite())
    with pytest.raises(StoreError, match="no series 's-9'"):
        store.add_run(a_run(a_suite(), series_id="s-9"))
    assert store.runs() == ()


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: store.run("run-9"),
        lambda store: store.trials("run-9"),
        lambda store: store.columns(["run-9"]),
        lambda store: store.outcomes(["run-9"]),
        lambda store: store.done_keys("run-9", 0, 9),
        lambda store: store.delete_run("run-9"),
        lambda store: store.amend_run(a_run(a_suite(), "run-9")),
    ],
)
def test_a_run_that_is_not_there_is_named(store, ask):
    with pytest.raises(StoreError, match="no run 'run-9'"):
        ask(store)


def test_deleting_a_run_takes_all_that_hangs_below_it_and_nothing_else(store):
    for run_id in ("run-1", "run-2"):
        add_run(store, run_id)
        put(store, *all_trials(3, run_id))
    store.delete_run("run-1")
    assert [run.id for run in store.runs()] == ["run-2"]
    assert store.count_trials("run-2") == 6
    counts = store.check().counts
    assert (counts["trials"], counts["scores"], counts["run_models"]) == (6, 6, 2)


@pytest.mark.postgresql("no other test has its statements")
def test_a_series_goes_with_its_last_run(store):
    add_series(store)
    for run_id in ("run-1", "run-2"):
        add_run(store, run_id, series_id="s-1")
    store.delete_run("run-1")
    assert store.series("s-1").id == "s-1"
    store.delete_run("run-2")
    with pytest.raises(StoreError, match="no series"):
        store.series("s-1")


def test_outcomes_are_counted_by_run(store):
    for run_id in ("run-1", "run-2"):
        add_run(store, run_id)
    late = a_trial(1, outcome=Outcome.TIMEOUT, score=None)
    put(store, a_trial(0), a_trial(0, "model-b"), late)
    assert store.outcomes(["run-1", "run-2"]) == {
        "run-1": {Outcome.SCORED: 2, Outcome.TIMEOUT: 1},
        "run-2": {},
    }
    assert store.count_trials("run-1") == 3


def test_a_run_may_get_further_models(store):
    run = add_run(store, planned=6)
    put(store, *all_trials(3))
    store.set_run_state("run-1", RunState.FINISHED, finished_at="later")
    more = replace(run, models=(*run.models, "new"), planned=9, notes=("new added",))
    store.extend_run(more)
    assert store.run("run-1") == replace(more, state=RunState.INTERRUPTED, finished_at=None)
    put(store, a_trial(model="new"))
    assert len(list(store.trials("run-1"))) == 7
    assert store.trial("run-1", "new", "case-0").model == "new"


@pytest.mark.postgresql("no other test has its statements")
def test_a_single_run_may_become_the_first_of_a_series(store):
    run = add_run(store)
    series = Series(id="s-9", suite_hash=run.suite_hash, runs=3, created_at="now")
    store.extend_run(replace(run, series_id="s-9"), series=series)
    assert store.series("s-9") == series
    assert [one.id for one in store.runs(series_id="s-9")] == ["run-1"]


def test_what_a_runs_trials_hang_on_can_not_be_changed_by_extending_it(store):
    run = add_run(store)
    for wrong in (
        replace(run, models=("other", *run.models)),
        replace(run, models=run.models[:-1]),
        replace(run, number=7),
        replace(run, series_id="s-1"),
    ):
        with pytest.raises(Conflict, match="can only be extended by models"):
            store.extend_run(wrong)
    with pytest.raises(StoreError):
        store.extend_run(replace(run, id="run-2"))
    assert store.run("run-1") == run


@pytest.mark.postgresql("no other test has its statements")
def test_a_series_may_get_further_runs_and_never_fewer(store):
    add_series(store, runs=3)
    store.raise_runs("s-1", 5)
    assert store.series("s-1").runs == 5
    with pytest.raises(Conflict, match="more than 4 runs"):
        store.raise_runs("s-1", 4)
    with pytest.raises(StoreError, match="no series"):
        store.raise_runs("s-2", 4)
