"""Executors by the names that people give them."""

from contextlib import AbstractAsyncContextManager, nullcontext

from benchmaker.engine.executors.base import Executor
from benchmaker.engine.executors.local import Local
from benchmaker.errors import SpecError

LOCAL = "local"
RAY = "ray"


def executor_named(name: str | None) -> AbstractAsyncContextManager[Executor]:
    """The executor, to be entered: ``local`` (the default), ``ray``, or a cluster's address.

    Raises:
        SpecError: that is no executor.
        PrerequisiteError: Ray is not installed.
    """
    if name is None or name == LOCAL:
        return nullcontext(Local())
    if name != RAY and ":" not in name:
        raise SpecError(
            f"{name!r} is no executor.",
            hint="Give local, ray, ray://host:10001 or the host:port of a cluster's head.",
        )
    from benchmaker.engine.executors.cluster import Cluster  # noqa: PLC0415  loads Ray

    return Cluster(None if name == RAY else name)
