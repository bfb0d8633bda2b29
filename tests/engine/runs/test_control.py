"""Commands to a run in progress: obeyed in order, once, and durable."""

import asyncio
import time
from contextlib import asynccontextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.engine.runs import series
from benchmaker.engine.runs.control import BEFORE, RunControl
from benchmaker.engine.runs.idle_control import settle_idle
from benchmaker.engine.runs.run import execute
from benchmaker.engine.runs.series import execute_all
from benchmaker.errors import Timeout
from benchmaker.providers.scripted import Scripted
from benchmaker.record import INFRASTRUCTURE, Completion, Outcome, RunState
from benchmaker.record.run import Series
from benchmaker.record.run_command import DROPPED, CommandState, ControlAction
from tests import waiting
from tests.engine.run_data import begun, executed, keys, opened, right, sums

PATIENCE_S = 60.0


class Held:
    """Answers right once it is released; counts requests and those in flight.

    The cases in ``failing`` fail as often as stated. Each request costs a dollar.
    """

    def __init__(self, failing=None, models=("a", "b")):
        self.models = models
        self.sent = []
        self.flying = 0
        self.most = 0
        self.failing = dict(failing or {})
        self.gate = asyncio.Event()

    def most_usd(self, request):
        return 0.0 if request.model == "free" else 1.0

    def release(self):
        """Answer everything from now on."""
        self.gate.set()

    def answer_in_flight(self):
        """Answer what waits now, and hold what comes later."""
        self.gate.set()
        self.gate = asyncio.Event()

    async def complete(self, request):
        self.sent.append((request.case_id, request.model))
        self.flying += 1
        self.most = max(self.most, self.flying)
        gate = self.gate
        await gate.wait()
        self.flying -= 1
        if self.failing.get(request.case_id, 0):
            self.failing[request.case_id] -= 1
            raise Timeout("late", is_retryable=False)
        return Completion(text=right(request), cost_usd=1.0)


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path) as made:
        yield made


def answered(store, command):
    return store.run_commands.find(command.number).state is not CommandState.PENDING


async def until(is_so):
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():  # noqa: ASYNC110  of the store, which says nothing
            await asyncio.sleep(0.01)


async def obeyed(store, run, action, value=None):
    """The command, once the engine has acknowledged it."""
    made = store.run_commands.add(run.id, action, value)
    await until(lambda: answered(store, made))
    return store.run_commands.find(made.number)


@asynccontextmanager
async def running(store, run, provider, **options):
    """The execution of a run, once its first requests are in flight."""
    suite = store.suite(run.suite_hash)
    options = {"limits": RunLimits(concurrency=4), **options}
    task = asyncio.ensure_future(execute(store, run, suite, provider, **options))
    try:
        await until(lambda: len(provider.sent) >= 1 or task.done())
        yield task
        provider.release()
        async with asyncio.timeout(PATIENCE_S):
            await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def test_a_paused_run_sends_nothing_until_it_is_resumed(store):
    run = begun(store, sums(10))

    async def scene():
        provider, snapshots = Held(), []
        async with running(store, run, provider, on_progress=snapshots.append):
            await until(lambda: provider.flying == 4)
            paused = await obeyed(store, run, ControlAction.PAUSE)
            assert paused.result == "paused; 4 requests in flight will finish"
            assert store.run(run.id).state is RunState.PAUSED
            provider.release()
            await until(lambda: len(keys(store, run.id)) == 4)
            again = await obeyed(store, run, ControlAction.PAUSE)
            assert again.result == "no effect: the run is paused already"
            assert len(provider.sent) == 4
            assert snapshots[-1].paused == f"paused by command {paused.number} of local"
            resumed = await obeyed(store, run, ControlAction.RESUME)
            assert resumed.result == "resumed"
        assert len(provider.sent) == len(set(provider.sent)) == 20

    asyncio.run(scene())
    assert store.run(run.id).state is RunState.FINISHED


def test_a_run_that_is_stopped_while_paused_stays_paused(store):
    run = begun(store, sums(10))

    async def scene():
        provider, stop = Held(), asyncio.Event()
        async with running(store, run, provider, stop=stop):
            await obeyed(store, run, ControlAction.PAUSE)
            provider.release()
            stop.set()

    asyncio.run(scene())
    assert store.run(run.id).state is RunState.PAUSED

    async def again():
        provider, snapshots = Held(), []
        provider.release()
        suite = store.suite(run.suite_hash)
        task = asyncio.ensure_future(
            execute(store, run, suite, provider, on_progress=snapshots.append)
        )
        await until(lambda: snapshots)
        assert snapshots[-1].paused == BEFORE
        assert provider.sent == []
        await obeyed(store, run, ControlAction.RESUME)
        await task
        assert snapshots[-1].paused == ""

    asyncio.run(again())
    assert store.run(run.id).state is RunState.FINISHED
    assert len(keys(store, run.id)) == 20


def test_a_pending_pause_holds_the_first_request(store):
    run = begun(store, sums(3), ("a",))
    store.run_commands.add(run.id, ControlAction.PAUSE)

    async def scene():
        provider, snapshots = Held(), []
        provider.release()
        suite = store.suite(run.suite_hash)
        task = asyncio.ensure_future(
            execute(store, run, suite, provider, on_progress=snapshots.append)
        )
        await until(lambda: snapshots)
        assert provider.sent == []
        await obeyed(store, run, ControlAction.RESUME)
        await task

    asyncio.run(scene())
    assert store.run(run.id).state is RunState.FINISHED


def test_the_number_of_parallel_requests_rises_and_falls(store):
    run = begun(store, sums(40), ("a",))

    async def scene():
        provider = Held(models=("a",))
        async with running(store, run, provider):
            await until(lambda: provider.flying == 4)
            raised = await obeyed(store, run, ControlAction.CONCURRENCY, 9)
            assert raised.result == "9 parallel requests instead of 4"
            await until(lambda: provider.flying == 9)
            await obeyed(store, run, ControlAction.CONCURRENCY, 2)
            provider.answer_in_flight()
            await until(lambda: len(keys(store, run.id)) == 9)
            await until(lambda: provider.flying == 2)
            provider.most = 0
            provider.answer_in_flight()
            await until(lambda: len(keys(store, run.id)) == 11 and provider.flying == 2)
            assert provider.most == 2
            await obeyed(store, run, ControlAction.CONCURRENCY, 5)
            await until(lambda: provider.flying == 5)
        assert provider.most == 5
        assert len(provider.sent) == len(set(provider.sent)) == 40

    asyncio.run(scene())


def test_a_budget_set_during_the_run_is_kept(store):
    run = begun(store, sums(20), ("a",))

    async def scene():
        provider = Held(models=("a",))
        async with running(store, run, provider):
            await until(lambda: provider.flying == 4)
            provider.answer_in_flight()
            await until(lambda: len(keys(store, run.id)) == 4 and provider.flying == 4)
            told = await obeyed(store, run, ControlAction.MAX_COST, 10.0)
            assert told.result == "the budget is $10.00; $4.00 spent"
        assert len(provider.sent) == 10

    asyncio.run(scene())
    assert store.run(run.id).state is RunState.INTERRUPTED
    assert store.run(run.id).options["max_cost_usd"] == 10.0
    assert store.spent_usd([run.id]) == 10.0


def test_a_budget_below_what_is_spent_ends_the_run(store):
    run = begun(store, sums(20), ("a",))

    async def scene():
        provider = Held(models=("a",))
        suite = store.suite(run.suite_hash)
        task = asyncio.ensure_future(
            execute_all(
                store, (run,), suite, provider,
                options=RunOptions(max_cost_usd=100.0), limits=RunLimits(concurrency=4),
            )
        )  # fmt: skip
        await until(lambda: provider.flying == 4)
        provider.answer_in_flight()
        await until(lambda: provider.flying == 4 and len(keys(store, run.id)) == 4)
        await obeyed(store, run, ControlAction.MAX_COST, 2.0)
        provider.release()
        ended = await task
        assert "the budget of $2.00 does not cover another request" in ended.halted
        assert len(provider.sent) == 8

    asyncio.run(scene())
    assert store.run(run.id).state is RunState.INTERRUPTED


class Unpriced(Held):
    """Models without a known price."""

    def most_usd(self, request):  # noqa: ARG002  whichever
        return None


def test_a_budget_needs_prices(store):
    run = begun(store, sums(8), ("a",))

    async def scene():
        provider = Unpriced(models=("a",))
        async with running(store, run, provider):
            told = await obeyed(store, run, ControlAction.MAX_COST, 1.0)
            assert told.state is CommandState.REFUSED
            assert "the price of a is unknown" in told.result

    asyncio.run(scene())
    assert store.run(run.id).state is RunState.FINISHED
    assert "max_cost_usd" not in store.run(run.id).options


def test_a_dropped_model_gets_no_more_requests_even_if_failures_are_retried(store):
    run = begun(store, sums(10))

    async def scene():
        provider = Held()
        async with running(store, run, provider) as task:
            await until(lambda: provider.flying == 4)
            told = await obeyed(store, run, ControlAction.DROP_MODEL, "b")
            assert told.result == "b is dropped; its remaining trials are not run"
            again = await obeyed(store, run, ControlAction.DROP_MODEL, "b")
            assert again.result == "no effect: b is not queried any more"
        assert task.result() == {"b": DROPPED}

    asyncio.run(scene())
    assert store.run(run.id).state is RunState.FINISHED
    assert store.run(run.id).dropped == ("b",)
    assert len(keys(store, run.id)) == 12
    _, stopped = executed(store, store.run(run.id))
    assert stopped == {"b": DROPPED}
    assert len(keys(store, run.id)) == 12
    _, stopped = executed(store, store.run(run.id), options=RunOptions(retry_failed=True))
    assert (stopped, len(keys(store, run.id))) == ({"b": DROPPED}, 12)
    assert store.run(run.id).dropped == ("b",)


def test_failed_trials_are_requested_again_once(store):
    run = begun(store, sums(6), ("a",))

    async def scene():
        provider, snapshots = Held({"c0": 1, "c1": 1}, models=("a",)), []
        async with running(store, run, provider, on_progress=snapshots.append):
            await until(lambda: provider.flying == 4)
            provider.answer_in_flight()
            await until(lambda: len(keys(store, run.id)) == 4)
            told = await obeyed(store, run, ControlAction.RETRY_FAILED)
            assert told.result == "2 failed trials are requested again"
            again = await obeyed(store, run, ControlAction.RETRY_FAILED)
            assert again.result.startswith("no effect: no failed trial")
        assert len(provider.sent) == 8
        assert snapshots[-1].done == 6
        assert dict(snapshots[-1].outcomes) == {Outcome.SCORED: 6}

    asyncio.run(scene())
    assert store.run(run.id).state is RunState.FINISHED
    trials = list(store.trials(run.id))
    assert {trial.outcome for trial in trials} == {Outcome.SCORED}
    assert sorted(len(trial.attempts) for trial in trials) == [1, 1, 1, 1, 2, 2]
    assert all(not trial.flags for trial in trials)


def test_a_requested_retry_survives_the_process(store):
    """It is durable before it is sent: a resumed run sends it."""
    run = begun(store, sums(6), ("a",))

    async def scene():
        provider, stop = Held({"c0": 1}, models=("a",)), asyncio.Event()
        async with running(store, run, provider, stop=stop):
            await until(lambda: provider.flying == 4)
            provider.answer_in_flight()
            await until(lambda: len(keys(store, run.id)) == 4)
            await obeyed(store, run, ControlAction.PAUSE)
            await obeyed(store, run, ControlAction.RETRY_FAILED)
            stop.set()

    asyncio.run(scene())
    assert [it.outcome in INFRASTRUCTURE for it in store.trials(run.id)].count(True) == 1
    store.set_run_state(run.id, RunState.INTERRUPTED)
    executed(store, store.run(run.id))
    assert {it.outcome for it in store.trials(run.id)} == {Outcome.SCORED}
    assert store.run(run.id).state is RunState.FINISHED


def test_recorded_answers_are_paused_and_limits_are_refused(store):
    run = begun(store, sums(4), ("a",), provider={"kind": "recorded"})
    commands = [
        store.run_commands.add(run.id, ControlAction.PAUSE),
        store.run_commands.add(run.id, ControlAction.CONCURRENCY, 3),
        store.run_commands.add(run.id, ControlAction.RETRY_FAILED),
        store.run_commands.add(run.id, ControlAction.RESUME),
    ]
    executed(store, run, Scripted(right))
    found = [store.run_commands.find(one.number) for one in commands]
    assert [one.state for one in found] == ["applied", "refused", "refused", "applied"]
    assert found[1].result == (
        "The answers of this run are recorded, so there are no parallel requests. Use it for runs "
        "with live models."
    )
    assert len(keys(store, run.id)) == 4


def test_commands_hold_for_the_next_runs_of_a_series(store):
    run = begun(store, sums(30), ("a",))
    other = begun(store, sums(30), ("a",), id="run-2", number=2)

    async def scene():
        provider = Held(models=("a",))
        suite = store.suite(run.suite_hash)
        task = asyncio.ensure_future(
            execute_all(store, (run, other), suite, provider, limits=RunLimits(concurrency=2))
        )
        await until(lambda: provider.flying == 2)
        await obeyed(store, run, ControlAction.CONCURRENCY, 6)
        provider.release()
        await task
        assert provider.most == 6
        assert len(keys(store, other.id)) == 30

    asyncio.run(scene())


def test_a_series_is_held_between_its_runs(store, monkeypatch):
    """A command that comes between two runs is left to the process, which reads it."""
    suite = sums(4)
    one = Series(id="s-1", suite_hash=store.put_suite(suite), runs=2, created_at="2026-11-29")
    store.add_series(one)
    runs = [
        begun(store, suite, ("a",), id=f"run-{number}", number=number, series_id=one.id)
        for number in (1, 2)
    ]
    seen = []

    async def execute_seen(store, run, *rest, **options):
        seen.append(settle_idle(store, run.id))
        return await execute(store, run, *rest, **options)

    monkeypatch.setattr(series, "execute", execute_seen)
    provider = Held(models=("a",))
    provider.release()
    asyncio.run(execute_all(store, runs, store.suite(one.suite_hash), provider))
    assert seen == [False, False]
    assert settle_idle(store, runs[0].id)


def test_a_command_is_acknowledged_also_if_the_run_ends_first(store, monkeypatch):
    run = begun(store, sums(4))
    acknowledge = RunControl._acknowledge

    def acknowledge_late(self, command, effect):
        if command.action is ControlAction.RESUME:
            waiting.until(lambda: len(keys(store, run.id)) == 8)
            time.sleep(0.3)
        return acknowledge(self, command, effect)

    monkeypatch.setattr(RunControl, "_acknowledge", acknowledge_late)

    async def scene():
        provider = Held()
        async with running(store, run, provider):
            await obeyed(store, run, ControlAction.PAUSE)
            provider.release()
            resumed = await obeyed(store, run, ControlAction.RESUME)
            assert resumed.result == "resumed"

    asyncio.run(scene())
    assert store.run(run.id).state is RunState.FINISHED


STEPS = st.lists(
    st.one_of(
        st.just((ControlAction.PAUSE, None)),
        st.just((ControlAction.RESUME, None)),
        st.tuples(st.just(ControlAction.CONCURRENCY), st.integers(1, 9)),
        st.tuples(st.just(ControlAction.DROP_MODEL), st.sampled_from(["a", "b"])),
    ),
    max_size=12,
)


@settings(max_examples=20, deadline=None)
@given(steps=STEPS)
def test_commands_are_applied_in_their_order(tmp_path_factory, steps):
    """The result of each is that of a plain interpreter that reads them one after the other."""
    with opened(tmp_path_factory.mktemp("order")) as store:
        run = begun(store, sums(4))
        for action, value in steps:
            store.run_commands.add(run.id, action, value)
        store.run_commands.add(run.id, ControlAction.RESUME)
        executed(store, run, limits=RunLimits(concurrency=4))
        found = store.run_commands.of_run(run.id)
        assert [one.result.partition(";")[0] for one in found] == list(_interpreted(steps))
        assert store.run(run.id).dropped == tuple(
            dict.fromkeys(value for action, value in steps if action is ControlAction.DROP_MODEL)
        )
        left = {"a", "b"} - set(store.run(run.id).dropped)
        assert {model for _, model in keys(store, run.id)} == left
        assert len(keys(store, run.id)) == 4 * len(left)


def _interpreted(steps):
    is_paused, number, dropped = False, 4, set()
    for action, value in (*steps, (ControlAction.RESUME, None)):
        match action:
            case ControlAction.PAUSE:
                yield "no effect: the run is paused already" if is_paused else "paused"
                is_paused = True
            case ControlAction.RESUME:
                yield "resumed" if is_paused else "no effect: the run is not paused"
                is_paused = False
            case ControlAction.CONCURRENCY:
                noun = "request" if value == 1 else "requests"
                yield f"{value} parallel {noun} instead of {number}"
                number = value
            case ControlAction.DROP_MODEL:
                is_gone = value in dropped
                yield (
                    f"no effect: {value} is not queried any more"
                    if is_gone
                    else f"{value} is dropped"
                )
                dropped.add(value)
