"""The time limit of a command leaves out pauses that another process states."""

import pytest

from benchmaker.sandbox import Isolation, ResourceLimits, SandboxCommand, run_sandboxed
from benchmaker.sandbox.paused_time import PausedTime

pytestmark = pytest.mark.long

LIMITS = ResourceLimits(wall_s=0.4, cpu_s=30, memory_mb=256, processes=24, disk_mb=8, inodes=90)


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


@pytest.mark.parametrize("isolation", [Isolation.PROCESS, Isolation.NAMESPACE])
def test_a_pause_does_not_count_under_the_time_limit(tmp_path, isolation):
    paused = PausedTime(tmp_path / "file")
    command = SandboxCommand(("sleep", "0.8"), pause_file=paused.path)
    with paused.pause():
        assert run_sandboxed(command, isolation=isolation, limits=LIMITS).reason == "exited"
    late = SandboxCommand(("sleep", "60"), pause_file=paused.path)
    ended = run_sandboxed(late, isolation=isolation, limits=LIMITS)
    assert ended.detail == "after 0.4 s"  # earlier pauses are not its own


def test_a_pause_without_end_does_not_keep_a_command_alive(tmp_path):
    paused = PausedTime(tmp_path / "file")
    command = SandboxCommand(("sleep", "600"), pause_file=paused.path)
    with paused.pause():
        ended = run_sandboxed(command, isolation=Isolation.NAMESPACE, limits=LIMITS)
    assert ended.reason == "timeout"
