"""Patterns searched only if one of their stems occurs in the text.

A pattern of many words takes tens of microseconds per sentence; a lookup of its stems takes less
than one. Most sentences contain none of them.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from benchmaker.scoring.extract.stems import StemIndex

_INDEX = StemIndex()
_LONG = 800
"""Beyond this length, a search for the stems of one cue is faster than the lookup of words."""


@dataclass(frozen=True, slots=True)
class Cue:
    r"""A pattern and its lower-case stems, one of which occurs in every match.

    A stem may contain spaces, but not only. The pattern is compiled on first use, and ignores case
    unless other flags are given.

    >>> Cue(r"\bnot\b|n't\b", ("not", "n't")).findall("It isn't, not now.")
    ["n't", 'not']
    """

    source: str
    stems: tuple[str, ...]
    flags: int = re.IGNORECASE
    _compiled: re.Pattern[str] | None = field(init=False, repr=False, compare=False, default=None)
    _needed: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _spaced: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _bit: int = field(init=False, repr=False, compare=False)
    _bit_of_spaced: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        needed = _without_longer(self.stems)
        spaced = tuple(stem for stem in needed if len(stem.split()) > 1 or stem != stem.strip())
        object.__setattr__(self, "_needed", needed)
        object.__setattr__(self, "_spaced", spaced)
        object.__setattr__(self, "_bit", _INDEX.add(set(needed).difference(spaced)))
        longest = (max(stem.split(), key=len) for stem in spaced)
        object.__setattr__(self, "_bit_of_spaced", _INDEX.add(longest))

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern."""
        compiled = self._compiled
        if compiled is None:
            compiled = re.compile(self.source, self.flags)
            object.__setattr__(self, "_compiled", compiled)
        return compiled

    @property
    def bits(self) -> int:
        """The bits of its stems in the index."""
        return self._bit | self._bit_of_spaced

    def may_hold(self, text: str) -> bool:
        """True if a stem occurs in the text."""
        if len(text) > _LONG:
            return _occurs(self._needed, text.lower())
        found = _INDEX.find(text)
        if found & self._bit:
            return True
        return bool(found & self._bit_of_spaced) and _occurs(self._spaced, text.lower())

    def may_hold_alone(self, text: str) -> bool:
        """True if a stem occurs in a text in which no other cue is looked up."""
        return _occurs(self._needed, text.lower())

    def search(self, text: str) -> re.Match[str] | None:
        """The first match."""
        return self.pattern.search(text) if self.may_hold(text) else None

    def match(self, text: str) -> re.Match[str] | None:
        """The match at the start of the text."""
        return self.pattern.match(text) if self.may_hold(text) else None

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """The match of the whole text."""
        return self.pattern.fullmatch(text) if self.may_hold(text) else None

    def findall(self, text: str) -> list[str]:
        """The texts of all matches."""
        return [found[0] for found in self.finditer(text)]

    def finditer(
        self, text: str, start: int = 0, end: int | None = None
    ) -> Iterator[re.Match[str]]:
        """The matches in their order."""
        if self.may_hold(text):
            yield from self.pattern.finditer(text, start, len(text) if end is None else end)

    def sub(self, new: str | Callable[[re.Match[str]], str], text: str) -> str:
        """The text with every match replaced."""
        return self.pattern.sub(new, text) if self.may_hold(text) else text


class CueGroup:
    """Cues that are looked up together: most sentences contain a stem of none.

    >>> group = CueGroup(Cue("not", ("not",)), Cue("but", ("but",)))
    >>> group.may_hold("It is 5, but"), group.may_hold("It is 5")
    (True, False)
    """

    __slots__ = ("_bits",)

    def __init__(self, *cues: Cue) -> None:
        self._bits = 0
        for cue in cues:
            self._bits |= cue.bits

    def may_hold(self, text: str) -> bool:
        """True if a stem of a cue may occur in the text."""
        return bool(_INDEX.find(text) & self._bits)


class AnyCase:
    r"""A lower-case pattern for texts in any case, of which only the places are wanted.

    ASCII texts are searched in lower case, which takes a fifth of the time of ``re.IGNORECASE``.

    >>> [found.span() for found in AnyCase(r"\bis\b").finditer("It IS 5, it is.", 0, 15)]
    [(3, 5), (12, 14)]
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    @cached_property
    def _lower(self) -> re.Pattern[str]:
        return re.compile(self.pattern)

    @cached_property
    def _any(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.IGNORECASE)

    def match(self, text: str, start: int) -> re.Match[str] | None:
        """The match at a place; its text may be in lower case."""
        if text.isascii():
            return self._lower.match(text.lower(), start)
        return self._any.match(text, start)

    def finditer(self, text: str, start: int, end: int) -> Iterator[re.Match[str]]:
        """The matches in their order; their texts may be in lower case."""
        if text.isascii():
            return self._lower.finditer(text.lower(), start, end)
        return self._any.finditer(text, start, end)

    def occurs(self, text: str, start: int = 0, end: int | None = None) -> bool:
        """True if there is a match."""
        places = self.finditer(text, start, len(text) if end is None else end)
        return next(places, None) is not None


def _occurs(stems: tuple[str, ...], lowered: str) -> bool:
    for stem in stems:  # noqa: SIM110  half the time
        if stem in lowered:
            return True
    return False


def whole_words(words: str, *, before: str = r"[\w']", after: str = r"[\w']") -> str:
    """Return a pattern of whole words, each alternative beginning with a letter.

    ``re`` skips the places where none of these letters stands. ``before`` and ``after`` match
    characters that make a word part of a longer one.

    >>> whole_words("is|it|as", before="[a-z]", after="[a-z]")
    'i(?<![a-z]i)(?:s|t)(?![a-z])|a(?<![a-z]a)(?:s)(?![a-z])'
    """
    endings: dict[str, list[str]] = {}
    for word in words.split("|"):
        endings.setdefault(word[0], []).append(word[1:])
    return "|".join(
        f"{first}(?<!{before}{first})(?:{'|'.join(rest)})(?!{after})"
        for first, rest in endings.items()
    )


def _without_longer(stems: tuple[str, ...]) -> tuple[str, ...]:
    """The stems that contain no other one, in their order."""
    return tuple(
        stem
        for stem in dict.fromkeys(stems)
        if not any(other in stem for other in stems if other != stem)
    )
