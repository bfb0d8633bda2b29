"""Requests that failed where an answer was recorded: raised again as the provider raised them."""

import json
from typing import Any

import msgspec

from benchmaker.errors import (
    AuthError,
    BadResponse,
    ContextOverflow,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Refused,
    SpecError,
    Timeout,
)
from benchmaker.record import INFRASTRUCTURE, NO_END, Completion, FinishReason, Outcome
from benchmaker.redact import redact
from benchmaker.spec.documents.suggestions import did_you_mean

_TYPES: dict[Outcome, tuple[type[ProviderError], ...]] = {
    Outcome.TIMEOUT: (Timeout,),
    Outcome.BAD_RESPONSE: (BadResponse,),
    Outcome.PROVIDER_ERROR: (ProviderError, RateLimited, QuotaExhausted, AuthError),
    Outcome.CANCELLED: (ProviderError,),
    Outcome.UNFINISHED: (ProviderError,),
    Outcome.REFUSED: (Refused,),
    Outcome.CONTEXT_OVERFLOW: (ContextOverflow,),
}
"""The errors that lead to an outcome, the commonest first."""

FINISHES = {
    Outcome.FILTERED: FinishReason.FILTER,
    Outcome.REFUSED: FinishReason.REFUSAL,
    Outcome.TRUNCATED: FinishReason.LENGTH,
    Outcome.CONTEXT_OVERFLOW: FinishReason.CONTEXT_OVERFLOW,
}
"""The finish reason by the outcome of the answer."""

_NO_ANSWER = INFRASTRUCTURE | NO_END
_MAY_FAIL = _NO_ANSWER | {Outcome.REFUSED, Outcome.CONTEXT_OVERFLOW}
_ELSE = "If the field has another meaning, ignore it with: --fields outcome==."
_MESSAGES = ("message", "detail", "error", "msg", "reason")


class RecordedFailure(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A recorded failure: the name of the error's type, and its message."""

    error_type: str
    message: str

    def error(self, known: Completion) -> ProviderError:
        """Return the error to raise, with the recorded cost of the request."""
        return _BY_NAME[self.error_type](
            self.message,
            cost_usd=known.cost_usd,
            usage=known.usage,
            latency_s=known.latency_s,
            flags=known.flags,
        )


_BY_NAME = {kind.__name__: kind for kinds in _TYPES.values() for kind in kinds}


def parse_outcome(word: object) -> Outcome | None:
    """The outcome that a line names; None where it names none.

    Raises:
        SpecError: there is no such outcome.
    """
    if word is None or word == "":
        return None
    try:
        return Outcome(str(word).strip().lower())
    except ValueError:
        known = ", ".join(Outcome)
        guess = did_you_mean(str(word), list(map(str, Outcome)))
        hint = f"{guess} Use one of {known}. {_ELSE}".lstrip()
        raise SpecError(f"unknown outcome {str(word)[:60]!r}.", hint=hint) from None


def failure_of(
    outcome: Outcome | None, error: object, error_type: object, *, is_empty: bool
) -> RecordedFailure | None:
    """Return the failure in a line instead of an answer; None if it holds an answer.

    The outcome decides if given; otherwise an error with an empty output is a failure.
    """
    message = _words(error)
    if outcome in _NO_ANSWER or (outcome in {*_MAY_FAIL, None} and is_empty and message):
        kind = _type_of(outcome, error_type)
        return RecordedFailure(kind.__name__, redact(message) or f"recorded as {outcome}.")
    return None


def _type_of(outcome: Outcome | None, name: object) -> type[ProviderError]:
    """The error's type by its name, as far as the outcome allows."""
    kinds = tuple(_BY_NAME.values()) if outcome is None else _TYPES[outcome]
    default = ProviderError if outcome is None else kinds[0]
    return next((kind for kind in kinds if kind.__name__ == name), default)


def _words(error: object) -> str:
    """An error as a text; empty where there is none."""
    if isinstance(error, dict):
        found = next((it for name in _MESSAGES if (it := _words(error.get(name)))), "")
        return found or (_as_json(error) if error else "")
    if isinstance(error, str):
        return error.strip()
    if error is True:
        return "recorded as a failed request."
    return _as_json(error) if error else ""


def _as_json(value: Any) -> str:  # noqa: ANN401  any JSON
    return json.dumps(value, ensure_ascii=False)
