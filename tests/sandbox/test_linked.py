"""Two commands that a socket connects, and nothing else."""

import asyncio
import gc
import sys
from dataclasses import replace

import pytest

from benchmaker.errors import SandboxError
from benchmaker.sandbox import (
    LINK_FD,
    ResourceLimits,
    SandboxCommand,
    arun_linked,
    interpreter_reads,
)

pytestmark = pytest.mark.usefixtures("walls")

LIMITS = ResourceLimits(wall_s=60, cpu_s=30, memory_mb=128, processes=24, disk_mb=8, inodes=200)


def python(code):
    argv = (sys.executable, "-I", "-S", "-B", "-c", f"import os, sys\n{code}")
    return SandboxCommand(argv, reads=interpreter_reads())


def run(first, second, limits=(LIMITS, LIMITS)):
    return asyncio.run(arun_linked(python(first), python(second), limits=limits))


def test_each_reads_what_the_other_writes():
    first, second = run(
        f"os.write({LINK_FD}, b'ping'); print(os.read({LINK_FD}, 9)); os.read({LINK_FD}, 9)",
        f"print(os.read({LINK_FD}, 9)); os.write({LINK_FD}, b'pong')",
    )
    assert (first.stdout, second.stdout) == (b"b'pong'\n", b"b'ping'\n")
    assert (first.reason, second.reason) == ("exited", "exited")


def test_only_the_own_verdict_pipe_is_within_reach():
    code = "os.write(3, {!r})\ntry: os.write(5, b'x')\nexcept OSError: print('closed')\n"
    wait = f"os.read({LINK_FD}, 1)"
    first, second = run(code.format(b"first") + wait, code.format(b"second"))
    assert (first.channel, second.channel) == (b"first", b"second")
    assert first.stdout == second.stdout == b"closed\n"


def test_neither_sees_the_others_processes_and_files():
    look = (
        "sorted(os.listdir('/workspace')), len([it for it in os.listdir('/proc') if it.isdigit()])"
    )
    first, second = run(
        f"open('mine', 'w'); os.write({LINK_FD}, b'x'); os.read({LINK_FD}, 1); print({look})",
        f"os.read({LINK_FD}, 1); print({look})",
    )
    assert first.stdout.startswith(b"['mine'] ")
    assert second.stdout.startswith(b"[] ")


def test_the_end_of_one_is_the_end_of_the_socket():
    first, _ = run(f"print(os.read({LINK_FD}, 9))", "os._exit(3)")
    assert first.stdout == b"b''\n"


def test_the_second_ends_with_the_first():
    first, second = run(f"os.read({LINK_FD}, 1)", f"os.write({LINK_FD}, b'x')\nwhile True: pass")
    assert first.is_clean
    assert second.reason == "killed"


def test_each_has_limits_of_its_own():
    small = ResourceLimits(wall_s=1, cpu_s=30, memory_mb=128, processes=24, disk_mb=8, inodes=200)
    first, second = run(f"print(os.read({LINK_FD}, 9))", "while True: pass", (LIMITS, small))
    assert (first.stdout, second.reason) == (b"b''\n", "timeout")


def test_a_command_that_can_not_start_ends_the_other():
    wrong = SandboxCommand(("true",), reads={"/nowhere-at-all": "/x"})
    with pytest.raises(SandboxError, match="does not exist"):
        asyncio.run(arun_linked(python(f"os.read({LINK_FD}, 9)"), wrong, limits=(LIMITS, LIMITS)))


def test_two_commands_that_can_not_start_are_one_error(caplog):
    wrong = SandboxCommand(("true",), reads={"/nowhere-at-all": "/x"})
    with pytest.raises(SandboxError, match="does not exist"):
        asyncio.run(arun_linked(wrong, wrong, limits=(LIMITS, LIMITS)))
    gc.collect()
    assert caplog.records == []


def test_a_command_that_is_stopped_as_it_ends_has_its_own_end():
    """Both ends come at once: the first ends since the second has ended."""
    for _ in range(5):
        first, second = run(f"os.read({LINK_FD}, 1)", "os._exit(3)")
        assert (first.reason, second.reason) == ("exited", "exited")
        assert second.exit_status == 3


CHILDREN = f"""
read, write = os.pipe()
for _ in range(20):
    if not os.fork():
        os.close({LINK_FD})
        held = b'x' * (16 << 20)
        os.write(write, b'x')
        os.kill(os.getpid(), 19)
seen = 0
while seen < 20:
    seen += len(os.read(read, 20))
os._exit(3)
"""


def test_a_command_whose_children_end_slowly_has_its_own_end():
    """The first sees the end of the socket, and ends, while the kernel frees their memory."""
    large = replace(LIMITS, memory_mb=768)
    for _ in range(5):
        first, second = run(f"os.read({LINK_FD}, 1)", CHILDREN, (LIMITS, large))
        assert (first.reason, second.reason, second.exit_status) == ("exited", "exited", 3)
