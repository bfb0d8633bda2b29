"""One trial in progress: its requests so far, and the next step after each."""

import asyncio
from math import inf
from random import Random

from msgspec.structs import replace

from benchmaker.engine.requests.budget import is_unpriced
from benchmaker.engine.requests.rate_limiter import Flight
from benchmaker.engine.requests.retry import Retry, RetryPlan, is_empty, is_race
from benchmaker.engine.trials.answer import RequestResult, failure_result, gave_up_result
from benchmaker.engine.trials.clock import Clock
from benchmaker.errors import BenchmakerError, ProviderError, Timeout, TrialError
from benchmaker.providers.base import Provider, Request
from benchmaker.record import Attempt, Completion, Usage
from benchmaker.record.attempt import ANSWERED

EMPTY, FAILED = "empty", "failed"
"""The status values of an attempt, besides ``ok`` and the HTTP status of a refusal."""

_PARTIAL = 20_000
"""Characters kept of an answer that broke off."""

_REFUSED = 300
"""HTTP statuses from here on say that no answer was made, so that nothing is charged."""

_NO_TOKENS = Usage(input_tokens=0, output_tokens=0)


class TrialRequests:
    """The requests of one trial.

    ``error`` is the error of the last one, ``spent_usd`` its cost (None if unknown), ``worst_usd``
    the maximum cost of the next. ``flight`` is set while one is in flight, and ``overtaken`` counts
    the refusals after which others were answered first. ``tag`` belongs to the caller.
    ``precedence`` is added to the number of requests, by which the queue orders its retries.
    """

    __slots__ = (
        "_answered", "_empties", "_started", "attempts", "cached", "error", "flight", "overtaken",
        "precedence", "request", "spent_usd", "tag", "worst_usd",
    )  # fmt: skip

    def __init__(
        self,
        request: Request,
        *,
        tag: object = None,
        worst_usd: float = 0.0,
        cached: Completion | None = None,
    ) -> None:
        self.request = request
        self.tag = tag
        self.worst_usd = worst_usd
        self.cached = cached
        self.attempts: list[Attempt] = []
        self.error: Exception | None = None
        self.flight: Flight | None = None
        self.overtaken = 0
        self.precedence = 0
        self.spent_usd: float | None = 0.0
        self._answered = 0
        self._empties = 0
        self._started = 0.0

    @property
    def model(self) -> str:
        """The model to query."""
        return self.request.model

    @property
    def urgency(self) -> int:
        """The number of requests so far, and the precedence."""
        return len(self.attempts) + self.precedence

    @property
    def is_cached(self) -> bool:
        """True if the answer is cached."""
        return self.cached is not None

    def record_sent(self, flight: Flight, *, answered: int) -> None:
        """Record a sent request; ``answered`` is the model's number of answered ones."""
        if is_race(self.error) and answered > self._answered:
            self.overtaken += 1
        self._answered = answered
        self.flight = flight

    def extend(self, seconds: float) -> None:
        """Add to the time limit of the trial, if it has begun."""
        self._started += seconds

    async def attempt(
        self, provider: Provider, *, clock: Clock, retry: Retry, random: Random
    ) -> RequestResult | RetryPlan:
        """Make one request; return the trial's end, or the time and kind of the next one.

        An error not caused by the trial (the store's, the suite's) propagates.
        """
        began = clock.monotonic()
        if not self.attempts:
            self._started = began
        started_at = clock.now_utc()
        self.spent_usd = None
        try:
            completion = await self._request_completion(
                provider, self._started + retry.trial_s - began
            )
        except Exception as exc:
            if isinstance(exc, BenchmakerError) and not isinstance(exc, TrialError):
                raise
            self._note_failure(exc, provider, started_at, clock.monotonic() - began)
            return self._after_failure(exc, retry, clock, random)
        self._note(completion, started_at, clock.monotonic() - began)
        if is_empty(completion):
            return self._after_empty(completion, retry, clock)
        return RequestResult.of(completion, self.attempts)

    async def _request_completion(self, provider: Provider, left_s: float) -> Completion:
        """Return the completion, within the rest of the trial's time.

        No timeout is needed if the rest exceeds the maximum of a request.
        """
        if left_s > getattr(provider, "longest_s", inf):
            return await provider.complete(self.request)
        deadline = asyncio.timeout(max(0.0, left_s))
        try:
            async with deadline:
                return await provider.complete(self.request)
        except TimeoutError as exc:
            if not deadline.expired():
                raise
            raise Timeout("the time limit of the trial was reached.", is_retryable=False) from exc

    def _after_empty(
        self, completion: Completion, retry: Retry, clock: Clock
    ) -> RequestResult | RetryPlan:
        self._empties += 1
        again = retry.after_empty(
            requests=self._counted_attempts(retry),
            empties=self._empties,
            stream=self.request.stream,
        )
        if again is None or self._is_late(again.wait_s, retry, clock):
            return RequestResult.of(completion, self.attempts)
        return again

    def _after_failure(
        self, error: Exception, retry: Retry, clock: Clock, random: Random
    ) -> RequestResult | RetryPlan:
        again = retry.after_failure(
            error, requests=self._counted_attempts(retry), stream=self.request.stream, random=random
        )
        if parked := retry.is_too_long(error):
            return gave_up_result(error, self.attempts, parked)
        if again is None or self._is_late(again.wait_s, retry, clock):
            return failure_result(error, self.attempts)
        if again.stream != self.request.stream:
            self.request = replace(self.request, stream=again.stream)
        return again

    def _counted_attempts(self, retry: Retry) -> int:
        """Return the number of requests that count."""
        return len(self.attempts) - min(self.overtaken, retry.overtaken)

    def _is_late(self, wait_s: float, retry: Retry, clock: Clock) -> bool:
        return clock.monotonic() + wait_s >= self._started + retry.trial_s

    def _note(self, completion: Completion, started_at: str, seconds: float) -> None:
        self.error = None
        self.spent_usd = completion.cost_usd
        latency_s = completion.latency_s
        self.attempts.append(
            Attempt(
                number=len(self.attempts) + 1,
                status=EMPTY if is_empty(completion) else ANSWERED,
                started_at=started_at,
                first_byte_s=completion.first_byte_s,
                last_byte_s=seconds if latency_s is None else latency_s,
                usage=completion.usage,
                cost_usd=completion.cost_usd,
            )
        )

    def _note_failure(
        self, exc: Exception, provider: Provider, started_at: str, seconds: float
    ) -> None:
        self.error = exc
        status = exc.status or 0 if isinstance(exc, ProviderError) else 0
        partial = exc.partial_text if isinstance(exc, ProviderError) else ""
        stated = exc.cost_usd if isinstance(exc, ProviderError) else None
        is_free = stated is None and _is_free(exc)
        embeds = bool(self.request.texts)
        is_unknown = is_free and is_unpriced(provider, self.model, embeds=embeds)
        self.spent_usd = 0.0 if is_free else stated
        self.attempts.append(
            Attempt(
                number=len(self.attempts) + 1,
                status=str(status) if status >= _REFUSED else FAILED,
                started_at=started_at,
                last_byte_s=seconds,
                usage=_NO_TOKENS if is_free else None,
                cost_usd=None if is_unknown else self.spent_usd,
                error_type=type(exc).__name__,
                error=exc.message if isinstance(exc, ProviderError) else str(exc),
                partial_text=partial[:_PARTIAL] or None,
                flags=exc.flags if isinstance(exc, ProviderError) else (),
            )
        )


def _is_free(exc: Exception) -> bool:
    """True if nothing is charged: the request was refused, or never reached the provider.

    The cost of an answer lost in transit is unknown.
    """
    if not isinstance(exc, ProviderError) or exc.partial_text:
        return False
    return not exc.is_sent or (exc.status or 0) >= _REFUSED
