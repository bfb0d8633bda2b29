"""The processes in which functions of tools run, shared by all conversations."""

from functools import cache
from itertools import count
from typing import Any

from benchmaker.sandbox import TimedWorker

MOST = 8
"""Maximum number of processes."""


class _ToolWorker:
    """A process, the conversations whose state it holds, and its calls under way."""

    def __init__(self) -> None:
        self.process = TimedWorker("benchmaker.scoring.checks.python_work:call_tool", waits=1.0)
        self.scopes: set[int] = set()
        self.ended: list[int] = []
        self.busy = 0

    async def call(self, request: list[Any], scope: int, timeout_s: float) -> Any:  # noqa: ANN401  JSON
        ended, self.ended = self.ended, []
        self.busy += 1
        try:
            return await self.process.acall([*request, scope, ended], timeout_s=timeout_s)
        finally:
            self.busy -= 1


class ToolWorkers:
    """Up to ``most`` processes; a conversation stays with one, which holds its state.

    A new conversation gets an idle process, else a new one, else the one with the fewest calls.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._workers: list[_ToolWorker] = []
        self._by_scope: dict[int, _ToolWorker] = {}
        self._numbers = count(1)

    def begin(self) -> int:
        """Return the number of a new conversation."""
        return next(self._numbers)

    async def call(self, request: list[Any], scope: int, *, timeout_s: float) -> Any:  # noqa: ANN401  JSON
        """Return the reply to a call of a conversation.

        Raises:
            ScorerTimeout: the call computes or waits for more than ``timeout_s`` seconds.
            SandboxError: the process could not be started, or broke.
        """
        worker = self._by_scope.get(scope)
        if worker is None:
            worker = self._by_scope[scope] = self._choose()
            worker.scopes.add(scope)
        return await worker.call(request, scope, timeout_s)

    def end(self, scope: int) -> None:
        """Drop the state of a conversation, with the next call of its process."""
        worker = self._by_scope.pop(scope, None)
        if worker is not None:
            worker.scopes.discard(scope)
            worker.ended.append(scope)

    def _choose(self) -> _ToolWorker:
        idle = [worker for worker in self._workers if not worker.busy]
        if not idle and len(self._workers) < self._most:
            self._workers.append(_ToolWorker())
            return self._workers[-1]
        return min(idle or self._workers, key=lambda worker: (worker.busy, len(worker.scopes)))


@cache
def tool_workers() -> ToolWorkers:
    """Return the processes of this process, which every run uses."""
    return ToolWorkers()
