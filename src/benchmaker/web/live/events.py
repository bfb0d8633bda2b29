"""One poll of the store for all watchers of a run or series; changes go to each one's queue."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from benchmaker.errors import StoreError
from benchmaker.providers.live_text import LiveTexts
from benchmaker.store import Store
from benchmaker.store.runs.change_feed import Cell
from benchmaker.web.live.state import LiveState, live_state_of

T = TypeVar("T")
Change = TypeVar("Change")
Followed = TypeVar("Followed", bound="Tail[Any]")

TICK_S = 0.25
"""Minimum seconds between updates of a page."""

BEAT_S = 10.0
"""Seconds after which a page without updates gets a heartbeat."""

_QUEUE = 32
_LINGER_S = 5.0
_WINDOW_S = 60.0
_LEAST_S = 2.0
_STATE_S = 1.0
_COSTLY = 10.0
"""Looking at the whole standing may take a tenth of the time."""


@dataclass(eq=False)
class LiveChange:
    """Changes since the last one: cells by row sequence, and the current state.

    Its rendering is shared by pages with the same view and the same state.
    """

    upto: int
    cells: tuple[Cell, ...]
    state: LiveState
    drawn: "dict[object, asyncio.Future[Any]]" = field(default_factory=dict)
    newer: "dict[int, LiveChange]" = field(default_factory=dict)
    """By the identity of their standings, which they hold."""

    async def draw(self, look: object, drawing: Callable[[], Awaitable[T]]) -> T:
        """The change as those see it who look at this."""
        if look not in self.drawn:
            self.drawn[look] = asyncio.ensure_future(drawing())
        drawn: T = await asyncio.shield(self.drawn[look])
        return drawn

    def with_state(self, state: LiveState) -> "LiveChange":
        """Return the same cells with a later state; one object for all callers."""
        made = self.newer.get(id(state))
        if made is None:
            made = self.newer[id(state)] = LiveChange(self.upto, self.cells, state)
        return made


class Listener(Generic[Change]):
    """One open page; a slow one is dropped, and reconnects by itself."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Change | None] = asyncio.Queue(_QUEUE)
        self.is_dropped = False

    def offer(self, change: Change | None) -> None:
        """Put a change into the queue; None ends it."""
        try:
            self._queue.put_nowait(change)
        except asyncio.QueueFull:
            self.is_dropped = True

    async def changes(self) -> AsyncIterator[Change | None]:
        """Yield the changes as they arrive; None after a while without any."""
        while not self.is_dropped:
            try:
                change = await asyncio.wait_for(self._queue.get(), BEAT_S)
            except TimeoutError:
                yield None
                continue
            if change is None:
                return
            yield change


class SharedReads:
    """Shared reads: callers that arrive before a read starts get its result."""

    def __init__(self) -> None:
        self._waiting: dict[Hashable, asyncio.Task[Any]] = {}
        self._busy: dict[Hashable, asyncio.Lock] = {}

    async def read(self, key: Hashable, reading: Callable[[], T]) -> T:
        """Return the result of a read that starts from now on; in a thread, one per key."""
        if key not in self._waiting:
            self._waiting[key] = asyncio.ensure_future(self._read(key, reading))
        found: T = await asyncio.shield(self._waiting[key])
        return found

    async def _read(self, key: Hashable, reading: Callable[[], T]) -> T:
        lock = self._busy.setdefault(key, asyncio.Lock())
        async with lock:
            self._waiting.pop(key)
            try:
                return await asyncio.to_thread(reading)
            finally:
                if key not in self._waiting:
                    self._busy.pop(key, None)


class Tail(Generic[Change]):
    """Follows a run or series; looks at the store once for all its listeners."""

    tick_s = TICK_S

    def __init__(self, store: Store) -> None:
        self.store = store
        self.is_leaving = False
        self.listeners: set[Listener[Change]] = set()
        self.shared = SharedReads()
        self.last: Change | None = None

    async def follow(self) -> None:
        """Look again and again while anybody listens, and a little longer."""
        alone_since: float | None = None
        while not self.is_leaving and (
            alone_since is None or time.monotonic() - alone_since < _LINGER_S
        ):
            began = time.monotonic()
            with suppress(StoreError):  # locked or gone for a moment; pages say that they are stale
                if change := await asyncio.to_thread(self.look):
                    self.last = change
                    self._publish(change)
            if self.listeners:
                alone_since = None
            elif alone_since is None:
                alone_since = time.monotonic()
            await asyncio.sleep(max(0.05, self.tick_s - (time.monotonic() - began)))

    def look_soon(self) -> None:
        """Read the whole state on the next poll, since a new client may have changed it."""

    def look(self) -> Change | None:
        """Return the changes, or None; called in a thread, never concurrently."""
        raise NotImplementedError

    def end(self) -> None:
        """Release all listeners."""
        for listener in tuple(self.listeners):
            listener.offer(None)

    def _publish(self, change: Change) -> None:
        for listener in tuple(self.listeners):
            listener.offer(change)


class RunTail(Tail[LiveChange]):
    """Follows one run, or a series of runs."""

    def __init__(self, store: Store, name: str, heard: Callable[[], LiveTexts | None]) -> None:
        super().__init__(store)
        self.name = name
        self.heard = heard
        self.looks = 0
        self._seen: deque[tuple[float, int]] = deque()
        self._next_state = 0.0
        self._upto = -1

    @property
    def rate(self) -> float | None:
        """Trials a second of late; None where too little was seen."""
        if len(self._seen) < 2:  # noqa: PLR2004  from one to another
            return None
        (first, before), (last, now) = self._seen[0], self._seen[-1]
        return (now - before) / (last - first) if last - first >= _LEAST_S else None

    def look_soon(self) -> None:
        """Read the whole state on the next poll, since a new client may have changed it."""
        self._next_state = 0.0

    def look(self) -> LiveChange | None:
        """Return the changes, or None."""
        self.looks += 1
        with self.store.read_snapshot():
            return self._read_changes()

    def _read_changes(self) -> LiveChange | None:
        now = time.monotonic()
        is_due = self.last is None or now >= self._next_state
        state = self._read_state(now) if is_due or self.last is None else self.last.state
        if self._upto < 0:
            self._upto = state.seq
        changes = self.store.change_feed.changes_after(state.target.run_ids, self._upto)
        self._upto = changes.upto
        heard = self.heard()
        is_new = self.last is None or changes.cells or (heard is not None and heard.answer_keys())
        if not is_new and (not is_due or (self.last is not None and state == self.last.state)):
            return None
        return LiveChange(changes.upto, changes.cells, state)

    def _read_state(self, now: float) -> LiveState:
        found = live_state_of(self.store, self.name, rate=self.rate)
        if not found.is_live:
            found = replace(found, rate=None)
        if found.is_paused:
            self._seen.clear()
        took = time.monotonic() - now
        self._next_state = now + max(_STATE_S, _COSTLY * took)
        self._seen.append((now, found.n_done))
        while len(self._seen) > 1 and self._seen[0][0] < now - _WINDOW_S:
            self._seen.popleft()
        return found


class RunWatch:
    """The tails of all watched runs; belongs to the server's event loop."""

    def __init__(self) -> None:
        self.tails: dict[str, Tail[Any]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def rate(self, name: str) -> float | None:
        """Return the rate of a run, if it is watched."""
        tail = self.tails.get(name)
        return tail.rate if isinstance(tail, RunTail) else None

    def tail(self, store: Store, name: str, heard: Callable[[], LiveTexts | None]) -> RunTail:
        """The tail of a run or series, followed from now on."""
        return self.follow(name, RunTail, lambda: RunTail(store, name, heard))

    def follow(self, name: str, kind: type[Followed], make: Callable[[], Followed]) -> Followed:
        """The tail under this name, followed from now on."""
        found = self.tails.get(name)
        if isinstance(found, kind):
            found.look_soon()
            return found
        tail = self.tails[name] = make()
        task = self._tasks[name] = asyncio.ensure_future(tail.follow())
        task.add_done_callback(lambda _: self._forget(name, tail))
        return tail

    def _forget(self, name: str, tail: Tail[Any]) -> None:
        if self.tails.get(name) is tail:
            self.tails.pop(name)
            self._tasks.pop(name)
        tail.end()

    def leave(self) -> None:
        """Let all pages go soon: the server is about to end."""
        for tail in list(self.tails.values()):
            tail.is_leaving = True

    async def close(self) -> None:
        """Let all pages go, and stop looking."""
        tasks = list(self._tasks.values())
        for tail in list(self.tails.values()):
            tail.end()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
