"""Verification in other processes: a task is sent once, workspaces one by one.

Isolation is tested at the place of grading. If it is insufficient nothing is run, and the error is
the same as in this process. Judges are not queried from there.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, Protocol

from benchmaker.arenas.agentic.verify import averify
from benchmaker.arenas.agentic.verify.transfer import (
    Parcel,
    TaskParcel,
    laid_task,
    packed_task,
    packed_workspace,
    unpack_workspace,
)
from benchmaker.engine.executors.task import TaskSpec
from benchmaker.engine.executors.workers import TaskPool, TaskRunnerSource
from benchmaker.record.submissions.evaluation import Verification
from benchmaker.record.submissions.submission import Submission
from benchmaker.sandbox import Isolation
from benchmaker.spec.tasks.task import TaskFolder

_PREFIX = "benchmaker-verify-"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyOptions:
    """Options of verifying workspaces; see :func:`~benchmaker.arenas.agentic.verify.averify`."""

    isolation: Isolation | None = None
    unsafe_local: bool = False
    actor: str = "local"


class Work(NamedTuple):
    """A workspace, and whose it is."""

    workspace: Path
    submission: Submission | None = None


class WorkspaceVerifier(Protocol):
    """Verifies the workspaces of one task."""

    @property
    def at_once(self) -> int:
        """The number of parallel verifications."""
        ...

    async def do(self, item: Work) -> Verification:
        """Verify one workspace by the task's criteria.

        Raises:
            SpecError: unknown workspace, or a weaker isolation was requested.
            Unsendable: it is too large to be sent.
            PrerequisiteError: no sufficient isolation at the place of grading.
        """
        ...


@dataclass(frozen=True, slots=True)
class LocalVerifier:
    """Verifies in this process, one after the other."""

    task: TaskFolder
    options: VerifyOptions
    at_once: int = 1

    async def do(self, item: Work) -> Verification:
        """See :class:`WorkspaceVerifier`."""
        return await averify(
            self.task,
            item.workspace,
            submission=item.submission,
            isolation=self.options.isolation,
            unsafe_local=self.options.unsafe_local,
            actor=self.options.actor,
        )


@dataclass(frozen=True, slots=True)
class RemoteVerifier:
    """Verifies on the workers of a crew."""

    task: TaskFolder
    pool: TaskPool

    @property
    def at_once(self) -> int:
        """The number of parallel verifications."""
        return self.pool.at_once

    async def do(self, item: Work) -> Verification:
        """See :class:`WorkspaceVerifier`."""
        parcel = packed_workspace(self.task.task, item.workspace)
        made: Verification = await self.pool.do(WorkspaceTask(parcel, item.submission))
        return made


@asynccontextmanager
async def open_verifier(
    crew: TaskRunnerSource | None, task: TaskFolder, options: VerifyOptions
) -> AsyncIterator[WorkspaceVerifier]:
    """Open a verifier of the task's workspaces: this process, or a pool of workers."""
    if crew is None:
        yield LocalVerifier(task, options)
        return
    target = f"{Verifier.__module__}:{Verifier.__qualname__}"
    pool = TaskPool(
        crew, TaskSpec(target=target, settings=VerifierSetup(packed_task(task), options))
    )
    try:
        yield RemoteVerifier(task, pool)
    finally:
        await pool.close()


class VerifierSetup(NamedTuple):
    """Settings of a verifier, sent once."""

    task: TaskParcel
    options: VerifyOptions


class WorkspaceTask(NamedTuple):
    """A workspace to verify."""

    parcel: Parcel
    submission: Submission | None


class Verifier:
    """The handler of a remote verifier; received files are deleted afterwards."""

    def __init__(self, setup: VerifierSetup) -> None:
        self._folder = TemporaryDirectory(prefix=_PREFIX)
        self._here = LocalVerifier(laid_task(setup.task, Path(self._folder.name)), setup.options)

    async def do(self, item: WorkspaceTask) -> Verification:
        """Verify a workspace by the task's criteria."""
        with TemporaryDirectory(prefix=_PREFIX) as folder:
            workspace = unpack_workspace(item.parcel, Path(folder))
            return await self._here.do(Work(workspace, item.submission))

    def close(self) -> None:
        """Remove the task."""
        self._folder.cleanup()
