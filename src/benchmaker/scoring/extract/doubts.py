# ruff: noqa: RUF001  the marks of other scripts
"""Numbers of a sentence that do not count: denied, compared with, or stated by others."""

import re
from collections.abc import Callable

from benchmaker.scoring.extract.cues import Cue, CueGroup
from benchmaker.scoring.extract.number_lists import PlacedNumber
from benchmaker.scoring.extract.phrases import (
    CONCEDING,
    DENIED_AFTER,
    ELSE,
    HEARSAY,
    INSTEAD,
    NAMED_WRONG,
    NOT,
    is_negative,
)

PAUSE = re.compile(rf",\s+|[;:—–(]|，|{INSTEAD}")
"""Pauses in a clause; a denial before one does not apply to the words after it."""
_COMPARED = Cue(
    (
        r"^\W{0,3}(?:more|less|fewer|greater|higher|lower|larger|smaller|mehr|weniger|de plus"
        r"|de moins|más|menos)\b.{0,20}\b(?:than|als|que)\b"
    ),
    ("than", "als", "que"),
)

Doubt = Callable[[str, str], bool]
"""A test of the words before and after a number: true if they deny it or only compare with it."""


def possible_doubts(ready: str) -> list[Doubt]:
    """The tests whose cues occur in a sentence; tested once for all of its numbers."""
    if not _ANY_DOUBT.may_hold(ready):
        return []
    return [doubt for cue, doubt in _DOUBTS if cue.may_hold(ready)]


def is_doubted(ready: str, it: PlacedNumber, doubts: list[Doubt]) -> bool:
    """True if a number is denied or only compared with."""
    before, after = ready[max(0, it.start - _REACH) : it.start], ready[it.end : it.end + _REACH]
    return any(doubt(before, after) for doubt in doubts)


def _is_denied(before: str, _after: str) -> bool:
    return is_negative(PAUSE.split(before)[-1])


def _is_hearsay(before: str, _after: str) -> bool:
    return HEARSAY.search(PAUSE.split(before)[-1]) is not None


def _is_named_wrong(before: str, _after: str) -> bool:
    return NAMED_WRONG.search(before) is not None


def _is_false(_before: str, after: str) -> bool:
    return _FALSE.pattern.match(after) is not None


def _is_denied_after(_before: str, after: str) -> bool:
    return _DENIED_AFTER.pattern.match(after) is not None


def _is_compared(_before: str, after: str) -> bool:
    return _COMPARED.pattern.match(after) is not None


def _is_limited(before: str, _after: str) -> bool:
    """True if a clause that concedes something separates the number from an earlier one."""
    limited = _LIMITED.search(before)
    return limited is not None and any(map(str.isdigit, before[: limited.start()]))


def _is_else(before: str, _after: str) -> bool:
    """True if the number is named for comparison: the 40 of "rather than 40"."""
    beside = before[-_NEAR:].rstrip(" $€£¥")
    return beside[-1:].isalpha() and ELSE.search(beside) is not None


def _changes(before: str, after: str) -> bool:
    """True if a number is the initial value of a change: the 40 of "falls from 40 to 30"."""
    beside = before[-_NEAR:].rstrip(" $€£¥")
    return beside.endswith("from") and bool(_CHANGE.pattern.search(beside) and _TO.match(after))


_CHANGE = Cue(
    (r"\b(?:drop|fall|fell|go|went|rise|rose|increas|decreas|reduc|lower|rais|cut|shrink"
        r"|shr[au]nk|grow|grew|chang|climb|sink|s[au]nk)\w{0,4}\b[^\d.,;:]{0,20}\Z"),
    (
        "drop", "fall", "fell", "go", "went", "rise", "rose", "increas", "decreas", "reduc",
        "lower", "rais", "cut", "shrink", "shrank", "shrunk", "grow", "grew", "chang", "climb",
        "sink", "sank", "sunk",
    ),
)  # fmt: skip
_TO = re.compile(r"[^\d.,;:]{0,20}\bto\s+[$€£¥]?\d")


_REACH, _NEAR = 160, 40
_FALSE = Cue(
    (
        r"\W{0,3}(?:\w+\s+)?(?:is|was|are|would be|ist|est|es)\s*(?:not|n['’]t|nicht|pas|wrong"
        r"|incorrect|false)\b"
    ),
    ("not", "n't", "n’t", "nicht", "pas", "wrong", "incorrect", "false"),
)
_DENIED_AFTER = Cue(
    DENIED_AFTER.pattern,
    (
        "rule", "exclud", "eliminat", "discard", "dismiss", "reject", "disqualif", "crossed out",
        "distractor", "decoy", "herring", "trap", "wrong", "incorrect", "false", "erroneous",
        "mistake", "bogus", "invalid", "inaccurate", "falsch", "fausse", "faux", "incorrecta",
        "equivocada", "not", "never", "nicht", "kein", "pas", "out of the question",
        "misconception", "n't", "n’t", "isnt", "wasnt", "arent", "doesnt", "didnt", "cant", "wont",
        "wouldnt", "no es", "no era", "no fue", "non è", "não é", "не", "değil", "ない",
        "ありません", "なく", "不是", "不对", "違", "아니", "?",
    ),
)  # fmt: skip
_LIMITED = Cue(
    CONCEDING,
    (
        "though",
        "even if",
        "whereas",
        "while",
        "albeit",
        "obwohl",
        "während",
        "wenn",
        "bien que",
        "alors",
        "même",
        "aunque",
        "mientras",
        "sebbene",
        "embora",
        "虽",
        "尽管",
    ),
)


_DOUBTS: tuple[tuple[Cue, Doubt], ...] = (
    (NOT, _is_denied),
    (NAMED_WRONG, _is_named_wrong),
    (HEARSAY, _is_hearsay),
    (_LIMITED, _is_limited),
    (ELSE, _is_else),
    (_FALSE, _is_false),
    (_DENIED_AFTER, _is_denied_after),
    (_COMPARED, _is_compared),
    (_CHANGE, _changes),
)
_ANY_DOUBT = CueGroup(*(cue for cue, _ in _DOUBTS))
