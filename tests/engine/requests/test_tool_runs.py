"""Whole runs of cases with tools: killed and resumed, and on a cluster."""

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress

import pytest

from benchmaker import BenchmakerError, RunOptions, results, run
from benchmaker.record import Outcome
from tests.engine.executors.rays import a_folder, killed_worker, workers
from tests.waiting import until

CASES = 4
MODEL = """
import json, sys, time
from pathlib import Path

request = json.load(sys.stdin)
with Path(sys.argv[1]).open("a") as log:
    log.write(f"{request['case_id']} {len(request['messages'])}\\n")
time.sleep(float(sys.argv[2]))
results = [it["content"] for it in request["messages"] if it["role"] == "tool"]
if len(results) < 2:
    call = {"name": "add", "arguments": {"a": 2, "b": len(results)}}
    print(json.dumps({"output": "", "tool_calls": [call], "cost_usd": 0.5}))
else:
    print(json.dumps({"output": " ".join(results), "cost_usd": 0.5}))
"""
SUITE = {
    "name": "sums",
    "profile": "robust",
    "tools": [
        {"name": "add", "python": "functions.py:add", "parameters": {"required": ["a", "b"]}}
    ],
    "cases": [
        {
            "id": f"c{at}",
            "prompt": f"[c{at}] 2 + 1?",
            "tools": ["add"],
            "checks": [{"type": "tool_called", "value": "add", "times": 2}],
        }
        for at in range(CASES)
    ],
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "functions.py").write_text("def add(a, b):\n    return a + b\n")
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "suite.json").write_text(json.dumps(SUITE))
    return tmp_path


def model_of(folder, log, pause_s):
    return f"command:{sys.executable} {folder}/model.py {folder}/{log} {pause_s}"


def requests(folder, log):
    path = folder / log
    return path.read_text().splitlines() if path.exists() else []


def facts(result):
    """What every execution of a run must agree on."""
    return [
        (it.case_id, it.outcome, it.score.score, it.text, it.transcript, it.cost_usd)
        for it in sorted(result.trials(), key=lambda trial: trial.position)
    ]


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("options", [(), ("--cache",)], ids=["", "cache"])
def test_a_stopped_run_repeats_only_requests_in_flight(folder, number, options):
    whole = run(folder / "suite.json", models=[model_of(folder, "whole", 0)], home=folder / "a")
    process = started(folder, "--concurrency", "2", *options, model=model_of(folder, "log", 0.3))
    for at in (2, 4, 7, 9):
        stop_after(process, folder, at, number)
        process = started(folder, "--concurrency", "2", command=("resume", "latest"))
    process.wait()
    resumed = results("latest", home=folder / "b")
    made = Counter(requests(folder, "log"))
    assert resumed.is_finished
    assert len(made) == 3 * CASES
    repeated = sum(made.values()) - len(made)
    assert repeated <= (4 * 2 if number == signal.SIGKILL else 0)
    assert facts(resumed) == facts(whole)


def stop_after(process, folder, number_of_requests, signal_number):
    def is_due():
        return len(requests(folder, "log")) >= number_of_requests or process.poll() is not None

    until(is_due)
    process.send_signal(signal_number)
    process.wait()


def started(folder, *options, command=("run", "suite.json"), model=None):
    """A process of the program in the folder, with its home there."""
    models = ("--model", model) if model else ()
    arguments = [*command, *models, *options, "--quiet", "--home", str(folder / "b")]
    return subprocess.Popen(
        [sys.executable, "-m", "benchmaker", *arguments],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.mark.long
@pytest.mark.parametrize("signals", [1, 2])
def test_ctrl_c_ends_a_tool_that_never_returns_and_keeps_the_cost(folder, signals):
    (folder / "functions.py").write_text(
        "import time\ndef add(a, b):\n    open('/dev/null')\n    time.sleep(3600)\n"
    )
    text = json.dumps(SUITE | {"tools": [{**SUITE["tools"][0], "timeout": 3600}]})
    (folder / "suite.json").write_text(text)
    process = started(folder, "--concurrency", "2", model=model_of(folder, "log", 0))
    until(lambda: stored_costs(folder) == [0.5, 0.5])
    for _ in range(signals):
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
    process.wait(600)
    made = results("latest", home=folder / "b")
    trials = list(made.trials())
    assert [it.outcome for it in trials] == [Outcome.CANCELLED] * 2
    assert [it.known_cost_usd for it in trials] == [0.5] * 2
    assert [it.transcript.steps for it in trials] == [1, 1]


def stored_costs(folder):
    with suppress(BenchmakerError):
        return [it.known_cost_usd for it in results("latest", home=folder / "b").trials()]
    return []


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_cluster_gives_the_transcripts_of_one_process(folder):
    found = {}
    with a_folder():
        for executor in ("local", "ray"):
            options = RunOptions(executor=executor)
            model = model_of(folder, executor, 0)
            home = folder / f"home-{executor}"
            made = run(folder / "suite.json", models=[model], home=home, options=options)
            assert made.is_finished
            found[executor] = facts(made)
    assert found["ray"] == found["local"]
    assert all(transcript.steps == 3 for *_, transcript, _ in found["ray"])


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_conversations_on_a_cluster_go_on_after_kills_of_workers_and_of_the_run(folder):
    whole = run(folder / "suite.json", models=[model_of(folder, "whole", 0)], home=folder / "a")
    options = ("--executor", "ray", "--concurrency", "2")
    with a_folder():
        process = started(folder, *options, model=model_of(folder, "log", 1))
        killed_worker(lambda: is_in_mid_conversation(folder))
        until(lambda: len(unfinished(folder)) > 0 and len(requests(folder, "log")) > 4)
        process.kill()
        process.wait()
        until(lambda: not workers())
        left = {it.case_id: it.transcript.steps for it in unfinished(folder)}
        before = len(requests(folder, "log"))
        process = started(folder, *options, command=("resume", "latest"))
        process.wait()
    resumed = results("latest", home=folder / "b")
    assert resumed.is_finished
    assert facts(resumed) == facts(whole)
    made = Counter(requests(folder, "log"))
    assert len(made) == 3 * CASES
    assert sum(made.values()) - len(made) <= 2 * 2
    for case_id, steps in left.items():
        again = [it for it in requests(folder, "log")[before:] if it.startswith(f"{case_id} ")]
        assert len(again) == 3 - steps


def is_in_mid_conversation(folder):
    return any(it.transcript.steps == 1 for it in unfinished(folder))


def unfinished(folder):
    with suppress(BenchmakerError):
        trials = results("latest", home=folder / "b").trials()
        return [it for it in trials if it.outcome is Outcome.UNFINISHED]
    return []
