"""One question to one provider, and its result.

Every request of a run passes here or through
:class:`benchmaker.engine.requests.attempts.TrialRequests` itself, so that retries have one place.
"""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random, SystemRandom

import msgspec

from benchmaker.engine.requests.attempts import TrialRequests
from benchmaker.engine.requests.retry import Retry
from benchmaker.engine.trials.answer import STOPS_MODEL, RequestResult, failure_result
from benchmaker.engine.trials.clock import Clock
from benchmaker.errors import BenchmakerError, ProviderError, TrialError
from benchmaker.providers.base import Provider, Request
from benchmaker.record.attempt import RECORDED, Attempt
from benchmaker.record.usage import Usage

__all__ = ["STOPS_MODEL", "RequestResult", "ask", "failure_result", "look_up", "recorded_attempts"]

Sleep = Callable[[float], Awaitable[object]]


async def ask(
    provider: Provider,
    request: Request,
    *,
    clock: Clock,
    retry: Retry | None = None,
    random: Random | None = None,
    sleep: Sleep = asyncio.sleep,
) -> RequestResult:
    """Return the provider's answer, or its failure as data, with all retries.

    An error not caused by the trial (the store's, the suite's) propagates. This function sleeps
    during waits; a run with many trials interleaves them instead.
    """
    retry, random = retry or Retry(), random or SystemRandom()
    trying = TrialRequests(request)
    while True:
        ended = await trying.attempt(provider, clock=clock, retry=retry, random=random)
        if isinstance(ended, RequestResult):
            return ended
        await sleep(ended.wait_s)


async def look_up(provider: Provider, request: Request, *, clock: Clock) -> RequestResult:
    """Return a recorded answer; it has no attempts and no retries.

    A recorded failure never stops a model: its other answers are available anyway. Its known cost,
    tokens and seconds are in an attempt with the status ``recorded``.
    """
    try:
        return RequestResult.of(await provider.complete(request))
    except Exception as exc:
        if isinstance(exc, BenchmakerError) and not isinstance(exc, TrialError):
            raise
        attempts = recorded_attempts(exc, clock.now_utc())
        return failure_result(exc, attempts)._replace(stops_model=False, reason="")


def recorded_attempts(error: Exception, now: str) -> tuple[Attempt, ...]:
    """Return the recorded failed request if it has any figures; otherwise empty."""
    if not isinstance(error, ProviderError):
        return ()
    figures = (error.cost_usd, error.usage, error.latency_s)
    if not error.flags and all(figure is None for figure in figures):
        return ()
    failed = Attempt(
        number=1,
        status=RECORDED,
        started_at=now,
        last_byte_s=error.latency_s,
        usage=msgspec.convert(error.usage, Usage | None, from_attributes=True),
        cost_usd=error.cost_usd,
        error_type=type(error).__name__,
        error=error.message,
        flags=error.flags,
    )
    return (failed,)
