"""Wall limits leave out the time in which a command waited for a processor."""

import os
import sys

import pytest

from benchmaker.sandbox import (
    Isolation,
    ResourceLimits,
    SandboxCommand,
    interpreter_reads,
    run_sandboxed,
)
from benchmaker.sandbox.limits import longest_s
from benchmaker.sandbox.supervisor import QueueTime
from tests.sandbox.hogs import busy_machine

NAMESPACE = Isolation.NAMESPACE
SPIN = "import time\nwhile time.process_time() < {seconds}: pass"
IN_A_THREAD = """
import _thread, time
_thread.start_new_thread(exec, ({!r}, {{}}))
while time.process_time() < 0.15: time.sleep(0.2)
"""


def python(script):
    argv = (sys.executable, "-I", "-S", "-c", script)
    return SandboxCommand(argv, reads=interpreter_reads())


def queued(checks):
    """The seconds in the queue after checks of (ready?, processor seconds since the last one)."""
    queue, now, cpu_s = QueueTime(0.0), 0.0, 0.0
    for is_runnable, used_s in checks:
        now, cpu_s = now + 0.25, cpu_s + used_s
        queue.add(now, cpu_s, is_runnable=is_runnable)
    return queue


@pytest.mark.parametrize(
    ("check", "seconds"),
    [
        ((False, 0.0), 0.0),  # it sleeps
        ((True, 0.25), 0.0),  # it has a processor
        ((True, 0.5), 0.0),  # it has two
        ((True, 0.0), 10.0),  # it has none
        ((True, 0.05), 8.0),  # it has a fifth of one
    ],
)
def test_time_in_the_queue_is_time_ready_without_a_processor(check, seconds):
    assert queued([check] * 40).seconds == pytest.approx(seconds)


def test_processor_time_is_counted_in_steps_without_an_effect():
    """A command that has a processor alone; its time comes in steps."""
    assert queued([(True, 0.3), (True, 0.2)] * 20).seconds == pytest.approx(0.0)


def test_two_processors_before_do_not_make_up_for_a_queue_after():
    assert queued([(True, 0.5)] * 40 + [(True, 0.0)] * 8).seconds == pytest.approx(2.0)


def test_the_message_names_the_time_in_the_queue():
    assert str(queued([(False, 0.0)] * 40)) == ""
    assert str(queued([(True, 0.0)] * 40)) == ", not counting 10 s in the queue for a processor"


@pytest.mark.long
@pytest.mark.parametrize("start", ["{}", IN_A_THREAD], ids=["program", "thread"])
def test_a_command_that_waits_for_a_processor_reaches_no_wall_limit(start):
    """Eight others per processor have three times its priority."""
    spin = SPIN.format(seconds=0.15)
    limits = ResourceLimits(wall_s=3)
    with busy_machine(8 * (os.cpu_count() or 1)):
        ended = run_sandboxed(python(start.format(spin)), isolation=NAMESPACE, limits=limits)
    assert (ended.reason, ended.exit_status, ended.detail) == ("exited", 0, "")


@pytest.mark.long
def test_a_command_that_sleeps_reaches_it_on_a_busy_machine():
    command = SandboxCommand(("sleep", "600"))
    with busy_machine(4 * (os.cpu_count() or 1)):
        ended = run_sandboxed(command, isolation=NAMESPACE, limits=ResourceLimits(wall_s=2))
    assert ended.reason == "timeout"
    assert ended.detail.startswith("after 2 s")


@pytest.mark.long
def test_a_command_that_computes_reaches_its_wall_limit():
    command = python(SPIN.format(seconds=600))
    limits = ResourceLimits(wall_s=2, cpu_s=600)
    ended = run_sandboxed(command, isolation=NAMESPACE, limits=limits)
    assert ended.reason == "timeout"
    assert ended.wall_s >= 2
    assert ended.wall_s < longest_s(2) + 10
