import asyncio

import pytest
from msgspec.structs import replace

from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.runs.series import enrol, execute_all, members
from benchmaker.errors import AuthError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import RunState, Series
from benchmaker.testing import a_run
from tests.engine.run_data import CLOCK, a_seed, keys, opened, right, sums


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path) as opened_store:
        yield opened_store


def a_pattern(store, count=3):
    return a_run(
        suite_hash=store.put_suite(sums(count)),
        models=("a", "b"),
        planned=2 * count,
        state=RunState.RUNNING,
        finished_at=None,
    )


def enrolled(store, runs, count=3):
    return enrol(store, a_pattern(store, count), runs=runs, clock=CLOCK, random=a_seed())


def worked(store, runs, provider=None, **options):
    suite = store.suite(runs[0].suite_hash)
    return asyncio.run(execute_all(store, runs, suite, provider or Scripted(right), **options))


def test_one_run_has_no_series(store):
    [run] = enrolled(store, 1)

    assert run.series_id is None
    assert store.runs() == (run,)


def test_a_series_is_written_down_before_it_starts(store):
    runs = enrolled(store, 3)

    assert [run.number for run in runs] == [1, 2, 3]
    assert {run.series_id for run in runs} == {runs[0].series_id}
    assert store.resolve(runs[0].series_id).run_ids == tuple(run.id for run in runs)
    assert store.series(runs[0].series_id).runs == 3


@pytest.mark.parametrize("count", [1, 2])
def test_runs_that_have_not_started_do_not_claim_to(store, count):
    for run in enrolled(store, count):
        assert (run.state, run.started_at) == (RunState.INTERRUPTED, "")


def test_runs_that_were_never_written_down_are_added(store):
    first = a_pattern(store)
    store.add_series(
        Series(id="s", suite_hash=first.suite_hash, runs=3, created_at=CLOCK.now_utc())
    )
    store.add_run(replace(first, series_id="s"))
    runs = members(store, "s", clock=CLOCK, random=a_seed())

    assert [run.number for run in runs] == [1, 2, 3]
    assert runs == members(store, "s", clock=CLOCK, random=a_seed(2))


def test_the_runs_are_done_one_after_the_other(store):
    runs = enrolled(store, 3)
    provider = Scripted(right)
    ended, *_ = worked(store, runs, provider)

    assert [request.run for request in provider.requests] == [1] * 6 + [2] * 6 + [3] * 6
    assert all(run.state is RunState.FINISHED for run in ended)
    assert all(len(keys(store, run.id)) == 6 for run in runs)
    assert all(run.started_at for run in ended)


def test_a_stop_keeps_finished_runs_and_starts_no_other(store):
    stop = asyncio.Event()

    def answer(request):
        if request.run == 2:
            stop.set()
        return right(request)

    ended, *_ = worked(
        store, enrolled(store, 3), Scripted(answer), stop=stop, limits=RunLimits(concurrency=1)
    )

    assert [run.state.value for run in ended] == ["finished", "interrupted", "interrupted"]
    assert [len(keys(store, run.id)) for run in ended] == [6, 1, 0]


def test_finished_runs_are_left_alone(store):
    runs = enrolled(store, 2)
    worked(store, runs[:1])
    provider = Scripted(right)
    worked(store, members(store, runs[0].series_id, clock=CLOCK, random=a_seed()), provider)

    assert {request.run for request in provider.requests} == {2}


def test_a_stopped_model_is_not_asked_in_the_next_run(store):
    provider = Scripted(lambda request: AuthError("no") if request.model == "a" else right(request))
    ended, stopped, _ = worked(store, enrolled(store, 3), provider, limits=RunLimits(concurrency=1))

    assert sum(request.model == "a" for request in provider.requests) == 1
    assert stopped == {"a": "no"}
    assert [len(keys(store, run.id)) for run in ended] == [4, 3, 3]
    assert all(run.state is RunState.FINISHED for run in ended)


def test_a_model_that_was_stopped_is_asked_again_though_its_runs_are_finished(store):
    provider = Scripted(lambda request: AuthError("no") if request.model == "a" else right(request))
    ended, *_ = worked(store, enrolled(store, 2), provider)
    again = Scripted(right)
    worked(store, ended, again)

    assert {request.model for request in again.requests} == {"a"}
    assert all(len(keys(store, run.id)) == 6 for run in ended)


def test_progress_says_which_run_of_how_many(store):
    shown = []
    worked(store, enrolled(store, 2), on_progress=shown.append)

    places = [(snapshot.number, snapshot.runs) for snapshot in shown]
    assert list(dict.fromkeys(places)) == [(1, 2), (2, 2)]  # one may be shown again after a while
    assert places == sorted(places)
