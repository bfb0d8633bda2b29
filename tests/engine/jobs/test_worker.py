import asyncio

import pytest

from benchmaker.engine.jobs.worker import JobWorker
from benchmaker.errors import Conflict, PrerequisiteError
from benchmaker.record.job import Job, JobState
from benchmaker.store import Store
from benchmaker.store.queues.jobs import lease_of
from tests.waiting import PATIENCE_S


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "benchmaker.db") as opened:
        yield opened


def asked(store, kind="run", name="j1"):
    return store.jobs.add(Job(id=name, kind=kind, target=f"target of {name}"))


def state(store, name="j1"):
    return store.jobs.find(name).state


def work(store, **works):
    return asyncio.run(JobWorker(store, works).work(asyncio.Event(), once=True))


async def until_running(store):
    while state(store) is not JobState.RUNNING:  # noqa: ASYNC110  it changes in the store
        await asyncio.sleep(0.01)


async def nothing(_job, _stop):
    """Work that is done at once."""


async def until_stopped(_job, stop):
    await stop.wait()


def test_jobs_are_done_in_their_order(store):
    done = []

    async def note(job, _stop):
        done.append(job.id)

    for name in ("j1", "j2", "j3"):
        asked(store, name=name)

    assert work(store, run=note) == 3
    assert done == ["j1", "j2", "j3"]
    assert state(store) is JobState.DONE


def test_a_failure_is_written_down_and_the_next_job_is_done(store):
    async def fail(_job, _stop):
        raise PrerequisiteError(
            "the key sk-proj-abcdefghijklmnopqrstuvwxyz0123 is wrong.", hint="Set it."
        )

    async def break_down(_job, _stop):
        raise ZeroDivisionError

    asked(store, "fail", "j1")
    asked(store, "break_down", "j2")
    asked(store, "unheard", "j3")
    asked(store, "run", "j4")

    assert work(store, fail=fail, break_down=break_down, run=nothing) == 4
    failed = store.jobs.find("j1")
    assert (failed.state, failed.hint) == (JobState.FAILED, "Set it.")
    assert "abcdefghijklm" not in failed.error
    assert "ZeroDivisionError" in store.jobs.find("j2").error
    assert "unheard" in store.jobs.find("j3").error
    assert state(store, "j4") is JobState.DONE


def test_a_stop_is_noticed(store):
    asked(store)

    async def both():
        worker = asyncio.ensure_future(
            JobWorker(store, {"run": until_stopped}).work(asyncio.Event(), once=True)
        )
        await until_running(store)
        store.jobs.ask_to_stop("target of j1")
        await asyncio.wait_for(worker, PATIENCE_S)

    asyncio.run(both())
    assert state(store) is JobState.STOPPED


def test_a_worker_that_leaves_puts_its_job_back_for_the_next(store):
    asked(store)

    async def leave():
        leaving = asyncio.Event()
        worker = asyncio.ensure_future(JobWorker(store, {"run": until_stopped}).work(leaving))
        await until_running(store)
        leaving.set()
        return await asyncio.wait_for(worker, PATIENCE_S)

    assert asyncio.run(leave()) == 0
    assert state(store) is JobState.QUEUED
    assert work(store, run=nothing) == 1


def test_the_job_of_a_dead_worker_is_gone_on_with(store):
    asked(store)
    store.acquire_lease(lease_of("j1"), holder="worker", ttl_s=3600, pid=2**22 + 1)

    assert work(store, run=nothing) == 1
    assert state(store) is JobState.DONE


def test_the_job_of_a_living_worker_is_left_alone(store):
    asked(store)
    store.acquire_lease(lease_of("j1"), holder="worker", ttl_s=3600, host="elsewhere")

    assert work(store, run=nothing) == 0
    assert state(store) is JobState.QUEUED


def test_work_that_another_process_holds_is_tried_again(store):
    asked(store)
    tries = []

    async def held_at_first(_job, _stop):
        tries.append(1)
        if len(tries) == 1:
            raise Conflict("run r is held by process 1 on elsewhere.")

    assert work(store, run=held_at_first) == 1
    assert len(tries) == 2
    assert state(store) is JobState.DONE


def test_two_workers_never_do_the_same(store, tmp_path):
    done = []

    async def slowly(job, _stop):
        done.append(job.id)
        await asyncio.sleep(0.02)

    for number in range(6):
        asked(store, name=f"j{number}")

    async def both():
        with Store.open(tmp_path / "benchmaker.db") as second:
            workers = (JobWorker(one, {"run": slowly}) for one in (store, second))
            await asyncio.gather(*(one.work(asyncio.Event(), once=True) for one in workers))

    asyncio.run(both())
    assert sorted(done) == [f"j{number}" for number in range(6)]


def test_a_worker_whose_lease_was_taken_says_nothing_of_the_job(store):
    asked(store)

    async def lose_it(_job, _stop):
        lease = store.lease(lease_of("j1"))
        store.release_lease(lease)
        store.acquire_lease(lease_of("j1"), holder="other", ttl_s=3600, host="elsewhere")

    assert work(store, run=lose_it) == 0
    assert state(store) is JobState.RUNNING


def test_a_job_does_not_wait_for_the_one_before_it(store):
    done, first_may_end = [], asyncio.Event()

    async def first(job, _stop):
        await first_may_end.wait()
        done.append(job.id)

    async def second(job, _stop):
        done.append(job.id)
        first_may_end.set()

    asked(store, "first", "j1")
    asked(store, "second", "j2")

    assert work(store, first=first, second=second) == 2
    assert done == ["j2", "j1"]


def test_a_worker_executes_no_more_jobs_at_once_than_allowed(store):
    running, most = set(), []

    async def note(job, _stop):
        running.add(job.id)
        most.append(len(running))
        await asyncio.sleep(0.01)
        running.discard(job.id)

    for number in range(5):
        asked(store, name=f"j{number}")

    worker = JobWorker(store, {"run": note}, parallel=2)
    assert asyncio.run(worker.work(asyncio.Event(), once=True)) == 5
    assert max(most) == 2


def test_a_worker_that_leaves_puts_all_its_jobs_back(store):
    names = ["j1", "j2", "j3"]
    for name in names:
        asked(store, name=name)

    async def leave():
        leaving = asyncio.Event()
        worker = asyncio.ensure_future(JobWorker(store, {"run": until_stopped}).work(leaving))
        while any(state(store, name) is not JobState.RUNNING for name in names):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        leaving.set()
        return await asyncio.wait_for(worker, PATIENCE_S)

    assert asyncio.run(leave()) == 0
    assert {state(store, name) for name in names} == {JobState.QUEUED}
