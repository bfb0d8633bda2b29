# ruff: noqa: RUF001  the marks of other scripts
"""The occurrences of an expected text in a reply as a separate unit, marked by a slot."""

import re
from enum import Enum
from functools import lru_cache

from benchmaker.scoring.words import is_boundary

SLOT = "\ue000"
"""Stands for the expected text where a sentence is read."""

_JOINS_BEFORE = frozenset("-‐–/\\.@#~^+<>&_'’")
_ELIDED = re.compile(r"(?<!\w)(?:[dlnsjcmt]|qu|dell|nell|all|dall|sull|un)\Z", re.IGNORECASE)
_COPULA = re.compile(rf"{SLOT}['’][dt][ıiuü]r(?!\w)")
"""Turkish *is*, which follows a name behind an apostrophe: Ankara'dır."""

_JOINS_AFTER = frozenset("-‐–/\\@^+<>([{_'’=%")


class Shape(Enum):
    """The form of the expected text, which defines its neighbours."""

    NAME = "name"
    WORD = "word"
    SYMBOL = "symbol"

    @classmethod
    def of(cls, expected: str) -> "Shape":
        """A name begins with a capital letter; a symbol holds no letter or digit at its start."""
        if not any(map(str.isalpha, expected)) and not expected[0].isalnum():
            return cls.SYMBOL
        return cls.NAME if expected[0].isupper() else cls.WORD


@lru_cache(maxsize=512)
def _finder(expected: str, *, ignores_case: bool) -> re.Pattern[str]:
    words = [re.escape(word) for word in expected.split()]
    return re.compile(r"\s+".join(words), re.IGNORECASE if ignores_case else 0)


def insert_slot(text: str, expected: str, *, ignores_case: bool = True) -> str:
    """Return the text with the slot in place of the expected one wherever it is a separate unit.

    >>> insert_slot("New Lima, not Limassol", "Lima").replace(SLOT, "_")
    'New _, not Limassol'
    """
    found = _finder(expected, ignores_case=ignores_case).sub(
        lambda found: SLOT if _is_itself(text, found.start(), found.end()) else found[0], text
    )
    return _COPULA.sub(SLOT, found) if "'" in found or "’" in found else found


def _is_itself(text: str, start: int, end: int) -> bool:
    """True if the match is not part of a longer word, name or expression."""
    if _is_emphasised(text, start, end):
        return True
    if not (is_boundary(text, start) and is_boundary(text, end)):
        return False
    return not (_goes_on_before(text, start) or _goes_on_after(text, end))


def _goes_on_before(text: str, start: int) -> bool:
    before = text[start - 1 : start]
    if not before or before not in _JOINS_BEFORE or _opens(text, start) or _elides(text, start):
        return False
    return text[start - 2 : start - 1].isalnum() or before in "/\\.@#~_"


def _goes_on_after(text: str, end: int) -> bool:
    after, further = text[end : end + 1], text[end + 1 : end + 2]
    if after in {"'", "’"} and _IS_SUFFIX.match(text, end + 1):
        return False
    if after and after in _JOINS_AFTER and (further.isalnum() or after in "([{%"):
        return True
    return after in {".", ","} and further.isalnum() and further.isascii() and not further.isupper()


_IS_SUFFIX = re.compile(r"[dt][ıiuü]r(?!\w)")


def _is_emphasised(text: str, start: int, end: int) -> bool:
    """True if the text has its own underscores around it."""
    is_marked = text[start - 1 : start] == text[end : end + 1] == "_"
    around = text[max(start - 2, 0) : max(start - 1, 0)] + text[end + 1 : end + 2]
    return is_marked and not any(it.isalnum() or it == "_" for it in around)


def _elides(text: str, start: int) -> bool:
    """True if an article or preposition before it is elided, as in *d'Ottawa*."""
    return text[start - 1] in "'’" and bool(_ELIDED.search(text, max(start - 8, 0), start - 1))


def _opens(text: str, start: int) -> bool:
    """True if the mark before is one of emphasis or quotation."""
    return text[start - 1] in "_'’" and not text[start - 2 : start - 1].isalnum()
