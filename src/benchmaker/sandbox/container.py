"""The command line of podman or docker for a command; none of this needs a daemon of ours."""

import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmaker.errors import SandboxError
from benchmaker.sandbox import recipe
from benchmaker.sandbox.command import VERDICT_FD, WORKSPACE, SandboxCommand
from benchmaker.sandbox.limits import ResourceLimits
from benchmaker.sandbox.supervisor import VERDICT

_ANSWER_S = 10.0
_NOBODY = 65534
_PASSED = ("HOME", "DOCKER_HOST", "PATH", "XDG_RUNTIME_DIR")
"""What the program needs of our environment; nothing of it goes into the container."""


def connection_problem(program: str) -> str | None:
    """Return the reason why podman or docker does not answer; None if it does."""
    try:
        done = subprocess.run(  # noqa: S603  the program that was found
            [program, "info"], capture_output=True, timeout=_ANSWER_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        return str(exc)
    if done.returncode == 0:
        return None
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return said[-1] if said else f"status {done.returncode}"


def new_name() -> str:
    """A name for a container, by which it can be ended."""
    return f"benchmaker-{secrets.token_hex(8)}"


def end(program: str, name: str) -> None:
    """Remove the container, running or not."""
    subprocess.run(  # noqa: S603  the program that was found
        [program, "rm", "--force", name], capture_output=True, timeout=30, check=False
    )


def wrap_command(
    command: SandboxCommand, folder: Path, limits: ResourceLimits, *, program: str, name: str
) -> SandboxCommand:
    """The command that runs ``command`` in a container over a copy of the workspace."""
    if not command.image:
        raise SandboxError("isolation by container needs an image, but the command has none.")
    env = recipe.environment(command.env) | (
        {VERDICT_FD: str(VERDICT)} if is_podman(program) else {}
    )
    argv = [
        *(program, "run", "--rm", "--interactive", "--name", name, "--pull", "never"),
        *(("--preserve-fds", "1", "--read-only-tmpfs=false") if is_podman(program) else ()),
        *_walls(command, limits),
        *_user(program),
        *_mounts(command, folder, limits, program),
        *("--workdir", recipe.working_folder(command)),
        *(word for key, value in env.items() for word in ("--env", f"{key}={value}")),
        *("--entrypoint", command.argv[0], command.image, *command.argv[1:]),
    ]
    own = {name: os.environ[name] for name in _PASSED if name in os.environ}
    return SandboxCommand(tuple(argv), env=own, stdin=command.stdin)


def program_found() -> str:
    """Return the container program: podman if available; empty without any."""
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


def _walls(command: SandboxCommand, limits: ResourceLimits) -> Iterator[str]:
    yield from ("--network", "bridge" if command.network else "none")
    yield from ("--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--read-only")
    yield from ("--memory", f"{limits.memory_mb}m", "--memory-swap", f"{limits.memory_mb}m")
    yield from ("--pids-limit", str(limits.processes), "--ulimit", "core=0")
    yield from ("--ulimit", f"nofile={limits.open_files}")
    yield from ("--ulimit", f"fsize={limits.file_mb << 20}")


def _user(program: str) -> Iterator[str]:
    is_root = os.geteuid() == 0
    uid, gid = (_NOBODY, _NOBODY) if is_root else (os.getuid(), os.getgid())
    yield from ("--user", f"{uid}:{gid}")
    if is_podman(program) and not is_root:
        yield from ("--userns", "keep-id")


def _mounts(
    command: SandboxCommand, folder: Path, limits: ResourceLimits, program: str
) -> Iterator[str]:
    # podman knows no bound on the number of files: the container's memory bounds it there
    more = "notmpcopyup" if is_podman(program) else f"nr_inodes={limits.inodes}"
    yield from ("--tmpfs", f"/tmp:size={limits.disk_mb}m,mode=1777,{more}")  # noqa: S108  of the sandbox
    mode = "rw" if command.writable else "ro"
    yield from ("--volume", f"{folder}/workspace:{WORKSPACE}:{mode}")
    for place, own in recipe.check_places(command).items():
        yield from ("--volume", f"{folder}/workspace/{own}".rstrip("/") + f":{place}:{mode}")
    for host, inside in recipe.check_reads(command).items():
        yield from ("--volume", f"{host}:{inside}:ro")
