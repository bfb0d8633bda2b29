"""Turns for threads that compute: few at once, so that the event loop is not kept waiting.

Threads of one process share the interpreter. If forty render pages at the same time, each of them
takes forty times as long, and a page from memory waits for all of them at every system call.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Semaphore, local
from typing import Final

MOST: Final = 2
"""Maximum number of threads that render pages at once."""


class Turns:
    """Turns of threads; those that wait for something else can give theirs away meanwhile."""

    def __init__(self, most: int) -> None:
        self._free = Semaphore(most)
        self._thread = local()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn, and hold it in the block; inside a turn it is that one."""
        if getattr(self._thread, "has_turn", False):
            yield
            return
        with self._hold():
            yield

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Let others have this thread's turn in the block, if it has one."""
        if not getattr(self._thread, "has_turn", False):
            yield
            return
        self._release()
        try:
            yield
        finally:
            self._acquire()

    @contextmanager
    def _hold(self) -> Iterator[None]:
        self._acquire()
        try:
            yield
        finally:
            self._release()

    def _acquire(self) -> None:
        self._free.acquire()
        self._thread.has_turn = True

    def _release(self) -> None:
        self._thread.has_turn = False
        self._free.release()


RENDERING: Final = Turns(MOST)
"""The turns of this process for rendering pages."""
