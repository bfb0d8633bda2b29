"""Distribution of work to other processes: items are sent, results returned.

The sender takes every result once, from any process. An item of a dead process is sent to another
one; its unreported results do not count.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, Protocol, TypeVar, runtime_checkable

from benchmaker.engine.executors.batches import RemoteError
from benchmaker.engine.executors.dispatch import MOST_DEATHS, START_S, WorkerLost, error_of
from benchmaker.engine.executors.task import ItemResult, TaskSpec
from benchmaker.errors import PrerequisiteError

_LOOK_S = 1.0
_LEAVE_S = 10.0

Item = TypeVar("Item")


class RemoteTaskRunner(Protocol):
    """A remote :class:`~benchmaker.engine.executors.task.TaskRunner`; calls raise WorkerLost."""

    def open(self, spec: TaskSpec) -> Awaitable[RemoteError | None]: ...  # noqa: D102  as TaskRunner has them
    def do(self, item: object) -> Awaitable[ItemResult | RemoteError]: ...  # noqa: D102
    def close(self) -> Awaitable[None]: ...  # noqa: D102
    def end(self) -> None:
        """Kill it, if it still lives."""
        ...


@runtime_checkable
class TaskRunnerSource(Protocol):
    """A source of task runners."""

    @property
    def size(self) -> int:
        """The maximum number of task runners: one per CPU."""
        ...

    @property
    def hosts(self) -> frozenset[str]:
        """The names of the machines."""
        ...

    def start_task_runner(self, *, is_beside: bool) -> RemoteTaskRunner:
        """Start one, which may take a while; ``is_beside`` workers that hold all CPUs."""
        ...


class TaskPool:
    """Task runners for one task; see :func:`task_pool`.

    ``number`` of them are started on demand, and each gets up to ``ahead`` items at once. A dead
    one is replaced. ``is_beside`` is true if they run in addition to a run's workers.
    """

    def __init__(
        self,
        crew: TaskRunnerSource,
        spec: TaskSpec,
        *,
        number: int | None = None,
        ahead: int = 1,
        is_beside: bool = False,
    ) -> None:
        self.number = max(1, min(crew.size, number or crew.size))
        self._is_beside = is_beside
        self.ahead = max(1, ahead)
        self._crew = crew
        self._spec = spec
        self._open: set[RemoteTaskRunner] = set()
        self._free: list[RemoteTaskRunner] = []
        self._opening: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self._broken: Exception | None = None
        self._still_born = 0

    @property
    def at_once(self) -> int:
        """The maximum number of items sent at once."""
        return self.number * self.ahead

    async def do(self, item: object) -> Any:  # noqa: ANN401  as the class of the task returns it
        """Return the result of the item, from any task runner.

        Raises:
            BenchmakerError: the error raised by the task, as the same type.
            PrerequisiteError: no task runner is available, or several died with this item.
        """
        deaths = 0
        while True:
            runner = await self._acquire_runner()
            try:
                reply = await runner.do(item)
            except WorkerLost as exc:
                self._lose(runner)
                deaths += 1
                if deaths >= MOST_DEATHS:
                    raise PrerequisiteError(
                        f"{MOST_DEATHS} workers died at the same work: {exc}",
                        hint="Check the memory of the nodes.",
                    ) from exc
                continue
            except asyncio.CancelledError:
                self._lose(runner)  # it would go on for nobody
                raise
            self._give_back(runner)
            if isinstance(reply, RemoteError):
                raise error_of(reply)
            return reply.value

    async def close(self) -> None:
        """End all task runners; each gets a moment to clean up."""
        for task in self._opening:
            task.cancel()
        await asyncio.gather(*self._opening, return_exceptions=True)
        leaving = [asyncio.wait_for(runner.close(), _LEAVE_S) for runner in self._open]
        await asyncio.gather(*leaving, return_exceptions=True)
        for runner in list(self._open):
            self._lose(runner)

    async def _acquire_runner(self) -> RemoteTaskRunner:
        """A hand that is free; hires one more where none is."""
        waited_s = 0.0
        while True:
            if self._broken is not None:
                raise self._broken
            if self._free:
                return self._free.pop(0)
            if len(self._open) + len(self._opening) < self.number:
                self._start_runner()
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), _LOOK_S)
            except TimeoutError:
                waited_s = 0.0 if self._open else waited_s + _LOOK_S
            if waited_s > START_S:
                raise PrerequisiteError(
                    f"no worker of the cluster started within {START_S:g} s.",
                    hint="Check for a free CPU with: ray status",
                )

    def _start_runner(self) -> None:
        task = asyncio.ensure_future(self._open_runner())
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)

    async def _open_runner(self) -> None:
        runner = self._crew.start_task_runner(is_beside=self._is_beside)
        try:
            fault = await runner.open(self._spec)
            self._broken = error_of(fault) if fault is not None else self._broken
        except WorkerLost as exc:
            self._still_born += 1
            if self._still_born >= MOST_DEATHS:
                self._broken = PrerequisiteError(f"workers die as soon as they start: {exc}")
        else:
            if fault is None:
                self._still_born = 0
                self._open.add(runner)
                self._free.extend([runner] * self.ahead)
        finally:
            if runner not in self._open:
                runner.end()
            asyncio.get_running_loop().call_soon(self._changed.set)

    def _give_back(self, runner: RemoteTaskRunner) -> None:
        if runner in self._open:
            self._free.append(runner)
            self._changed.set()

    def _lose(self, runner: RemoteTaskRunner) -> None:
        if runner in self._open:
            self._open.discard(runner)
            self._free = [other for other in self._free if other is not runner]
            runner.end()
            self._changed.set()


@asynccontextmanager
async def task_pool(
    crew: TaskRunnerSource, spec: TaskSpec, *, number: int | None = None, ahead: int = 1
) -> AsyncIterator[TaskPool]:
    """Open task runners for a task, ``number`` or as many as possible, ended with the block."""
    made = TaskPool(crew, spec, number=number, ahead=ahead)
    try:
        yield made
    finally:
        await made.close()


class ItemProcessor(Protocol):
    """Processes items, several at once."""

    @property
    def at_once(self) -> int:
        """The number of items processed at once."""
        ...

    async def do(self, item: Any) -> Any:  # noqa: ANN401  each has items of its own
        """Return the result of an item."""
        ...


async def fan_out(
    workers: ItemProcessor,
    items: Iterator[Item],
    keep: Callable[[Item, Any], None],
    *,
    stop: asyncio.Event | None = None,
) -> None:
    """Have all items processed, and call ``keep`` with each result once, in this process.

    Only as many are drawn as are processed at once. Once ``stop`` is set no further one is drawn,
    and those in progress are completed.

    Raises:
        Exception: the first that the task or ``keep`` raised; nothing is drawn after it.
    """

    async def draw() -> None:
        while not (stop is not None and stop.is_set()):
            item = next(items, _NOTHING)
            if isinstance(item, _NoItem):
                return
            keep(item, await workers.do(item))

    drawing = [asyncio.ensure_future(draw()) for _ in range(workers.at_once)]
    try:
        await asyncio.gather(*drawing)
    finally:
        for one in drawing:
            one.cancel()
        await asyncio.gather(*drawing, return_exceptions=True)


class _NoItem:
    """There is no item any more."""


_NOTHING = _NoItem()
