"""Rules for retries, their times, and giving up a model."""

from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from benchmaker.errors import BadResponse, ProviderError, RateLimited, SpecError, Timeout
from benchmaker.record import Completion, FinishReason

TOOL_CALL = "tool_call"
"""The flag of an answer that calls a tool it was not offered; a retry would call it again."""

CLIENT_ERRORS = frozenset({400, 404, 413, 422})
"""Statuses of an invalid request; after five equal ones in a row, the rest would fail as well."""

_ANSWERING = (FinishReason.STOP, FinishReason.UNKNOWN)
_LARGEST_POWER = 30


class RetryPlan(NamedTuple):
    """The request is to be made again, after ``wait_s`` seconds, with or without a stream."""

    wait_s: float
    stream: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """The rules of the single retry layer.

    A trial makes at most ``1 + retries`` requests for any kind of failure. A refusal does not count
    if it only lost a race for the rate: a 429 with a waiting time, after which the model answered
    others before this trial's next turn; at most ``overtaken`` times.

    Without a time from the provider a trial waits between 0 and ``base_s``, then twice that, and so
    on, at most ``cap_s`` (full jitter: uniformly random, so that many clients do not retry
    simultaneously). After an empty answer it waits ``empty_s``, then twice that. If a provider
    requests more than ``max_wait_s``, its models are parked. A trial ends at the latest ``trial_s``
    seconds after its first request.

    Source of the jitter: M. Brooker, "Exponential Backoff And Jitter", AWS, 2015.
    """

    retries: int = 2
    base_s: float = 1.0
    cap_s: float = 60.0
    empty_s: float = 0.4
    max_wait_s: float = 300.0
    trial_s: float = 900.0
    overtaken: int = 5

    def __post_init__(self) -> None:
        waits = (self.base_s, self.cap_s, self.empty_s, self.max_wait_s)
        if min(self.retries, self.overtaken, *waits) < 0:
            raise SpecError("retries and waits can't be negative.", hint="Use 0 for none.")
        if self.trial_s <= 0:
            raise SpecError(
                "the time limit of a trial must be above 0.", hint="Set trial_s above 0."
            )

    def after_failure(
        self, error: Exception, *, requests: int, stream: bool, random: Random
    ) -> RetryPlan | None:
        """Return the retry after the ``requests``-th failed request that counts; None for none."""
        if requests > self.retries or not is_retryable(error):
            return None
        wait_s = getattr(error, "retry_after_s", None)
        if wait_s is None:
            wait_s = self.backoff_s(requests, random)
        is_last = requests == self.retries
        return RetryPlan(wait_s, stream=stream and not _may_be_the_streams(error, is_last=is_last))

    def after_empty(self, *, requests: int, empties: int, stream: bool) -> RetryPlan | None:
        """Return the retry after the trial's ``empties``-th empty answer; None to accept it."""
        if requests > self.retries:
            return None
        return RetryPlan(self.empty_s * 2 ** (empties - 1), stream=stream)

    def is_too_long(self, error: Exception) -> str:
        """Return the reason why the model is parked; empty if it is waited for or needs no wait."""
        waits = getattr(error, "retry_after_s", None)
        if waits is None or waits <= self.max_wait_s or not is_retryable(error):
            return ""
        return (
            f"paused, because the endpoint requires a wait of {waits:,.0f} s, more than "
            f"{self.max_wait_s:g} s; resume later"
        )

    def backoff_s(self, failures: int, random: Random) -> float:
        """Return the wait after a number of failures: uniform from 0 to a bound that doubles.

        >>> 0 <= Retry().backoff_s(2, Random(1)) <= 2
        True
        """
        bound = min(self.cap_s, self.base_s * 2.0 ** min(failures - 1, _LARGEST_POWER))
        return random.uniform(0.0, bound)


def is_retryable(error: Exception) -> bool:
    """True if the same request may succeed later."""
    if isinstance(error, ProviderError):
        return error.is_retryable
    return isinstance(error, TimeoutError)


def is_race(error: Exception | None) -> bool:
    """True if it is a rate refusal with a time from which requests are accepted again."""
    return isinstance(error, RateLimited) and error.retry_after_s is not None


def is_empty(completion: Completion) -> bool:
    """True if the model returned nothing, without any obstacle."""
    return (
        completion.finish in _ANSWERING
        and not completion.text.strip()
        and TOOL_CALL not in completion.flags
        and not completion.tool_calls
    )


def _may_be_the_streams(error: Exception, *, is_last: bool) -> bool:
    """True if the failure may be caused by streaming; the last request is not streamed anyway."""
    if isinstance(error, RateLimited):
        return False
    if is_last or isinstance(error, (BadResponse, Timeout)):
        return True
    return isinstance(error, ProviderError) and bool(error.partial_text)


class Breaker:
    """Notices when a model fails in the same way again and again.

    ``limit`` equal client errors in a row, and every further request would end so, too.
    """

    def __init__(self, limit: int = 5) -> None:
        self.limit = limit
        self._runs: dict[str, tuple[tuple[object, ...], int]] = {}

    def note(self, model: str, error: Exception | None) -> bool:
        """Record the end of a request; return True if the model is to be given up."""
        kind = _client_error(error)
        if kind is None:
            self._runs.pop(model, None)
            return False
        before, count = self._runs.get(model, (kind, 0))
        count = count + 1 if before == kind else 1
        self._runs[model] = (kind, count)
        return count >= self.limit


def _client_error(error: Exception | None) -> tuple[object, ...] | None:
    """Return the identity of a client error: kind, status and the provider's code."""
    if type(error) is not ProviderError or error.status not in CLIENT_ERRORS:
        return None
    return (error.status, getattr(error, "code", None))
