"""Ctrl-C and SIGTERM: once to stop cleanly, twice to stop at once."""

import signal
import time

import pytest

from tests.faults.child import write_answers
from tests.faults.processes import ended, finish, rows, start, wait_until

pytestmark = pytest.mark.warm

CASES = 300


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.jsonl"
    write_answers(path, CASES)
    return path


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_once_keeps_what_is_done(tmp_path, answers, number):
    child = start("run", tmp_path, answers, CASES, latency_s=0.02)
    wait_until(child, "done", but="done 0")
    child.process.send_signal(number)
    last = ended(child)

    assert last.code == 0
    assert last.last["interrupted"]
    assert not last.last["finished"]
    assert last.acknowledged == len(rows(tmp_path)) > 0


def test_twice_stops_at_once(tmp_path, answers):
    child = start("run", tmp_path, answers, CASES, latency_s=3600)
    said = wait_until(child, "done")
    while child.process.poll() is None:  # two that come before the first is seen are one
        child.process.send_signal(signal.SIGINT)
        time.sleep(0.2)
    last = ended(child)

    assert said == "done 0"
    assert last.code != 0
    assert "KeyboardInterrupt" in last.complaints
    assert rows(tmp_path) == []


def test_a_stopped_recorded_run_can_be_gone_on_with(tmp_path, answers):
    child = start("run", tmp_path, answers, CASES)
    wait_until(child, "done")
    child.process.send_signal(signal.SIGTERM)
    ended(child)
    finish(tmp_path, answers, CASES)

    assert len(rows(tmp_path)) == 2 * CASES
