"""``benchmaker control``, with and without a process that works on the run."""

import json
import re
import signal

import pytest

from tests.cli.conftest import environment, write_sums
from tests.live.faulty import FaultyServer
from tests.live.server.pace import Pace
from tests.running import warm
from tests.waiting import until

PATIENCE_S = 600.0
CASES = 60


@pytest.fixture(scope="module")
def slow_server():
    with FaultyServer(Pace(latency_s=0.3)) as started:
        yield started


@pytest.fixture
def many(tmp_path):
    return write_sums(tmp_path, CASES)


@pytest.fixture
def started(slow_server, key, home, many):
    """A run in progress, with its environment; killed at the end of the test."""
    environ = {"OPENAI_API_KEY": key, "OPENAI_BASE_URL": slow_server.openai_url}
    words = ["run", many, "--model", "openai/plain", "--json"]
    process = warm.start(words, cwd=many.parent, env=environment(home) | environ, text=True)
    until(
        lambda: len(slow_server.journal.entries(key=key)) > 6 or process.poll() is not None,
        PATIENCE_S,
    )
    yield process, environ
    process.kill()
    process.communicate()


def test_a_run_is_paused_and_resumed_from_another_process(started, program, slow_server, key):
    process, _ = started
    paused = program("control", "latest", "--pause")
    assert re.match(r"Paused; \d requests? in flight will finish\.", paused.stdout)
    assert re.search(r"End the pause with:\s+\S*benchmaker control \S+ --resume", paused.stderr)
    assert program("runs", "--json").data["runs"][0]["state"] == "paused"
    number = len(slow_server.settled(key=key))
    assert number < CASES
    until(lambda: "paused by command 1 of cli" in process.complaints(), PATIENCE_S)
    assert len(slow_server.journal.entries(key=key)) == number
    said = program("control", "latest", "--concurrency", 20, "--resume", "--json").data
    assert [one["state"] for one in said["commands"]] == ["applied", "applied"]
    assert said["state"] == "running"
    assert said["is_held"] is True
    out, told = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, told
    assert json.loads(out)["models"][0]["n_scored"] == CASES
    assert len(slow_server.settled(key=key)) == CASES


def test_a_paused_run_stays_paused_until_it_is_resumed(started, program, slow_server, key):
    process, environ = started
    program("control", "latest", "--pause")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert program("runs", "--json").data["runs"][0]["state"] == "paused"
    before = len(slow_server.settled(key=key))
    again = program("control", "latest", "--pause")
    assert again.stdout == "No effect: the run is paused already.\n"
    stored = program("control", "latest", "--concurrency", 30)
    assert stored.stdout == (
        "No process works on the run; it takes effect when the run is resumed.\n"
    )
    assert len(slow_server.settled(key=key)) == before
    assert program("resume", "latest", "--json", **environ).data["models"][0]["n_scored"] == CASES
    assert len(slow_server.settled(key=key)) == CASES


def test_what_cannot_be_done_is_refused(program, slow_server, key, many):
    environ = {"OPENAI_API_KEY": key, "OPENAI_BASE_URL": slow_server.openai_url}
    words = ("run", many, "--model", "openai/plain", "--concurrency", 30, "--limit", 2, "--json")
    run_id = program(*words, **environ).data["run_id"]
    finished = program("control", run_id, "--pause", code=2).stderr
    assert f"{run_id} has finished, so there is nothing to control." in finished
    assert f"benchmaker resume {run_id} --retry-failed" in finished
    assert "nothing to do" in program("control", run_id, code=2).stderr
    both = program("control", run_id, "--pause", "--resume", code=2).stderr
    assert "can't be paused and resumed" in both
    assert "there is no run 'nobody'" in program("control", "nobody", "--pause", code=2).stderr


@pytest.mark.usefixtures("started")
def test_an_unknown_model_is_refused_with_the_nearest_name(program):
    told = program("control", "latest", "--drop-model", "openai/plan", code=2).stderr
    assert "has no model 'openai/plan'. Did you mean 'openai/plain'?" in told


@pytest.mark.usefixtures("started")
def test_a_budget_without_prices_is_refused_by_the_process(program):
    told = program("control", "latest", "--max-cost", 1, code=3).stdout
    assert told.startswith("The price of openai/plain is unknown, so a budget can't be enforced.")


@pytest.mark.usefixtures("started")
def test_control_is_in_the_audit_log(program, cli):
    cli("user", "add", "ada", "--password-stdin", stdin="correct horse battery staple\n")
    program("control", "latest", "--pause")
    line = program("audit", "--json").data["entries"][0]
    assert (line["action"], line["detail"]) == ("run.control", "pause")
