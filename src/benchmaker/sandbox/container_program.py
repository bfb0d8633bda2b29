"""Calls of podman or docker: whether it answers, how a container ended, and its removal."""

import json
import os
import secrets
import shutil
import socket
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, Self

from benchmaker.errors import SandboxError
from benchmaker.processes import is_alive, start_time

OWNER: Final = "benchmaker.owner"
"""The label with the process that started a container."""

_ANSWER_S: Final = 10.0
_END_S: Final = 30.0
_PASSED: Final = ("HOME", "DOCKER_HOST", "PATH", "XDG_RUNTIME_DIR")
"""What the program needs of our environment; nothing of it goes into the container."""

_NEVER: Final = "0001-01-01"
"""The start of a container that was created and not started."""


@dataclass(frozen=True, slots=True)
class ContainerEnd:
    """The end of a container, as the program reports it from outside."""

    is_started: bool
    is_out_of_memory: bool


def program_found() -> str:
    """Return the container program: podman if available, else docker; empty without any."""
    return program_named("podman") or program_named("docker")


def program_named(name: str) -> str:
    """Return the path of this program; empty if it is not installed."""
    return shutil.which(name) or ""


def is_podman(program: str) -> bool:
    """True if the program starts containers itself; docker uses a service."""
    return Path(program).name == "podman"


def has_verdict_pipe() -> bool:
    """True if a container can get the verdict pipe, which a service cannot pass on."""
    return is_podman(program_found())


def connection_problem(program: str) -> str | None:
    """Return the reason why podman or docker does not answer; None if it does."""
    try:
        done = call(program, "info", seconds=_ANSWER_S)
    except SandboxError as exc:
        return exc.message
    return None if done.returncode == 0 else last_line(done)


def call(
    program: str, *words: str, seconds: float, stdout: IO[bytes] | int = subprocess.PIPE
) -> subprocess.CompletedProcess[bytes]:
    """Call the program, and wait for its end.

    Raises:
        SandboxError: it can't be started, or takes too long.
    """
    try:
        return subprocess.run(  # noqa: S603  the program that was found
            [program, *words],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            env=own_environment(),
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as exc:
        name = Path(program).name
        raise SandboxError(f"{name} {words[0]} did not end within {seconds:g} s.") from exc
    except OSError as exc:
        raise SandboxError(f"{Path(program).name} can't be started: {exc.strerror}.") from exc


def own_environment() -> dict[str, str]:
    """The variables that the program gets."""
    return {name: os.environ[name] for name in _PASSED if name in os.environ}


def last_line(done: subprocess.CompletedProcess[bytes]) -> str:
    """The last line of the errors of a call, else its status."""
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return said[-1] if said else f"status {done.returncode}"


def new_name() -> str:
    """A name for a container, by which it can be ended."""
    return f"benchmaker-{secrets.token_hex(8)}"


def owner() -> str:
    """This process, as the label of its containers names it: host, number, start time."""
    return f"{socket.gethostname()}/{os.getpid()}/{start_time(os.getpid())}"


@dataclass(slots=True)
class StartedContainer:
    """A container by its name; a context manager that removes it in any case."""

    program: str
    name: str
    _is_removed: bool = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._is_removed:
            end(self.program, self.name)

    def finish(self) -> ContainerEnd | None:
        """Return how it ended, and remove it: from then on no process of it runs."""
        found = end_of(self.program, self.name)
        end(self.program, self.name)
        self._is_removed = True
        return found


def end_of(program: str, name: str) -> ContainerEnd | None:
    """How a container ended; None if there is none of that name.

    Nothing inside can forge it, unlike an exit status or a message.
    """
    try:
        done = call(program, "container", "inspect", name, seconds=_END_S)
        state = json.loads(done.stdout)[0]["State"] if done.returncode == 0 else None
    except (SandboxError, ValueError, LookupError, TypeError):
        return None
    if not isinstance(state, dict):
        return None
    started = str(state.get("StartedAt") or _NEVER)
    return ContainerEnd(not started.startswith(_NEVER), bool(state.get("OOMKilled")))


def end(program: str, name: str) -> None:
    """Kill and remove the container, running or not."""
    at_once = ("--time", "0") if is_podman(program) else ()
    with suppress(SandboxError):
        call(program, "rm", "--force", "--volumes", *at_once, name, seconds=_END_S)


def remove_orphans(program: str) -> int:
    """Remove the containers whose processes on this host were killed; return their number."""
    try:
        orphans = [name for name, of in _owners(program).items() if _is_orphan(of)]
    except (SandboxError, ValueError, LookupError, TypeError, AttributeError):
        return 0
    for name in orphans:
        end(program, name)
    return len(orphans)


def _owners(program: str) -> dict[str, str]:
    """The ids of our containers with the processes that started them."""
    listing = ("ps", "--all", "--quiet", "--no-trunc", "--filter", f"label={OWNER}")
    ids = call(program, *listing, seconds=_END_S).stdout.decode("ascii", "replace").split()
    if not ids:
        return {}
    done = call(program, "container", "inspect", *ids, seconds=_END_S)
    return {it["Id"]: it["Config"]["Labels"][OWNER] for it in json.loads(done.stdout)}


def _is_orphan(process: str) -> bool:
    host, _, rest = process.partition("/")
    number, _, since = rest.partition("/")
    return host == socket.gethostname() and number.isdecimal() and not is_alive(int(number), since)
