"""Processes are told apart by their number and their start."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from benchmaker.processes import is_alive, start_time, tree
from tests.waiting import until

NOBODY = 2**22 + 1
"""A number above every number that the system gives."""


@pytest.fixture
def family(tmp_path):
    """A process with two below it, one below the other, by a name that reads like its line."""
    program = shutil.copy(shutil.which("bash"), tmp_path / "a) Z 1 (b")
    inner = f"'{program}' -c 'sleep 60 & wait' & wait"
    with subprocess.Popen([program, "-c", inner], start_new_session=True) as process:
        until(lambda: len(tree(process.pid)) == 3)
        yield process
        os.killpg(process.pid, signal.SIGKILL)


def parent(pid):
    """Who started a process, by the words of another file than the one that is read."""
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return int(dict(line.split(":", 1) for line in lines)["PPid"])


def test_who_started_another_stands_before_it(family):
    first, second, third = tree(family.pid)
    assert first == family.pid
    assert (parent(second), parent(third)) == (first, second)


def test_below_a_process_that_is_gone_there_is_nothing():
    assert tree(NOBODY) == [NOBODY]


def test_a_process_started_once_and_its_children_after_it(family):
    mine, theirs = start_time(os.getpid()), [start_time(pid) for pid in tree(family.pid)]
    assert [int(mine), *map(int, theirs)] == sorted(map(int, [mine, *theirs]))
    assert start_time(family.pid) == theirs[0]


def test_the_start_is_what_the_system_counts_in_ticks():
    before = time.clock_gettime(time.CLOCK_BOOTTIME)
    with subprocess.Popen(["sleep", "60"]) as process:
        said = int(start_time(process.pid)) / os.sysconf("SC_CLK_TCK")
        process.kill()
    assert before - 1 <= said <= time.clock_gettime(time.CLOCK_BOOTTIME) + 1


def test_who_has_the_number_of_another_is_not_it(family):
    start = start_time(family.pid)
    assert is_alive(family.pid, start)
    assert is_alive(family.pid, "")
    assert not is_alive(family.pid, str(int(start) - 1))


def test_who_ended_unnoticed_by_its_parent_does_not_live():
    with subprocess.Popen(["true"]) as process:
        start = start_time(process.pid)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert start_time(process.pid) == start
        assert not is_alive(process.pid, start)
    assert start_time(process.pid) == ""
    assert not is_alive(process.pid, start)


@pytest.mark.parametrize("pid", [0, -1, NOBODY])
def test_a_number_that_can_not_be_is_no_process(pid):
    assert not is_alive(pid, "")
    assert start_time(pid) == ""
