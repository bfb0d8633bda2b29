"""The stream of events of pages of agent trials."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from typing import Protocol, Self, TypeVar

from benchmaker.web.live.events import Listener
from benchmaker.web.live.series_state import (
    AgentSeriesState,
    agent_series_state,
    follow_agent_series,
)
from benchmaker.web.workbench import Workbench

_LINES = re.compile("\r\n|\r|\n")


class Pieces(Protocol):
    """The parts of a page by name."""

    def changes_since(self, before: "Self | None") -> str:
        """Return what differs from the last state of the page; without one, all of it."""


P = TypeVar("P", bound=Pieces)


async def series_events(
    bench: Workbench,
    series_id: str,
    draw: Callable[[AgentSeriesState], P],
    *,
    since: str,
    is_over: Callable[[AgentSeriesState], bool],
) -> AsyncIterator[bytes]:
    """Yield the changes of a page, then new ones until nothing can change.

    ``since`` is the token of the state that the page has; it is the id of events, so that a page
    that connects again misses nothing.
    """
    tail = follow_agent_series(bench.watch, bench.store, series_id)
    listener: Listener[AgentSeriesState] = Listener()
    tail.listeners.add(listener)
    try:
        state = await asyncio.to_thread(agent_series_state, bench.store, series_id)
        sent = await asyncio.to_thread(draw, state)
        if state.token != since:
            yield _event("live", sent.changes_since(None), state.token)
        last = state.token
        if is_over(state):
            yield _event("over", "", last)
            return
        async for change in listener.changes():
            if change is None:
                yield _event("beat", "", "")
                continue
            if change.token == last or change.read_at < state.read_at:
                continue
            now = await asyncio.to_thread(draw, change)
            yield _event("live", now.changes_since(sent), change.token)
            sent, last = now, change.token
            if is_over(change):
                yield _event("over", "", last)
                return
    finally:
        tail.listeners.discard(listener)


def _event(kind: str, text: str, token: str) -> bytes:
    lines = "\n".join(f"data: {line}" for line in _LINES.split(text))
    head = f"id: {token}\n" if token else ""
    return f"{head}event: {kind}\n{lines}\n\n".encode("utf-8", "replace")
