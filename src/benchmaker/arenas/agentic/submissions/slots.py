"""Limits the number of threads that work concurrently.

Computing threads share the interpreter: with many at once, switching delays all of them.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Slot:
    """The right to work, which can be released before the work is done."""

    def __init__(self, among: threading.Semaphore) -> None:
        self._among = among
        self._has_ended = False

    def end(self) -> None:
        """Release the slot; repeated calls have no effect."""
        if not self._has_ended:
            self._has_ended = True
            self._among.release()


class Slots:
    """A limited number of slots; threads wait for a free one."""

    def __init__(self, at_once: int) -> None:
        self._among = threading.Semaphore(at_once)

    @contextmanager
    def acquire(self) -> Iterator[Slot]:
        """Wait for a slot; it is released at the end of the block at the latest."""
        self._among.acquire()
        seat = Slot(self._among)
        try:
            yield seat
        finally:
            seat.end()
