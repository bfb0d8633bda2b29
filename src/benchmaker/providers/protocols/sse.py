"""Server-sent events out of bytes, however the network cuts them.

Source: the WHATWG HTML standard, section 9.2.6, "Interpreting an event stream". Only ``event``
and ``data`` are read; ``id`` and ``retry`` concern reconnecting, which no provider offers.
"""

from typing import NamedTuple

from benchmaker.errors import BadResponse
from benchmaker.spec.documents.sizes import readable_limit

_MARK = b"\xef\xbb\xbf"
_DATA = b"data"
_USUAL = b"data: "
_NEXT = b"\n\ndata: "
_EVENT = b"event"


class Event(NamedTuple):
    """One event: its name (empty by default) and its raw data."""

    name: bytes
    data: bytes


_new = tuple.__new__
"""Makes an event in half the time: a named tuple's own constructor is a Python function."""


class SseParser:
    r"""Collects bytes and returns complete events.

    >>> parser = SseParser()
    >>> parser.feed(b"data: one\r")
    []
    >>> parser.feed(b"\ndata: two\n\n")
    [Event(name=b'', data=b'one\ntwo')]

    Args:
        line_bytes: maximum length of a line.
    """

    __slots__ = ("_data", "_held", "_held_bytes", "_is_first", "_limit", "_name", "_skips_lf")

    def __init__(self, *, line_bytes: int = 8 * 2**20) -> None:
        self._limit = line_bytes
        self._held: list[bytes] = []
        self._held_bytes = 0
        self._data: list[bytes] = []
        self._name = b""
        self._is_first = True
        self._skips_lf = False

    def feed(self, chunk: bytes) -> list[Event]:
        """The events that end in these bytes.

        Raises:
            BadResponse: a line is longer than the limit.
        """
        if self._skips_lf and chunk:
            self._skips_lf = False
            if chunk[0] == 10:  # noqa: PLR2004  the second half of a CRLF
                chunk = chunk[1:]
        if b"\n" not in chunk and b"\r" not in chunk:
            self._hold(chunk)
            return []
        if self._held:
            chunk = b"".join((*self._held, chunk))
            self._held.clear()
            self._held_bytes = 0
        chunk = self._without_mark(chunk)
        usual = self._parse_whole_events(chunk)
        return self._parse_by_lines(chunk) if usual is None else usual

    def _parse_whole_events(self, chunk: bytes) -> list[Event] | None:
        """Whole events of one line of data each, all at once; None for anything else."""
        if not chunk.startswith(_USUAL) or not chunk.endswith(b"\n\n") or b"\r" in chunk:
            return None
        if self._data or self._name or len(chunk) > self._limit:
            return None
        pieces = chunk[6:-2].split(_NEXT)
        if chunk.count(b"\n") != 2 * len(pieces):
            return None
        return [_new(Event, (b"", data)) for data in pieces]

    def _parse_by_lines(self, chunk: bytes) -> list[Event]:
        lines = chunk.splitlines()
        if chunk[-1] == 13:  # noqa: PLR2004  a CR, after which an LF may still come
            self._skips_lf = True
        elif chunk[-1] != 10:  # noqa: PLR2004  no LF: the last line goes on
            self._hold(lines.pop())
        return self._events(lines)

    def finish(self) -> list[Event]:
        """The event that the end of the stream cut off, where it has data."""
        rest = self._without_mark(b"".join(self._held))
        self._held.clear()
        return self._events([rest, b""])

    def _without_mark(self, start: bytes) -> bytes:
        """The bytes without the byte order mark that a stream may begin with."""
        if not self._is_first:
            return start
        self._is_first = False
        return start.removeprefix(_MARK)

    def _hold(self, piece: bytes) -> None:
        if piece:
            self._held.append(piece)
            self._held_bytes += len(piece)
            self._check(self._held_bytes)

    def _check(self, size: int) -> None:
        if size > self._limit:
            raise BadResponse(
                f"a line of the stream is longer than {readable_limit(self._limit)}.",
                is_retryable=False,
            )

    def _events(self, lines: list[bytes]) -> list[Event]:
        events = []
        for line in lines:
            if line:
                self._take(line)
            elif self._data:
                events.append(Event(self._name, b"\n".join(self._data)))
                self._data.clear()
                self._name = b""
            else:
                self._name = b""
        return events

    def _take(self, line: bytes) -> None:
        self._check(len(line))
        field, _, value = line.partition(b":")
        if field == _DATA:
            self._data.append(value.removeprefix(b" "))
        elif field == _EVENT:
            self._name = value.removeprefix(b" ")
