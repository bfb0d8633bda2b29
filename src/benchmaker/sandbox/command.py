"""A command for the sandbox, and how it ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from benchmaker.sandbox.isolation import Isolation

WORKSPACE = "/workspace"
"""Where the workspace stands inside a namespace and a container."""

VERDICT_FD = "BENCHMAKER_VERDICT_FD"
"""The variable that names the verdict pipe's number."""

Reason = Literal[
    "exited", "timeout", "memory", "disk", "output", "processes", "killed", "not_started"
]


@dataclass(frozen=True, slots=True)
class SandboxCommand:
    """What is run: ``argv`` by itself, never through a shell.

    ``cwd`` is relative to the workspace, ``env`` is all the environment there is beside ``PATH``,
    ``HOME``, ``LANG`` and ``TMPDIR``. ``reads`` are further host paths (files or folders) and
    where they stand inside, read-only. With ``writable=False`` the workspace can't be changed.
    ``image`` is for isolation by container alone.

    >>> SandboxCommand(("python3", "-I", "tests.py")).network
    False
    """

    argv: tuple[str, ...]
    cwd: str = "."
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    network: bool = False
    writable: bool = True
    reads: Mapping[str | Path, str] = field(default_factory=dict)
    image: str = ""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended; everything here was observed from outside.

    ``reason`` is ``exited`` when the command ended by itself, whatever its status, and ``killed``
    when a signal ended it that was not ours. As in a shell, a status above 128 is read as a
    signal. ``wall_s`` and ``cpu_s`` are of the whole tree, ``peak_mb`` its resident memory. Memory
    and processor time are None where the system does not tell.

    ``channel`` is what came over the verdict pipe. Every process inside that holds or can reach
    the pipe may have written it; :mod:`benchmaker.sandbox.sealing` says when it can be believed.
    ``left_out`` lists what was not copied, in or out, and why.
    """

    exit_status: int | None
    signal: int | None
    reason: Reason
    stdout: bytes
    stderr: bytes
    wall_s: float
    cpu_s: float | None
    peak_mb: float | None
    isolation: Isolation
    channel: bytes = b""
    detail: str = ""
    truncated: bool = False
    channel_truncated: bool = False
    left_out: tuple[tuple[str, str], ...] = ()

    @property
    def is_clean(self) -> bool:
        """True if it ended by itself with status 0."""
        return self.reason == "exited" and self.exit_status == 0
