"""The events of a run as data; the id is the row sequence, so that no event is lost."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from benchmaker.store.runs.change_feed import Cell
from benchmaker.web.live.events import Listener, LiveChange
from benchmaker.web.live.state import live_state_of
from benchmaker.web.workbench import Workbench


class Stream:
    """The events for one client.

    Without ``since`` the first event is the current state, and only later changes follow.
    """

    def __init__(self, bench: Workbench, target: str, since: int | None) -> None:
        self._bench = bench
        self._target = target
        self._since = since

    async def events(self) -> AsyncIterator[bytes]:
        """Yield missed events first, then new ones."""
        bench, name = self._bench, self._target
        tail = bench.watch.tail(bench.store, name, lambda: bench.standard.heard.get(name))
        listener: Listener[LiveChange] = Listener()
        tail.listeners.add(listener)
        try:
            missed = await asyncio.to_thread(self._missed_changes)
            yield self._message(missed)
            upto, is_live = missed.upto, missed.state.is_live
            if not is_live:
                yield _event("over", None, {})
                return
            async for change in listener.changes():
                if change is None:
                    yield _event("beat", None, {})
                elif change.upto >= upto:
                    yield self._message(change)
                    if not change.state.is_live:
                        yield _event("over", None, {})
                        return
        finally:
            tail.listeners.discard(listener)

    def _missed_changes(self) -> LiveChange:
        """Return all changes since the client's last event, or the state for a new client."""
        bench = self._bench
        state = live_state_of(bench.store, self._target, rate=bench.watch.rate(self._target))
        upto = state.seq if self._since is None else self._since
        cells: dict[tuple[int, int, int], Cell] = {}
        while True:
            found = bench.store.change_feed.changes_after(state.target.run_ids, upto)
            cells |= {cell.place: cell for cell in found.cells}
            upto = found.upto
            if not found.cells:
                return LiveChange(upto, tuple(cells.values()), state)

    def _message(self, change: LiveChange) -> bytes:
        now = change.state
        data = {
            "scale": "0-1",
            "seq": change.upto,
            "state": now.state,
            "done": now.n_done,
            "awaiting": now.n_awaiting,
            "planned": now.n_planned,
            "rate": now.rate,
            "seconds_left": now.seconds_left,
            "spent_usd": now.spent_usd,
            "outcomes": dict(now.details),
            "trials": [_trial(cell) for cell in sorted(change.cells, key=lambda it: it.seq)],
        }
        return _event("change", change.upto, self._bench.redactor.tree(msgspec.to_builtins(data)))


def _trial(cell: Cell) -> dict[str, Any]:
    return {
        "seq": cell.seq,
        "run": cell.run,
        "position": cell.position,
        "rank": cell.rank,
        "outcome": cell.outcome,
        "score": cell.score,
        "awaits_judge": cell.awaits,
        "requests": cell.attempts,
        "error_type": cell.error_type,
    }


def _event(kind: str, number: int | None, data: Any) -> bytes:  # noqa: ANN401  plain data
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {kind}\ndata: ".encode() + msgspec.json.encode(data) + b"\n\n"
