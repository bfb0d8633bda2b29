"""Patterns searched only if one of their stems occurs in the text.

A pattern of many words takes tens of microseconds per sentence; a search for a few stems takes one.
Most sentences contain none of them.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cue:
    r"""A pattern and its lower-case stems, one of which occurs in every match.

    >>> Cue(re.compile(r"\bnot\b|n't\b"), ("not", "n't")).findall("It isn't, not now.")
    ["n't", 'not']
    """

    pattern: re.Pattern[str]
    stems: tuple[str, ...]

    def may_hold(self, text: str) -> bool:
        """True if a stem occurs in the text."""
        return any(map(text.lower().__contains__, self.stems))

    def search(self, text: str) -> re.Match[str] | None:
        """The first match."""
        return self.pattern.search(text) if self.may_hold(text) else None

    def match(self, text: str) -> re.Match[str] | None:
        """The match at the start of the text."""
        return self.pattern.match(text) if self.may_hold(text) else None

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
