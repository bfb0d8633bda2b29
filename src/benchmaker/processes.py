"""Information about processes: whether they run, since when, their children and processor time.

The system reuses numbers of processes. A process is the same only if its start time is the same; so
store the start time with the number.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

_STATE: Final = 0
_USER, _SYSTEM = 11, 12
_START: Final = 19
"""Places in ``/proc/PID/stat``, counted after the process' name: fields 3 to 22 of proc(5)."""

_DEAD: Final = {"Z", "X"}
"""States of a process that ended and that its parent has not noticed yet."""

_STOPPED: Final = {"T", "t"}


class ProcessUsage(NamedTuple):
    """The use of the processors by a process since its start, in seconds.

    ``ran_s`` is that of all its threads. ``main_ran_s`` is that of its first thread, and
    ``main_waited_s`` the time in which that thread was ready to run but had no processor.
    ``is_stopped`` is true while a signal holds the process.
    """

    ran_s: float
    main_ran_s: float
    main_waited_s: float
    is_stopped: bool


def usage(pid: int) -> ProcessUsage | None:
    """Return a process' use of the processors; None if it is gone or the system does not tell.

    Source: ``/proc/PID/schedstat`` (sched-stats.rst of Linux) and ``/proc/PID/stat``, proc(5).
    """
    fields = _fields(pid)
    try:
        ran, waited = Path(f"/proc/{pid}/schedstat").read_text("ascii").split()[:2]
    except (OSError, ValueError):
        return None
    if not fields:
        return None
    ticks = int(fields[_USER]) + int(fields[_SYSTEM])
    ran_s = ticks / os.sysconf("SC_CLK_TCK")
    return ProcessUsage(ran_s, int(ran) / 1e9, int(waited) / 1e9, fields[_STATE] in _STOPPED)


def start_time(pid: int) -> str:
    """Return the start time of a process, in ticks since the system's start.

    Empty if it is gone, or if the system does not provide it.
    """
    fields = _fields(pid)
    return fields[_START] if fields else ""


def is_alive(pid: int, since: str) -> bool:
    """True if the process that :func:`start_time` reported as ``since`` is alive.

    If the system does not report start times, or ``since`` is empty, any process with that number
    counts.
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
    """Return a process with all its descendants, parents first.

    Only the process itself if the system does not report children.
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
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", errors="replace")
    except OSError:
        return []
    return stat.rpartition(")")[2].split()
