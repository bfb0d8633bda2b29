"""How long a browser was held up from outside: by a busy machine, or by what stopped it.

Every limit of the probe is in seconds of a clock. On a busy machine a page may have had a fraction
of them, so a limit that was reached says something of the page only if the page had its time.
"""

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Self

from benchmaker.arenas.code.probe.browser import Browser
from benchmaker.processes import ProcessUsage, usage

_LOOK_S = 0.2
_PUNCTUAL_S = 0.1
"""How late our own loop may be without being held up itself."""


class HoldUpWatch:
    """Measures a browser while a page is examined; ``async with`` begins and ends it.

    ``took_s`` is the duration in seconds of a clock, ``held_s`` the part of it in which the browser
    was held up, and ``ran_s`` the seconds of processors that it used.

    The browser is held up while a main thread of one of its processes waits for a processor, while
    a signal holds one, while it answers nothing although it does nothing, and while our own loop
    is late.
    """

    def __init__(self, browser: Browser) -> None:
        self.took_s = 0.0
        self.held_s = 0.0
        self.ran_s = 0.0
        self._browser = browser
        self._loop = asyncio.get_running_loop()
        self._last = self._loop.time()
        self._before: Mapping[int, ProcessUsage] = {}
        self._silent_since: float | None = None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def share(self) -> float:
        """The share of its time that the browser really had, from 0 to 1."""
        if not self._before:
            return share_by_load()
        return max(0.0, 1 - self.held_s / self.took_s) if self.took_s else 1.0

    async def __aenter__(self) -> Self:
        self._before = self._usages()
        self._tasks = [asyncio.create_task(it) for it in (self._beat(), self._watch())]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._look()

    async def _beat(self) -> None:
        """Ask the browser for a sign of life, again and again."""
        with suppress(Exception):  # a browser that ended is noticed elsewhere
            while True:
                self._silent_since = self._loop.time()
                await self._browser.cdp.send("Browser.getVersion")
                self._silent_since = None
                await asyncio.sleep(_LOOK_S)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_S)
            self._look()

    def _look(self) -> None:
        """Add what happened since the last look."""
        now, usages = self._loop.time(), self._usages()
        spent = now - self._last
        late = max(0.0, spent - _LOOK_S - _PUNCTUAL_S)
        self.took_s += spent
        self.held_s += min(spent, late + self._hold_up_s(spent, usages))
        self._last, self._before = now, usages or self._before

    def _hold_up_s(self, spent: float, usages: Mapping[int, ProcessUsage]) -> float:
        waited = 0.0
        for pid, it in usages.items():
            before = self._before.get(pid)
            self.ran_s += it.ran_s - (before.ran_s if before else 0.0)
            waited += it.main_waited_s - (before.main_waited_s if before else 0.0)
        if any(it.is_stopped for it in usages.values()):
            return spent
        return waited + self._idle_silence(spent, usages)

    def _idle_silence(self, spent: float, usages: Mapping[int, ProcessUsage]) -> float:
        """The time since the last look in which the browser neither answered nor did anything."""
        is_silent = self._silent_since is not None and self._silent_since <= self._last
        pid = self._browser.memory.pid
        if not is_silent or pid not in usages or pid not in self._before:
            return 0.0
        now, before = usages[pid], self._before[pid]
        busy = now.main_ran_s - before.main_ran_s + now.main_waited_s - before.main_waited_s
        return max(0.0, spent - busy)

    def _usages(self) -> dict[int, ProcessUsage]:
        found = {pid: usage(pid) for pid in self._browser.memory.pids}
        return {pid: it for pid, it in found.items() if it is not None}


def share_by_load() -> float:
    """Return the share of its time that a process has by the load average of the machine, 0 to 1.

    For systems that do not report the waiting of processes.
    """
    if not hasattr(os, "getloadavg"):
        return 1.0
    return min(1.0, (os.cpu_count() or 1) / max(os.getloadavg()[0], 1.0))
