"""The steps of a trial that take a processor, and where they are executed."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from benchmaker.arenas.agentic.running.agent_run import AgentOrder, AgentRun, run_agent
from benchmaker.arenas.agentic.verify.one_submission import verify_workspace
from benchmaker.arenas.agentic.verify.rubric_judges import WantedJury
from benchmaker.record.submissions.evaluation import Verification
from benchmaker.record.submissions.submission import Submission
from benchmaker.sandbox import Isolation, ResourceLimits
from benchmaker.spec.tasks.task import TaskFolder
from benchmaker.store import Store

T = TypeVar("T")


class TrialSteps(Protocol):
    """Executes the steps of a trial."""

    async def run_agent(
        self,
        order: AgentOrder,
        left: Path,
        *,
        isolation: Isolation,
        limits: ResourceLimits,
        stop: asyncio.Event,
    ) -> AgentRun:
        """Run an agent; see :func:`~benchmaker.arenas.agentic.running.agent_run.run_agent`."""
        ...

    async def verify(
        self,
        store: Store,
        task: TaskFolder,
        workspace: Path,
        *,
        submission: Submission,
        wanted: WantedJury | None,
        isolation: Isolation | None,
    ) -> Verification:
        """Verify a workspace, by default in the isolation of the task."""
        ...

    async def call(self, work: Callable[[], T]) -> T:
        """Call a function that waits or computes, outside the event loop."""
        ...


@dataclass(frozen=True, slots=True)
class LocalSteps:
    """Executes the steps in this process.

    With ``threads``, verification and reading of logs run there, so that they never hold up the
    event loop, nor wait for threads that wait for agents.
    """

    threads: Executor | None = None

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
        return await run_agent(order, left, isolation=isolation, limits=limits, stop=stop)

    async def verify(
        self,
        store: Store,
        task: TaskFolder,
        workspace: Path,
        *,
        submission: Submission,
        wanted: WantedJury | None,
        isolation: Isolation | None,
    ) -> Verification:
        """See :class:`TrialSteps`."""
        work = partial(
            verify_workspace,
            store,
            task,
            workspace,
            submission=submission,
            isolation=isolation,
            wanted=wanted,
        )
        if self.threads is None:
            return await work()
        return await self.call(lambda: asyncio.run(work()))

    async def call(self, work: Callable[[], T]) -> T:
        """See :class:`TrialSteps`."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, work)
