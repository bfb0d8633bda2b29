"""Waiting for what happens elsewhere: in another process, another thread, or a browser."""

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")

PATIENCE_S = 120.0
"""A bound that only stops a hang: more than any loaded machine takes."""


def until(is_so: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
    """Wait until it is so; fail where that does not come to pass."""
    end = time.monotonic() + patience_s
    while not is_so():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.01)


def until_quiet(
    look: Callable[[], Found], agrees: Callable[[Found], object], patience_s: float = PATIENCE_S
) -> Found:
    """What a look finds between two changes of anybody; where none agrees, the last.

    PostgreSQL numbers the transactions of all its databases together, those of other tests too.
    """
    end = time.monotonic() + patience_s
    found = look()
    while not agrees(found) and time.monotonic() < end:
        found = look()
    return found
