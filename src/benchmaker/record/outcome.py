"""Outcomes of trials, counted separately in every table."""

from enum import StrEnum
from typing import Final, Literal

Group = Literal["ok", "bad", "infra", "none"]
"""Answered; failed because of the model; failed because of infrastructure; without a score."""


class Outcome(StrEnum):
    """The possible outcomes of a trial.

    Outcomes caused by the model are scored by the suite's policy; those caused by infrastructure
    are excluded from the mean, and their number is shown.
    """

    SCORED = "scored"
    TRUNCATED = "truncated"
    EMPTY = "empty"
    FILTERED = "filtered"
    REFUSED = "refused"
    CONTEXT_OVERFLOW = "context_overflow"
    TIMEOUT = "timeout"
    BAD_RESPONSE = "bad_response"
    PROVIDER_ERROR = "provider_error"
    SCORER_ERROR = "scorer_error"
    UNSCORED = "unscored"
    CANCELLED = "cancelled"
    UNFINISHED = "unfinished"


MODELS_DOING = frozenset(
    {
        Outcome.TRUNCATED,
        Outcome.EMPTY,
        Outcome.FILTERED,
        Outcome.REFUSED,
        Outcome.CONTEXT_OVERFLOW,
    }
)
"""Outcomes caused by the model: scored by the suite's stated policy."""

INFRASTRUCTURE = frozenset({Outcome.TIMEOUT, Outcome.BAD_RESPONSE, Outcome.PROVIDER_ERROR})
"""Outcomes caused by infrastructure: never scored, always counted."""

NO_END = frozenset({Outcome.CANCELLED, Outcome.UNFINISHED})
"""Outcomes of trials that did not come to their end: stopped, or with steps so far."""


def group_of(outcome: Outcome) -> Group:
    """Return the group that an outcome is counted in, the same in every table and note."""
    if outcome is Outcome.SCORED:
        return "ok"
    if outcome in MODELS_DOING:
        return "bad"
    return "infra" if outcome in INFRASTRUCTURE else "none"


def is_failure(outcome: Outcome, score: float | None) -> bool:
    """True if a trial failed: a score below 1, or none because of model or infrastructure.

    Trials that only their scorer left without a score, such as those that await a judge, did not
    fail, and neither did those without an end.
    """
    if score is None:
        return outcome in MODELS_DOING or outcome in INFRASTRUCTURE
    return score < 1


_COUNTABLE = frozenset(
    {Outcome.TIMEOUT, Outcome.BAD_RESPONSE, Outcome.PROVIDER_ERROR, Outcome.SCORER_ERROR}
)


ANSWERED: Final = "answered"
"""The word for trials with the outcome ``scored``, in counts: others have scores, too."""


def outcome_count(outcome: str, number: int) -> str:
    """Return a number of trials with this outcome, in words.

    >>> outcome_count("provider_error", 6), outcome_count("timeout", 1), outcome_count("empty", 2)
    ('6 provider errors', '1 timeout', '2 empty')
    >>> outcome_count("scored", 3)
    '3 answered'
    """
    if outcome == Outcome.SCORED:
        return f"{number:,} {ANSWERED}"
    plural = "s" if number != 1 and outcome in _COUNTABLE else ""
    return f"{number:,} {outcome.replace('_', ' ')}{plural}"
