import pytest
from msgspec.structs import replace

from benchmaker.errors import Conflict, StoreError
from benchmaker.record.job import Job, JobState
from benchmaker.store.queues.jobs import (
    add_job,
    ask_to_stop,
    begin_job,
    end_job,
    find_job,
    lease_of,
    newest_job,
    open_jobs,
    put_back,
)

pytestmark = pytest.mark.postgresql("leases")

JOB = Job(id="j1", kind="run", target="s-1", body={"concurrency": 3})


@pytest.fixture
def database(store):
    return store.database


def lease(store, ttl_s=60.0, holder="worker"):
    return store.acquire_lease(lease_of("j1"), holder=holder, ttl_s=ttl_s)


def test_a_job_is_kept_and_found(database):
    made = add_job(database, JOB)

    assert find_job(database, "j1") == made
    assert made.created_at
    assert open_jobs(database) == (made,)
    assert newest_job(database, "s-1") == made
    assert newest_job(database, "s-2") is None
    with pytest.raises(StoreError, match="there is no job"):
        find_job(database, "j2")


def test_one_target_has_one_open_job(store, database):
    add_job(database, JOB)
    with pytest.raises(Conflict, match="worked on already"):
        add_job(database, replace(JOB, id="j2"))
    held = lease(store)
    begin_job(database, "j1", held)
    end_job(database, "j1", held, JobState.DONE)
    add_job(database, replace(JOB, id="j2"))

    assert newest_job(database, "s-1").id == "j2"


def test_a_job_goes_from_queued_to_running_to_its_end(store, database):
    add_job(database, JOB)
    held = lease(store)

    assert begin_job(database, "j1", held).state is JobState.RUNNING
    end_job(database, "j1", held, JobState.FAILED, error="no key", hint="Set it.")

    ended = find_job(database, "j1")
    assert (ended.state, ended.error, ended.hint) == (JobState.FAILED, "no key", "Set it.")
    assert ended.started_at
    assert ended.finished_at
    assert not ended.is_open
    assert begin_job(database, "j1", held) is None


def test_what_has_not_begun_is_stopped_at_once(database):
    add_job(database, JOB)

    assert ask_to_stop(database, "s-1")
    assert find_job(database, "j1").state is JobState.STOPPED
    assert not ask_to_stop(database, "s-1")


def test_a_stop_outlives_the_worker_that_did_not_notice(store, database):
    add_job(database, JOB)
    held = lease(store)
    begin_job(database, "j1", held)
    ask_to_stop(database, "s-1")
    store.release_lease(held)

    again = lease(store)
    assert begin_job(database, "j1", again).state is JobState.STOPPING
    put_back(database, "j1", again)
    assert find_job(database, "j1").state is JobState.STOPPED


def test_whoever_lost_the_lease_says_nothing_more(store, database):
    add_job(database, JOB)
    late = lease(store, ttl_s=0.0, holder="one")
    begin_job(database, "j1", late)
    now = lease(store, holder="other")

    with pytest.raises(Conflict):
        end_job(database, "j1", late, JobState.DONE)
    with pytest.raises(Conflict):
        put_back(database, "j1", late)
    with pytest.raises(Conflict):
        begin_job(database, "j1", late)
    begin_job(database, "j1", now)
    end_job(database, "j1", now, JobState.DONE)
    assert find_job(database, "j1").state is JobState.DONE
