"""Submissions that come while something goes wrong: none is lost that was acknowledged."""

import os
import signal
import sqlite3
import threading
import time
from collections import Counter
from itertools import islice

import psycopg
import pytest

from benchmaker.arenas.agentic.submissions.queue import IntakeQueue
from benchmaker.store import Store
from tests.arenas.agentic.handed import many
from tests.databases import is_in_file
from tests.faults.hand_in_child import CLASSIC, all_handed_in, main
from tests.faults.processes import TIMEOUT_S, begun, ended, heard
from tests.store.conftest import address, empty  # noqa: F401  fixtures
from tests.waiting import until

COUNT = 30
AWAY_S = 0.5
SMALL = 8_000_000

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*was deleted while still open:ResourceWarning"),
    pytest.mark.postgresql("connections that break"),
    pytest.mark.warm,
]
"""A cursor of a connection that broke can't be closed; the driver warns where it is let go."""


def until_idle(store):
    until(lambda: not store.pending_slots.marks(), TIMEOUT_S)


def whole(store, given):
    """All are there once, evaluated once, announced once."""
    names = sorted(one.id for one in given)
    assert sorted(one.id for one in store.submissions()) == names
    assert {one.revision for one in store.submissions()} == {1}
    assert sorted(it.submission_id for it in store.agentic.evaluations(CLASSIC.id)) == names
    assert len(store.pending_messages(10 * COUNT)) == len(names)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_lost_when_the_process_ends(address, tmp_path, how):  # noqa: F811  a fixture
    Store.open(address).close()
    child = begun(main, address, str(tmp_path), COUNT)
    acknowledged = list(islice(heard(child), COUNT // 3))
    child.process.send_signal(how)
    end = ended(child)
    acknowledged += end.said

    assert end.code in {0, -signal.SIGKILL}, end.complaints
    with Store.open(address) as store:
        stored = Counter(one.id for one in store.submissions())
        assert set(acknowledged) <= set(stored)
        assert set(stored.values()) == {1}
        desk = IntakeQueue(lambda: store, tmp_path)
        desk.look_back()
        kept = []
        all_handed_in(desk, tmp_path / "again", many(COUNT), on_kept=kept.append)
        until_idle(store)
        desk.leave()
        assert len(kept) == COUNT
        whole(store, many(COUNT))


def lose(store, address):  # noqa: F811  where it is
    """Nobody reaches the database for a while: it is locked, or ends every connection."""
    if is_in_file(store):
        with sqlite3.connect(address, isolation_level=None, timeout=TIMEOUT_S) as other:
            other.execute("BEGIN IMMEDIATE")
            time.sleep(AWAY_S)
            other.execute("ROLLBACK")
        other.close()
        return
    ends = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
    others = "pid <> pg_backend_pid() AND datname = current_database()"
    ends_at = time.monotonic() + AWAY_S
    with psycopg.connect(address, autocommit=True) as other:
        while time.monotonic() < ends_at:
            other.execute(ends + others)
            time.sleep(0.01)


def test_nothing_is_lost_when_the_database_is_away(address, tmp_path):  # noqa: F811  a fixture
    kept = []
    with Store.open(address) as store:
        desk = IntakeQueue(lambda: store, tmp_path)
        away = threading.Thread(target=lose, args=(store, address))

        def on_kept(name):
            kept.append(name)
            if len(kept) == COUNT // 3:
                away.start()

        all_handed_in(desk, tmp_path / "in", many(COUNT), on_kept=on_kept)
        away.join()
        until_idle(store)
        desk.leave()
        assert sorted(kept) == sorted(one.id for one in many(COUNT))
        whole(store, many(COUNT))


@pytest.mark.sqlite("it is the file's disk")
@pytest.mark.small_disk(room=SMALL)
def test_nothing_is_lost_when_the_disk_is_full(small_disk, tmp_path):
    kept, troubles, ballast = [], [], small_disk / "ballast"

    def make_room():
        until(lambda: troubles)
        time.sleep(AWAY_S)
        ballast.unlink()

    with Store.open(small_disk / "benchmaker.db") as store:
        desk = IntakeQueue(lambda: store, tmp_path)
        with ballast.open("wb") as file:
            found = os.statvfs(small_disk)
            file.write(bytes(found.f_bavail * found.f_frsize))
        room = threading.Thread(target=make_room)
        room.start()
        tells = {"on_kept": kept.append, "on_trouble": troubles.append}
        all_handed_in(desk, tmp_path / "in", many(COUNT), **tells)
        room.join()
        assert any("disk is full" in str(one) for one in troubles)
        until_idle(store)
        desk.leave()
        assert sorted(kept) == sorted(one.id for one in many(COUNT))
        whole(store, many(COUNT))
