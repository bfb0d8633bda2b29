"""The process behind :class:`benchmaker.sandbox.TimedWorker`: one function, called within limits.

It is started as a script, isolated and without site-packages, so that it is ready in a few
hundredths of a second: ``python -I -S timed_child.py <module file> <function> <memory, bytes>``. It
reads frames from standard input and writes frames to standard output. A frame is a length in four
bytes, most significant first, and as many bytes of JSON. A request is ``[processor seconds, seconds
of waiting, payload]``; a reply ``["ok", result]``, ``["late"]`` or ``["failed", type, message]``.
The first frame written is ``["ready"]``. The process ends with its standard input. Waiting is wall
time without the time on a processor, and without the time in the queue for one; where more of it is
allowed than of processor time, it is all wall time.
"""

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO, NoReturn

Work = Callable[[Any], Any]
_HARD_STOP_S = 1.0
_LOOK_S = 0.01
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class _TimeLimit(BaseException):
    """The time of a call is over; no ``except Exception`` of the function can hold it."""


def main() -> None:
    """Answer requests until standard input ends."""
    path, name, memory = sys.argv[1:]
    requests, replies = _take_pipes()
    work = _function(path, name)
    _set_limits(int(memory))
    signal.signal(signal.SIGVTALRM, _raise_time_limit)
    _write(replies, ["ready"])
    while (frame := _read(requests)) is not None:
        processor_s, wait_s, payload = json.loads(frame.decode("utf-8", "surrogatepass"))
        _write(replies, _call_timed(work, payload, processor_s, wait_s))


def _take_pipes() -> tuple[BinaryIO, int]:
    """The two pipes, out of reach of anything that prints or reads."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nothing, stream)
    return requests, replies


def _function(path: str, name: str) -> Work:
    """The function of that name in a module file that needs the standard library alone."""
    from importlib.util import module_from_spec, spec_from_file_location  # noqa: PLC0415  once

    spec = spec_from_file_location("work", path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Work = getattr(module, name)
    return function


def _set_limits(memory: int) -> None:
    """Bound the memory and leave no core files; systems that don't know a limit go without it."""
    for limit, value in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CORE, 0)):
        with suppress(OSError, ValueError):
            resource.setrlimit(limit, (value, value))


def _call_timed(work: Work, payload: Any, processor_s: float, wait_s: float) -> list[Any]:  # noqa: ANN401  JSON
    """The reply; a timer may go off anywhere up to the end of the innermost block."""
    _set_hard_stop(processor_s + _HARD_STOP_S)
    try:
        try:
            _set_alarms(processor_s, wait_s)
            return ["ok", work(payload)]
        except Exception as exc:  # noqa: BLE001  told to the parent, which raises it
            return ["failed", type(exc).__name__, str(exc)[:500]]
        finally:
            _set_alarms(0, 0)
    except _TimeLimit:
        _set_alarms(0, 0)
        return ["late"]
    finally:
        _set_hard_stop(_HARD_STOP_S)  # the rest of this call's must not end the next one


def _set_alarms(processor_s: float, wait_s: float) -> None:
    """Interrupt the call after this processor time or this time of waiting; 0 for never.

    Processor time is the usual limit, so that a busy machine makes no call late.
    """
    is_generous = wait_s > processor_s or not wait_s
    end_s = 0.0 if is_generous else _waited_s() + wait_s

    def look(*_: object) -> None:
        left_s = 0.0 if is_generous else end_s - _waited_s()
        if left_s <= 0:
            raise _TimeLimit
        signal.setitimer(signal.ITIMER_REAL, max(left_s, _LOOK_S))

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_VIRTUAL, processor_s)
    signal.setitimer(signal.ITIMER_REAL, wait_s)


def _waited_s() -> float:
    """Return the seconds so far without work for a processor, from any moment on."""
    return time.monotonic() - time.process_time() - _queued_s()


def _queued_s() -> float:
    """Return the seconds in the queue for a processor; 0 where the system does not tell."""
    try:
        with open("/proc/self/schedstat", "rb") as stat:  # noqa: PTH123  pathlib takes long to load
            return int(stat.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def _set_hard_stop(seconds: float) -> None:
    """Make the kernel end a process that ignores its alarm after this processor time.

    It limits a process whose parent is gone; waiting for the next request uses none of it.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _raise_time_limit(*_: object) -> NoReturn:
    raise _TimeLimit


def _read(requests: BinaryIO) -> bytes | None:
    head = requests.read(4)
    return requests.read(int.from_bytes(head, "big")) if len(head) == 4 else None  # noqa: PLR2004


def _write(replies: int, reply: list[Any]) -> None:
    body = _encode(reply).encode("utf-8", "surrogatepass")
    frame = memoryview(len(body).to_bytes(4, "big") + body)
    while frame:
        frame = frame[os.write(replies, frame) :]


if __name__ == "__main__":
    with suppress(BrokenPipeError, KeyboardInterrupt):
        main()
