"""Output streams of a command, within limits."""


class StreamTail:
    """The end of a stream; ``total`` counts all that came."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept = bytearray()
        self.total = 0

    def add(self, chunk: bytes) -> None:
        """Add a chunk; drop the oldest data."""
        self.total += len(chunk)
        self._kept += chunk
        if len(self._kept) > 2 * self._most:
            del self._kept[: -self._most]

    @property
    def is_truncated(self) -> bool:
        """True if data was dropped."""
        return self.total > self._most

    def value(self) -> bytes:
        """Return the kept data."""
        return bytes(self._kept[-self._most :])


class StreamHead(StreamTail):
    """The beginning of a stream."""

    def add(self, chunk: bytes) -> None:
        """Add a chunk; drop the excess."""
        self.total += len(chunk)
        self._kept += chunk[: max(0, self._most - len(self._kept))]
