"""Time that does not count under the time limit of a command, stated by another process."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

_DIGITS = 20


class PausedTime:
    """The time in which a command waited for us, in a file that its supervisor reads.

    The file has two numbers: the seconds of finished pauses, and the start of the present one on
    the machine's monotonic clock, 0 without one. Pauses that overlap count once, and not at all
    while something works for the command. Use it in one thread.

    Args:
        path: the file, which is made.
        clock: the machine's monotonic clock, in seconds.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float] = monotonic) -> None:
        self.path = path
        self._clock = clock
        self._past_s = self._began = 0.0
        self._pauses = self._works = 0
        self._is_paused = False
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._write()

    @property
    def seconds(self) -> float:
        """The seconds of all pauses so far."""
        return self._past_s + (self._clock() - self._began if self._is_paused else 0.0)

    @contextmanager
    def pause(self) -> Iterator[None]:
        """The time of the block does not count."""
        self._change(pauses=1)
        try:
            yield
        finally:
            self._change(pauses=-1)

    @contextmanager
    def work(self) -> Iterator[None]:
        """The time of the block counts, even during pauses."""
        self._change(works=1)
        try:
            yield
        finally:
            self._change(works=-1)

    def close(self) -> None:
        """Remove the file."""
        os.close(self._file)
        self.path.unlink(missing_ok=True)

    def _change(self, *, pauses: int = 0, works: int = 0) -> None:
        """Note that pauses or works began or ended."""
        past_s = self.seconds
        self._pauses += pauses
        self._works += works
        is_paused = self._pauses > 0 and not self._works
        if is_paused != self._is_paused:
            self._is_paused, self._past_s = is_paused, past_s
            self._began = self._clock() if is_paused else 0.0
            self._write()

    def _write(self) -> None:
        text = f"{self._past_s:>{_DIGITS}.6f} {self._began:>{_DIGITS}.6f}\n"
        os.pwrite(self._file, text.encode(), 0)
