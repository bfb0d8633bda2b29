"""Time limits of criteria: processor time, and a bound for those that wait."""

import asyncio
import os

import pytest

from benchmaker.arenas.agentic.verify import averify
from benchmaker.arenas.agentic.verify.shipped_tasks import copy_task
from benchmaker.sandbox import wall_limit
from benchmaker.spec.tasks.task_file import load_task
from tests.arenas.agentic.verify.made import graded
from tests.sandbox.hogs import busy_machine

SPIN = ["sh", "-c", "while :; do :; done"]
SLEEP = ["sleep", "600"]
LIMITED = {
    "command": {"run": SPIN},
    "output_match": {"run": SPIN, "expected": "a"},
    "lint": {"run": SPIN},
    "performance": {"run": SPIN, "runs": 2, "max_seconds": 60},
    "min_functionality": {"checks": [SPIN, ["true"]]},
    "code_compiles": {"paths": ["a"], "run": SPIN},
}


@pytest.mark.parametrize("kind", LIMITED)
def test_one_that_computes_is_ended_by_its_processor_time(tmp_path, kind):
    criterion = {"type": kind, "timeout_s": 0.1, **LIMITED[kind]}
    found = graded(tmp_path, criterion, {"a": "1"})
    assert found.result == "fail"
    assert "s of processor time" in found.evidence


def test_a_lower_limit_of_the_task_applies(tmp_path):
    criterion = {"type": "command", "run": SPIN, "timeout_s": 600}
    found = graded(tmp_path, criterion, {}, task={"limits": {"cpu_s": 0.5}})
    assert "0.5 s of processor time" in found.evidence


def test_several_runs_share_the_time(tmp_path):
    spin = "import time\nwhile time.process_time() < 0.9: pass"
    checks = [["python", "-c", spin]] * 4
    found = graded(tmp_path, {"type": "min_functionality", "checks": checks, "timeout_s": 3}, {})
    assert found.result == "fail"
    assert found.evidence.startswith(("check 3: ", "check 4"))


@pytest.mark.long
def test_a_command_that_sleeps_is_ended_by_the_wall_limit(tmp_path):
    found = graded(tmp_path, {"type": "command", "run": SLEEP, "timeout_s": 0.2}, {})
    assert found.result == "fail"
    assert f"after {wall_limit(0.2):g} s" in found.evidence
    assert found.wall_s >= wall_limit(0.2)


@pytest.mark.long
def test_a_server_that_hangs_is_ended_by_the_wall_limit(tmp_path):
    server = """
        import socket, time
        with socket.create_server(("127.0.0.1", 8123)) as one:
            kept = []
            while True:
                kept.append(one.accept())
        """
    criterion = {"type": "http_probe", "start": ["python", "s.py"], "port": 8123}
    found = graded(tmp_path, criterion | {"timeout_s": 0.2}, {"s.py": server})
    assert found.result == "fail"
    assert "no answer" in found.evidence
    assert found.wall_s >= wall_limit(0.2)


@pytest.mark.long
def test_a_busy_machine_fails_no_correct_solution(tmp_path):
    """Each processor has four other processes, beside which the sandbox has the lower priority."""
    folder = tmp_path / "task"
    copy_task("room-calendar", folder)
    file = folder / "task.yaml"
    file.write_text(file.read_text().replace("timeout_s: 30", "timeout_s: 10"))
    task = load_task(folder)
    with busy_machine(4 * os.cpu_count()):
        made = asyncio.run(averify(task, task.reference))
    failed = {it.id: it.evidence for it in made.results if it.required and it.result != "pass"}
    assert failed == {}
    (behaviour,) = (it for it in made.results if it.id == "behaviour")
    assert behaviour.wall_s > 0
