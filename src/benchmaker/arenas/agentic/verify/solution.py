"""The solution of a task: files, or a script that writes them."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmaker.arenas.agentic.verify.finding import tail
from benchmaker.arenas.agentic.verify.workspace import files, lay
from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.providers.network.allowed_hosts import AllowedHosts, serve_allowed_hosts
from benchmaker.sandbox import (
    Isolation,
    Outputs,
    ResourceLimits,
    SandboxCommand,
    interpreter_reads,
    require,
    run_sandboxed,
)
from benchmaker.sandbox.recipe import PATH
from benchmaker.spec.tasks.task import Task, TaskFolder

SOLUTION: Final = "/solution"
"""The folder of the solution inside, while its script runs."""

PROJECT: Final = "project"
"""The folder of the workspace inside, beside those that only the sandbox uses."""

_SECONDS: Final = 600.0


def has_solution(task: TaskFolder) -> bool:
    """True if the task has a reference or a script that writes one."""
    return any(files(task.reference)) or task.solve_script is not None


def lay_solution(task: TaskFolder, into: Path) -> Path:
    """Complete the initial files of a task to its solution; return the folder.

    A script runs in the sandbox, on a copy, with the network of the task: none, or listed hosts.

    Raises:
        SpecError: the script failed.
        PrerequisiteError: this machine has no isolation for it.
    """
    lay(task.reference, into)
    if task.solve_script is not None:
        _run_script(task, task.solve_script, into)
    return into


def own_python() -> dict[str, str]:
    """Variables by which scripts in a namespace find the Python that runs us, and its packages.

    pytest gets no plug-ins from these packages unless a script names them.
    """
    return {"PATH": f"{Path(sys.prefix) / 'bin'}:{PATH}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def require_for(task: Task, least: Isolation, *, allow_unsafe: bool = False) -> Isolation:
    """As :func:`~benchmaker.sandbox.require`; the error says why a task needs a container.

    Raises:
        PrerequisiteError: this machine has no sufficient level.
    """
    try:
        return require(least, allow_unsafe=allow_unsafe)
    except PrerequisiteError as exc:
        raise with_reasons(exc, task) from exc


def with_reasons(error: PrerequisiteError, task: Task) -> PrerequisiteError:
    """Return the error of a missing container with the lines of the task that need one."""
    if not task.needs_container:
        return error
    reasons = "".join(f"\n  {reason}" for reason in task.needs_container)
    hint = f"Change these lines so that a namespace is sufficient. {error.hint}"
    message = f"{error.message}\n{task.id} needs a container:{reasons}"
    return PrerequisiteError(message, hint=hint.strip())


@contextmanager
def proxy_to_hosts(task: Task) -> Iterator[Path | None]:
    """The socket of a proxy to the hosts that a task lists; None without a list."""
    if not task.hosts:
        yield None
        return
    with serve_allowed_hosts(AllowedHosts(task.hosts)) as path:
        yield path


def script_limits(task: Task, seconds: float) -> ResourceLimits:
    """The limits of a script that belongs to the task."""
    own = task.limits
    return ResourceLimits(
        wall_s=seconds,
        cpu_s=own.cpu_s,
        memory_mb=own.memory_mb,
        processes=own.processes,
        file_mb=own.disk_mb,
        disk_mb=own.disk_mb,
        inodes=own.files,
        output_bytes=own.output_bytes,
    )


def _run_script(task: TaskFolder, script: Path, workspace: Path) -> None:
    spec = task.task
    seconds = spec.agent_timeout_s or _SECONDS
    isolation = require_for(spec, Isolation(spec.isolation))
    is_container = isolation is Isolation.CONTAINER
    command = SandboxCommand(
        ("bash", f"{SOLUTION}/{script.name}"),
        cwd=PROJECT,
        env=({} if is_container else own_python()) | spec.env,
        network=spec.network is True,
        reads={**({} if is_container else interpreter_reads()), script.parent: SOLUTION},
        places={spec.workdir: PROJECT} if spec.workdir else {},
        image=(spec.agent_image or spec.image) if is_container else "",
    )
    with (
        tempfile.TemporaryDirectory(prefix="benchmaker-solution-") as name,
        proxy_to_hosts(spec) as proxy,
    ):
        command = replace(command, proxy=proxy)
        start, left = Path(name, "start"), Path(name, "left")
        shutil.copytree(workspace, start / PROJECT, symlinks=True)
        ended = run_sandboxed(
            command,
            start,
            isolation=isolation,
            limits=script_limits(spec, seconds),
            outputs=Outputs(left, (PROJECT,)),
        )
        if not ended.is_clean:
            what = f"the solution failed ({ended.reason}, status {ended.exit_status})"
            raise SpecError(f"{what}: {tail(ended.stderr, 500)}", where=str(script))
        shutil.rmtree(workspace)
        shutil.copytree(left / PROJECT, workspace, symlinks=True)
