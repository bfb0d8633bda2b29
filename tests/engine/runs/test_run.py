import asyncio
import time
from collections import Counter

import pytest

from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.progress import INTERVAL_S, Progress
from benchmaker.engine.runs.run import execute
from benchmaker.errors import AuthError, Conflict, ProviderError, StoreError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Outcome, RunState, Selection
from benchmaker.spec import ScorerSpec
from benchmaker.testing import a_case
from tests.engine.clocks import HandClock
from tests.engine.run_data import begun, executed, keys, opened, right, sums


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path) as opened_store:
        yield opened_store


def test_every_case_is_asked_of_every_model(store):
    run = begun(store, sums(3))
    ended, stopped = executed(store, run)

    assert keys(store, run.id) == [(f"c{n}", model) for n in range(3) for model in "ab"]
    assert (ended.state, stopped) == (RunState.FINISHED, {})
    assert ended.finished_at is not None
    assert all(trial.score.score == 1.0 for trial in store.trials(run.id))


def test_a_trial_carries_what_its_case_says(store):
    suite = sums(1)
    case = a_case("c1", weight=2, category="x", difficulty="hard", tags=("t",), group="g")
    run = begun(store, type(suite)(**{**vars(suite), "cases": (case,)}), models=("a",))
    executed(store, run)
    [trial] = store.trials(run.id)

    assert (trial.weight, trial.category, trial.difficulty) == (2, "x", "hard")
    assert (trial.tags, trial.group, trial.position) == (("t",), "g", 0)
    assert len(trial.messages_hash) == 16


def test_the_selection_is_obeyed(store):
    run = begun(store, sums(5), selection=Selection(limit=2))
    ended, _ = executed(store, run)

    assert keys(store, run.id) == [("c0", "a"), ("c0", "b"), ("c1", "a"), ("c1", "b")]
    assert ended.state is RunState.FINISHED


@pytest.mark.parametrize("concurrency", [1, 3, 50])
@pytest.mark.parametrize("batch", [1, 7])
def test_any_number_of_workers_asks_each_trial_once(store, concurrency, batch):
    provider = Scripted(right, latency_s=0)
    run = begun(store, sums(20))
    executed(store, run, provider, limits=RunLimits(concurrency=concurrency, batch=batch))
    asked = Counter((request.case_id, request.model) for request in provider.requests)

    assert set(asked.values()) == {1}
    assert len(asked) == 40


def test_no_more_is_in_flight_than_the_concurrency(store):
    flying = Counter()

    async def watched(_):
        flying["now"] += 1
        flying["most"] = max(flying["most"], flying["now"])
        await asyncio.sleep(0.001)
        flying["now"] -= 1

    provider = Scripted(right, latency_s=0, sleep=watched)
    executed(store, begun(store, sums(20)), provider, limits=RunLimits(concurrency=4))

    assert flying["most"] == 4


def test_a_failing_trial_is_data_and_the_run_goes_on(store):
    def answer(request):
        if request.case_id == "c1":
            return ProviderError("no recorded answer")
        return right(request)

    run = begun(store, sums(3), models=("a",))
    ended, _ = executed(store, run, Scripted(answer))
    outcomes = [trial.outcome for trial in store.trials(run.id)]
    failed = store.trial(run.id, "a", "c1")

    assert outcomes == [Outcome.SCORED, Outcome.PROVIDER_ERROR, Outcome.SCORED]
    assert (failed.error_type, failed.error) == ("ProviderError", "no recorded answer")
    assert failed.score is None
    assert ended.state is RunState.FINISHED


def test_a_wrong_key_stops_its_model_alone(store):
    def answer(request):
        return AuthError("the key is wrong") if request.model == "a" else right(request)

    provider = Scripted(answer)
    run = begun(store, sums(20))
    ended, stopped = executed(store, run, provider, limits=RunLimits(concurrency=2, batch=8))
    asked = Counter(request.model for request in provider.requests)

    assert asked["a"] <= 2
    assert asked["b"] == 20
    assert ended.state is RunState.FINISHED
    assert stopped == {"a": "the key is wrong"}


def test_a_resumed_run_asks_what_a_stopped_model_was_not_asked(store):
    run = begun(store, sums(5))
    refused = Scripted(lambda request: AuthError("no") if request.model == "a" else right(request))
    executed(store, run, refused, limits=RunLimits(concurrency=1))
    provider = Scripted(right)
    ended, _ = executed(store, run, provider)

    assert {request.model for request in provider.requests} == {"a"}
    assert len(keys(store, run.id)) == 10
    assert ended.state is RunState.FINISHED


def test_models_that_are_known_to_be_stopped_are_not_asked(store):
    provider = Scripted(right)
    _, stopped = executed(store, begun(store, sums(3)), provider, without={"b": "no money"})

    assert {request.model for request in provider.requests} == {"a"}
    assert stopped == {"b": "no money"}


def stop_after(number, stop):
    seen = []

    def answer(request):
        seen.append(request)
        if len(seen) == number:
            stop.set()
        return right(request)

    return Scripted(answer)


@pytest.mark.parametrize("number", [1, 5, 19])
def test_a_stop_keeps_what_is_done_and_asks_no_more(store, number):
    stop = asyncio.Event()
    run = begun(store, sums(10))
    limits = RunLimits(concurrency=1, batch=4)
    ended, _ = executed(store, run, stop_after(number, stop), stop=stop, limits=limits)

    assert len(keys(store, run.id)) == number
    assert (ended.state, ended.finished_at) == (RunState.INTERRUPTED, None)


def test_a_resumed_run_asks_only_what_is_missing(store):
    stop = asyncio.Event()
    run = begun(store, sums(10))
    executed(store, run, stop_after(7, stop), stop=stop, limits=RunLimits(concurrency=1))
    provider = Scripted(right)
    ended, _ = executed(store, run, provider)

    assert provider.calls == 13
    assert keys(store, run.id) == [(f"c{n}", model) for n in range(10) for model in "ab"]
    assert ended.state is RunState.FINISHED


def test_a_stop_lets_what_is_in_flight_come_in(store):
    stop = asyncio.Event()

    async def sleep(_):
        if provider.calls == 4:
            stop.set()
        await asyncio.sleep(0.01)

    run = begun(store, sums(10))
    provider = Scripted(right, latency_s=0, sleep=sleep)
    executed(store, run, provider, stop=stop, limits=RunLimits(concurrency=4))

    assert len(keys(store, run.id)) == provider.calls == 4


def test_what_hangs_after_a_stop_is_given_up(store):
    stop = asyncio.Event()

    async def hang(_):
        stop.set()
        await asyncio.sleep(60)

    run = begun(store, sums(3))
    provider = Scripted(right, latency_s=0, sleep=hang)
    ended, _ = executed(store, run, provider, stop=stop, limits=RunLimits(drain_s=0.05))

    assert keys(store, run.id) == []
    assert ended.state is RunState.INTERRUPTED


def test_an_error_that_is_not_the_trials_ends_the_run_as_interrupted(store):
    def answer(request):
        return StoreError("disk full") if request.case_id == "c5" else right(request)

    run = begun(store, sums(10), models=("a",))
    with pytest.raises(StoreError, match="disk full"):
        executed(store, run, Scripted(answer), limits=RunLimits(concurrency=1))

    assert store.run(run.id).state is RunState.INTERRUPTED
    assert len(keys(store, run.id)) == 5


def test_another_process_on_the_same_run_is_told_who_holds_it(store):
    run = begun(store, sums(3))
    store.acquire_lease(f"run {run.id}", holder="another", ttl_s=60, pid=1)
    provider = Scripted(right)
    with pytest.raises(Conflict, match="process 1 on"):
        executed(store, run, provider)

    assert provider.calls == 0


def test_the_lease_is_given_back(store):
    run = begun(store, sums(3))
    executed(store, run)

    assert store.lease(f"run {run.id}") is None


def test_a_run_whose_lease_was_taken_over_writes_no_more(store):
    run = begun(store, sums(50), models=("a",))

    async def robbed(_):
        lease = store.lease(f"run {run.id}")
        store.release_lease(lease)
        store.acquire_lease(lease.name, holder="another", ttl_s=60, pid=1)

    provider = Scripted(right, latency_s=0, sleep=robbed)
    with pytest.raises(Conflict):
        executed(store, run, provider, limits=RunLimits(concurrency=1))

    assert keys(store, run.id) == []


def test_progress_ends_with_everything_done(store):
    shown = []
    run = begun(store, sums(4))
    executed(store, run, on_progress=shown.append)
    last = shown[-1]

    assert isinstance(last, Progress)
    assert (last.done, last.planned) == (8, 8)
    assert last.outcomes == {Outcome.SCORED: 8}


def test_progress_of_a_resumed_run_counts_what_was_there(store):
    run, stop, shown = begun(store, sums(5)), asyncio.Event(), []
    executed(store, run, stop_after(4, stop), stop=stop, limits=RunLimits(concurrency=1))
    executed(store, run, on_progress=shown.append)

    assert shown[-1].done == 10
    assert sum(shown[-1].outcomes.values()) == 6


def test_whoever_looks_on_hears_which_run_begins_before_anything_is_asked(store):
    told = []

    class Looking:
        def on_begin(self, run_id):
            told.append(run_id)

        def __call__(self, _):
            told.append("a snapshot")

    def answer(request):
        told.append("a request")
        return right(request)

    run = begun(store, sums(1), models=("a",))
    executed(store, run, Scripted(answer, latency_s=0), on_progress=Looking())

    assert [it for it in told if it != "a snapshot"] == [run.id, "a request"]
    assert (told[0], told[-1]) == (run.id, "a snapshot")


def test_snapshots_come_while_the_run_goes_on(store):
    shown = []
    provider = Scripted(right, latency_s=0.1)
    run = begun(store, sums(4), models=("a",))
    began_s = time.monotonic()
    executed(store, run, provider, limits=RunLimits(concurrency=1), on_progress=shown.append)
    elapsed_s = time.monotonic() - began_s

    assert any(0 < snapshot.done < 4 for snapshot in shown)
    assert len(shown) <= elapsed_s / INTERVAL_S + 1


def test_times_come_from_the_clock(store):
    clock = HandClock("2001-01-01T00:00:00.000Z")
    run = begun(store, sums(1), models=("a",), started_at="")
    ended, _ = executed(store, run, clock=clock)
    [trial] = store.trials(run.id)

    assert ended.started_at == ended.finished_at == trial.finished_at == clock.wall


def test_a_scorer_in_another_process_is_awaited(store):
    suite = sums(5, scorer=ScorerSpec(id="regex", pattern=r"^\d+$"))
    run = begun(store, suite, models=("a",))
    executed(store, run)

    assert [trial.score.score for trial in store.trials(run.id)] == [1.0] * 5


def test_being_cancelled_keeps_what_is_done(store):
    run = begun(store, sums(10), models=("a",))

    async def cancelled():
        fourth = asyncio.Event()

        async def sleep(_):
            if provider.calls == 4:
                fourth.set()
                await asyncio.sleep(60)

        provider = Scripted(right, latency_s=0, sleep=sleep)
        suite = store.suite(run.suite_hash)
        work = asyncio.ensure_future(
            execute(store, run, suite, provider, limits=RunLimits(concurrency=1))
        )
        await fourth.wait()
        work.cancel()
        await work

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())

    assert len(keys(store, run.id)) == 3
    assert store.run(run.id).state is RunState.INTERRUPTED
