"""Ctrl-C, SIGTERM and a terminal that goes away: once to stop cleanly, twice to stop at once."""

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)

_HANGUP = tuple(number for number in signal.Signals if number.name == "SIGHUP")
"""Empty where a system has none."""


@contextmanager
def stop_on_signals(stop: asyncio.Event) -> Iterator[None]:
    """Inside, the first signal sets ``stop`` and the second raises KeyboardInterrupt.

    To be entered in a coroutine. Signals reach the main thread alone; in any other nothing is
    changed. A hang-up that is ignored, as under ``nohup``, stays so. The handlers of before are
    back afterwards.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    heard: list[int] = []

    def hear(number: int, _: FrameType | None) -> None:
        heard.append(number)
        if len(heard) > 1:
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(stop.set)

    before = {number: signal.signal(number, hear) for number in (*SIGNALS, *_hangup_signals())}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _hangup_signals() -> tuple[signal.Signals, ...]:
    """The hang-up, unless the process was started to outlive its terminal."""
    return tuple(n for n in _HANGUP if signal.getsignal(n) is not signal.SIG_IGN)
