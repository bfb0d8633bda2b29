"""How the time of some work grows with the length of what it reads, on whatever machine."""

from collections.abc import Callable
from time import process_time

_TOO_SHORT_S = 0.01
_TRIES = 5


def is_linear(work: Callable[[int], object], length: int) -> bool:
    """Return whether four times the length takes about four times as long, and not sixteen times.

    Both are measured side by side in processor time, and again where something came between.
    """
    return any(_is_linear(work, length) for _ in range(_TRIES))


def _is_linear(work: Callable[[int], object], length: int) -> bool:
    long = _seconds(work, length)
    return long < _TOO_SHORT_S or long < 10 * _seconds(work, length // 4)


def _seconds(work: Callable[[int], object], length: int) -> float:
    start = process_time()
    work(length)
    return process_time() - start
