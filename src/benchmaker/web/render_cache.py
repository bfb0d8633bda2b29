"""A cache of rendered answers, compressed, keyed by everything they show.

A key contains everything an answer depends on: the address, the person's theme, the hashes of
stored content. So entries are never out of date or shared by mistake; unused ones are evicted.
"""

import gzip
from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from fastapi import Response
from starlette.datastructures import Headers

MOST_BYTES: Final = 16_000_000
"""Maximum compressed size of the cache; a page of a board has about 7 kB."""

_SMALL: Final = 1_000
"""Below this an answer goes out as it is."""

_PACKED: Final = {"content-encoding": "gzip", "vary": "Accept-Encoding"}
_LEVEL: Final = 4
_AROUND: Final = 2_000
"""What a key and its entry take besides, about."""


class RenderedBody(NamedTuple):
    """The compressed body of an answer, and its media type."""

    packed: bytes
    size: int
    media_type: str

    @classmethod
    def of(cls, body: bytes, media_type: str) -> "RenderedBody":
        """Pack a body."""
        return cls(gzip.compress(body, _LEVEL, mtime=0), len(body), media_type)

    @classmethod
    def of_response(cls, response: Response) -> "RenderedBody":
        """Pack the body of a page."""
        return cls.of(bytes(response.body), response.media_type or "text/html")

    def memory_bytes(self) -> int:
        """Return about how many bytes it takes in a cache, with its key."""
        return len(self.packed) + _AROUND

    def answer(self, headers: Headers) -> Response:
        """The answer to a request with these headers, packed where the client reads that."""
        if self.size < _SMALL or "gzip" not in headers.get("accept-encoding", ""):
            return Response(gzip.decompress(self.packed), media_type=self.media_type)
        return Response(self.packed, media_type=self.media_type, headers=_PACKED)


class CacheEntry(Protocol):
    """An entry of the cache."""

    def memory_bytes(self) -> int:
        """Return about how many bytes it takes."""


E = TypeVar("E", bound=CacheEntry)


class RenderCache(Generic[E]):
    """A cache of rendered answers; the least recently used is evicted."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._held: OrderedDict[Hashable, E] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._held)

    def find(self, key: Hashable) -> E | None:
        """Return the cached answer for a key."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def keep(self, key: Hashable, drawn: E) -> None:
        """Keep it as long as there is room."""
        with self._lock:
            self._drop(key)
            self._held[key] = drawn
            self._bytes += drawn.memory_bytes()
            while self._bytes > self._most:
                self._drop(next(iter(self._held)))

    def _drop(self, key: Hashable) -> None:
        if (gone := self._held.pop(key, None)) is not None:
            self._bytes -= gone.memory_bytes()
