import pytest
from msgspec.structs import replace

from benchmaker.errors import Conflict, StoreError
from benchmaker.record.job import Job, JobState
from benchmaker.store.queues.jobs import lease_of

pytestmark = pytest.mark.postgresql("leases")

JOB = Job(id="j1", kind="run", target="s-1", body={"concurrency": 3})


@pytest.fixture
def jobs(store):
    return store.jobs


def lease(store, ttl_s=60.0, holder="worker"):
    return store.acquire_lease(lease_of("j1"), holder=holder, ttl_s=ttl_s)


def test_a_job_is_kept_and_found(jobs):
    made = jobs.add(JOB)

    assert jobs.find("j1") == made
    assert made.created_at
    assert jobs.list_open() == (made,)
    assert jobs.find_newest("s-1") == made
    assert jobs.find_newest("s-2") is None
    with pytest.raises(StoreError, match="there is no job"):
        jobs.find("j2")


def test_one_target_has_one_open_job(store, jobs):
    jobs.add(JOB)
    with pytest.raises(Conflict, match="already has a job in progress"):
        jobs.add(replace(JOB, id="j2"))
    held = lease(store)
    jobs.begin("j1", held)
    jobs.end("j1", held, JobState.DONE)
    jobs.add(replace(JOB, id="j2"))

    assert jobs.find_newest("s-1").id == "j2"


def test_a_job_goes_from_queued_to_running_to_its_end(store, jobs):
    jobs.add(JOB)
    held = lease(store)

    assert jobs.begin("j1", held).state is JobState.RUNNING
    jobs.end("j1", held, JobState.FAILED, error="no key", hint="Set it.")

    ended = jobs.find("j1")
    assert (ended.state, ended.error, ended.hint) == (JobState.FAILED, "no key", "Set it.")
    assert ended.started_at
    assert ended.finished_at
    assert not ended.is_open
    assert jobs.begin("j1", held) is None


def test_what_has_not_begun_is_stopped_at_once(jobs):
    jobs.add(JOB)

    assert jobs.ask_to_stop("s-1")
    assert jobs.find("j1").state is JobState.STOPPED
    assert not jobs.ask_to_stop("s-1")


def test_a_stop_outlives_the_worker_that_did_not_notice(store, jobs):
    jobs.add(JOB)
    held = lease(store)
    jobs.begin("j1", held)
    jobs.ask_to_stop("s-1")
    store.release_lease(held)

    again = lease(store)
    assert jobs.begin("j1", again).state is JobState.STOPPING
    jobs.put_back("j1", again)
    assert jobs.find("j1").state is JobState.STOPPED


def test_whoever_lost_the_lease_says_nothing_more(store, jobs):
    jobs.add(JOB)
    late = lease(store, ttl_s=0.0, holder="one")
    jobs.begin("j1", late)
    now = lease(store, holder="other")

    with pytest.raises(Conflict):
        jobs.end("j1", late, JobState.DONE)
    with pytest.raises(Conflict):
        jobs.put_back("j1", late)
    with pytest.raises(Conflict):
        jobs.begin("j1", late)
    jobs.begin("j1", now)
    jobs.end("j1", now, JobState.DONE)
    assert jobs.find("j1").state is JobState.DONE
