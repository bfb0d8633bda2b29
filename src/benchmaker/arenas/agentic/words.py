"""The words of texts, and small filters that say whether a piece of a trace may hold them.

A Bloom filter (Bloom, Space/time trade-offs in hash coding, CACM 1970) of 12 bits a word and 8
probes says yes to 3 words in 1,000 that are not there, and never no to one that is. The probes of a
word follow from two hashes (Kirsch and Mitzenmacher, Less hashing, same performance, 2006).
"""

import re
from collections.abc import Collection, Iterator
from hashlib import blake2b

from benchmaker.arenas.agentic.events import (
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
"""Longer runs of letters and digits are in no filter."""

_WORD = re.compile(r"[^\W_぀-鿿가-힯]+|[぀-鿿가-힯]")
"""Letters and digits; Chinese, Japanese and Korean signs one by one."""
_ESCAPE = re.compile(r"\\[nrtbf\"\\/]")
"""What stands for a sign in the JSON of arguments."""
_PLAIN = bytes(code if chr(code).isalnum() else 32 for code in range(128)) + bytes(range(128, 256))
"""Every sign of ASCII but letters and digits becomes a blank."""


def words_of(text: str) -> set[bytes]:
    """The different words of a text, in lower case, as UTF-8.

    >>> sorted(words_of("Read river_gauges.py, then read it"))
    [b'gauges', b'it', b'py', b'read', b'river', b'then']
    """
    words = _words(text)
    if "\\" in text:
        words |= _words(_ESCAPE.sub(" ", text))
    return words


def _words(text: str) -> set[bytes]:
    if text.isascii():  # most are, and this is ten times as fast
        return set(text.encode().lower().translate(_PLAIN).split())
    return {word.encode("utf-8", "replace") for word in _WORD.findall(text.casefold())}


def texts_of(event: Event) -> Iterator[tuple[str, str]]:
    """What an event says, each text with its kind; nothing where the log's content was dropped."""
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
    """Whether a word is in the filters of the pieces that have it."""
    return len(word) <= _LONGEST


def probes_of(word: bytes) -> tuple[int, int]:
    """Where a word is looked for in filters: a start, and a step to the next place."""
    digest = blake2b(word, digest_size=8).digest()
    return int.from_bytes(digest[:4], "little"), int.from_bytes(digest[4:], "little") | 1


def filter_of(words: Collection[bytes]) -> bytes:
    """The filter over these words; empty for none."""
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
    """Whether a filter may hold all words whose probes these are."""
    size = len(words) * 8
    if not size:
        return False
    for start, step in probes:
        for number in range(PROBES):
            place = (start + number * step) % size
            if not words[place >> 3] >> (place & 7) & 1:
                return False
    return True
