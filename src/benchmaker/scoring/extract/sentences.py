# ruff: noqa: RUF001  the marks of other scripts
"""A reply as sentences, without fillers and retracted parts."""

import re
from dataclasses import dataclass

from benchmaker.scoring.extract.discourse import CLOSER, CORRECTION, OPENER

_BULLET = re.compile(r"\s*(?:[-*+•–—▪◦]\s+|#{1,6}\s+|>\s+|\(?[ivx]{1,4}\)\s+)")
_STEP = re.compile(r"\s*(?:\*\*)?\d{1,3}[.)]\s+(?=\S)")
_END = re.compile(r"[.!?…。！？｡](?:(?<=[.!?…])[\"'”’)*_`\]]*+\s+|(?<=[。！？｡])\s*)")
_ABBREVIATED = re.compile(
    r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Prof|Sr|Jr|No|Nr|vs|approx|ca|etc|e\.g|i\.e|z\.B|d\.h|cf"
    r"|Fig|Eq|Mt|Ft|Gen|Lt|Col|Inc"
    r"|U\.S|a\.m|p\.m|bzw|usw|St)\.)\s*\Z"
)
_ORNAMENTS = " \t\r\f\v\u00a0\u3000✔✅✓☑✨⭐\u200d\ufe0f" + "".join(
    map(chr, range(0x1F000, 0x1FB00))
)
"""White space, ticks and pictures, which say nothing at the end of a line."""
_ORDINARY = re.compile(r"(?:that|this|it)(?:['’]s| is| was) (?:right|correct)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence or fragment, and its line; ``is_item`` is true in a list or table.

    ``bullet`` is the mark before it, possibly a sign: "- 6 → 24".
    """

    text: str
    line: int
    is_item: bool = False
    is_alone: bool = False
    bullet: str = ""


def sentences(text: str) -> list[Sentence]:
    r"""The sentences of a reply that may state its answer, in their order.

    >>> [it.text for it in sentences("Sure! The sum is 5.\n\nLet me know!")]
    ['The sum is 5.']
    """
    found: list[Sentence] = []
    lines = text.split("\n")
    has_steps = sum(bool(_STEP.match(line)) for line in lines) > 1
    for number, line in enumerate(lines):
        is_head = line.lstrip().startswith("|") and any(
            map(_is_rule, lines[number + 1 : number + 2])
        )
        found += [] if is_head else _sentences_of_line(line, number, has_steps=has_steps)
    return _drop_fillers(found)


def _sentences_of_line(line: str, number: int, *, has_steps: bool) -> list[Sentence]:
    if not line.strip() or _is_rule(line):
        return []
    if line.lstrip().startswith("|"):
        cell = line.strip().strip("|").rpartition("|")[2].strip()[-_LONGEST:]
        return [Sentence(cell, number, is_item=True, is_alone=True)] if cell else []
    bullet = _BULLET.match(line) or (_STEP.match(line) if has_steps else None)
    rest = line[bullet.end() :] if bullet else line
    is_item = bool(bullet) and line.lstrip()[:1] != "#"
    parts = split(rest.rstrip() if rest.isascii() else rest.rstrip(_ORNAMENTS))
    mark = bullet[0].strip() if is_item and bullet and len(parts) == 1 else ""
    return [Sentence(part, number, is_item, len(parts) == 1, mark) for part in parts]


def _is_rule(line: str) -> bool:
    """True if a line is a rule, ``* * *``, or the rule of a table, ``|:--|--:|``."""
    if line.lstrip()[:1] not in _RULE_SIGNS:
        return False
    marks = "".join(line.split())
    is_plain = len(marks) >= _RULE_MARKS and not marks.strip("-*_=~")
    return is_plain or ("--" in line and not marks.strip(":|-"))


_RULE_MARKS, _RULE_SIGNS = 3, "-*_=~:|"


def split(text: str) -> list[str]:
    """A line in its sentences; initials and abbreviations end none."""
    parts, start = [], 0
    for end in _END.finditer(text):
        if end[0][0] == "." and _ends_abbreviation(text, start, end.start() + 1):
            continue
        parts.append(text[start : end.end()].strip())
        start = end.end()
    parts.append(text[start:].strip())
    return [part[-_LONGEST:] for part in parts if any(map(_tells, part))]


def _ends_abbreviation(text: str, start: int, end: int) -> bool:
    return _ABBREVIATED.search(text, max(start, end - _ABBREVIATION), end) is not None


_LONGEST, _ABBREVIATION = 1_000, 8


def _tells(character: str) -> bool:
    """True if the character can be part of an answer: a letter, a digit, a bracket, a slot."""
    return character.isalnum() or character in "<>=[]{}()" or "\ue000" <= character <= "\ue1ff"


def _drop_fillers(found: list[Sentence]) -> list[Sentence]:
    """Drop opening phrases and closing offers."""
    start, end = 0, len(found)
    while end - start > 1 and _opens(found[start].text):
        start += 1
    rest = found[start:end]
    kept = [it for index, it in enumerate(rest) if index == 0 or not _says_nothing(it.text)]
    return [_without_opener(it) if index == 0 else it for index, it in enumerate(kept)]


def _opens(sentence: str) -> bool:
    """True if a short sentence only opens the reply."""
    return len(sentence) <= _OPENING and bool(OPENER.fullmatch(sentence))


def _says_nothing(sentence: str) -> bool:
    """True if a later sentence closes the reply or stands in brackets."""
    return bool(CLOSER.match(sentence) or _BRACKETED.fullmatch(sentence))


_BRACKETED = re.compile(r"[*_]*\([^()]{12,}[.!]\)[*_]*")
_OPENING = 160
_LEAD = re.compile(
    r"(?:sure|certainly|of course|absolutely|okay|ok|well|alright|klar|natürlich|bien sûr"
    r"|claro|por supuesto)\s*[!,:—–-]+\s+(?=\S)",
    re.IGNORECASE,
)


def _without_opener(it: Sentence) -> Sentence:
    lead = _LEAD.match(it.text)
    return Sentence(it.text[lead.end() :], it.line, it.is_item, it.is_alone) if lead else it


def after_correction(text: str, *, is_rest: bool = False) -> str:
    """Return the text after the last retraction of the reply, or else the whole text.

    ``is_rest`` is true if an answer precedes the text, which its beginning may retract.

    >>> after_correction("It is 17. Wait, that is wrong. So 42.")
    ' So 42.'
    """
    kept = text
    for found in CORRECTION.finditer(text):
        is_first = not (is_rest or any(map(_tells, text[: found.start()])))
        if is_first or _ORDINARY.search(found[0]):
            continue
        rest = _rest(text[found.end() :], found[0])
        if any(map(_tells, rest)) and not OPENER.fullmatch(rest.strip()):
            kept = rest
        elif not rest.strip(" .!…*_") and any(it.isalnum() for it in text[: found.start()]):
            kept = ""
    return kept


_TAKEN_BACK = re.compile(
    r"(?:[\s,.;:!…*_—–-]{0,12}(?:(?:no|wait|sorry|actually)[,.!…\s—–-]{1,8}){0,4}(?:that|this|it|i"
    r"|the (?:above|previous|first)[^.!\n]{0,30}|my [^.!\n]{0,30})"
    r"(?:['’]s| is| was|['’]m| am| have| has)?[^.!;:\n—–]{0,30}?"
    r"(?:wrong|incorrect|not right|n[o']t correct|mistaken|a mistake|an error"
    r"|falsch)[^.!;:\n—–]{0,40}(?:[.!;:\n—–]+|\Z))",
    re.IGNORECASE,
)


def _rest(rest: str, mark: str) -> str:
    """Return the replacement; a sentence that only calls the former wrong is skipped."""
    if re.search(r"wrong|incorrect|not right|mistake|error|slip|falsch", mark, re.IGNORECASE):
        end = re.match(r"[^.!;:\n—–]{0,40}(?:[.!;:\n—–]+|\Z)", rest)
        return rest[end.end() :] if end else rest
    skipped = _TAKEN_BACK.match(rest)
    return rest[skipped.end() :] if skipped else rest.lstrip(" ,.:;!…—–-*_")
