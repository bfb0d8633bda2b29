"""A file that holds many sessions is read once, not once for each of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from benchmaker.arenas.agentic.logs.lines import text_lines
from benchmaker.arenas.agentic.logs.options import Options

T = TypeVar("T")


@dataclass(slots=True)
class FileCache(Generic[T]):
    """Caches the last read value while its file is unchanged."""

    read: Callable[[Path, Options], T]
    _key: tuple[object, ...] = ()
    _value: list[T] = field(default_factory=list)

    def get(self, path: Path, options: Options) -> T:
        """Return the content of the file; its faults are reported only the first time."""
        key = _key(path, options)
        if not self._value or key != self._key:
            self._value = [self.read(path, options)]
            self._key = key
        return self._value[0]


def _key(path: Path, options: Options) -> tuple[object, ...]:
    try:
        stat = path.stat()
    except OSError:
        return (path, None, options)
    return (path, stat.st_mtime_ns, stat.st_size, options)


@dataclass(slots=True)
class FileLines:
    """Lines of a file requested in order: it is read once, one line in memory."""

    _key: tuple[object, ...] = ()
    _coming: Iterator[tuple[int, bytes]] = field(default_factory=lambda: iter(()))
    _last: tuple[int, bytes] = (0, b"")
    _asked: int = 0

    def between(
        self, path: Path, options: Options, first: int, last: int
    ) -> Iterator[tuple[int, bytes]]:
        """Yield the lines from one number to another, without those that do not exist."""
        self._open(path, options, first)
        for number in range(first, last + 1):
            if (line := self._line(number)) is not None:
                yield number, line

    def get(self, path: Path, options: Options, number: int) -> bytes | None:
        """Return the line with that number, from 1; None if it does not exist."""
        self._open(path, options, number)
        return self._line(number)

    def _open(self, path: Path, options: Options, number: int) -> None:
        """Start again if the file has changed or a line before the last request is needed."""
        key = _key(path, options)
        is_behind = number < self._last[0] and number <= self._asked
        if key != self._key or is_behind:
            self._key, self._coming = key, text_lines(path, options)
            self._last = (0, b"")

    def _line(self, number: int) -> bytes | None:
        self._asked = number
        while self._last[0] < number:
            following = next(self._coming, None)
            if following is None:
                return None
            self._last = following
        return self._last[1] if self._last[0] == number else None
