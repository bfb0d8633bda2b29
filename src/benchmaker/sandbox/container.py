"""The command line of podman or docker for a command; none of this needs a daemon of ours.

The flags are those of podman-run(1), https://docs.podman.io/en/stable/markdown/podman-run.1.html,
and of https://docs.docker.com/reference/cli/docker/container/run/.
"""

import math
import os
from collections.abc import Iterator
from pathlib import Path

from benchmaker.errors import SandboxError
from benchmaker.sandbox import recipe
from benchmaker.sandbox.command import VERDICT_FD, WORKSPACE, SandboxCommand
from benchmaker.sandbox.container_program import OWNER, is_podman, own_environment, owner
from benchmaker.sandbox.limits import ResourceLimits
from benchmaker.sandbox.supervisor import VERDICT

_NOBODY = 65534


def wrap_command(
    command: SandboxCommand, folder: Path, limits: ResourceLimits, *, program: str, name: str
) -> SandboxCommand:
    """The command that runs ``command`` in a container over a copy of the workspace."""
    if not command.image:
        raise SandboxError("isolation by container needs an image, but the command has none.")
    env = _environment(command, program)
    argv = [
        *(program, "run", "--interactive", "--name", name, "--pull", "never"),
        *("--label", f"{OWNER}={owner()}", "--log-driver", "none"),
        *(("--preserve-fds", "1", "--read-only-tmpfs=false") if is_podman(program) else ()),
        *_walls(command, limits),
        *_user(program),
        *_mounts(command, folder, limits, program),
        *("--workdir", recipe.working_folder(command)),
        *(word for key, value in env.items() for word in ("--env", f"{key}={value}")),
        *("--entrypoint", command.argv[0], command.image, *command.argv[1:]),
    ]
    return SandboxCommand(
        tuple(argv),
        env=own_environment(),
        stdin=command.stdin,
        pause_file=command.pause_file,
    )


def _environment(command: SandboxCommand, program: str) -> dict[str, str]:
    """The variables inside; without a ``PATH`` of the command, the image's own is used."""
    env = recipe.environment(command.env)
    if "PATH" not in command.env:
        del env["PATH"]
    return env | ({VERDICT_FD: str(VERDICT)} if is_podman(program) else {})


def _walls(command: SandboxCommand, limits: ResourceLimits) -> Iterator[str]:
    yield from ("--network", "bridge" if command.network else "none")
    yield from ("--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--read-only")
    yield from ("--security-opt", "label=disable")  # else SELinux hides the mounted folders
    yield from ("--memory", f"{limits.memory_mb}m", "--memory-swap", f"{limits.memory_mb}m")
    yield from ("--pids-limit", str(limits.processes), "--ulimit", "core=0")
    yield from ("--ulimit", f"nofile={limits.open_files}")
    yield from ("--ulimit", f"fsize={limits.file_mb << 20}")
    yield from ("--ulimit", f"cpu={math.ceil(limits.cpu_s) + 1}")


def container_user() -> str:
    """The user and group of commands in containers, as numbers: ours, or nobody if we are root."""
    is_root = os.geteuid() == 0
    return f"{_NOBODY}:{_NOBODY}" if is_root else f"{os.getuid()}:{os.getgid()}"


def _user(program: str) -> Iterator[str]:
    yield from ("--user", container_user())
    if is_podman(program) and os.geteuid() != 0:
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
