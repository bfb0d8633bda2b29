"""A worker that is told to leave: soon, and with its job back in the queue."""

import asyncio
import logging
import time

import pytest

from benchmaker.engine.jobs.worker import JobWorker
from benchmaker.engine.trials.log_context import context_ids
from benchmaker.record.job import Job, JobState
from benchmaker.store import Store
from benchmaker.store.queues.jobs import lease_of

PATIENCE_S = 10


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "benchmaker.db") as opened:
        opened.jobs.add(Job(id="j1", kind="run", target="run-1"))
        yield opened


def state(store):
    return store.jobs.find("j1").state


def leave(store, work, *, drain_s=0.2, first=lambda: None):
    """Leave once the job runs; how long that took."""

    async def told():
        leaving, begun = asyncio.Event(), asyncio.Event()

        async def noted(job, stop):
            begun.set()
            return await work(job, stop)

        worker = JobWorker(store, {"run": noted}, drain_s=drain_s)
        task = asyncio.ensure_future(worker.work(leaving))
        await asyncio.wait_for(begun.wait(), PATIENCE_S)
        first()
        leaving.set()
        began = time.monotonic()
        await asyncio.wait_for(task, PATIENCE_S)
        return time.monotonic() - began

    return asyncio.run(told())


async def deaf(_job, _stop):
    await asyncio.sleep(3600)


def test_work_that_does_not_stop_is_broken_off_and_put_back(store):
    ended = []

    async def work(job, stop):
        try:
            await deaf(job, stop)
        finally:
            ended.append(job.id)

    assert 0.15 < leave(store, work) < 5
    assert ended == ["j1"]
    assert state(store) is JobState.QUEUED
    assert store.lease(lease_of("j1")) is None


def test_work_that_stops_is_waited_for(store):
    kept = []

    async def work(_job, stop):
        await stop.wait()
        await asyncio.sleep(0.3)
        kept.append("what was in flight")

    leave(store, work, drain_s=PATIENCE_S)

    assert kept == ["what was in flight"]
    assert state(store) is JobState.QUEUED


def test_what_a_person_stopped_stays_stopped_where_it_is_broken_off(store):
    leave(store, deaf, first=lambda: store.jobs.ask_to_stop("run-1"))

    assert state(store) is JobState.STOPPED


def test_a_failure_on_the_way_out_is_written_down(store):
    async def work(_job, stop):
        await stop.wait()
        raise ZeroDivisionError

    leave(store, work)

    assert state(store) is JobState.FAILED


def test_a_worker_that_is_cancelled_puts_its_job_back(store):
    async def cancel():
        task = asyncio.ensure_future(JobWorker(store, {"run": deaf}).work(asyncio.Event()))
        while state(store) is not JobState.RUNNING:  # noqa: ASYNC110  it changes in the store
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, PATIENCE_S)

    asyncio.run(cancel())
    assert state(store) is JobState.QUEUED


def test_a_worker_says_when_it_last_looked(store):
    async def watched():
        leaving, seen = asyncio.Event(), []

        async def work(_job, _stop):
            for _ in range(2):
                before = worker.seen
                while worker.seen == before:  # noqa: ASYNC110  it looks every 0.4 s
                    await asyncio.sleep(0.05)
                seen.append(worker.seen)

        worker = JobWorker(store, {"run": work})
        await asyncio.wait_for(worker.work(leaving, once=True), PATIENCE_S)
        return seen

    first, second = asyncio.run(watched())
    assert first < second <= time.monotonic()


def test_what_is_logged_of_a_job_carries_its_id(store, caplog):
    caplog.set_level(logging.INFO, logger="benchmaker.jobs")
    known = []

    async def work(_job, _stop):
        known.append(context_ids())

    async def once():
        await JobWorker(store, {"run": work}).work(asyncio.Event(), once=True)

    asyncio.run(once())

    assert known == [{"job_id": "j1"}]
    begun, ended = (one for one in caplog.records if one.name == "benchmaker.jobs")
    assert begun.fields == {"kind": "run", "target": "run-1"}
    assert ended.fields["state"] == "done"
