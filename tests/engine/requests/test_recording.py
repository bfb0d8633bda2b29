"""What a worker waits for before it asks on, and what becomes of it when the store fails."""

import asyncio
from contextlib import contextmanager

import pytest
from sqlalchemy import text

from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.progress import Meter
from benchmaker.engine.requests.recording import TrialRecorder
from benchmaker.engine.runs.run import execute
from benchmaker.engine.trials.scoring import TrialScorer
from benchmaker.errors import Conflict
from benchmaker.providers.scripted import Scripted
from benchmaker.spec import profile
from benchmaker.store import Writer
from benchmaker.testing import a_trial
from tests.databases import direct_transaction, is_in_file
from tests.engine.run_data import CLOCK, begun, executed, keys, opened, right, sums

SETTLED_S = 0.2
PATIENCE_S = 20


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path) as opened_store:
        yield opened_store


@contextmanager
def blocked(store):
    """No trial is written inside."""
    with direct_transaction(store) as blocker:
        if not is_in_file(store):
            blocker.execute(text("LOCK TABLE trials IN EXCLUSIVE MODE"))
        yield


async def settled(provider):
    """How many requests there were, once no more come."""
    before = 0
    while provider.calls != before:
        before = provider.calls
        await asyncio.sleep(SETTLED_S)
    return before


def test_a_worker_asks_on_only_when_its_row_is_durable(tmp_path):
    begun_to_ask = asyncio.Event()

    def answer(request):
        begun_to_ask.set()
        return right(request)

    provider = Scripted(answer, latency_s=0.001)

    async def blocked_at_first():
        suite = store.suite(run.suite_hash)
        limits = RunLimits(concurrency=3)
        work = asyncio.ensure_future(execute(store, run, suite, provider, limits=limits))
        await begun_to_ask.wait()
        with blocked(store):
            asked, rows = await settled(provider), store.count_trials(run.id)
        await asyncio.wait_for(work, PATIENCE_S)
        return asked, rows

    with opened(tmp_path, busy_timeout_s=PATIENCE_S) as store:
        run = begun(store, sums(30), models=("a",))
        asked, rows = asyncio.run(blocked_at_first())
        assert asked == rows + 3
        assert len(keys(store, run.id)) == 30
    assert provider.calls == 30


def test_a_free_slot_is_used_before_the_loop_comes_to_the_worker_that_had_it(tmp_path):
    async def three_rows():
        with Writer(store, max_delay_s=0.0) as writer:
            recorder = recorder_of(run, store, writer)
            with blocked(store):
                recorder.put(answered(run, 0))
                first = asyncio.ensure_future(recorder.until_slot_free())
                await asyncio.sleep(0)
            writer.flush()
            recorder.put(answered(run, 1))
            goes_on_at_once = is_done_at_once(recorder.until_slot_free())
            writer.flush()
            with blocked(store):
                recorder.put(answered(run, 2))
                lets_others_run = not is_done_at_once(recorder.until_slot_free())
            was_waiting = not first.done()
            await asyncio.wait_for(first, PATIENCE_S)
            return goes_on_at_once, lets_others_run, was_waiting

    with opened(tmp_path, busy_timeout_s=PATIENCE_S) as store:
        run = begun(store, sums(3), models=("a",))
        assert asyncio.run(three_rows()) == (True, True, True)
        assert len(keys(store, run.id)) == 3


def answered(run, position):
    return a_trial(run_id=run.id, case_id=f"c{position}", model="a", position=position)


def recorder_of(run, store, writer):
    suite = store.suite(run.suite_hash)
    return TrialRecorder(
        run,
        marker=TrialScorer(suite, profile(run.profile_id), run=run),
        writer=writer,
        meter=Meter(run, clock=CLOCK, before=0),
        clock=CLOCK,
    )


def is_done_at_once(coroutine):
    """Whether it ends without waiting."""
    try:
        coroutine.send(None)
    except StopIteration:
        return True
    coroutine.close()
    return False


@pytest.mark.parametrize("concurrency", [1, 4])
def test_workers_that_wait_for_a_row_hear_of_the_stores_failure(store, concurrency):
    run = begun(store, sums(30), models=("a",))

    def answer(request):
        if request.case_id == "c7":
            store.delete_run(run.id)
        return right(request)

    async def bounded():
        limits = RunLimits(concurrency=concurrency)
        suite = store.suite(run.suite_hash)
        async with asyncio.timeout(PATIENCE_S):
            await execute(store, run, suite, Scripted(answer), limits=limits)

    with pytest.raises(Conflict, match="was deleted"):
        asyncio.run(bounded())


def test_recorded_answers_wait_for_nothing(store):
    run = begun(store, sums(200), models=("a",), provider={"kind": "recorded"})
    ended, _ = executed(store, run, Scripted(right), limits=RunLimits(concurrency=1, batch=64))
    assert ended.state == "finished"
    assert len(keys(store, run.id)) == 200
