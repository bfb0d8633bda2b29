"""While models are asked: a disk that is full, a store that is locked, removed or replaced.

Whatever becomes of the store, what was paid for and is not stored is no more than was in flight.
"""

import asyncio
import subprocess
import sys
import threading
import time

import pytest

from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.runs.run import execute
from benchmaker.errors import Conflict, StoreError
from benchmaker.providers.live import Live
from benchmaker.record import RunState
from benchmaker.store import Store
from tests.databases import set_clock
from tests.engine.run_data import a_seed, begun, keys
from tests.faults.live_work import answers_by_question, ended, finish, rows, start, stored
from tests.faults.test_disk import said_in_our_words
from tests.faults.test_lock import HOLDER, address_of
from tests.live.faulty import FaultyServer
from tests.live.runs import a_suite, environ_for
from tests.live.server.pace import Pace
from tests.small_disks import enlarge

MODELS = ("openai/one", "anthropic/two")
CASES = 40
LIMITS = RunLimits(concurrency=5, lease_s=0.3)
ROOM = 900_000
"""Bytes: enough for a store and the suite, not for all rows."""

LARGE = 64_000_000
MANY = 250


@pytest.fixture(scope="module")
def server():
    with FaultyServer(Pace(latency_s=0.02)) as started:
        yield started


@pytest.fixture
def key(request):
    return f"sk-proj-{abs(hash(request.node.nodeid)):x}-0000"


def check_goes_on(last, home, server, key):
    """It was said, what was acknowledged is there, and the rest is asked once there is room."""
    message = said_in_our_words(last)
    assert "benchmaker.db" in message
    assert last.acknowledged <= stored(home) < 2 * MANY
    paid = answers_by_question(server, key)
    assert 0 <= paid.total() - stored(home) <= LIMITS.concurrency
    return message


@pytest.mark.sqlite("it is the file's disk")
@pytest.mark.small_disk(room=ROOM)
def test_a_full_disk_is_said_and_costs_no_more_than_what_was_in_flight(small_disk, server, key):
    environ = environ_for(server, key)
    last = ended(start("run", small_disk, environ, cases=MANY))
    message = check_goes_on(last, small_disk, server, key)
    enlarge(small_disk, LARGE)
    finish(small_disk, environ)

    assert "disk is full" in message
    assert len(rows(small_disk)) == 2 * MANY
    assert answers_by_question(server, key).total() <= 2 * MANY + LIMITS.concurrency


@pytest.mark.sqlite("it is the file that grows")
def test_a_limit_on_file_sizes_is_said_and_costs_no_more_either(tmp_path, server, key):
    environ = environ_for(server, key)
    last = ended(start("run", tmp_path, environ, cases=MANY, file_limit=ROOM))
    check_goes_on(last, tmp_path, server, key)
    finish(tmp_path, environ)

    assert len(rows(tmp_path)) == 2 * MANY


class Sitting:
    """A run of live models in this process, at whose N-th stored answer something happens."""

    def __init__(self, folder, server, key):
        self.store = Store.open(folder / "benchmaker.db", busy_timeout_s=0.3)
        self.provider = Live(MODELS, environ=environ_for(server, key))
        self.run = begun(
            self.store, a_suite(CASES), models=MODELS, provider=self.provider.description()
        )

    def sat(self, provider=None):
        suite = self.store.suite(self.run.suite_hash)

        async def all_of_it():
            try:
                await execute(
                    self.store,
                    self.run,
                    suite,
                    provider or self.provider,
                    limits=LIMITS,
                    random=a_seed(),
                )
            finally:
                await self.provider.close()

        asyncio.run(all_of_it())
        return self.store.run(self.run.id)


class Disturbed:
    """A provider that lets something happen before its N-th request."""

    def __init__(self, provider, number, happens):
        self._provider = provider
        self._number = number
        self._happens = happens
        self.requests = 0
        self.requests_after = 0
        self.endpoint_key = provider.endpoint_key
        self.stated_limits = provider.stated_limits

    async def complete(self, request):
        self.requests += 1
        self.requests_after += self.requests > self._number
        if self.requests == self._number:
            self._happens()
        return await self._provider.complete(request)


@pytest.fixture
def sitting(tmp_path, server, key):
    made = Sitting(tmp_path, server, key)
    yield made
    made.store.close()


def locked(store):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, address_of(store)], text=True, **pipes)
    assert holder.stdout.readline() == "held\n"
    return holder


def test_a_store_that_another_process_keeps_locked_is_said(sitting, server, key):
    holders = []
    disturbed = Disturbed(sitting.provider, 20, lambda: holders.append(locked(sitting.store)))
    with pytest.raises(Conflict, match="locked"):
        sitting.sat(disturbed)
    holders[0].communicate()
    paid, kept = answers_by_question(server, key).total(), len(keys(sitting.store, sitting.run.id))

    assert 0 <= paid - kept <= LIMITS.concurrency
    assert disturbed.requests_after <= 2 * LIMITS.concurrency
    time.sleep(LIMITS.lease_s)  # nobody could give it back
    assert sitting.sat().state is RunState.FINISHED
    assert len(keys(sitting.store, sitting.run.id)) == 2 * CASES


def test_a_lock_that_ends_in_time_costs_nothing(sitting, server, key):
    def lock_shortly():
        holder = locked(sitting.store)
        threading.Thread(target=lambda: (time.sleep(0.1), holder.communicate())).start()

    ended_run = sitting.sat(Disturbed(sitting.provider, 20, lock_shortly))

    assert ended_run.state is RunState.FINISHED
    assert set(answers_by_question(server, key).values()) == {1}


def removed(folder):
    for path in folder.glob("benchmaker.db*"):
        path.unlink()


def replaced(folder):
    """Another store in its place, as a sync program leaves it."""
    other = folder / "other"
    other.mkdir()
    Store.open(other / "benchmaker.db").close()
    removed(folder)
    (other / "benchmaker.db").rename(folder / "benchmaker.db")


@pytest.mark.sqlite("a file is removed")
@pytest.mark.parametrize("happens", [removed, replaced])
def test_a_store_that_is_gone_or_another_ends_the_asking(sitting, tmp_path, happens):
    disturbed = Disturbed(sitting.provider, 20, lambda: happens(tmp_path))
    with pytest.raises(StoreError) as caught:
        sitting.sat(disturbed)

    assert f"the store was {happens.__name__}" in str(caught.value)
    assert "benchmaker.db" in str(caught.value)
    assert disturbed.requests_after <= 2 * LIMITS.concurrency


class JumpingTime:
    """A wall clock that somebody sets while it runs: an hour back, a day on, and so forth."""

    def __init__(self):
        self._random = a_seed(5)
        self._jumps = (0.0, -3600.0, 86_400.0, -86_400.0, 7200.0)

    def __call__(self):
        return time.time() + self._random.choice(self._jumps)


def test_a_wall_clock_that_jumps_loses_no_lease_and_no_row(tmp_path, server, key):
    jumping = Sitting(tmp_path, server, key)
    set_clock(jumping.store, JumpingTime())
    ended_run = jumping.sat()
    trials = list(jumping.store.trials(jumping.run.id))
    jumping.store.close()

    assert ended_run.state is RunState.FINISHED
    assert [trial.position for trial in trials] == sorted(2 * list(range(CASES)))
    assert all(0 <= a.last_byte_s < 10 for trial in trials for a in trial.attempts)
    assert set(answers_by_question(server, key).values()) == {1}
