"""The result of a question, as data."""

from collections.abc import Sequence
from typing import NamedTuple

from benchmaker.errors import (
    AuthError,
    BadResponse,
    ContextOverflow,
    ProviderError,
    QuotaExhausted,
    Refused,
    Timeout,
    with_hint,
)
from benchmaker.record import Attempt, Completion, Outcome, UnfinishedConversation

STOPS_MODEL = (AuthError, QuotaExhausted)
"""Errors after which further requests to the same model would fail."""

_BY_ERROR: tuple[tuple[type[BaseException], Outcome], ...] = (
    (Timeout, Outcome.TIMEOUT),
    (TimeoutError, Outcome.TIMEOUT),
    (Refused, Outcome.REFUSED),
    (ContextOverflow, Outcome.CONTEXT_OVERFLOW),
    (BadResponse, Outcome.BAD_RESPONSE),
)


class RequestResult(NamedTuple):
    """The result of a question; ``outcome`` is ``unscored`` until the completion is scored.

    ``stops_model`` is true if the model need not be queried again, with the ``reason``. A trial
    with tools that has no completion has its ``conversation``; the first ``stored_attempts`` of its
    attempts are stored already.
    """

    outcome: Outcome
    completion: Completion | None = None
    attempts: tuple[Attempt, ...] = ()
    error_type: str | None = None
    error: str | None = None
    stops_model: bool = False
    reason: str = ""
    conversation: UnfinishedConversation | None = None
    stored_attempts: int = 0

    @classmethod
    def of(cls, completion: Completion, attempts: Sequence[Attempt] = ()) -> "RequestResult":
        """An answer that came."""
        return cls(Outcome.UNSCORED, completion, tuple(attempts))


def failure_result(exc: Exception, attempts: Sequence[Attempt] = ()) -> RequestResult:
    """The failure as data: outcome, type and message."""
    outcome = next((end for kind, end in _BY_ERROR if isinstance(exc, kind)), None)
    message = with_hint(exc.message, exc.hint) if isinstance(exc, ProviderError) else str(exc)
    is_last = isinstance(exc, STOPS_MODEL)
    return RequestResult(
        outcome or Outcome.PROVIDER_ERROR,
        attempts=tuple(attempts),
        error_type=type(exc).__name__,
        error=message,
        stops_model=is_last,
        reason=message if is_last else "",
    )


def gave_up_result(exc: Exception, attempts: Sequence[Attempt], reason: str) -> RequestResult:
    """Return a failure after which the model is stopped, for an additional reason."""
    return failure_result(exc, attempts)._replace(stops_model=True, reason=reason)
