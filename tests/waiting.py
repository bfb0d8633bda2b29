"""Waiting for what happens elsewhere: in another process, another thread, or a browser."""

import time
from collections.abc import Callable


def until(is_so: Callable[[], object], patience_s: float = 30.0) -> None:
    """Wait until it is so; fail where that does not come to pass."""
    end = time.monotonic() + patience_s
    while not is_so():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.01)
