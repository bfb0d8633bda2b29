"""The time limit of a command leaves out pauses that another process states."""

from dataclasses import replace

import pytest

from benchmaker.sandbox import Isolation, ResourceLimits, SandboxCommand, run_sandboxed
from benchmaker.sandbox.paused_time import PausedTime

pytestmark = pytest.mark.long

LIMITS = ResourceLimits(wall_s=1, cpu_s=30, memory_mb=256, processes=24, disk_mb=8, inodes=90)


def test_overlapping_pauses_count_once(tmp_path):
    now = [100.0]
    paused = PausedTime(tmp_path / "file", clock=lambda: now[0])
    with paused.pause():
        now[0] += 2
        with paused.pause():
            now[0] += 3
        assert paused.seconds == 5
        assert paused.path.read_text().split() == ["0.000000", "100.000000"]
    now[0] += 7
    assert paused.seconds == 5
    assert paused.path.read_text().split() == ["5.000000", "0.000000"]
    paused.close()
    assert list(tmp_path.iterdir()) == []


def test_a_pause_counts_while_something_works_for_the_command(tmp_path):
    now = [100.0]
    paused = PausedTime(tmp_path / "file", clock=lambda: now[0])
    with paused.pause():
        now[0] += 2
        with paused.work():
            now[0] += 3
            assert paused.path.read_text().split() == ["2.000000", "0.000000"]
        now[0] += 4
    now[0] += 5
    assert paused.seconds == 6


@pytest.mark.parametrize("isolation", [Isolation.PROCESS, Isolation.NAMESPACE])
def test_a_pause_does_not_count_under_the_time_limit(tmp_path, isolation):
    paused = PausedTime(tmp_path / "file")
    command = SandboxCommand(("sleep", "1.5"), pause_file=paused.path)
    with paused.pause():
        assert run_sandboxed(command, isolation=isolation, limits=LIMITS).reason == "exited"


def test_earlier_pauses_are_not_those_of_a_command(tmp_path):
    now = [100.0]
    paused = PausedTime(tmp_path / "file", clock=lambda: now[0])
    with paused.pause():
        now[0] += 1000
    command = SandboxCommand(("sleep", "8"), pause_file=paused.path)
    ended = run_sandboxed(command, isolation=Isolation.NAMESPACE, limits=LIMITS)
    assert ended.reason == "timeout"


def test_a_pause_without_end_does_not_keep_a_command_alive(tmp_path):
    paused = PausedTime(tmp_path / "file")
    command = SandboxCommand(("sleep", "600"), pause_file=paused.path)
    with paused.pause():
        limits = replace(LIMITS, wall_s=0.2)
        ended = run_sandboxed(command, isolation=Isolation.NAMESPACE, limits=limits)
    assert ended.reason == "timeout"
