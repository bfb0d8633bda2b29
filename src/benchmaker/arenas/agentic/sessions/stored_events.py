"""Traces: the stored events of a session, and the requests behind its cost.

Both are JSON lines, compressed in chunks of about a quarter of a megabyte, so that a trace of any
length is written and read with little memory.
"""

import json
import sys
import zlib
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from tempfile import TemporaryFile

import msgspec

from benchmaker.arenas.agentic.logs.events import Activity, Event
from benchmaker.arenas.agentic.logs.word_filters import filter_of, texts_of, words_of
from benchmaker.arenas.agentic.sessions.memory_tables import Request
from benchmaker.structs import resolve_type

EVENTS = "events"
REQUESTS = "requests"
KEYS = "keys"
PRINT = "print"
FILES = "files"
THREADS = "threads"
BEGINNINGS = "beginnings"
USAGE = "usage"

_CHUNK = 256 * 2**10
_SHORT = 2**11
_MOST_CHUNK = 512 * 2**20

_encoder = msgspec.json.Encoder()
_events = msgspec.json.Decoder(resolve_type(Event))
_requests = msgspec.json.Decoder(resolve_type(Request))


class Spool:
    """One temporary file that buffers the chunks of all sessions of an import."""

    def __init__(self) -> None:
        self._file = TemporaryFile()  # noqa: SIM115  closed by close
        self._size = 0
        self._is_at_end = True

    def put(self, chunk: bytes) -> tuple[int, int]:
        """Append a chunk; returns its offset and length."""
        at = self._size
        if not self._is_at_end:
            self._file.seek(at)
            self._is_at_end = True
        self._file.write(chunk)
        self._size += len(chunk)
        return at, len(chunk)

    def get(self, at: int, length: int) -> bytes:
        """Return a stored chunk."""
        self._is_at_end = False
        self._file.seek(at)
        return self._file.read(length)

    def close(self) -> None:
        """Close and delete the file."""
        self._file.close()


class Recorder:
    """Records the events of one session and returns them as compressed chunks."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._places: list[tuple[int, int]] = []
        self._filters: list[tuple[int, int]] = []
        self._waiting = bytearray()
        self._words: set[bytes] = set()
        self._has_words = False

    def add(self, event: Event) -> None:
        """Record an event; bare moments are not recorded."""
        if isinstance(event, Activity):
            return
        self._waiting += _line(event)
        self._waiting += b"\n"
        for _, text in texts_of(event):
            self._words |= words_of(text)
        if len(self._waiting) >= _CHUNK:
            self.flush()

    def flush(self) -> None:
        """Write the buffered events as one chunk, with its filter."""
        if self._waiting:
            self._places.append(self._spool.put(_compress(self._waiting)))
            self._filters.append(self._spool.put(filter_of(self._words)))
            self._has_words = self._has_words or bool(self._words)
            self._waiting.clear()
            self._words.clear()

    def chunks(self) -> Iterator[bytes]:
        """The chunks from the first on."""
        self.flush()
        for at, length in self._places:
            yield self._spool.get(at, length)

    def filters(self) -> Iterator[bytes]:
        """The word filter of each chunk; none if the session has no text."""
        self.flush()
        for at, length in self._filters if self._has_words else ():
            yield self._spool.get(at, length)


class ShortRecorder:
    """The few events of a short session as one compressed chunk; it has no texts to search."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = events

    def add(self, event: Event) -> None:
        """Record one more event."""
        self._events = (*self._events, event)

    def flush(self) -> None:
        """Do nothing: there is no buffer."""

    def chunks(self) -> Iterator[bytes]:
        """The chunk."""
        yield _compress(b"".join(_line(event) + b"\n" for event in self._events))

    def filters(self) -> Iterator[bytes]:
        """None."""
        return iter(())


def _compress(text: bytes | bytearray) -> bytes:
    """A chunk of zlib; a short text with small tables, which would take longer than the text."""
    if len(text) > _SHORT:
        return zlib.compress(text, 1)
    made = zlib.compressobj(level=1, wbits=11, memLevel=4)
    return made.compress(text) + made.flush()


def _line(event: Event) -> bytes:
    try:
        return _encoder.encode(event)
    except UnicodeEncodeError:  # half of a surrogate pair
        plain = json.dumps(msgspec.to_builtins(event), ensure_ascii=False)
        return plain.encode("utf-8", "replace")


def pack_requests(requests: Iterable[Request]) -> Iterator[bytes]:
    """Requests as chunks."""
    lines: list[bytes] = []
    size = 0
    for request in requests:
        line = _encoder.encode(request)
        lines.append(line)
        size += len(line)
        if size >= _CHUNK:
            yield zlib.compress(b"\n".join(lines), 1)
            lines, size = [], 0
    if lines:
        yield zlib.compress(b"\n".join(lines), 1)


def events_of(chunks: Iterable[bytes]) -> Iterator[Event]:
    """The events of stored chunks."""
    for chunk in chunks:
        for line in _lines(chunk):
            yield _events.decode(line)


def events_holding(chunk: bytes, words: Collection[bytes]) -> Iterator[Event]:
    """Yield the events of a chunk whose lines contain all of these case-folded words."""
    for line in _lines(chunk):
        folded = _fold(line)
        if all(word in folded for word in words):
            yield _events.decode(line)


def _fold(line: bytes) -> bytes:
    if line.isascii():
        return line.lower()
    return line.decode("utf-8", "replace").casefold().encode()


def requests_of(chunks: Iterable[bytes]) -> Iterator[Request]:
    """The requests of stored chunks."""
    for chunk in chunks:
        for line in _lines(chunk):
            yield _requests.decode(line)


def packed_keys(keys: "array[int]", answers: int) -> bytes:
    """The keys that a submission counts, as one chunk.

    The first ``answers`` keys are those of its requests, in their order. All keys are odd; the
    chunk begins with twice that number.
    """
    return _little_endian(array("Q", [2 * answers]) + keys).tobytes()


def unpacked_keys(chunk: bytes) -> "array[int]":
    """The keys of a stored chunk; one of an earlier version begins with a key."""
    numbers = _numbers(chunk)
    return numbers if _is_without_answers(numbers) else numbers[1:]


def answer_keys(chunk: bytes) -> "array[int]":
    """The keys of the requests of a stored chunk, in order; none if they are unknown."""
    numbers = _numbers(chunk)
    return numbers[:0] if _is_without_answers(numbers) else numbers[1 : 1 + numbers[0] // 2]


def _is_without_answers(numbers: "array[int]") -> bool:
    return not numbers or numbers[0] % 2 == 1


def _numbers(chunk: bytes) -> "array[int]":
    numbers = array("Q")
    numbers.frombytes(chunk)
    return _little_endian(numbers)


def _little_endian(keys: "array[int]") -> "array[int]":
    if sys.byteorder == "big":  # pragma: no cover  no such machine at hand
        keys = array("Q", keys)
        keys.byteswap()
    return keys


def _lines(chunk: bytes) -> list[bytes]:
    text = zlib.decompressobj().decompress(chunk, _MOST_CHUNK)
    return [line for line in text.split(b"\n") if line]
