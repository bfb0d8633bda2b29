"""Ctrl-C, SIGTERM and SIGHUP while models are asked: once stops cleanly, twice at once."""

import signal
import time

import pytest

from tests.faults.live_work import (
    TRIALS,
    answers_by_question,
    ended,
    finish,
    rows,
    start,
    stored,
)
from tests.faults.processes import TIMEOUT_S, wait_until
from tests.live.faulty import FaultyServer
from tests.live.runs import environ_for
from tests.live.server.pace import Pace
from tests.waiting import until

pytestmark = pytest.mark.warm
NEVER_S = 3600.0


@pytest.fixture(scope="module")
def server():
    with FaultyServer(Pace(latency_s=0.2)) as started:
        yield started


@pytest.fixture
def key(request):
    return f"sk-proj-{abs(hash(request.node.nodeid)):x}-0000"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_one_signal_keeps_what_is_in_flight_and_asks_no_more(tmp_path, server, key, number):
    environ = environ_for(server, key)
    child = start("run", tmp_path, environ)
    wait_until(child, "done", but="done 0")
    child.process.send_signal(number)
    end = ended(child)
    answered = len(answers_by_question(server, key))

    assert end.last == {"finished": False, "interrupted": True}
    assert 0 < stored(tmp_path) == answered < TRIALS
    finish(tmp_path, environ)
    assert len(rows(tmp_path)) == TRIALS
    assert set(answers_by_question(server, key).values()) == {1}


@pytest.mark.quick("nothing that was paid for may be lost")
def test_two_signals_stop_at_once_and_leave_no_half_row(tmp_path, server, key):
    environ = environ_for(server, key)
    child = start("run", tmp_path, environ)
    wait_until(child, "done", but="done 0")
    with server.paced(Pace(latency_s=NEVER_S)):
        asked = len(server.journal.entries(key=key))
        until(lambda: len(server.journal.entries(key=key)) > asked, TIMEOUT_S)
        while child.process.poll() is None:  # two that come before the first is seen are one
            child.process.send_signal(signal.SIGINT)
            time.sleep(0.02)
        end = ended(child)
    kept = stored(tmp_path)

    assert end.code != 0
    assert kept < TRIALS
    assert all(len_of_attempts == 1 for *_, len_of_attempts in rows(tmp_path))
    finish(tmp_path, environ)
    assert len(rows(tmp_path)) == TRIALS
