"""The work of a task runner in another process: one task, then item after item."""

import inspect
from dataclasses import dataclass, field
from typing import Any, Protocol

from benchmaker import plugins
from benchmaker.engine.executors.batches import RemoteError
from benchmaker.engine.executors.worker import check_version, fault_of
from benchmaker.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSpec:
    """A class by its dotted path, and its arguments; printing shows only the class.

    ``version`` is Benchmaker's, which must be that of the task runner, too.
    """

    target: str
    settings: Any = field(default=None, repr=False)
    version: str = __version__


@dataclass(frozen=True, slots=True)
class ItemResult:
    """The result of an item."""

    value: Any


class TaskHandler(Protocol):
    """The interface of a task's class; ``open`` and ``close`` are optional."""

    async def do(self, item: Any) -> Any:  # noqa: ANN401  each has items of its own
        """Return the result of an item."""
        ...


class TaskRunner:
    """Processes the items of a task in this process, from :meth:`open` on; writes nothing."""

    def __init__(self) -> None:
        self._craft: TaskHandler | None = None

    async def open(self, spec: TaskSpec) -> RemoteError | None:
        """Set up; an error is returned."""
        try:
            check_version(spec.version)
            craft: TaskHandler = plugins.resolve(spec.target)(spec.settings)
            await _call_optional(craft, "open")
            self._craft = craft
        except Exception as exc:  # noqa: BLE001  it is raised where the task came from
            return fault_of(exc)
        return None

    async def do(self, item: object) -> ItemResult | RemoteError:
        """Return the result of an item, or the error raised."""
        if self._craft is None:
            return RemoteError("PrerequisiteError", "the worker received no task.")
        try:
            return ItemResult(await self._craft.do(item))
        except Exception as exc:  # noqa: BLE001  as above
            return fault_of(exc)

    async def close(self) -> None:
        """Let go of everything."""
        craft, self._craft = self._craft, None
        if craft is not None:
            await _call_optional(craft, "close")


async def _call_optional(craft: TaskHandler, name: str) -> None:
    method = getattr(craft, name, None)
    made = method() if method is not None else None
    if inspect.isawaitable(made):
        await made
