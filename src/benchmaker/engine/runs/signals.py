"""Ctrl-C, SIGTERM and hang-up: the first stops cleanly, the second immediately."""

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
    """Make the first signal set ``stop`` and the second raise KeyboardInterrupt, within a context.

    Enter it in a coroutine. Signals only reach the main thread; in any other nothing is changed. An
    ignored hang-up, as under ``nohup``, stays ignored. The previous handlers are restored
    afterwards.
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
