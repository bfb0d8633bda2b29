"""Executors by name."""

from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TYPE_CHECKING

from benchmaker.engine.executors.base import Executor
from benchmaker.engine.executors.local import Local
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.engine.executors.cluster import Cluster
    from benchmaker.engine.executors.workers import TaskRunnerSource

LOCAL = "local"
RAY = "ray"


def executor_named(name: str | None) -> AbstractAsyncContextManager[Executor]:
    """Return the executor to enter: ``local`` (the default), ``ray``, or a cluster's address.

    Raises:
        SpecError: unknown executor.
        PrerequisiteError: Ray is not installed.
    """
    if name is None or name == LOCAL:
        return nullcontext(Local())
    return _cluster(_check_name(name))


def worker_source_named(
    name: str | None,
) -> "AbstractAsyncContextManager[TaskRunnerSource | None]":
    """Return the source of task runners to enter; None for this process.

    Raises:
        SpecError: unknown executor.
        PrerequisiteError: Ray is not installed.
    """
    if name is None or name == LOCAL:
        return nullcontext()
    return _cluster(_check_name(name))


def worker_source_of(executor: Executor) -> "TaskRunnerSource | None":
    """Return the source of task runners in addition to a run's workers; None in this process."""
    if isinstance(executor, Local):
        return None
    from benchmaker.engine.executors.workers import TaskRunnerSource  # noqa: PLC0415  only remotely

    return executor if isinstance(executor, TaskRunnerSource) else None


def _check_name(name: str) -> str:
    if name != RAY and ":" not in name:
        raise SpecError(
            f"{name!r} is not an executor.",
            hint="Use local, ray, or the host:port of the head of a cluster.",
        )
    return name


def _cluster(name: str) -> "Cluster":
    from benchmaker.engine.executors.cluster import Cluster  # noqa: PLC0415  loads Ray

    return Cluster(None if name == RAY else name)
