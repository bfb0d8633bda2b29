"""SIGTERM to servers and workers: what is in flight ends within ten seconds, the rest is parked."""

import asyncio
import json
import os
import signal
from collections import Counter
from contextlib import contextmanager

import pytest

import benchmaker
from benchmaker import RunOptions
from benchmaker.arenas.standard.job_handlers import RESUME, ask_for
from benchmaker.record.job import JobState
from benchmaker.store import Store
from benchmaker.store.queues.jobs import lease_of
from tests.live.faulty import FaultyServer
from tests.live.runs import a_suite, environ_for
from tests.live.server.pace import Pace
from tests.running import warm
from tests.waiting import until

pytestmark = pytest.mark.warm

CASES = 30
KEY = "sk-proj-of-the-shutdown-0123456789"
PATIENCE_S = 600.0
"""Stops what hangs; an answer that never comes takes longer."""

NEVER_S = 3600.0
WORKER = ("worker", "--log-format", "json")
SERVER = ("serve", "--port", "0", "--log-format", "json")


def parked(home, server):
    """A run of which nothing is asked yet, and the job that asks it."""
    stop = asyncio.Event()
    stop.set()
    result = benchmaker.run(
        a_suite(CASES),
        models=["openai/right"],
        environ=environ_for(server, KEY),
        home=home,
        stop=stop,
        options=RunOptions(concurrency=3),
    )
    with Store.open(home / "benchmaker.db") as store:
        return result.run_ids[0], ask_for(store, RESUME, result.run_ids[0], {"concurrency": 3}).id


@contextmanager
def started(words, home, server):
    environ = {**os.environ, **environ_for(server, KEY)}
    child = warm.start([*words, "--home", str(home)], env=environ, cwd=home, text=True)
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def rows(home, run_id):
    with Store.open(home / "benchmaker.db", read_only=True) as store:
        return Counter(trial.case_id for trial in store.trials(run_id))


def until_rows(home, run_id, number):
    until(lambda: sum(rows(home, run_id).values()) >= number, PATIENCE_S)


def ended(child):
    """Send SIGTERM; the events it wrote by its end."""
    child.send_signal(signal.SIGTERM)
    _, said = child.communicate(timeout=PATIENCE_S)
    return [json.loads(line) for line in said.splitlines()]


def answered(server):
    entries = server.settled(key=KEY, timeout_s=PATIENCE_S)
    return Counter(entry.case for entry in entries if entry.end == "answered")


@pytest.mark.parametrize("words", [WORKER, SERVER], ids=["worker", "serve"])
def test_sigterm_parks_the_run_and_loses_nothing(tmp_path, words):
    with FaultyServer(Pace(latency_s=0.3)) as server:
        run_id, job_id = parked(tmp_path, server)
        with started(words, tmp_path, server) as child:
            until_rows(tmp_path, run_id, 3)
            events = ended(child)
        kept = rows(tmp_path, run_id)
        before = answered(server)
        with Store.open(tmp_path / "benchmaker.db") as store:
            job, lease = store.jobs.find(job_id), store.lease(lease_of(job_id))
            run_lease = store.lease(f"run {run_id}")

        assert (job.state, lease, run_lease) == (JobState.QUEUED, None, None)
        assert 3 <= len(kept) < CASES
        assert kept == before, "what was answered is stored, once"
        by_event = {event["event"]: event for event in events}
        assert by_event["job begun"]["job_id"] == job_id
        assert by_event["job put back"]["state"] == "queued"
        assert KEY not in json.dumps(events)

        with started(("worker", "--once"), tmp_path, server) as child:
            child.communicate(timeout=PATIENCE_S)
        assert rows(tmp_path, run_id) == answered(server)
        assert len(rows(tmp_path, run_id)) == CASES
        assert set(answered(server).values()) == {1}


def test_what_does_not_stop_in_time_is_broken_off_and_parked(tmp_path):
    with FaultyServer(Pace(latency_s=NEVER_S)) as server:
        run_id, job_id = parked(tmp_path, server)
        with started(WORKER, tmp_path, server) as child:
            until(lambda: server.journal.entries(key=KEY), PATIENCE_S)
            ended(child)
        with Store.open(tmp_path / "benchmaker.db") as store:
            job, lease = store.jobs.find(job_id), store.lease(lease_of(job_id))

    assert (job.state, lease, rows(tmp_path, run_id)) == (JobState.QUEUED, None, Counter())
