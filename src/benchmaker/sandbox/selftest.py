"""Attacks of our own on the isolation, as run by ``doctor``."""

import json
import os
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmaker.errors import BenchmakerError
from benchmaker.sandbox.command import CommandResult, SandboxCommand
from benchmaker.sandbox.interpreter import interpreter_reads
from benchmaker.sandbox.isolation import Isolation
from benchmaker.sandbox.limits import ResourceLimits
from benchmaker.sandbox.recipe import environment
from benchmaker.sandbox.run import run_sandboxed

_LIMITS = ResourceLimits(wall_s=10, cpu_s=10, memory_mb=128, processes=24, disk_mb=8, inodes=300)


@dataclass(frozen=True, slots=True)
class WallFinding:
    """One attack: whether it failed, as it should, and the observation."""

    name: str
    holds: bool
    seen: str


def self_test(isolation: Isolation = Isolation.NAMESPACE) -> tuple[WallFinding, ...]:
    """Run each attack once; takes a second or two.

    Raises:
        PrerequisiteError: this machine lacks that isolation.
    """
    checks: tuple[tuple[str, Callable[[Isolation], tuple[bool, str]]], ...] = (
        ("network", _network),
        ("host's files", _files),
        ("host's environment", _environment),
        ("system calls", _calls),
        ("background processes", _background),
        ("memory", _memory),
        ("disk", _disk),
        ("processes", _processes),
    )
    return tuple(_finding(name, check, isolation) for name, check in checks)


def _finding(
    name: str, check: Callable[[Isolation], tuple[bool, str]], isolation: Isolation
) -> WallFinding:
    holds, seen = check(isolation)
    return WallFinding(name, holds, seen)


def _network(isolation: Isolation) -> tuple[bool, str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"import socket; socket.create_connection(('127.0.0.1', {port}), 2); print('in')"
        ended = _python(code, isolation)
    return b"in" not in ended.stdout, _last_line(ended)


def _files(isolation: Isolation) -> tuple[bool, str]:
    with _secret() as path:
        ended = run_sandboxed(
            SandboxCommand(("cat", str(path))), isolation=isolation, limits=_LIMITS
        )
    return b"secret" not in ended.stdout, _last_line(ended)


def _environment(isolation: Isolation) -> tuple[bool, str]:
    """No process that can be seen inside has anything of ours in its environment."""
    code = (
        "import glob, json\nfound = []\n"
        "for path in glob.glob('/proc/[0-9]*/environ'):\n"
        "    try: found.append(open(path).read())\n"
        "    except OSError: pass\n"
        "print(json.dumps(found))"
    )
    ended = _python(code, isolation)
    try:
        text = "\0".join(json.loads(ended.stdout))
    except ValueError:
        return False, _last_line(ended)
    found = {entry for entry in text.split("\0") if entry}
    given = {f"{name}={value}" for name, value in environment({}).items()}
    ours = found & {f"{name}={value}" for name, value in os.environ.items()} - given
    return not ours, f"{len(found)} variables, {len(ours)} of them the host's"


def _calls(isolation: Isolation) -> tuple[bool, str]:
    code = "import ctypes; c = ctypes.CDLL(None, use_errno=True)\n"
    code += "print([c.unshare(0x10000000), c.ptrace(0, 0, 0, 0)])"
    ended = _python(code, isolation)
    return ended.stdout.strip() == b"[-1, -1]", ended.stdout.decode("utf-8", "replace").strip()


def _background(isolation: Isolation) -> tuple[bool, str]:
    """The pipe that a daemon inherited closes only when the daemon is dead."""
    began = time.monotonic()
    ended = run_sandboxed(
        SandboxCommand(("sh", "-c", "setsid sleep 60 & exit 0")),
        isolation=isolation,
        limits=_LIMITS,
    )
    took = time.monotonic() - began
    return ended.reason == "exited" and took < _LIMITS.wall_s, f"gone after {took:.1f} s"


def _memory(isolation: Isolation) -> tuple[bool, str]:
    ended = _python("kept = []\nwhile True: kept.append(b'x' * (1 << 20))", isolation)
    return ended.reason == "memory", f"{ended.reason} {ended.detail}".strip()


def _disk(isolation: Isolation) -> tuple[bool, str]:
    ended = _python("f = open('f', 'wb')\nwhile True: f.write(b'x' * (1 << 20))", isolation)
    return ended.reason == "disk", f"{ended.reason} {ended.detail}".strip()


def _processes(isolation: Isolation) -> tuple[bool, str]:
    ended = _python("import os\nwhile True: os.fork()", isolation)
    return ended.reason != "timeout" and not ended.is_clean, f"{ended.reason} {ended.detail}"


def _python(code: str, isolation: Isolation) -> CommandResult:
    argv = (sys.executable, "-I", "-S", "-c", code)
    return run_sandboxed(
        SandboxCommand(argv, reads=interpreter_reads()), isolation=isolation, limits=_LIMITS
    )


@contextmanager
def _secret() -> Iterator[Path]:
    with tempfile.NamedTemporaryFile(prefix="benchmaker-") as file:
        file.write(b"secret")
        file.flush()
        os.fchmod(file.fileno(), 0o644)
        yield Path(file.name)


def _last_line(ended: CommandResult) -> str:
    said = ended.stderr.decode("utf-8", "replace").strip().splitlines()
    return said[-1] if said else ended.reason


def failing_walls(isolation: Isolation = Isolation.NAMESPACE) -> tuple[WallFinding, ...]:
    """The walls that do not hold; an attack that could not be made counts as one."""
    try:
        return tuple(finding for finding in self_test(isolation) if not finding.holds)
    except BenchmakerError as exc:
        return (WallFinding("start", holds=False, seen=str(exc)),)
