# ruff: noqa: RUF001  the marks of other scripts
"""Detects sentences that name another candidate with the expected text."""

import re

from benchmaker.scoring.extract.clauses import QUOTES, ClauseSlot
from benchmaker.scoring.extract.cues import Cue
from benchmaker.scoring.extract.phrases import AND, ARTICLE, OR
from benchmaker.scoring.extract.slots import SLOT, Shape

_EITHER_SIDE = re.compile(
    rf"(?:(?<![\w])(?:{OR})\s+(?:\w+\s+){{0,2}}[\"'“*_`(]*{SLOT})"
    rf"|(?:{SLOT}[\"'”*_`)]*\s*(?:\([^)]*\)\s*)?,?\s*(?:{OR})(?!\w))"
    rf"|{SLOT}\s*/\s*\w|\w\s*/\s*{SLOT}",
    re.IGNORECASE,
)
_CJK_OR = Cue(
    (
        rf"(?:或者?|还是|または|それとも|あるいは|又は|か)\s*{SLOT}"
        rf"|{SLOT}\s*(?:或者?|还是|または|それとも|あるいは|又は|か(?=\w))"
    ),
    ("或", "还是", "また", "それ", "ある", "又", "か"),
    flags=0,
)
_ROMANCE_OR = re.compile(rf"[A-ZÀ-Ý]\w+\s+[ou]\s+{SLOT}|{SLOT}\s+[ou]\s+[A-ZÀ-Ý]")
_NOT_THAT_OR = Cue(
    (
        rf"{SLOT}[^,]*,?\s*or (?:more (?:precisely|exactly|formally)|to be (?:precise|exact)"
        rf"|in other words|rather|simply|also known|as it is)"
    ),
    ("or ",),
)
_TOGETHER = re.compile(
    rf"(?:(?<!\w)(?:{AND})\s+(?:{ARTICLE}\s+)?[\"'“*_`]*{SLOT})"
    rf"|(?:{SLOT}[\"'”*_`]*,?\s+(?:{AND})\s+(?!(?:it|he|she|they|is|was|are|has|had|lies|the"
    rf"|this|that|i|we|not|nicht|non|pas|no|não|niet|не|which|es|il|elle|its|so|then|there|you"
    rf"|can|would|will|ist|est)\b))"
    rf"|{SLOT}\s*[与和と及]|[与和と及、]\s*{SLOT}|{SLOT}\s*、",
    re.IGNORECASE,
)
_LISTED = re.compile(
    rf"{SLOT}\s*,\s*+[^,.;:]{{1,40}}(?:,\s*+[^,.;:]{{1,40}})*,?\s+(?:and|or|und|oder|et|ou|y"
    rf"|o)\s+[^,.;:]{{1,40}}$|[^,.;:\s]\s*,\s*{SLOT}\s*,?\s+(?:and|or|und|oder|et|ou|y|o)\s",
    re.IGNORECASE,
)
_UNDECIDED = Cue(
    (
        r"\b(?:(?:either|between|both|candidates?|possible answers?|options are|entweder|soit)\b"
        r"|depend(?:s|ing)\b|(?:options|choices|possibilities)(?: (?:considered|include))?\s*:)"
    ),
    (
        "either",
        "between",
        "both",
        "candidate",
        "possib",
        "options",
        "choices",
        "depend",
        "entweder",
        "soit",
    ),
)
_QUESTION = re.compile(r"\bwhether\b[^,.]*$|[?]")
_ARTICLE_LEAD = re.compile(rf"{ARTICLE}\s+", re.IGNORECASE)
_BAR = re.compile(r"[;|；]")
_NAME = re.compile(r"[^\W\d_a-zà-ÿ][\w.'’-]*(?: [\w.'’-]+){0,3}")
_WORD = re.compile(r"[^\s.,:]+")


def names_another(place: ClauseSlot) -> bool:
    """True if the text is one of two candidates: "either Lima or Quito", "Lima; Quito"."""
    text, joined = place.text, f"{place.clause_before}{SLOT}{place.clause_after}"
    if _NOT_THAT_OR.search(text):
        return False
    if _CJK_OR.search(text) or _ROMANCE_OR.search(text) or _LISTED.search(joined):
        return True
    if _is_together(place, joined) or _is_in_list(place):
        return True
    is_alternative = _EITHER_SIDE.search(text) and not _QUESTION.search(place.clause_before)
    return bool(is_alternative or _UNDECIDED.search(place.clause_before))


def _is_together(place: ClauseSlot, joined: str) -> bool:
    """True if another candidate is joined to it; next to a name, this is another name."""
    found = _TOGETHER.search(joined)
    if found is None or place.shape is not Shape.NAME or joined[found.start()] != SLOT:
        return found is not None
    rest = joined[found.end() :].lstrip(QUOTES)
    rest = _ARTICLE_LEAD.sub("", rest)
    return not rest[:1].islower()


def _is_in_list(place: ClauseSlot) -> bool:
    """True if the sentence is a list, by semicolons or bars, of texts of the same shape."""
    if _BAR.search(place.text) is None:
        return False
    parts = [it.strip(f"{QUOTES}.()[]") for it in _BAR.split(place.text.rpartition(":")[2])]
    others = [it for it in parts if it != SLOT]
    like = _NAME if place.shape is Shape.NAME else _WORD
    return 0 < len(others) < len(parts) and all(map(like.fullmatch, others))
