"""Passes a stream of events on as it comes, up to its end."""

from benchmaker.providers.protocols.sse import SseParser
from benchmaker.providers.wires.form import StreamUsage

_BLANK = (b"\n", b"\r\n", b"\r")
_MOST_PENDING = 2**20
"""Bytes of one event that are held back; of a longer one the start is passed on."""


class StreamRelay:
    r"""Passes whole events on unchanged, and holds back the one that ends the stream.

    With ``hides_usage``, the event that brings usage alone is left out.

    Args:
        reader: the reader of usage.
        hides_usage: True if the agent did not ask for usage.
        line_bytes: maximum length of a line.
    """

    __slots__ = ("_hides_usage", "_is_hidden", "_parser", "_pending", "_size", "reader")

    def __init__(self, reader: StreamUsage, *, hides_usage: bool, line_bytes: int) -> None:
        self.reader = reader
        self._hides_usage = hides_usage
        self._parser = SseParser(line_bytes=line_bytes)
        self._pending: list[bytes] = []
        self._size = 0
        self._is_hidden = False

    def feed(self, chunk: bytes) -> bytes:
        """Return the bytes to pass on now.

        Raises:
            BadResponse: a line is too long.
        """
        ready: list[bytes] = []
        for line in chunk.splitlines(keepends=True):
            self._pending.append(line)
            self._size += len(line)
            self._read(self._parser.feed(line))
            if not self.reader.is_ended and (line in _BLANK or self._size > _MOST_PENDING):
                ready += self._take()
        return b"".join(ready)

    def finish(self) -> bytes:
        """Return what was held back; the stream is over."""
        self._read(self._parser.finish())
        return b"".join(self._take())

    def _read(self, events: list) -> None:  # type: ignore[type-arg]  # of the parser
        for event in events:
            self.reader.take(event)
            self._is_hidden |= self._hides_usage and self.reader.is_usage_alone(event)

    def _take(self) -> list[bytes]:
        taken = [] if self._is_hidden else self._pending
        self._pending, self._size, self._is_hidden = [], 0, False
        return taken
