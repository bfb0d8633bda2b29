"""The program itself, beside another one on the same run, and when it is told to end."""

import json
import os
import signal
import socket

import pytest

from tests.faults.live_work import TIMEOUT_S, answered, answers_by_question, rows
from tests.live.faulty import FaultyServer
from tests.live.runs import environ_for
from tests.live.server.pace import Pace
from tests.running import warm
from tests.waiting import until

CASES = 60

pytestmark = pytest.mark.warm


@pytest.fixture(scope="module")
def server():
    with FaultyServer(Pace(latency_s=0.25)) as started:
        yield started


@pytest.fixture
def key(request):
    return f"sk-proj-{abs(hash(request.node.nodeid)):x}-0000"


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "suite.json"
    cases = [
        {"id": f"c{n}", "prompt": f"[c{n}] {n} + {n}?", "expected": f"{n + n}"}
        for n in range(CASES)
    ]
    path.write_text(json.dumps({"name": "sums", "cases": cases, "scorer": {"id": "exact"}}))
    return path


def begun(server, key, home, *words):
    environ = {**os.environ, **environ_for(server, key), "BENCHMAKER_HOME": str(home)}
    return warm.start(words, env=environ, cwd=home, text=True)


def running(server, key, home, suite):
    """A run of which some answers are there."""
    process = begun(server, key, home, "run", str(suite), "--model", "openai/one", "--json")
    until(lambda: answered(server, key) >= 6 or process.poll() is not None, TIMEOUT_S)
    assert process.poll() is None, process.communicate()
    return process


def test_of_two_programs_on_one_run_one_works_and_the_other_names_it(server, key, tmp_path, suite):
    first = running(server, key, tmp_path, suite)
    second = begun(server, key, tmp_path, "resume", "latest")
    said, complaints = second.communicate(timeout=TIMEOUT_S)
    first_said, first_complaints = first.communicate(timeout=TIMEOUT_S)

    assert second.returncode == 4, complaints
    assert f"held by process {first.pid} on {socket.gethostname()}" in said + complaints
    assert "Traceback" not in complaints
    assert first.returncode == 0, first_complaints
    assert json.loads(first_said)["models"][0]["n_scored"] == CASES
    assert set(answers_by_question(server, key).values()) == {1}
    assert len(rows(tmp_path)) == CASES


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_told_to_end_it_finishes_what_is_under_way_and_says_how_to_go_on(
    server, key, tmp_path, suite, number
):
    process = running(server, key, tmp_path, suite)
    process.send_signal(number)
    said, complaints = process.communicate(timeout=TIMEOUT_S)
    found = answers_by_question(server, key)

    assert process.returncode == 130, complaints
    assert f"resume {json.loads(said)['run_id']}" in complaints
    assert "Traceback" not in complaints
    assert set(found.values()) == {1}
    assert len(rows(tmp_path)) == len(found) < CASES


def test_of_two_programs_that_resume_at_once_one_works(server, key, tmp_path, suite):
    first = running(server, key, tmp_path, suite)
    first.kill()
    first.communicate()
    both = [begun(server, key, tmp_path, "resume", "latest") for _ in range(2)]
    ends = [process.communicate(timeout=TIMEOUT_S) for process in both]
    codes = [process.returncode for process in both]

    assert sorted(codes) == [0, 4], ends
    assert "held by process" in "".join(ends[codes.index(4)])
    assert len(rows(tmp_path)) == CASES
    found = answers_by_question(server, key)
    assert len(found) == CASES
    assert found.total() - CASES <= 5
