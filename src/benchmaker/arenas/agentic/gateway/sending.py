"""Requests to endpoints, with the pace and the retries of the engine."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    nullcontext,
    suppress,
)
from itertools import count
from random import Random, SystemRandom
from typing import NamedTuple

from benchmaker.engine.requests.rate_limiter import Flight, RateLimiter
from benchmaker.engine.requests.rate_limiters import RateLimiters
from benchmaker.engine.requests.retry import Retry, RetryPlan
from benchmaker.engine.trials.clock import Clock
from benchmaker.errors import ProviderError
from benchmaker.providers.forwarding import Forwarding, ForwardRoute
from benchmaker.providers.network.transport import Reply
from benchmaker.providers.protocols.classify import failure

_RATE = 429
_REFUSALS = frozenset({_RATE, 503, 529})
_FAILED = 300
_LOOK_S = 0.1
"""How often a limiter is looked at that other work may have changed."""


class Sent(NamedTuple):
    """A reply; ``failed`` is the body of a failure."""

    reply: Reply
    failed: bytes | None


class _Lane:
    """The queue in front of one rate limiter: requests pass in the order of arrival."""

    def __init__(self, limiter: RateLimiter, clock: Clock) -> None:
        self._limiter, self._clock = limiter, clock
        self._turn = asyncio.Lock()
        self._changed = asyncio.Event()

    async def take(self) -> Flight:
        """Wait until a request may be sent, and count it as sent."""
        async with self._turn:
            while (wait_s := self._wait_s()) > 0:
                self._changed.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(min(wait_s, _LOOK_S)):
                        await self._changed.wait()
            return self._limiter.send(self._clock.monotonic())

    def record_answer(self, flight: Flight, tokens: int | None) -> None:
        """A request was answered, with its total tokens."""
        self._limiter.record_answer(self._clock.monotonic(), flight, tokens=tokens)
        self._changed.set()

    def record_drop(self, flight: Flight) -> None:
        """A request has no answer, for other reasons than its rate."""
        self._limiter.record_drop(flight)
        self._changed.set()

    def record_refusal(self, flight: Flight, error: ProviderError) -> None:
        """A request was refused with 429 or 503."""
        now = self._clock.monotonic()
        waits_s = error.retry_after_s
        is_rate = error.status == _RATE
        self._limiter.record_refusal(now, flight, retry_after_s=waits_s, is_rate=is_rate)
        self._changed.set()

    def _wait_s(self) -> float:
        now = self._clock.monotonic()
        return self._limiter.ready_at(now) - now


class Sender:
    """Sends requests at the pace of their endpoint; refused ones are sent again.

    Only 429, 503 and 529, and connections that were not made, are retried: nothing was generated
    then. Every other failure is the agent's to handle.

    Args:
        forwarding: the endpoints.
        limiters: the rate limiters, which may be shared with other work.
        retry: the rules for retries.
        clock: the clock.
        random: the source of random waits.
        sleep: waits a number of seconds.
    """

    def __init__(
        self,
        forwarding: Forwarding,
        limiters: RateLimiters,
        *,
        retry: Retry,
        clock: Clock,
        random: Random | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._forwarding, self._limiters = forwarding, limiters
        self._retry, self._clock, self._sleep = retry, clock, sleep
        self._random = random or SystemRandom()
        self._lanes: dict[int, _Lane] = {}

    @asynccontextmanager
    async def send(
        self,
        route: ForwardRoute,
        make: Callable[[], AbstractAsyncContextManager[Reply]],
        tokens: Callable[[], int | None],
        on_refusal: Callable[[int], None] = lambda _status: None,
        *,
        pause: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> AsyncIterator[Sent]:
        """Send a request; the block has the reply, whose body is read within it.

        ``make`` makes the request, once per send. ``tokens`` returns its tokens, once known.
        ``on_refusal`` gets the status of each refusal. ``pause`` is entered while the request waits
        here.

        Raises:
            ProviderError: there is no reply, or it was cut off.
        """
        lane = self._lane(route)
        for sends in count(1):
            with pause():
                flight = await lane.take()
            is_open = is_counted = False
            try:
                async with make() as reply:
                    self._forwarding.note_hints(route, reply.headers)
                    body, error = await _failure_of(reply, route)
                    plan = None
                    if error is not None and error.status in _REFUSALS:
                        lane.record_refusal(flight, error)
                        on_refusal(reply.status)
                        is_counted = True
                        plan = self._plan(error, sends)
                    if plan is None:
                        is_open = True
                        yield Sent(reply, body)
                        if not is_counted:
                            lane.record_answer(flight, tokens())
                            is_counted = True
                        return
            except ProviderError as exc:
                plan = None if is_open or exc.is_sent else self._plan(exc, sends)
                if plan is None:
                    raise
            finally:
                if not is_counted:
                    lane.record_drop(flight)
            with pause():
                await self._sleep(plan.wait_s)

    def _plan(self, error: ProviderError, sends: int) -> RetryPlan | None:
        """The next send after a failure; None for none."""
        if self._retry.is_too_long(error):
            return None
        return self._retry.after_failure(error, requests=sends, stream=True, random=self._random)

    def _lane(self, route: ForwardRoute) -> _Lane:
        limiter = self._limiters.limiter_of(route.requested)
        lane = self._lanes.get(id(limiter))
        if lane is None:
            lane = self._lanes[id(limiter)] = _Lane(limiter, self._clock)
        return lane


async def _failure_of(
    reply: Reply, route: ForwardRoute
) -> tuple[bytes | None, ProviderError | None]:
    """The body and the error of a reply that is no answer."""
    if reply.status < _FAILED:
        return None, None
    body = await reply.read_start()
    return body, failure(reply.status, body, reply.headers, host=route.endpoint.host)
