"""Failed requests and scorers: their descriptions, and the most frequent cause."""

import msgspec

from benchmaker.record.outcome import Outcome

_WORDS = {
    "ProviderError": "the request failed",
    "RateLimited": "the rate limit of the provider was reached",
    "QuotaExhausted": "the quota of the account is exhausted",
    "Timeout": "the request timed out",
    "Refused": "the provider refused the request",
    "ContextOverflow": "the request exceeds the context window of the model",
    "BadResponse": "the reply can't be read",
    "AuthError": "the key is missing, wrong or not allowed",
    "ExtractionError": "no usable content in the answer",
    "RenderError": "the page failed to render",
    "SandboxError": "the sandbox failed",
    "ScorerError": "the scorer failed",
    "BeyondLimit": "the answer exceeds a limit of the check",
    "JudgeUnparsable": "the judge's reply can't be read",
    "JudgeRefused": "the judge refused to answer",
    "ScorerTimeout": "the scorer timed out",
}
"""By the name of the error's class."""

_BY_OUTCOME = {
    Outcome.TIMEOUT: "Timeout",
    Outcome.BAD_RESPONSE: "BadResponse",
    Outcome.PROVIDER_ERROR: "ProviderError",
    Outcome.SCORER_ERROR: "ScorerError",
}


def failure_words(error_type: str | None, error: str | None) -> str:
    """Return the message of an error; an exception that is not ours keeps its name before it.

    >>> failure_words("AuthError", "HTTP 401: wrong key"), failure_words("KeyError", "'x'")
    ('HTTP 401: wrong key', "KeyError: 'x'")
    """
    if error_type in _WORDS:
        return error or _WORDS[error_type]
    return ": ".join(part for part in (error_type, error) if part)


def kind_words(error_type: str | None) -> str:
    """Return the description of an error class; the class's name if it is not one of ours.

    >>> kind_words("Timeout"), kind_words("KeyError"), kind_words(None)
    ('the request timed out', 'KeyError', '')
    """
    return _WORDS.get(error_type or "", error_type or "")


def outcome_words(outcome: Outcome) -> str:
    """Return the description of a trial's outcome, for want of details.

    >>> outcome_words(Outcome.BAD_RESPONSE), outcome_words(Outcome.CONTEXT_OVERFLOW)
    ("the reply can't be read", 'context overflow')
    """
    kind = _BY_OUTCOME.get(outcome)
    return _WORDS[kind] if kind else outcome.value.replace("_", " ")


class FailureCause(msgspec.Struct, frozen=True, kw_only=True):
    """A reason, and the number of a model's trials with it.

    ``trials`` of the model's ``of`` trials that ended the same way have this reason; ``message`` is
    that of the first. ``is_example`` is true if the messages differ, for instance by their case.
    ``error_type`` is empty for the note of a missing score.
    """

    model: str
    error_type: str
    message: str
    trials: int
    of: int
    is_example: bool = False

    @property
    def words(self) -> str:
        """The message; an exception that is not ours keeps its name before it."""
        return failure_words(self.error_type, self.message)


class FailedTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool of which every call failed: the number of its calls, and the first error."""

    tool: str
    calls: int
    reason: str
