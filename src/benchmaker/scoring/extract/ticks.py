"""Ticks and crosses beside the options of a multiple-choice question."""

import re
from collections.abc import Iterator

from benchmaker.scoring.extract.options import SIGNS, find_signs

_TICK, _CROSS = "[✓✔✅☑]", "[✗✘❌✖❎☐]"
_TICKED_BOX, _EMPTY_BOX = r"\[[xX✓✔]\]|\([xX]\)", r"\[ ?\]|\( \)"
_MARK = re.compile(rf"{_TICK}|{_CROSS}|{_TICKED_BOX}|{_EMPTY_BOX}")
_BEFORE = re.compile(
    rf"(?:(?P<tick>{_TICK}|{_TICKED_BOX})|{_CROSS}|{_EMPTY_BOX})\ufe0f?[\s*_`(-]*+(?P<sign>[{SIGNS}])"
)
_BEHIND = re.compile(rf"(?P<sign>[{SIGNS}])[^{SIGNS}\n]*?(?:(?P<tick>{_TICK})|{_CROSS})")


def find_marks(line: str) -> Iterator[tuple[str, bool]]:
    """Yield the marked options of a line, each with True for a tick.

    The first mark of the line determines the side of the marks.
    """
    first = _MARK.search(line)
    tokens = find_signs(line) if first else []
    if first is None or not tokens:
        return
    side = _BEFORE if first.start() < tokens[0][1] else _BEHIND
    for found in side.finditer(line):
        yield find_signs(found["sign"])[0][0], found["tick"] is not None


def ticked_options(text: str) -> tuple[str, ...]:
    """Return the ticked options if several are marked and no statement follows."""
    if _MARK.search(text) is None:
        return ()
    lines = [line for line in text.splitlines() if find_signs(line)]
    marks = [dict(find_marks(line)) for line in lines]
    if not marks or not marks[-1]:
        return ()
    of_all = {letter: is_tick for line in marks for letter, is_tick in line.items()}
    ticks = tuple(letter for letter, is_tick in of_all.items() if is_tick)
    return ticks if len(of_all) > 1 else ()


def crossed_options(sentence: str) -> frozenset[str]:
    """The options that a sentence crosses out."""
    return frozenset(letter for letter, is_tick in find_marks(sentence) if not is_tick)
