"""Differences of two texts, word by word."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from rapidfuzz.distance import Levenshtein

Kind = Literal["same", "ins", "del", "mark"]

LARGEST = 200_000
"""Maximum length of compared texts in characters."""

_MOST = 400_000_000
"""So many pairs of words are looked at, at most; 64 of them take one step of the machine."""

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FIRST_SIGN = 0x100
_SURROGATES = 0xD800
_PAST_SURROGATES = 0x800


class Piece(NamedTuple):
    """A stretch of text that both have, that is new (``ins``) or that is missing (``del``).

    Outside of diffs, a stretch of the kind ``mark`` is highlighted.
    """

    kind: Kind
    text: str


def word_diff(before: str, after: str) -> tuple[Piece, ...] | None:
    """Return the changes from one text to the other; None if they are too long to compare.

    The units are words, or lines in very long texts. Time and memory are bounded for any text:
    bit-parallel distance (Hyyrö 2003) with Hirschberg's division.
    """
    if max(len(before), len(after)) > LARGEST:
        return None
    for pattern in (_WORD, _LINE):
        old, new = pattern.findall(before), pattern.findall(after)
        if len(old) * len(new) <= _MOST:
            return tuple(_merge_changes(_absorb_blanks(list(_pieces(old, new)))))
    return None


def _pieces(old: Sequence[str], new: Sequence[str]) -> Iterator[Piece]:
    signs: dict[str, str] = {}
    for change in Levenshtein.opcodes(_encode_words(old, signs), _encode_words(new, signs)):
        if change.tag == "equal":
            yield Piece("same", "".join(new[change.dest_start : change.dest_end]))
            continue
        if change.src_end > change.src_start:
            yield Piece("del", "".join(old[change.src_start : change.src_end]))
        if change.dest_end > change.dest_start:
            yield Piece("ins", "".join(new[change.dest_start : change.dest_end]))


def _encode_words(words: Sequence[str], signs: dict[str, str]) -> str:
    """One character for each word, the same for the same."""
    return "".join(signs.get(word) or signs.setdefault(word, _sign(len(signs))) for word in words)


def _sign(number: int) -> str:
    code = number + _FIRST_SIGN
    return chr(code if code < _SURROGATES else code + _PAST_SURROGATES)


def _absorb_blanks(pieces: list[Piece]) -> Iterator[Piece]:
    """The same, blanks between two changes taken as changed, so that phrases stay together."""
    for at, piece in enumerate(pieces):
        is_between = 0 < at < len(pieces) - 1
        if piece.kind == "same" and is_between and piece.text.isspace() and "\n" not in piece.text:
            yield Piece("del", piece.text)
            yield Piece("ins", piece.text)
        else:
            yield piece


def _merge_changes(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Yield adjacent changes merged, removed text before added text."""
    waiting: dict[Kind, list[str]] = {"del": [], "ins": []}
    for piece in pieces:
        if piece.kind != "same":
            waiting[piece.kind].append(piece.text)
            continue
        yield from _changes(waiting)
        waiting = {"del": [], "ins": []}
        yield piece
    yield from _changes(waiting)


def _changes(waiting: dict[Kind, list[str]]) -> Iterator[Piece]:
    for kind, texts in waiting.items():
        if texts:
            yield Piece(kind, "".join(texts))
