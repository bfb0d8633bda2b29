"""The words of texts, and small filters for chunks of a trace that may contain them.

A Bloom filter (Bloom, Space/time trade-offs in hash coding, CACM 1970) of 12 bits a word and 8
probes has 3 false positives in 1,000 lookups and no false negatives. The probes of a word are
derived from two hashes (Kirsch and Mitzenmacher, Less hashing, same performance, 2006).
"""

import re
from collections.abc import Collection, Iterator
from hashlib import blake2b

from benchmaker.arenas.agentic.logs.events import (
    Event,
    Failure,
    LlmCall,
    ToolCall,
    ToolResult,
    UserTurn,
)

BITS = 12
PROBES = 8
_LEAST = 128
_LONGEST = 64
"""The length in bytes of the longest word that filters contain."""

_WORD = re.compile(r"[^\W_぀-鿿가-힯]+|[぀-鿿가-힯]")
"""A run of letters and digits; Chinese, Japanese and Korean characters one by one."""
_ESCAPE = re.compile(r"\\[nrtbf\"\\/]")
"""Escaped characters in the JSON of arguments."""
_PLAIN = bytes(code if chr(code).isalnum() else 32 for code in range(128)) + bytes(range(128, 256))
"""Maps every ASCII character except letters and digits to a space."""


def words_of(text: str) -> set[bytes]:
    """The distinct words of a text, in folded case, as UTF-8.

    >>> sorted(words_of("Read river_gauges.py, then read it"))
    [b'gauges', b'it', b'py', b'read', b'river', b'then']
    """
    words = _words(text)
    if "\\" in text:
        words |= _words(_ESCAPE.sub(" ", text))
    return words


def _words(text: str) -> set[bytes]:
    if text.isascii():  # ten times as fast, and most texts are
        return set(text.encode().lower().translate(_PLAIN).split())
    return {word.encode("utf-8", "replace") for word in _WORD.findall(text.casefold())}


def texts_of(event: Event) -> Iterator[tuple[str, str]]:
    """The texts of an event, each with its kind; none if the content was dropped at import."""
    for kind, text in _texts(event):
        if text:
            yield kind, text


def _texts(event: Event) -> Iterator[tuple[str, str | None]]:
    match event:
        case LlmCall():
            yield "reasoning", event.reasoning
            yield "answer", event.text
        case ToolCall():
            yield f"call of {event.name}", event.arguments
        case ToolResult():
            yield "output of a tool", event.text
        case UserTurn():
            yield "prompt", event.text
        case Failure():
            yield "failure", event.message
        case _:
            pass


def is_indexed(word: bytes) -> bool:
    """True if filters contain the word; longer ones are omitted."""
    return len(word) <= _LONGEST


def probes_of(word: bytes) -> tuple[int, int]:
    """The bits of a word in any filter: a start, and the step from each probe to the next."""
    digest = blake2b(word, digest_size=8).digest()
    return int.from_bytes(digest[:4], "little"), int.from_bytes(digest[4:], "little") | 1


def filter_of(words: Collection[bytes]) -> bytes:
    """The filter of these words; empty for none."""
    indexed = [word for word in words if is_indexed(word)]
    if not indexed:
        return b""
    import numpy as np  # noqa: PLC0415  only where texts are kept

    digests = b"".join(blake2b(word, digest_size=8).digest() for word in indexed)
    pairs = np.frombuffer(digests, dtype="<u4").astype(np.uint64).reshape(-1, 2)
    size = max(_LEAST, -(-len(indexed) * BITS // 8) * 8)
    steps = pairs[:, 1:] | np.uint64(1)
    places = (pairs[:, :1] + np.arange(PROBES, dtype=np.uint64) * steps) % np.uint64(size)
    bits = np.zeros(size, dtype=np.uint8)
    bits[places.ravel().astype(np.int64)] = 1
    return np.packbits(bits, bitorder="little").tobytes()


def may_hold(words: bytes, probes: Collection[tuple[int, int]]) -> bool:
    """True if a filter may contain all words with these probes."""
    size = len(words) * 8
    if not size:
        return False
    for start, step in probes:
        for number in range(PROBES):
            place = (start + number * step) % size
            if not words[place >> 3] >> (place & 7) & 1:
                return False
    return True
