"""Checks the isolation available on this machine, and refuses insufficient levels."""

import os
import platform
import shutil
import sys
from functools import cache
from pathlib import Path

from benchmaker.errors import BenchmakerError, PrerequisiteError
from benchmaker.sandbox.container_program import connection_problem, program_found
from benchmaker.sandbox.isolation import Isolation
from benchmaker.sandbox.session import trial_start
from benchmaker.sandbox.syscalls import is_known

INSTALL = "make system, or: sudo apt-get install bubblewrap"
_CONTAINER = "Install podman: sudo apt-get install podman"
_SETTINGS = (
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
    ("kernel/unprivileged_userns_clone", "0", "1"),
    ("user/max_user_namespaces", "0", "10000"),
)


def isolation_levels() -> dict[Isolation, str | None]:
    """Each level with None where it can be used, else why not and the command that helps."""
    return {level: _problem_text(level) for level in Isolation}


def require(minimum: Isolation, *, allow_unsafe: bool = False) -> Isolation:
    """Return the isolation to use for at least ``minimum``; never a lower one.

    A namespace is preferred if available. ``process`` requires ``allow_unsafe``, and ``container``
    is used only on request, since it needs an image. ``none`` is returned if nothing more was
    requested and nothing better is available.

    Raises:
        PrerequisiteError: this machine has no sufficient level; the hint is the command.
    """
    missing = (
        unmet_prerequisite(Isolation.NAMESPACE) if minimum is not Isolation.CONTAINER else None
    )
    if minimum is Isolation.CONTAINER:
        missing = unmet_prerequisite(Isolation.CONTAINER)
        if missing is None:
            return Isolation.CONTAINER
    elif missing is None:
        return Isolation.NAMESPACE
    elif (
        minimum.rank <= Isolation.PROCESS.rank
        and allow_unsafe
        and not unmet_prerequisite(Isolation.PROCESS)
    ):
        return Isolation.PROCESS
    elif minimum is Isolation.NONE:
        return Isolation.NONE
    raise PrerequisiteError(
        f"nothing was run: this needs isolation by {max(minimum, _LEAST_SAFE, key=_rank)}, but "
        f"{missing.message}",
        hint=missing.hint,
    )


def require_exactly(isolation: Isolation) -> None:
    """Refuse where exactly this level can't be used."""
    missing = unmet_prerequisite(isolation)
    if missing is not None:
        raise PrerequisiteError(f"nothing was run: {missing.message}", hint=missing.hint)


def unmet_prerequisite(isolation: Isolation) -> PrerequisiteError | None:
    """Return the obstacle to using a level; None without one."""
    match isolation:
        case Isolation.NONE:
            return None
        case Isolation.PROCESS:
            return _no_linux()
        case Isolation.NAMESPACE:
            return _no_linux() or _no_namespace(shutil.which("bwrap") or "", os.geteuid())
        case Isolation.CONTAINER:
            return _no_container(program_found())


_LEAST_SAFE = Isolation.NAMESPACE


def _rank(isolation: Isolation) -> int:
    return isolation.rank


def _problem_text(isolation: Isolation) -> str | None:
    missing = unmet_prerequisite(isolation)
    return None if missing is None else f"{missing.message} {missing.hint}".strip()


def _no_linux() -> PrerequisiteError | None:
    if sys.platform == "linux":
        return None
    return PrerequisiteError(
        f"this system is {platform.system()}; this isolation needs Linux.",
        hint="Use a Linux machine, or isolation by container.",
    )


@cache
def _no_namespace(bwrap: str, _: int) -> PrerequisiteError | None:
    """Looked at once for each program and user: a trial start is the only sure answer."""
    if not bwrap:
        return PrerequisiteError("bubblewrap (bwrap) is not installed.", hint=INSTALL)
    machine = platform.machine()
    if not is_known(machine):
        return PrerequisiteError(f"the system calls of {machine} are not supported.")
    try:
        problem = trial_start()
    except BenchmakerError as exc:
        problem = exc.message
    return _namespace_error(problem) if problem else None


def _namespace_error(problem: str) -> PrerequisiteError:
    message = f"bubblewrap can't make a namespace: {problem.rstrip('.')}."
    for name, bad, good in _SETTINGS:
        setting = Path("/proc/sys", name)
        if setting.exists() and setting.read_text(encoding="ascii").strip() == bad:
            key = name.replace("/", ".")
            return PrerequisiteError(
                f"{message} This system forbids it with {key}={bad}.",
                hint=f"Allow it: sudo sysctl -w {key}={good}",
            )
    return PrerequisiteError(
        message, hint="In a container, start the container with user namespaces allowed."
    )


@cache
def _no_container(program: str) -> PrerequisiteError | None:
    if not program:
        return PrerequisiteError("neither podman nor docker is installed.", hint=_CONTAINER)
    problem = connection_problem(program)
    name = Path(program).name
    if problem is None:
        return None
    hint = "sudo systemctl start docker" if name == "docker" else f"{name} info"
    return PrerequisiteError(f"{name} does not respond: {problem}", hint=hint)
