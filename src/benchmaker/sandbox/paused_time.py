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
    the machine's monotonic clock, 0 without one. Pauses that overlap count once. Use it in one
    thread.

    Args:
        path: the file, which is made.
        clock: the machine's monotonic clock, in seconds.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float] = monotonic) -> None:
        self.path = path
        self._clock = clock
        self._past_s = self._began = 0.0
        self._pauses = 0
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._write()

    @property
    def seconds(self) -> float:
        """The seconds of all pauses so far."""
        return self._past_s + (self._clock() - self._began if self._pauses else 0.0)

    @contextmanager
    def pause(self) -> Iterator[None]:
        """The time of the block does not count."""
        self._pauses += 1
        if self._pauses == 1:
            self._began = self._clock()
            self._write()
        try:
            yield
        finally:
            past_s = self.seconds
            self._pauses -= 1
            if not self._pauses:
                self._past_s, self._began = past_s, 0.0
                self._write()

    def close(self) -> None:
        """Remove the file."""
        os.close(self._file)
        self.path.unlink(missing_ok=True)

    def _write(self) -> None:
        text = f"{self._past_s:>{_DIGITS}.6f} {self._began:>{_DIGITS}.6f}\n"
        os.pwrite(self._file, text.encode(), 0)
