# ruff: noqa: RUF001  the marks of other scripts
"""Numbers of a sentence that are named together: ranges, alternatives, lists."""

import re
from itertools import pairwise
from typing import NamedTuple

from benchmaker.scoring.extract.phrases import TOTAL
from benchmaker.scoring.numbers import Number


class PlacedNumber(NamedTuple):
    """A number of a sentence with its position."""

    number: Number
    start: int
    end: int


_JOINED = re.compile(
    r"(?:[^\d\n.;=]{0,25}?(?<!\w)(?:or|oder|ou|o|или|або|أو)\s[^\d\n.;=]{0,25}"
    r"|[^\d\n.;=]{0,25}?\b(?:maybe|perhaps|possibly|vielleicht|peut-être|quizás?)\s+|\s*(?:-|~|～|to"
    r"|bis|à|a|al|hasta|至|到|から)\s*[$€£¥]?\s*|.{0,20}(?:或者?|还是|または)\s*.{0,4}|\s*/\s*)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\b(?:between|zwischen|entre|tra|fra|somewhere from|anywhere from|both|either)\b|介于",
    re.IGNORECASE,
)
_AND = re.compile(r"[^\d\n.;=]{0,20}\b(?:and|und|et|y|e)\b\s[^\d\n.;=]{0,10}", re.IGNORECASE)


def is_joined(ready: str, kept: list[PlacedNumber], pick: PlacedNumber) -> bool:
    """True if the number is an end of a range, one of two, or one of a list."""
    if len(kept) == 1:
        return False
    index = next(index for index, it in enumerate(kept) if it is pick)
    return any(
        _are_joined(ready, left, right) or _are_listed(ready, kept, left, right)
        for left, right in pairwise(kept[max(index - 1, 0) : index + 2])
    )


def _are_listed(
    ready: str, kept: list[PlacedNumber], left: PlacedNumber, right: PlacedNumber
) -> bool:
    """True if two numbers are items of a list: "[18, 20]", "Ann: 18, Bob: 20"."""
    gap = ready[left.end : right.start]
    if left.number.value == right.number.value or _COMMAS.isdisjoint(gap):
        return False
    before = ready[: left.start]
    if _LABELLED.fullmatch(gap) and before.rstrip(" $€£¥").endswith(":"):
        return not TOTAL.search(f"{before}{gap}")
    is_bare = _opens_list(ready, kept, left) and not re.search(r"\w", ready[kept[-1].end :])
    return bool(is_bare and _COMMA.fullmatch(gap))


def _opens_list(ready: str, kept: list[PlacedNumber], it: PlacedNumber) -> bool:
    """True if only numbers and commas lie between a number and the start of its list."""
    index = kept.index(it)
    gaps = [ready[left.end : right.start] for left, right in pairwise(kept[: index + 1])]
    return all(map(_COMMA.fullmatch, gaps)) and bool(_LIST_START.search(ready[: kept[0].start]))


_COMMAS = frozenset(",;|")
_COMMA = re.compile(r"\s*[,;|]\s*[$€£¥]?\s*")
_LABELLED = re.compile(
    r"[^\d\n:,;|]{0,20}[,;|]\s*(?:and\s+)?[^\W\d_][^\d\n:,;|]{0,30}:\s*[$€£¥]?\s*"
)
_LIST_START = re.compile(r"(?:\A|[\[({:=]|\b(?:are|is))[^\w]*\Z")


def _are_joined(ready: str, left: PlacedNumber, right: PlacedNumber) -> bool:
    gap = ready[left.end : right.start]
    if gap.strip() == "-":
        return True
    if left.number.value == right.number.value:
        return False
    before = ready[: left.start]
    if _JOINED.fullmatch(gap):
        return not (gap.strip() in {"to", "a", "à", "al"} and _FROM_TO.search(before))
    return bool(_AND.fullmatch(gap) and _BETWEEN.search(before))


_FROM_TO = re.compile(
    r"\b(?:adds?|reduced?|rounds?|increase[sd]?|according)\s*[$€£¥]?$", re.IGNORECASE
)
