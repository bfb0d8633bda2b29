import pytest
from msgspec.structs import replace

from benchmaker.engine.runs.extend import add_setups, raise_runs
from benchmaker.engine.runs.lock import lock_run
from benchmaker.engine.runs.series import enrol
from benchmaker.engine.runs.setups import with_setups
from benchmaker.errors import Conflict, SpecError
from benchmaker.record import RunState, Setup
from benchmaker.testing import a_run
from tests.engine.run_data import CLOCK, a_seed, opened, sums

PROVIDER = {"kind": "scripted"}


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path) as opened_store:
        yield opened_store


def enrolled(store, runs=1):
    pattern = a_run(suite_hash=store.put_suite(sums(3)), models=("a", "b"), planned=6)
    return enrol(store, pattern, runs=runs, clock=CLOCK, random=a_seed())


def added(store, runs, models):
    setups = [Setup(name=model, model=model) for model in models]
    return add_setups(store, runs, setups, provider=PROVIDER, clock=CLOCK, ttl_s=60)


def raised(store, runs, number):
    return raise_runs(store, runs, number, clock=CLOCK, random=a_seed(7), ttl_s=60)


def test_the_plan_grows_with_the_models():
    run = with_setups(a_run(models=("a", "b"), planned=6), [Setup(name="c", model="c")])
    assert (run.models, run.planned) == (("a", "b", "c"), 9)


def test_further_models_are_written_down_in_every_run(store):
    runs = added(store, enrolled(store, 2), ["c"])
    assert [run.models for run in runs] == [("a", "b", "c")] * 2
    assert {run.state for run in runs} == {RunState.INTERRUPTED}
    assert all("c added" in run.notes[-1] for run in runs)
    assert runs[0].provider == PROVIDER


def test_models_that_are_asked_already_change_nothing(store):
    runs = enrolled(store)
    assert added(store, runs, ["b", "a"]) == runs


def test_a_dropped_model_that_is_added_again_is_no_longer_dropped(store):
    [run] = enrolled(store)
    store.amend_run(replace(run, dropped=("a", "b")))
    [again] = added(store, [store.run(run.id)], ["b"])
    assert (again.models, again.dropped, again.planned) == (("a", "b"), ("a",), 6)
    assert again.state is RunState.INTERRUPTED
    assert again.notes[-1].startswith("b added ")


def test_a_single_run_becomes_the_first_of_a_series(store):
    [alone] = enrolled(store)
    first, second, third = raised(store, [alone], 3)
    assert (first.id, first.number) == (alone.id, 1)
    assert (second.number, third.number) == (2, 3)
    assert first.series_id == second.series_id == third.series_id
    assert store.series(first.series_id).runs == 3


def test_a_series_gets_further_runs(store):
    runs = enrolled(store, 2)
    more = raised(store, runs, 4)
    assert more[:2] == runs
    assert [run.number for run in more] == [1, 2, 3, 4]


def test_as_many_runs_as_there_are_change_nothing(store):
    runs = enrolled(store, 2)
    assert raised(store, runs, 2) == runs


def test_fewer_runs_are_refused(store):
    with pytest.raises(SpecError, match="1 run requested, but 2 already exist"):
        raised(store, enrolled(store, 2), 1)


def test_a_run_that_is_worked_on_is_left_alone(store):
    [run] = enrolled(store)
    with lock_run(store, run.id, clock=CLOCK, ttl_s=60):
        with pytest.raises(Conflict):
            added(store, [run], ["c"])
        with pytest.raises(Conflict):
            raised(store, [run], 2)
    assert store.run(run.id) == run
