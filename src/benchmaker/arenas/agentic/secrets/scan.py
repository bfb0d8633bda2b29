"""Removes secrets from a text, and reports them by kind, never by value.

First the words of all kinds are searched in a lower-case copy of the text with one byte per
character. A text without any is returned unchanged; otherwise only the places of the words are
examined. The time is linear in the text.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from benchmaker.arenas.agentic.secrets.kinds import KINDS, Kind

_ROUNDS = 4
_BEFORE = 24
_REMEMBERED = 20_000
_SHORT = 200

# One case, and the five letters of GitHub's kinds of token (ghp_, gho_ …) as one.
_FOLD: Final = bytes(b"s"[0] if it in b"oupr" else it for it in bytes(range(256)).lower())
_ESCAPED: Final = re.compile(r"\\+u00([0-7][0-9a-fA-F])|\\+/")


class Cleaned(NamedTuple):
    """A text without secrets, and the kind of each that was taken out."""

    text: str
    kinds: tuple[str, ...] = ()


class _Span(NamedTuple):
    start: int
    end: int
    rank: int
    kind: str


def _by_word() -> tuple[tuple[bytes, int, tuple[tuple[int, Kind], ...]], ...]:
    """The words as they are folded, each with its length and the kinds that it may begin."""
    kinds: defaultdict[bytes, list[tuple[int, Kind]]] = defaultdict(list)
    for rank, kind in enumerate(KINDS):
        for word in dict.fromkeys(word.encode().translate(_FOLD) for word in kind.words):
            kinds[word].append((rank, kind))
    return tuple((word, len(word), tuple(listed)) for word, listed in kinds.items())


_WORDS: Final = _by_word()
_ANY_WORD: Final = re.compile(b"|".join(re.escape(word) for word, _, _ in _WORDS))
"""For short texts; in long ones each word by itself is found faster."""

_remembered: dict[str, Cleaned] = {}


def clean_text(text: str) -> Cleaned:
    """The text with ``[redacted:kind]`` for each secret; the same object where it has none.

    >>> clean_text("use glpat-" + "aB3dE6gH9jK2mN5pQ8sT, please")
    Cleaned(text='use [redacted:gitlab], please', kinds=('gitlab',))
    """
    if len(text) > _SHORT:
        return _clean(text)
    known = _remembered.get(text)
    if known is None:
        if len(_remembered) >= _REMEMBERED:
            _remembered.clear()
        known = _remembered[text] = _clean(text)
    return known if known.kinds else Cleaned(text)


def holds_secret(text: str) -> bool:
    """True if the text contains a secret; cheaper than removing it.

    >>> holds_secret("glpat-" + "aB3dE6gH9jK2mN5pQ8sT"), holds_secret("task-7")
    (True, False)
    """
    if len(text) <= _SHORT and "\\" not in text:
        return _has_word(text) and _short_holds_secret(text)
    return bool(_spans(text))


@lru_cache(maxsize=_REMEMBERED)
def _short_holds_secret(text: str) -> bool:
    """As :func:`holds_secret`; remembered, since a table repeats names such as those of tasks."""
    return bool(_spans(text))


def _has_word(text: str) -> bool:
    """True if a short text has a word of any kind of secret."""
    return _ANY_WORD.search(_fold(text)) is not None


def _fold(text: str) -> bytes:
    return text.encode("latin-1", "replace").translate(_FOLD)


def _clean(text: str) -> Cleaned:
    kinds: list[str] = []
    for _ in range(_ROUNDS):
        spans = _spans(text)
        if not spans:
            break
        kinds += [it.kind for it in spans]
        text = _redact_spans(text, spans)
    return Cleaned(text, tuple(kinds))


def _redact_spans(text: str, spans: Sequence[_Span]) -> str:
    parts, at = [], 0
    for span in spans:
        parts += [text[at : span.start], f"[redacted:{span.kind}]"]
        at = span.end
    return "".join([*parts, text[at:]])


def _spans(text: str) -> list[_Span]:
    """Return the spans of secrets, from left to right, without overlaps."""
    if "\\" in text and ("\\u00" in text or "\\/" in text):
        return _escaped_spans(text)
    return _merge_spans(_find_spans(text))


def _escaped_spans(text: str) -> list[_Span]:
    """Return the spans of secrets in an escaped text, by positions in its raw form."""
    parts, starts, shifts = [], [0], [0]
    at = length = 0
    for escape in _ESCAPED.finditer(text):
        parts += [text[at : escape.start()], chr(int(escape[1], 16)) if escape[1] else "/"]
        length += escape.start() - at + 1
        at = escape.end()
        starts.append(length)
        shifts.append(at - length)
    parts.append(text[at:])

    def place(there: int) -> int:
        return there + shifts[bisect_right(starts, there) - 1]

    return [
        it._replace(start=place(it.start), end=place(it.end))
        for it in _merge_spans(_find_spans("".join(parts)))
    ]


def _merge_spans(spans: Iterator[_Span]) -> list[_Span]:
    """Spans that overlap as one, named by the most particular kind."""
    apart: list[_Span] = []
    for span in sorted(spans):
        if apart and span.start < apart[-1].end:
            last = apart[-1]
            named = min(last, span, key=lambda it: it.rank)
            apart[-1] = named._replace(start=last.start, end=max(last.end, span.end))
        else:
            apart.append(span)
    return apart


def _find_spans(text: str) -> Iterator[_Span]:
    folded = _fold(text)
    if len(folded) <= _SHORT and not _ANY_WORD.search(folded):
        return
    for word, length, kinds in _WORDS:
        at = folded.find(word)
        if at >= 0:
            yield from _at_word(text, _places(folded, word, at, length), kinds)


def _places(folded: bytes, word: bytes, at: int, length: int) -> Iterator[int]:
    while at >= 0:
        yield at
        at = folded.find(word, at + length)


def _at_word(
    text: str, places: Iterator[int], kinds: Sequence[tuple[int, Kind]]
) -> Iterator[_Span]:
    """Yield the secrets at the places of a word; each kind reads a place only once."""
    read = [0] * len(kinds)
    for place in places:
        for number, (rank, kind) in enumerate(kinds):
            start = place - kind.back
            if start < read[number]:
                continue
            if kind.before and not kind.before(text[max(0, start - _BEFORE) : start]):
                continue
            match = kind.pattern.match(text, start)
            if match is None:
                continue
            read[number] = match.end()
            if kind.accepts is None or kind.accepts(match):
                yield _Span(match.start("value"), match.end("value"), rank, kind.name)
