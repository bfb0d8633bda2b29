"""The containers of a series, made ready before its first trial."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmaker.arenas.agentic.running.agents import Agent
from benchmaker.arenas.agentic.running.programs import Program, program_in_image, version_run
from benchmaker.arenas.agentic.verify.task_images import images_of, with_images
from benchmaker.errors import PrerequisiteError
from benchmaker.sandbox import Isolation, ResourceLimits, SandboxCommand, arun_sandboxed
from benchmaker.sandbox.container_images import image_path
from benchmaker.sandbox.container_program import program_found
from benchmaker.sandbox.mounted_python import mounted_python
from benchmaker.spec.tasks.task import TaskFolder

_FIND: Final = "import shutil, sys; sys.exit(shutil.which(sys.argv[1]) is None)"
_LIMITS: Final = ResourceLimits(wall_s=60, memory_mb=512)


def runs_in_container(task: TaskFolder, wanted: Isolation | None) -> bool:
    """True if agents run in a container at a task."""
    return Isolation.CONTAINER in (wanted, Isolation(task.task.isolation))


def with_container_files(
    tasks: Mapping[str, TaskFolder], wanted: Isolation | None
) -> dict[str, TaskFolder]:
    """The tasks, with the files of their images; images are built or pulled.

    Raises:
        PrerequisiteError: an image can't be built or pulled.
    """
    return {
        name: with_images(task) if runs_in_container(task, wanted) else task
        for name, task in tasks.items()
    }


async def prepare_containers(
    tasks: Sequence[TaskFolder],
    agents: Sequence[Agent],
    search_path: str,
    wanted: Isolation | None,
) -> None:
    """Build or pull the images of tasks, and start the program of each agent in each image.

    Raises:
        PrerequisiteError: an image can't be built or pulled, or an agent does not start in one.
    """
    images: dict[str, None] = {}
    for task in tasks:
        if runs_in_container(task, wanted):
            await asyncio.to_thread(with_images, task)
            images |= dict.fromkeys(images_of(task)[:1])
    for agent in {it.name: it for it in agents}.values():
        for image in images:
            await _refuse_unstartable(agent, image, search_path)


async def _refuse_unstartable(agent: Agent, image: str, search_path: str) -> None:
    if agent.adapter is None:
        return
    name = agent.adapter.argv[0]
    path = await asyncio.to_thread(image_path, program_found(), image)
    program = program_in_image(name, search_path, path)
    if agent.adapter.version:
        ended = await version_run(agent.adapter, program, image)
        said = ended.detail or ended.stderr.decode("utf-8", "replace").strip()
        fault = "" if ended.is_clean else "".join(said.splitlines()[-1:]) or ended.reason
    else:
        fault = "" if await _has_program(name, program, image) else "the program is not there"
    if fault:
        raise PrerequisiteError(
            f"{agent.name} does not start in the image {image}: {fault}",
            hint=" ".join(_advice(agent, program)),
        )


def _advice(agent: Agent, program: Program) -> Iterator[str]:
    name = agent.adapter.argv[0] if agent.adapter else agent.name
    if program.reads:
        yield f"{name} of this machine was mounted into it."
    yield f"Install {name} in the Dockerfile of the task, or use an agent that starts there."


async def _has_program(name: str, program: Program, image: str) -> bool:
    if "/" in name or program.reads:
        return True  # a file of the workspace, or of this machine
    python, reads = mounted_python()
    command = SandboxCommand(
        (*python, "-I", "-S", "-c", _FIND, name),
        env={"PATH": program.search_path},
        reads={Path(path): place for path, place in reads.items()},
        image=image,
    )
    ended = await arun_sandboxed(command, isolation=Isolation.CONTAINER, limits=_LIMITS)
    return ended.is_clean
