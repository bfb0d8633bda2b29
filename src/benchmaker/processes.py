"""Information about processes: whether they run, since when, and their children.

The system gives numbers of processes again. One that was known is still itself only where it
started when it did; so whoever keeps a number keeps the start beside it.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_STATE: Final = 0
_START: Final = 19
"""Places in ``/proc/PID/stat``, counted after the process' name: fields 3 and 22 of proc(5)."""

_DEAD: Final = {"Z", "X"}
"""States of a process that ended and that its parent has not noticed yet."""


def start_time(pid: int) -> str:
    """When a process started, in ticks since the system did.

    Empty when it is gone, or where the system does not say.
    """
    fields = _fields(pid)
    return fields[_START] if fields else ""


def is_alive(pid: int, since: str) -> bool:
    """True if the very process lives that :func:`start_time` at ``since``.

    Where the system does not say when, or ``since`` is empty, any process of that number counts.
    """
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    fields = _fields(pid)
    return not fields or (fields[_STATE] not in _DEAD and since in {"", fields[_START]})


def tree(pid: int) -> list[int]:
    """A process with all that it started; who started another stands before it.

    The process alone where the system does not say.
    """
    found, left = [], [pid]
    while left:
        one = left.pop()
        found.append(one)
        left.extend(_children(one))
    return found


def _children(pid: int) -> Iterator[int]:
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                yield from map(int, (thread / "children").read_text("ascii").split())


def _fields(pid: int) -> list[str]:
    try:
        told = Path(f"/proc/{pid}/stat").read_text("utf-8", errors="replace")
    except OSError:
        return []
    return told.rpartition(")")[2].split()
