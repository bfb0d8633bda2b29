"""Passes a stream of events on as it comes, up to its end."""

from benchmaker.providers.protocols.sse import Event, SseParser
from benchmaker.providers.wires.form import StreamUsage, decode_or_none, is_error_report

_BLANK = (b"\n", b"\r\n", b"\r")
_FAILING = (b"error", b"failed")
_MOST_PENDING = 2**20
"""Bytes of one event that are held back; of a longer one the start is passed on."""


class StreamRelay:
    r"""Passes whole events on unchanged, and holds back the one that ends the stream.

    With ``hides_usage``, the event that brings usage alone is left out. ``has_failed`` is true once
    an event reported a failure before the answer was whole, ``has_begun`` once another came before.

    Args:
        reader: the reader of usage.
        hides_usage: True if the agent did not ask for usage.
        line_bytes: maximum length of a line.
    """

    __slots__ = (
        "_hides_usage", "_is_hidden", "_parser", "_pending", "_size", "has_begun", "has_failed",
        "reader",
    )  # fmt: skip

    def __init__(self, reader: StreamUsage, *, hides_usage: bool, line_bytes: int) -> None:
        self.reader = reader
        self.has_begun = self.has_failed = False
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
            self._note(event)
            self.reader.take(event)
            self._is_hidden |= self._hides_usage and self.reader.is_usage_alone(event)

    def _note(self, event: Event) -> None:
        """Note a failure; later events change nothing, as the one that ends the stream."""
        if self.has_failed or self.reader.is_complete:
            return
        self.has_failed = any(it in event.data for it in _FAILING) and is_error_report(
            decode_or_none(event.data)
        )
        self.has_begun = self.has_begun or not self.has_failed

    def _take(self) -> list[bytes]:
        taken = [] if self._is_hidden else self._pending
        self._pending, self._size, self._is_hidden = [], 0, False
        return taken
