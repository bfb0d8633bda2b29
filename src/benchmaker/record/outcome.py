"""How a trial ended, counted apart in every table."""

from enum import StrEnum


class Outcome(StrEnum):
    """The ends a trial can come to.

    The model's doing is scored by the suite's policy; infrastructure's doing is left out of the
    mean with its number shown.
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


MODELS_DOING = frozenset(
    {
        Outcome.TRUNCATED,
        Outcome.EMPTY,
        Outcome.FILTERED,
        Outcome.REFUSED,
        Outcome.CONTEXT_OVERFLOW,
    }
)
"""What the model itself did: scored by the suite's stated policy."""

INFRASTRUCTURE = frozenset({Outcome.TIMEOUT, Outcome.BAD_RESPONSE, Outcome.PROVIDER_ERROR})
"""What the world did to the model: never scored, always counted."""
