"""Work of which so much is done at once, however many threads have some.

Threads that compute take turns at the interpreter: many at once hand it over again and again, and
all of them get later what each could have had soon.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Slot:
    """The right to work, which may be given back before the work is done."""

    def __init__(self, among: threading.Semaphore) -> None:
        self._among = among
        self._has_ended = False

    def end(self) -> None:
        """Let another one work; a second time changes nothing."""
        if not self._has_ended:
            self._has_ended = True
            self._among.release()


class Slots:
    """So many seats; whoever finds none waits for one."""

    def __init__(self, at_once: int) -> None:
        self._among = threading.Semaphore(at_once)

    @contextmanager
    def acquire(self) -> Iterator[Slot]:
        """A seat, once one is free; it is given back with the end of the block at the latest."""
        self._among.acquire()
        seat = Slot(self._among)
        try:
            yield seat
        finally:
            seat.end()
