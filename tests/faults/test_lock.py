"""A store that somebody else holds, or took away."""

import subprocess
import sys

import pytest

from benchmaker.engine.requests.limits import RunLimits
from benchmaker.errors import Conflict, StoreError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import RunState
from tests.engine.run_data import begun, executed, keys, opened, right, sums

HOLDER = """
import sqlite3, sys
if "://" in sys.argv[1]:
    import psycopg
    held = psycopg.connect(sys.argv[1])
    found = held.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    held.execute(f"LOCK TABLE {', '.join(name for name, in found)} IN EXCLUSIVE MODE")
else:
    held = sqlite3.connect(sys.argv[1], isolation_level=None)
    held.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""


def address_of(store):
    """What a holder opens."""
    path, url = store.address.path, store.address.url
    if path is not None:
        return str(path)
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path) as opened_store:
        yield opened_store


@pytest.fixture
def hold(store):
    """Makes another process lock the store until it is told to end."""
    holders = []

    def begin():
        words = [sys.executable, "-c", HOLDER, address_of(store)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        holder = subprocess.Popen(words, text=True, **pipes)
        holders.append(holder)
        assert holder.stdout.readline() == "held\n"
        return holder

    yield begin
    for holder in holders:
        holder.communicate()


def test_a_store_locked_for_too_long_is_said_and_the_run_can_be_gone_on_with(store, hold):
    holders = []

    def answer(request):
        if request.case_id == "c500" and not holders:
            holders.append(hold())
        return right(request)

    run = begun(store, sums(1000), models=("a",))
    limits = RunLimits(batch=64, lease_s=0.1)
    with pytest.raises(Conflict, match="the store is locked"):
        executed(store, run, Scripted(answer), limits=limits)
    holders[0].communicate()
    kept = len(keys(store, run.id))
    ended, _ = executed(store, run)

    assert kept < 1000
    assert ended.state is RunState.FINISHED
    assert len(keys(store, run.id)) == 1000


def test_a_lock_that_ends_in_time_is_waited_for(store, hold):
    holder = hold()
    done = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.2)"])
    run = None
    while run is None:
        try:
            run = begun(store, sums(3))
        except Conflict:
            done.wait()
            holder.communicate()

    assert executed(store, run)[0].state is RunState.FINISHED


@pytest.mark.sqlite("a file is removed")
def test_a_store_that_was_removed_is_said(store, tmp_path):
    def answer(request):
        if request.case_id == "c500":
            for path in tmp_path.glob("benchmaker.db*"):
                path.unlink()
        return right(request)

    run = begun(store, sums(1000), models=("a",))
    with pytest.raises(StoreError, match=r"removed|can't be opened"):
        executed(store, run, Scripted(answer), limits=RunLimits(batch=64))
