"""The stems of all cues, looked up word by word.

Replies repeat their words, so the stems in a word are found once and remembered. A text then costs
one lookup per word for all cues together, and nothing for the next cue.
"""

from collections.abc import Iterable

_STARTS = dict[str, list[tuple[str, int]]]
_LEAD = 2
_LONGEST_WORD, _MOST_WORDS = 40, 8_192
_MOST_TEXTS = 64


class _Words(dict[str, int]):
    """The bits of the stems in each word; filled on use, and emptied when full."""

    def __init__(self, starts: _STARTS) -> None:
        super().__init__()
        self._starts = starts

    def __missing__(self, word: str) -> int:
        is_number = word[0].isdecimal()
        found = self._find(word.lstrip("0123456789") if is_number else word)
        if len(word) <= _LONGEST_WORD and not is_number:
            if len(self) >= _MOST_WORDS:
                self.clear()
            self[word] = found
        return found

    def _find(self, word: str) -> int:
        found = 0
        for at in range(len(word)):
            for length in range(1, _LEAD + 1):
                for stem, bit in self._starts.get(word[at : at + length], ()):
                    if word.startswith(stem, at):
                        found |= bit
        return found


class StemIndex:
    """Sets of stems, each with a bit that tells if one of them occurs in a text.

    >>> index = StemIndex()
    >>> negative, total = index.add(["not", "n't"]), index.add(["total"])
    >>> found = index.find("It isn't it.")
    >>> bool(found & negative), bool(found & total)
    (True, False)
    """

    def __init__(self) -> None:
        self._size = 0
        self._starts: _STARTS = {}
        self._words = _Words(self._starts)
        self._texts: dict[str, int] = {}

    def add(self, stems: Iterable[str]) -> int:
        """Return the bit of a set of lower-case stems without white space."""
        bit = 1 << self._size
        self._size += 1
        for stem in stems:
            self._starts.setdefault(stem[:_LEAD], []).append((stem, bit))
        self._words, self._texts = _Words(self._starts), {}
        return bit

    def find(self, text: str) -> int:
        """Return the bits of the sets of which a stem occurs in the text, in any case."""
        words, texts = self._words, self._texts
        found = texts.get(text)
        if found is not None:
            return found
        found = 0
        for bits in set(map(words.__getitem__, text.lower().split())):
            found |= bits
        if len(texts) >= _MOST_TEXTS:
            texts.clear()
        texts[text] = found
        return found
