"""The steps of trials on the workers of a Ray cluster on this machine."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from benchmaker.arenas.agentic.running.agent_run import AgentOrder, AgentRun, run_agent
from benchmaker.arenas.agentic.running.steps import LocalSteps, TrialSteps
from benchmaker.arenas.agentic.verify import averify
from benchmaker.arenas.agentic.verify.rubric_judges import WantedJury
from benchmaker.engine.executors.executor_names import worker_source_named
from benchmaker.engine.executors.task import TaskSpec
from benchmaker.engine.executors.workers import TaskPool, TaskRunnerSource
from benchmaker.errors import SpecError
from benchmaker.record.submissions.evaluation import Verification
from benchmaker.record.submissions.submission import Submission
from benchmaker.sandbox import CommandResult, Isolation, ResourceLimits
from benchmaker.spec.tasks.task import TaskFolder
from benchmaker.store import Store

T = TypeVar("T")

_LOOK_S: Final = 0.1
_STOP: Final = ".stop"


class AgentItem(NamedTuple):
    """An agent to run; the file ``stop`` ends it as soon as it exists."""

    order: AgentOrder
    left: Path
    isolation: Isolation
    limits: ResourceLimits
    stop: Path


class GradeItem(NamedTuple):
    """A workspace to verify."""

    task: TaskFolder
    workspace: Path
    submission: Submission
    isolation: Isolation | None = None


class StepsHandler:
    """Executes steps of trials in a worker; ``at_once`` is the number of parallel ones."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once

    async def open(self) -> None:
        """Have a thread for each step."""
        threads = ThreadPoolExecutor(3 * self._at_once)
        asyncio.get_running_loop().set_default_executor(threads)

    async def do(self, item: AgentItem | GradeItem) -> CommandResult | Verification:
        """Run an agent, or verify a workspace."""
        if isinstance(item, GradeItem):
            work = averify(
                item.task, item.workspace, submission=item.submission, isolation=item.isolation
            )
            return await asyncio.to_thread(asyncio.run, work)
        stop = asyncio.Event()
        watch = asyncio.ensure_future(_set_when_there(item.stop, stop))
        try:
            made = await run_agent(
                item.order, item.left, isolation=item.isolation, limits=item.limits, stop=stop
            )
        finally:
            watch.cancel()
        return made.ended


async def _set_when_there(file: Path, stop: asyncio.Event) -> None:
    while not file.exists():  # noqa: ASYNC110, ASYNC240  a file of another process has no event
        await asyncio.sleep(_LOOK_S)
    stop.set()


@dataclass(frozen=True, slots=True)
class RemoteSteps:
    """Runs agents and verifies workspaces on workers; everything else runs in this process."""

    pool: TaskPool
    local: LocalSteps

    async def run_agent(
        self,
        order: AgentOrder,
        left: Path,
        *,
        isolation: Isolation,
        limits: ResourceLimits,
        stop: asyncio.Event,
    ) -> AgentRun:
        """See :class:`TrialSteps`."""
        file = left.with_name(left.name + _STOP)
        watch = asyncio.ensure_future(_touch_when_set(stop, file))
        try:
            ended = await self.pool.do(AgentItem(order, left, isolation, limits, file))
        finally:
            watch.cancel()
            file.unlink(missing_ok=True)
        return AgentRun(ended, left)

    async def verify(
        self,
        store: Store,  # noqa: ARG002  as the protocol has it
        task: TaskFolder,
        workspace: Path,
        *,
        submission: Submission,
        wanted: WantedJury | None,  # noqa: ARG002  judges are not queried from there
        isolation: Isolation | None,
    ) -> Verification:
        """See :class:`TrialSteps`."""
        item = GradeItem(task, workspace, submission, isolation)
        made: Verification = await self.pool.do(item)
        return made

    async def call(self, work: Callable[[], T]) -> T:
        """See :class:`TrialSteps`."""
        return await self.local.call(work)


async def _touch_when_set(stop: asyncio.Event, file: Path) -> None:
    await stop.wait()
    await asyncio.to_thread(file.touch)


@asynccontextmanager
async def open_steps(
    executor: str | None, jobs: int, threads: Executor
) -> AsyncIterator[TrialSteps]:
    """The steps of ``jobs`` parallel trials: in this process, or on workers of this machine.

    Raises:
        SpecError: unknown executor, or a cluster of several machines.
        PrerequisiteError: Ray is not installed, or there is no cluster.
    """
    local = LocalSteps(threads)
    async with worker_source_named(executor) as crew:
        if crew is None:
            yield local
            return
        refuse_other_machines(crew)
        number = min(jobs, crew.size)
        at_once = -(-jobs // number)
        target = f"{StepsHandler.__module__}:{StepsHandler.__qualname__}"
        spec = TaskSpec(target=target, settings=at_once)
        pool = TaskPool(crew, spec, number=number, ahead=at_once)
        try:
            yield RemoteSteps(pool, local)
        finally:
            with suppress(Exception):
                await pool.close()


def refuse_other_machines(crew: TaskRunnerSource) -> None:
    """Refuse a cluster that has other machines than this one.

    Raises:
        SpecError: it has.
    """
    others = crew.hosts - {socket.gethostname()}
    if others:
        raise SpecError(
            f"agents can't run on other machines: the cluster has {', '.join(sorted(others))}.",
            hint=(
                "The gateway is a socket of this machine, and only it has the keys. Use a cluster "
                "of this machine alone: --executor ray without RAY_ADDRESS."
            ),
        )
