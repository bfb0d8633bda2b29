"""Whole runs of cases with tools: killed and resumed, and on a cluster."""

import json
import os
import signal
import subprocess
import sys

import pytest

from benchmaker import RunOptions, resume, run
from tests.engine.executors.rays import a_folder
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
    "tools": [{"name": "add", "python": "functions.py:add"}],
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
def test_a_killed_run_repeats_only_the_trial_in_flight(folder):
    whole = run(folder / "suite.json", models=[model_of(folder, "whole", 0)], home=folder / "a")
    options = ["--concurrency", "1", "--quiet", "--home", str(folder / "b")]
    command = ["run", str(folder / "suite.json"), "--model", model_of(folder, "log", 0.3)]
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmaker", *command, *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until(lambda: len(requests(folder, "log")) >= 5)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = requests(folder, "log")
    assert before[:5] == ["c0 1", "c0 3", "c0 5", "c1 1", "c1 3"]
    done = {line.split()[0] for line in before if line.endswith(" 5")}
    resumed = resume("latest", home=folder / "b")
    after = requests(folder, "log")[len(before) :]
    assert not {line.split()[0] for line in after} & (done - {before[-1].split()[0]})
    assert len(after) <= 3 * (CASES - len(done) + 1)
    assert facts(resumed) == facts(whole)


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
