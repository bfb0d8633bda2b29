"""Watches the memory of a browser's processes, and kills the largest.

An address space limit does not work for this browser, and its own limit on scripts does not count
buffers; so the parent polls a few times a second, and kills.
"""

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path

from benchmaker.processes import is_alive, start_time, tree

_LOOK_S = 0.15
_KEPT = ("RssAnon:", "RssShmem:")
_ROOM_MB = 800
"""What a browser may hold beside the page that fills it: its own processes and other pages."""


def held_mb(pid: int) -> int:
    """The memory that a process holds alone or shares by intent, in MB; 0 when it is gone."""
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/status").read_text("ascii", errors="replace").splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith(_KEPT)) // 1024
    return 0


class MemoryWatch:
    """Watches the processes below ``pid`` and kills a page's process above ``most_mb``.

    ``kills`` counts the kills, ``pids`` are the processes found by the last look.
    """

    def __init__(self, pid: int, *, most_mb: int) -> None:
        self.pid = pid
        self.most_mb = most_mb
        self.kills = 0
        self.pids = [pid]
        self._task: asyncio.Task[None] | None = None
        self._seen = {pid: start_time(pid)}

    @property
    def is_running(self) -> bool:
        """True while the browser's first process is alive."""
        return is_alive(self.pid, self._seen[self.pid])

    def start(self) -> None:
        """Begin to look."""
        self._task = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def total_mb(self) -> int:
        """Return the memory of all processes of the browser, in MB."""
        return sum(map(held_mb, self._processes()))

    def largest_mb(self) -> int:
        """Return the memory of the largest child process of the browser, in MB."""
        return max((held_mb(pid) for pid in self._processes()[1:]), default=0)

    def kill_all(self) -> None:
        """End whatever is left of the browser."""
        self._processes()
        for pid, start in self._seen.items():
            if start and start_time(pid) == start:
                _kill(pid)

    def _processes(self) -> list[int]:
        """The browser and all that it started, itself first; none when it is gone."""
        if start_time(self.pid) != self._seen[self.pid]:
            return []
        self.pids = pids = tree(self.pid)
        self._seen.update({pid: start_time(pid) for pid in pids})
        return pids

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_S)
            self._look()

    def _look(self) -> None:
        held = {pid: held_mb(pid) for pid in self._processes()[1:]}
        if not held:
            return
        largest = max(held, key=lambda pid: held[pid])
        is_full = sum(held.values()) > self.most_mb + _ROOM_MB
        if held[largest] > self.most_mb or is_full:
            self.kills += 1
            _kill(largest)


def _kill(pid: int) -> None:
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)
