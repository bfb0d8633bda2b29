"""A command for the sandbox, and how it ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from benchmaker.sandbox.isolation import Isolation

WORKSPACE = "/workspace"
"""The path of the workspace inside a namespace or container."""

VERDICT_FD = "BENCHMAKER_VERDICT_FD"
"""The environment variable with the file descriptor of the verdict pipe."""

LINK_FD = 4
"""The file descriptor of the socket that connects two commands; see ``arun_linked``."""

GATEWAY_SOCKET = "/run/benchmaker/gateway.sock"
"""The path of the gateway's socket inside."""

GATEWAY_PORT = 8377
GATEWAY_URL = f"http://127.0.0.1:{GATEWAY_PORT}"
"""The address of the gateway for a command with :attr:`SandboxCommand.gateway`."""

PROXY_SOCKET = "/run/benchmaker/proxy.sock"
PROXY_PORT = 8378
PROXY_URL = f"http://127.0.0.1:{PROXY_PORT}"
"""The address of the proxy for a command with :attr:`SandboxCommand.proxy`."""

Reason = Literal[
    "exited", "timeout", "memory", "disk", "output", "processes", "killed", "not_started"
]


@dataclass(frozen=True, slots=True)
class SandboxCommand:
    """A command: ``argv`` is executed directly, never through a shell.

    ``cwd`` is relative to the workspace, ``env`` is the whole environment besides ``PATH``,
    ``HOME``, ``LANG`` and ``TMPDIR``. ``reads`` maps further host paths (files or folders) to their
    read-only paths inside. ``places`` maps further paths inside to folders of the workspace, which
    are the same folders under another name. With ``writable=False`` the workspace cannot be
    changed. ``image`` is only for isolation by container. ``link`` is a socket of ours that the
    command gets as :data:`LINK_FD`.

    ``gateway`` and ``proxy`` are host paths of Unix sockets that every user may connect to. They
    are then the only ways out: a relay inside connects :data:`GATEWAY_URL` and :data:`PROXY_URL` to
    them. Variables such as ``https_proxy`` name the proxy.

    ``pause_file`` states time that does not count under the time limit, such as that in which the
    gateway holds a request; see :class:`~benchmaker.sandbox.paused_time.PausedTime`.

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
    places: Mapping[str, str] = field(default_factory=dict)
    image: str = ""
    link: int | None = None
    gateway: Path | None = None
    proxy: Path | None = None
    pause_file: Path | None = None


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of a command, observed entirely from outside.

    ``reason`` is ``exited`` if the command ended by itself, with any status, and ``killed`` if a
    foreign signal ended it. As in a shell, a status above 128 is read as a signal. ``wall_s`` and
    ``cpu_s`` are of the whole tree, ``peak_mb`` its resident memory. Memory and processor time are
    None if the system does not report them.

    ``channel`` is the content of the verdict pipe. Every process inside with access to the pipe may
    have written it; :mod:`benchmaker.sandbox.sealing` documents when it can be trusted.
    ``left_out`` lists files that were not copied, in or out, with the reason.
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
