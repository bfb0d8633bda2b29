"""One question to one provider, and what became of it.

Every request of a run passes here, so that retries, limits, cache and budget have one place.
"""

from typing import NamedTuple

from benchmaker.engine.clock import Clock
from benchmaker.errors import (
    AuthError,
    BadResponse,
    BenchmakerError,
    ContextOverflow,
    ProviderError,
    QuotaExhausted,
    Refused,
    Timeout,
    TrialError,
)
from benchmaker.providers.base import Provider, Request
from benchmaker.record import Attempt, Completion, Outcome

STOPS_MODEL = (AuthError, QuotaExhausted)
"""Errors after which asking the same model again is in vain."""

_BY_ERROR: tuple[tuple[type[BaseException], Outcome], ...] = (
    (Timeout, Outcome.TIMEOUT),
    (TimeoutError, Outcome.TIMEOUT),
    (Refused, Outcome.REFUSED),
    (ContextOverflow, Outcome.CONTEXT_OVERFLOW),
    (BadResponse, Outcome.BAD_RESPONSE),
)


class Answer(NamedTuple):
    """What asking ended in; ``outcome`` is ``unscored`` while the completion waits for its mark.

    ``stops_model`` says that the same model need not be asked again.
    """

    outcome: Outcome
    completion: Completion | None = None
    attempts: tuple[Attempt, ...] = ()
    error_type: str | None = None
    error: str | None = None
    stops_model: bool = False


async def ask(provider: Provider, request: Request, *, clock: Clock, live: bool = True) -> Answer:
    """The provider's answer, or its failure as data.

    Recorded answers (``live=False``) were no requests of ours, so they leave no attempt. An error
    that is not about the trial (the store's, the suite's) is raised on.
    """
    started_at, started = (clock.now_utc(), clock.monotonic()) if live else ("", 0.0)
    try:
        completion = await provider.complete(request)
    except Exception as exc:
        if isinstance(exc, BenchmakerError) and not isinstance(exc, TrialError):
            raise
        answer = failure(exc)
    else:
        answer = Answer(Outcome.UNSCORED, completion)
    if not live:
        return answer
    return answer._replace(attempts=(_attempt(answer, started_at, clock.monotonic() - started),))


def failure(exc: Exception) -> Answer:
    """The failure as data: outcome, type and message."""
    outcome = next((end for kind, end in _BY_ERROR if isinstance(exc, kind)), None)
    message = exc.message if isinstance(exc, ProviderError) else str(exc)
    return Answer(
        outcome or Outcome.PROVIDER_ERROR,
        error_type=type(exc).__name__,
        error=message,
        stops_model=isinstance(exc, STOPS_MODEL),
    )


def _attempt(answer: Answer, started_at: str, seconds: float) -> Attempt:
    done = answer.completion
    return Attempt(
        number=1,
        status="ok" if done else "failed",
        started_at=started_at,
        last_byte_s=seconds,
        usage=done.usage if done else None,
        cost_usd=done.cost_usd if done else None,
        error_type=answer.error_type,
        error=answer.error,
    )
