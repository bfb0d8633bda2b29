"""Runs that end early: the budget is used up, or somebody pressed Ctrl-C."""

import json
import re
import signal

import pytest

from tests.cli.conftest import environment, write_sums
from tests.live.faulty import FaultyServer
from tests.live.server.pace import Pace
from tests.running import warm
from tests.waiting import until

CONCURRENCY = 5
NEVER_S = 3600.0
PATIENCE_S = 600.0
"""Stops what hangs, and nothing else."""

PRICED = "openai/gpt-4o-mini"


@pytest.fixture(scope="module")
def slow_server():
    with FaultyServer(Pace(latency_s=0.3)) as started:
        yield started


@pytest.fixture
def many(tmp_path):
    return write_sums(tmp_path, 60)


def test_a_budget_stops_the_run_and_more_of_it_goes_on(program, server, environ, key, many):
    words = ["--model", PRICED, "--json", "--concurrency", 1]
    said = program("run", many, *words, "--max-cost", 0.00124, code=4, **environ)
    run_id = said.data["run_id"]
    assert said.data["complete"] is False
    assert "Stopped: the budget of $0.00124 does not cover another request" in said.stderr
    assert f"benchmaker resume {run_id} --max-cost USD" in said.stderr
    before = len(server.settled(key=key))
    assert 0 < before < 60
    again = program("resume", run_id, "--max-cost", 1, "--json", **environ).data
    assert again["models"][0]["n_scored"] == 60
    assert len(server.settled(key=key)) == 60


def test_a_budget_without_a_price_is_refused_before_anything_is_sent(live, server, key, sums):
    told = live("run", sums, "--model", "openai/plain", "--max-cost", 1, code=3).stderr
    assert "the price of openai/plain is unknown" in told
    assert server.settled(key=key) == []


def begun(slow_server, key, home, suite, *words):
    """A run that has asked on: some answers are there, and it has said how it stands."""
    environ = {"OPENAI_API_KEY": key, "OPENAI_BASE_URL": slow_server.openai_url}
    env = environment(home) | environ
    process = warm.start(["run", suite, *words], cwd=suite.parent, env=env, text=True)
    until(
        lambda: requested(slow_server, key) > CONCURRENCY + 1 or process.poll() is not None,
        PATIENCE_S,
    )
    assert process.poll() is None, process.communicate()
    return process


def requested(server, key):
    """How many requests came."""
    return len(server.journal.entries(key=key))


def interrupted(process, server, key):
    """Let it wait for answers that never come; then send what Ctrl-C sends, twice.

    The second is sent once the first was heard. Gives what was printed by the end.
    """
    with server.paced(Pace(latency_s=NEVER_S)):
        before = requested(server, key)
        until(lambda: requested(server, key) >= before + CONCURRENCY, PATIENCE_S)
        process.send_signal(signal.SIGINT)
        until(lambda: "Stopping" in process.complaints(), PATIENCE_S)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        return process.communicate(timeout=PATIENCE_S)


def test_ctrl_c_once_finishes_what_is_in_flight(slow_server, program, key, home, many):
    process = begun(slow_server, key, home, many, "--model", "openai/plain", "--json")
    process.send_signal(signal.SIGINT)
    out, told = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, told
    data = json.loads(out)
    entries = slow_server.settled(key=key)
    assert data["models"][0]["n_scored"] == len(entries) < 60
    assert {entry.end for entry in entries} == {"answered"}
    assert "Stopping after the requests in flight (5, up to 10 s)." in told
    assert re.search(rf"Resume with:\s+\S*benchmaker resume {data['run_id']}", told)
    environ = {"OPENAI_API_KEY": key, "OPENAI_BASE_URL": slow_server.openai_url}
    again = program("resume", data["run_id"], "--concurrency", 30, "--json", **environ).data
    assert again["models"][0]["n_scored"] == 60
    assert len(slow_server.settled(key=key)) == 60


def test_a_run_that_ends_at_once_stands_in_the_audit_log(slow_server, cli, key, home, many):
    cli("user", "add", "ada", "--password-stdin", stdin="correct horse battery staple\n")
    process = begun(slow_server, key, home, many, "--model", "openai/plain")
    _, told = interrupted(process, slow_server, key)
    assert process.returncode == 130, told
    (run,) = cli("runs", "--json").data["runs"]
    assert newest_line(cli) == ("run.start", run["run_id"])


HASTY = """
import os, signal, time

def answer(_):
    for _ in range(2):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.02)
    time.sleep(600)
"""


def test_a_run_that_ends_before_it_said_how_it_stands_is_in_the_audit_log(
    program, cli, many, tmp_path
):
    cli("user", "add", "ada", "--password-stdin", stdin="correct horse battery staple\n")
    (tmp_path / "hasty.py").write_text(HASTY)
    words = ["run", many, "--model", "python:hasty:answer", "--concurrency", 1]
    program(*words, code=130, PYTHONPATH=str(tmp_path))
    (run,) = cli("runs", "--json").data["runs"]
    assert newest_line(cli) == ("run.start", run["run_id"])


def test_a_run_that_is_gone_on_with_stands_in_the_audit_log(slow_server, live, key, home, many):
    live("user", "add", "ada", "--password-stdin", stdin="correct horse battery staple\n")
    process = begun(slow_server, key, home, many, "--model", "openai/plain", "--json")
    process.send_signal(signal.SIGINT)
    out, told = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, told
    run_id = json.loads(out)["run_id"]
    assert newest_line(live) == ("run.start", run_id)
    live("resume", run_id, "--concurrency", 30)
    assert newest_line(live) == ("run.resume", run_id)


def newest_line(cli):
    """What the audit log says last."""
    line = cli("audit", "--json").data["entries"][0]
    return line["action"], line["object"]


def test_ctrl_c_twice_ends_at_once(slow_server, key, home, many):
    process = begun(slow_server, key, home, many, "--model", "openai/plain")
    out, told = interrupted(process, slow_server, key)
    assert process.returncode == 130, told
    assert out == ""
    assert "Stopped immediately; stored answers are kept. Resume with:" in told
    assert "Traceback" not in told


def test_a_budget_that_cannot_be_kept_is_not_announced(live, sums):
    words = ("--model", "ollama/unpriced", "--max-cost", 1)
    said = live("run", sums, *words, code=3).stderr
    assert "can't be enforced" in said
    assert "never exceeded" not in said
