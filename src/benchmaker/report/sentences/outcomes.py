"""One word for each outcome, each group of outcomes, and a short reason for each failure."""

import re
from collections.abc import Mapping
from typing import Final

from benchmaker.record import Outcome, Trial
from benchmaker.record.counts import count
from benchmaker.record.outcome import ANSWERED, Group
from benchmaker.report.tables.sanitize import sanitise

GROUPS: Final[Mapping[Group, str]] = {
    "ok": ANSWERED,
    "bad": "answer failed",
    "infra": "request failed",
    "none": "unscored",
}
"""The groups of outcomes, for cells and counts of several trials."""


def group_count(group: Group, number: int) -> str:
    """Return a number of trials in a group of outcomes, in words.

    >>> group_count("bad", 2), group_count("infra", 1), group_count("ok", 1_000)
    ('2 failed answers', '1 failed request', '1,000 answered')
    """
    noun = {"bad": "failed answer", "infra": "failed request"}.get(group)
    return count(number, noun) if noun else f"{number:,} {GROUPS[group]}"


NOT_RUN: Final = "not run"
"""A trial that no request was sent for."""

NO_RECORDED_ANSWER: Final = "no recorded answer"
"""In place of the outcome of a trial that the file of recorded answers lacks."""

NO_ANSWER: Final = "none"
"""In place of an answer."""

REASON = 40
"""Maximum number of characters of a reason."""

_BY_TEXT: Final = (
    (re.compile(r"\bHTTP (\d{3})\b"), r"HTTP \1"),
    (re.compile(r"connection refused", re.IGNORECASE), "connection refused"),
    (re.compile(r"\bhost \S+ not found"), "host not found"),
    (re.compile(r"no secure connection"), "no secure connection"),
    (re.compile(r"no connection to \S+ within|timed out", re.IGNORECASE), "timed out"),
    (re.compile(r"closed the connection|was cut off"), "connection closed"),
    (re.compile(r"no connection to"), "no connection"),
    (re.compile(r"^no recorded answer of "), NO_RECORDED_ANSWER),
)
"""Reasons found in messages, the most precise first."""

_BY_TYPE: Final = {
    "RateLimited": "rate limit",
    "QuotaExhausted": "quota exhausted",
    "Timeout": "timed out",
    "Refused": "refused",
    "ContextOverflow": "context overflow",
    "BadResponse": "unreadable reply",
    "AuthError": "key rejected",
    "ScorerTimeout": "scorer timed out",
}
"""Reasons by the name of the error's class, where the message names none."""


_SAME: Final = frozenset({"timed out", "unreadable reply"})
"""Reasons that say no more than the outcome."""


def outcome_name(outcome: Outcome) -> str:
    """Return the word of an outcome, the same in every table and on every page.

    >>> outcome_name(Outcome.PROVIDER_ERROR), outcome_name(Outcome.UNSCORED)
    ('provider error', 'unscored')
    """
    return outcome.value.replace("_", " ")


def short_reason(error_type: str | None, error: str | None) -> str:
    """Return the reason of a failure in a few words; empty without an error.

    >>> short_reason("AuthError", "127.0.0.1:8 answered HTTP 401: no such key.")
    'HTTP 401'
    >>> short_reason("ProviderError", "no connection to 127.0.0.1:9 (connection refused).")
    'connection refused'
    >>> short_reason("Timeout", "no answer within 30 s."), short_reason(None, None)
    ('timed out', '')
    """
    text = error or ""
    for pattern, reason in _BY_TEXT:
        if found := pattern.search(text):
            return found.expand(reason)
    if known := _BY_TYPE.get(error_type or ""):
        return known
    line = " ".join(sanitise(text).split()).rstrip(".")
    return line if len(line) <= REASON else f"{line[: REASON - 1]}…"


def outcome_text(trial: Trial) -> str:
    """Return the outcome of a trial, of a failed one with its short reason."""
    if trial.completion is not None:
        return outcome_name(trial.outcome)
    return failure_text(trial.outcome, trial.error_type, trial.error)


def failure_text(outcome: Outcome, error_type: str | None, error: str | None) -> str:
    """Return an outcome with the short reason of its error, if there is one.

    >>> failure_text(Outcome.PROVIDER_ERROR, "AuthError", "HTTP 401: no such key.")
    'provider error: HTTP 401'
    """
    name, reason = outcome_name(outcome), short_reason(error_type, error)
    if reason == NO_RECORDED_ANSWER:
        return reason
    return f"{name}: {reason}" if reason not in {"", name, *_SAME} else name
