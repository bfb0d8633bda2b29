"""Bounded waiting for a temporarily unreachable server, for repeatable work."""

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from benchmaker.errors import Unreachable

T = TypeVar("T")

READERS_S = 20.0
"""Seconds that reads and single changes wait for a server that was reachable before."""

WRITER_S = 120.0
"""Seconds that the writer waits."""

_FIRST_S, _LONGEST_S = 0.05, 1.0


def persist(work: Callable[[], T], *, within_s: float) -> T:
    """Repeat the work while the server is unreachable, for ``within_s`` seconds.

    The pauses double from 0.05 s to 1 s.

    Raises:
        Unreachable: the server did not return in time.
    """
    ends_at = time.monotonic() + within_s
    for pause in _pauses():
        try:
            return work()
        except Unreachable:
            if time.monotonic() + pause > ends_at:
                raise
            time.sleep(pause)
    raise AssertionError  # pragma: no cover  the pauses never end


def _pauses() -> Iterator[float]:
    pause = _FIRST_S
    while True:
        yield pause
        pause = min(2 * pause, _LONGEST_S)
