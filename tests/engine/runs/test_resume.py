import pytest

from benchmaker.engine.runs.resume import runs_named, unfinished_runs
from benchmaker.engine.runs.series import enrol
from benchmaker.errors import SpecError
from benchmaker.record import RunState, Series
from benchmaker.testing import a_run
from tests.engine.run_data import CLOCK, a_seed, begun, executed, opened, sums


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path) as opened_store:
        yield opened_store


def named(store, text):
    return runs_named(store, text, clock=CLOCK, random=a_seed())


@pytest.mark.parametrize("text", ["run-1", "run", "latest"])
def test_a_run_is_found_by_id_beginning_and_latest(store, text):
    run = begun(store, sums(1))

    assert named(store, text) == (run,)


def test_a_series_names_all_its_runs(store):
    pattern = a_run(suite_hash=store.put_suite(sums(1)))
    runs = enrol(store, pattern, runs=3, clock=CLOCK, random=a_seed())

    assert named(store, runs[0].series_id) == runs
    assert named(store, "latest") == runs


def test_one_run_of_a_series_can_be_named(store):
    pattern = a_run(suite_hash=store.put_suite(sums(1)))
    runs = enrol(store, pattern, runs=3, clock=CLOCK, random=a_seed())

    assert named(store, runs[1].id) == (runs[1],)


def test_a_series_without_a_run_can_not_be_gone_on_with(store):
    suite_hash = store.put_suite(sums(1))
    store.add_series(Series(id="s-1", suite_hash=suite_hash, runs=3, created_at=CLOCK.now_utc()))

    with pytest.raises(SpecError, match="no run yet"):
        named(store, "s-1")


def test_finished_runs_have_nothing_left(store):
    run = begun(store, sums(1))
    ended, _ = executed(store, run)

    assert unfinished_runs((run,)) == (run,)
    assert ended.state is RunState.FINISHED
    assert unfinished_runs((ended,)) == ()
