"""Test scripts of Harbor: their reward, from a place that no submission reaches."""

import asyncio

import pytest

from benchmaker.arenas.agentic.running.task_isolation import agent_isolation
from benchmaker.arenas.agentic.verify import acheck, verify
from benchmaker.arenas.agentic.verify.criteria.harbor import BadReward, read_reward
from benchmaker.errors import PrerequisiteError
from benchmaker.sandbox import Isolation
from benchmaker.spec.tasks.task_file import load_task
from tests.arenas.agentic.verify.made import written

SCRIPT = """\
set -e
[ "$(cat /app/out.txt)" = "$GREETING" ] && [ "$(pwd)" = /app ] && reward=1 || reward=0
echo $reward > /logs/verifier/reward.txt
"""
FILES = {
    "task.toml": "[verifier]\ntimeout_sec = 60\n",
    "instruction.md": "Write a greeting to /app/out.txt.\n",
    "environment/Dockerfile": "FROM ubuntu:24.04\nENV GREETING=hello\nWORKDIR /app\n",
    "tests/test.sh": SCRIPT,
    "solution/solve.sh": "echo $GREETING > /app/out.txt\n",
}


def a_folder(tmp_path, **changed):
    return load_task(written(tmp_path / "greet", FILES | changed))


def result(task, tmp_path, work):
    (found,) = verify(task, written(tmp_path / "work", work)).results
    return found


def test_the_solution_passes_and_everything_else_fails(tmp_path):
    checked = asyncio.run(acheck(a_folder(tmp_path)))
    assert checked.is_sound, checked.trials
    assert {trial.name: trial.found for trial in checked.trials} == {
        "reference": "pass",
        "empty": "fail",
        "{}": "fail",
    }


@pytest.mark.parametrize("name", ["logs/verifier/reward.txt", "reward.txt", "tests/test.sh"])
def test_a_submitted_reward_or_test_counts_for_nothing(tmp_path, name):
    text = "1" if name.endswith("txt") else "echo 1 > /logs/verifier/reward.txt"
    assert result(a_folder(tmp_path), tmp_path, {name: text, "out.txt": "no"}).result == "fail"


def test_a_script_that_ends_without_a_reward_is_a_failure(tmp_path):
    task = a_folder(tmp_path, **{"tests/test.sh": "exit 0\n"})
    found = result(task, tmp_path, {"out.txt": "hello"})
    assert (found.result, found.evidence.splitlines()[0]) == ("fail", "the tests wrote no reward")


def test_a_line_that_needs_a_container_is_in_the_refusal(tmp_path):
    docker = FILES["environment/Dockerfile"] + "RUN apt-get update\n"
    task = a_folder(tmp_path, **{"environment/Dockerfile": docker})
    with pytest.raises(PrerequisiteError) as refused:
        verify(task, written(tmp_path / "work", {"a": ""}), isolation=Isolation.NAMESPACE)
    assert "environment/Dockerfile:4  RUN apt-get update: needs the network" in str(refused.value)
    with pytest.raises(PrerequisiteError, match="Dockerfile:4  RUN apt-get update"):
        agent_isolation(task.task, Isolation.NAMESPACE)
    assert agent_isolation(a_folder(tmp_path).task) is Isolation.NAMESPACE
    task = a_folder(tmp_path, **{"environment/Dockerfile": docker})
    with pytest.raises(PrerequisiteError, match="needs isolation by container, not namespace"):
        asyncio.run(acheck(task, isolation=Isolation.NAMESPACE))


REWARDS = {
    "1": ({"reward.txt": "1\n"}, 1.0),
    "a part": ({"reward.txt": " 0.25"}, 0.25),
    "JSON first": ({"reward.txt": "0", "reward.json": '{"reward": 1}'}, 1.0),
    "a number alone": ({"reward.json": "0.5"}, 0.5),
    "the one value": ({"reward.json": '{"accuracy": 0.5}'}, 0.5),
    "the one called reward": ({"reward.json": '{"a": 0, "reward": 1}'}, 1.0),
    "several values": ({"reward.json": '{"a": 0, "b": 1}'}, "none called reward: a, b"),
    "no number": ({"reward.txt": "yes"}, "holds no number"),
    "nothing": ({}, "no reward"),
    "empty": ({"reward.txt": ""}, "holds no number"),
    "not finite": ({"reward.txt": "nan"}, "holds nan"),
    "infinite": ({"reward.json": "Infinity"}, "holds inf"),
    "a text": ({"reward.json": '{"reward": "1"}'}, "holds nan"),
    "a truth": ({"reward.json": '{"reward": true}'}, "holds nan"),
    "a list": ({"reward.json": "[1]"}, "holds no number"),
}


@pytest.mark.parametrize("case", REWARDS)
def test_a_reward_is_read_as_harbor_reads_it(tmp_path, case):
    files, expected = REWARDS[case]
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    if isinstance(expected, float):
        assert read_reward(tmp_path) == expected
    else:
        with pytest.raises(BadReward, match=expected):
            read_reward(tmp_path)
