"""Work beside the browser, whose driver keeps an event loop in the thread of the tests."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_R = TypeVar("_R")


def aside(work: Callable[..., _R], *args: object, **named: object) -> _R:
    """What the work returns, done in a thread of its own."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work, *args, **named).result()
