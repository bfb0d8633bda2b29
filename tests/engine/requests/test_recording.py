"""What a worker waits for before it asks on, and what becomes of it when the store fails."""

import asyncio

import pytest
from sqlalchemy import text

from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.runs.run import execute
from benchmaker.errors import Conflict
from benchmaker.providers.scripted import Scripted
from tests.databases import direct_transaction, is_in_file
from tests.engine.run_data import begun, executed, keys, opened, right, sums

SETTLED_S = 0.2
PATIENCE_S = 20


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path) as opened_store:
        yield opened_store


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
        with direct_transaction(store) as blocker:
            if not is_in_file(store):
                blocker.execute(text("LOCK TABLE trials IN EXCLUSIVE MODE"))
            asked, rows = await settled(provider), store.count_trials(run.id)
        await asyncio.wait_for(work, PATIENCE_S)
        return asked, rows

    with opened(tmp_path, busy_timeout_s=PATIENCE_S) as store:
        run = begun(store, sums(30), models=("a",))
        asked, rows = asyncio.run(blocked_at_first())
        assert asked == rows + 3
        assert len(keys(store, run.id)) == 30
    assert provider.calls == 30


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
