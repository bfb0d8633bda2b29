"""Findings on cases whose key depends on the day: questions of today, and dates out of reach."""

import re
from collections.abc import Iterator
from datetime import date

from benchmaker.analysis.opinion.evidence import (
    OpinionEvidence,
    OpinionFinding,
    OpinionRow,
    effect_of,
    finding,
)

_OFFICE = (
    r"president|prime minister|chancellor|king|queen|monarch|pope|ceo|chair\w*|governor|mayor|"
    r"minister|secretary|head|leader|holder|champions?|coach|captain|population|version|release|"
    r"date|day|month|year"
)
_OF_TODAY = re.compile(
    rf"\b(?:current|present|incumbent|reigning|latest|newest|most recent)\s+(?:[\w'-]+\s+)?"
    rf"(?:{_OFFICE})\b|\btoday['’]s date\b|\bas of (?:today|now)\b|"
    r"\b(?:day|date|year|month|time) is (?:it|today|this)\b|"
    r"\bis the (?:day|date|year|month|time) (?:today|now)\b",
    re.IGNORECASE,
)
"""Words that make a question depend on the day."""

_PERHAPS_OF_TODAY = re.compile(
    r"\b(?:who|what|which|whose|where|how|name|is|are|does|do)\b[^.?!]*"
    r"\b(?:today|currently|nowadays|right now|at the moment|at present|yesterday|tomorrow|"
    r"(?:this|last|next) (?:year|month|week|season)|latest|newest|most recent)\b",
    re.IGNORECASE,
)
"""Words that do, unless the question gives numbers to compute with."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_FEW_NUMBERS = 1
_YEAR = re.compile(
    r"\b(?:in|by|since|for|during|until|before|after)\s+(?:the year\s+)?(20\d\d)\b|"
    r"\b(?:cup|elections?|games|olympics|season|winter|summer|year|budget)\s+of\s+(20\d\d)\b|"
    r"\bthe\s+(20\d\d)\s+[a-z]|\b(20\d\d)-\d\d-\d\d\b",
    re.IGNORECASE,
)
_STAMP = re.compile(r"(20\d\d)-?([01]\d)-?([0-3]\d)(?!\d)")
_ENDS = frozenset({"valid_until", "expires", "expires_at", "expires_on", "expiry", "as_of"})
_EVENTS = frozenset({"date", "event_date", "resolution_date", "resolves_at", "resolves_on"})
"""Fields of a case that date its key, and those that date its event."""


def dated_cases(evidence: OpinionEvidence) -> OpinionFinding | None:
    """Cases whose right answer depends on the day, or lies after it, and that lost points.

    Their text asks about today or about a year after the evaluation or after the date in the
    model's name, or their metadata dates the key before the evaluation or the event after it.
    Corrected, the cases are excluded. Without a wrong answer to one of them there is no finding.
    """
    dated = {
        one.row.case_id
        for one in evidence.in_mean
        if _is_of_today(one.row.question) or _is_out_of_reach(one.row, evidence)
    }
    rows = [one.row for one in evidence.in_mean if one.row.case_id in dated]
    if not any(one.value < 1 for one in evidence.in_mean if one.row.case_id in dated):
        return None
    corrected = evidence.mean_of(one for one in evidence.in_mean if one.row.case_id not in dated)
    return finding("dated_cases", rows, effect_of(evidence.mean, corrected))


def _is_of_today(question: str) -> bool:
    if _OF_TODAY.search(question):
        return True
    has_few = len(_NUMBER.findall(question)) <= _FEW_NUMBERS
    return has_few and bool(_PERHAPS_OF_TODAY.search(question))


def _is_out_of_reach(row: OpinionRow, evidence: OpinionEvidence) -> bool:
    """True if the case is about a time that the model could not know."""
    day = evidence.day
    if day and any(value < day for value in _dates(row, _ENDS)):
        return True
    known = min((it for it in (day, _date_of(evidence.model)) if it), default=None)
    if known is None:
        return False
    has_few = len(_NUMBER.findall(row.question)) <= _FEW_NUMBERS + 1
    years = [int("".join(groups)) for groups in _YEAR.findall(row.question)]
    is_later = any(value > known for value in _dates(row, _EVENTS))
    return is_later or (has_few and any(year > known.year for year in years))


def _dates(row: OpinionRow, names: frozenset[str]) -> Iterator[date]:
    for name, value in row.groups.items():
        if name.casefold() in names and (found := _date_of(value)):
            yield found


def _date_of(text: str) -> date | None:
    """The first date in a text such as ``gpt-4o-2024-08-06``; None without one."""
    found = _STAMP.search(text)
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None
