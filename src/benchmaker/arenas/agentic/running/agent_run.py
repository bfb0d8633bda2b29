"""One run of an agent behind walls: what goes in, and what it leaves."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from benchmaker.arenas.agentic.running.agents import Agent, model_name
from benchmaker.arenas.agentic.running.harbor.agent_image import agent_image
from benchmaker.arenas.agentic.running.harbor.library import HarborAdapter
from benchmaker.arenas.agentic.running.harbor.trial_command import (
    INSTALLED,
    LOGS,
    trial_command,
)
from benchmaker.arenas.agentic.running.programs import Program, find_program, program_in_image
from benchmaker.arenas.agentic.running.start_folder import (
    HOME,
    HOME_NAME,
    PROJECT,
    PROJECT_NAME,
    lay_home,
    lay_start,
)
from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.sandbox import (
    GATEWAY_URL,
    CommandResult,
    Isolation,
    Outputs,
    ResourceLimits,
    SandboxCommand,
    arun_sandboxed,
)
from benchmaker.sandbox.container_images import image_path
from benchmaker.sandbox.container_program import program_found
from benchmaker.spec.agents.adapter import STDOUT, AgentAdapter
from benchmaker.spec.tasks.task import TaskFolder

TRIAL_LIMITS: Final = ResourceLimits(
    wall_s=1_800,
    cpu_s=3_600,
    memory_mb=6_000,
    processes=600,
    open_files=4_096,
    file_mb=512,
    disk_mb=1_024,
    inodes=100_000,
)
"""The default limits of an agent."""

OWN_FILES: Final = "/run/agent"
"""The folder inside with the files that an agent's command names."""

_PRINTED: Final = "stdout.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOrder:
    """The order for an agent: the task, the model and effort, and the gateway with its token.

    Without a gateway it has no network. ``proxy`` is the socket of a proxy to the hosts that the
    task allows. ``search_path`` is the ``PATH`` on which programs are found. ``pause_file``
    states the time in which the gateway holds requests.
    """

    agent: Agent
    task: TaskFolder
    search_path: str
    model: str = ""
    effort: str = ""
    gateway: Path | None = None
    token: str = ""
    proxy: Path | None = None
    pause_file: Path | None = None

    @property
    def image(self) -> str:
        """The image of the agent; empty without one."""
        return self.task.task.agent_image or self.task.task.image

    @property
    def adapter(self) -> AgentAdapter:
        """The adapter of an agent with a program."""
        if self.agent.adapter is None:
            raise SpecError(f"{self.agent.name} has no program.")
        return self.agent.adapter

    @property
    def values(self) -> dict[str, str]:
        """The values by the names that stand in adapter files."""
        return {
            "prompt": self.task.task.prompt,
            "model": model_name(self.model),
            "base_url": GATEWAY_URL if self.gateway else "",
            "token": self.token,
            "effort": self.effort,
            "home": HOME,
            "project": PROJECT,
        }


@dataclass(frozen=True, slots=True)
class AgentRun:
    """The end of an agent, and the folders that it left."""

    ended: CommandResult
    left: Path

    @property
    def workspace(self) -> Path:
        """The working folder."""
        return self.left / PROJECT_NAME

    @property
    def home(self) -> Path:
        """The logs found in the agent's home."""
        return self.left / HOME_NAME

    def logs(self) -> list[Path]:
        """The agent's logs: what it left of its home, and its output if that is a log."""
        found = (self.home, self.left / _PRINTED)
        return [path for path in found if path.exists()]


async def run_agent(
    order: AgentOrder,
    left: Path,
    *,
    isolation: Isolation,
    limits: ResourceLimits = TRIAL_LIMITS,
    stop: asyncio.Event | None = None,
) -> AgentRun:
    """Run an agent on the start folder of its task; ``left`` is a new or empty folder.

    The workspace and the logs are collected after every end. ``stop`` ends the agent.

    Raises:
        PrerequisiteError: the program, or the isolation, is not installed.
        SandboxError: the start folder exceeds the limits, or the sandbox failed.
    """
    command = await asyncio.to_thread(_command, order, isolation)
    async with _start(order) as start:
        ended = await arun_sandboxed(
            command,
            start,
            isolation=isolation,
            limits=limits,
            outputs=Outputs(left, (PROJECT_NAME, *_log_patterns(order.adapter))),
            stop=stop,
        )
    (left / PROJECT_NAME).mkdir(parents=True, exist_ok=True)
    if STDOUT in order.adapter.logs and ended.stdout:
        (left / _PRINTED).write_bytes(ended.stdout)
    return AgentRun(ended, left)


def _command(order: AgentOrder, isolation: Isolation) -> SandboxCommand:
    if order.agent.harbor is not None:
        return _harbor_command(order, order.agent.harbor)
    command = agent_command(order, _program(order, isolation))
    return command if isolation is Isolation.CONTAINER else replace(command, image="")


def _harbor_command(order: AgentOrder, adapter: HarborAdapter) -> SandboxCommand:
    """The command of an agent of harbor, in the image with that agent."""
    image = agent_image(adapter, order.image)
    program = Program(Path(adapter.name), (), (), image_path(program_found(), image))
    command = trial_command(
        adapter,
        image,
        order.values,
        order.task.task.env | _environment(program, order.values),
        _places(order),
        home=HOME_NAME,
        cwd=PROJECT_NAME,
    )
    return replace(command, gateway=order.gateway, proxy=order.proxy, pause_file=order.pause_file)


def _places(order: AgentOrder) -> dict[str, str]:
    return {workdir: PROJECT_NAME} if (workdir := order.task.task.workdir) else {}


def _program(order: AgentOrder, isolation: Isolation) -> Program:
    name = order.adapter.argv[0]
    if isolation is Isolation.CONTAINER:
        path = image_path(program_found(), order.image)
        return program_in_image(name, order.search_path, path)
    program = find_program(name, order.search_path)
    if program is None:
        hint = order.adapter.install
        raise PrerequisiteError(f"the program {name!r} is not installed.", hint=hint)
    return program


def agent_command(order: AgentOrder, program: Program) -> SandboxCommand:
    """The command that starts an agent inside."""
    values = order.values
    words, own = _own_files(order.agent, order.adapter.words(values))
    return SandboxCommand(
        (str(program.file), *words[1:]),
        cwd=PROJECT_NAME,
        env=order.task.task.env | _environment(program, values) | order.adapter.variables(values),
        stdin=values["prompt"].encode() if order.adapter.reads_stdin else b"",
        reads={**program.visible_reads(), **own},
        places=_places(order),
        image=order.image,
        gateway=order.gateway,
        proxy=order.proxy,
        pause_file=order.pause_file,
    )


@asynccontextmanager
async def _start(order: AgentOrder) -> AsyncIterator[Path]:
    """The start folder, laid and removed outside the event loop, which carries other trials."""
    folder = await asyncio.to_thread(_lay_start_folder, order)
    try:
        yield folder
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _lay_start_folder(order: AgentOrder) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="benchmaker-trial-"))
    try:
        lay_start(order.task, folder / PROJECT_NAME)
        lay_home(order.agent, folder / HOME_NAME, order.values)
        if order.agent.harbor is not None:
            for name in (LOGS, INSTALLED):
                (folder / HOME_NAME / name).mkdir()
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder


def _environment(program: Program, values: Mapping[str, str]) -> dict[str, str]:
    own = {f"BENCHMAKER_{name.upper()}": values[name] for name in _VARIABLES if values[name]}
    return {
        "PATH": program.search_path,
        "HOME": HOME,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "CI": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        **own,
    }


_VARIABLES: Final = ("base_url", "token", "model", "effort", "prompt")


def _own_files(
    agent: Agent, words: tuple[str, ...]
) -> tuple[tuple[str, ...], dict[str | Path, str]]:
    """The words with the files that they name in the agent's folder, shown inside."""
    made = list(words)
    reads: dict[str | Path, str] = {}
    for at, word in enumerate(words):
        path = agent.folder / word if agent.folder else None
        if at and path and not word.startswith("-") and _is_file(path):
            made[at] = f"{OWN_FILES}/{at}/{path.name}"
            reads[path.resolve()] = made[at]
    return tuple(made), reads


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a long text, such as a prompt, is no name of a file
        return False


def _log_patterns(adapter: AgentAdapter) -> Iterator[str]:
    return (f"{HOME_NAME}/{pattern}" for pattern in adapter.logs if pattern != STDOUT)
