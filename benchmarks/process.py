"""Run a command in a process of its own and say what it took."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_MEASURE = """
import os, sys, time
began = time.perf_counter()
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, used = os.wait4(pid, 0)
wall, cpu = time.perf_counter() - began, used.ru_utime + used.ru_stime
os.write(int(sys.argv[1]), f"{wall} {cpu} {used.ru_maxrss}".encode())
sys.exit(os.waitstatus_to_exitcode(status) % 256)
"""
"""Runs a command from a small process, since a command's peak is at least that of its parent."""


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds of the clock and of the processor, peak memory in MB, what was printed."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    said: str


def bytecode() -> dict[str, str]:
    """Variables with which Python keeps bytecode in a temporary folder of this process.

    pip compiles what it installs; other environments may have no bytecode, or not write any. Then
    every call compiles the modules again: for the price list alone, that takes 65 MB. Before a
    measurement with these variables, call the command once.
    """
    return {"PYTHONPYCACHEPREFIX": _folder().name, "PYTHONDONTWRITEBYTECODE": ""}


@cache
def _folder() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="bytecode-")


def took(
    command: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    quiet: bool = False,
) -> Took:
    """Run to the end, in the folder; CalledProcessError when it fails."""
    read, write = os.pipe()
    child = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _MEASURE, str(write), *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if quiet else None,
        env={**os.environ, **(environment or {})},
        cwd=folder,
        pass_fds=(write,),
    )
    os.close(write)
    said = child.communicate()[0].decode()
    with os.fdopen(read) as pipe:
        figures = pipe.read()
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command, output=said)
    wall, cpu, peak = map(float, figures.split())
    return Took(wall, cpu, peak / 1024, said)
