"""Endpoints that several jobs of one process use at once, in fair shares.

Each endpoint has one limiter for all jobs, so that together they keep within its limits. A job
sees its share through the interface of a limiter.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf

from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.rate_limiter import Flight, RateLimiter, RateLimiterState
from benchmaker.engine.requests.rate_limiters import RateLimiters
from benchmaker.engine.trials.clock import Clock
from benchmaker.providers.protocols.rate_hints import EndpointKey, RateHints

POLL_S = 0.05
"""A job that waits for a place looks again so soon; usually it is woken earlier."""


class SharedEndpoint:
    """One endpoint and key: the limiter of all jobs, and their shares.

    Its limit of requests in flight is that of the job with the highest one. A place goes to the
    waiting job with the fewest requests in flight; among equals, to the one served longest ago. A
    job that does not look again, since it was paused or stopped, loses its turn.
    """

    def __init__(self, limiter: RateLimiter, room: int) -> None:
        self.limiter = limiter
        self._room = room
        self._shares: list[FairShare] = []
        self._turns = 0

    @property
    def is_unused(self) -> bool:
        """True if no job has a share."""
        return not self._shares

    def join(self, share: "FairShare") -> None:
        """Add a job."""
        self._shares.append(share)
        self.fit()

    def leave(self, share: "FairShare") -> None:
        """Remove a job; its requests that were cancelled are not in flight any more."""
        self._shares.remove(share)
        self.limiter.flying -= share.flying
        share.flying = 0
        self.fit()
        self.offer(share.checked_at)

    def fit(self) -> None:
        """Adapt the limit of requests in flight to the jobs."""
        room = max((share.room for share in self._shares), default=self._room)
        if room > self._room:
            self.limiter.widen(room - self._room)
        elif room < self._room:
            self.limiter.resize(self._room, room)
        self._room = room

    def ready_at(self, share: "FairShare", now: float) -> float:
        """Return the time of the job's next request; ``now`` if it is its turn."""
        at = self.limiter.ready_at(now)
        if len(self._shares) == 1:
            return at
        if at <= now:
            first = self._first_waiting(now)
            if first is None or share.precedence <= first.precedence:
                share.waits_until = -inf
                return now
        at = now + POLL_S if at in (now, inf) else at
        share.waits_until = at + POLL_S
        return at

    def send(self, share: "FairShare", now: float) -> Flight:
        """A job sends a request."""
        self._turns += 1
        share.turn = self._turns
        flight = self.limiter.send(now)
        self.offer(now)
        return flight

    def offer(self, now: float) -> None:
        """Wake the next job if there may be a place for it."""
        first = self._first_waiting(now)
        if first is not None and self.limiter.ready_at(now) <= now:
            first.wake()

    def _first_waiting(self, now: float) -> "FairShare | None":
        waiting = [share for share in self._shares if share.waits_until > now]
        return min(waiting, key=lambda share: share.precedence, default=None)


class FairShare(RateLimiter):
    """One job's share of an endpoint; ``flying`` counts its own requests.

    ``room`` is the number of requests that the job wants in flight, ``turn`` that of its last one
    among those of all jobs. It waits for a place until ``waits_until``.
    """

    def __init__(self, room: int, endpoint: SharedEndpoint, wake: Callable[[], None]) -> None:
        super().__init__(room)
        self.room = room
        self.turn = 0
        self.waits_until = self.checked_at = -inf
        self.wake = wake
        self._endpoint = endpoint
        endpoint.join(self)

    @property
    def precedence(self) -> tuple[int, int]:
        """The job with the lowest goes first."""
        return self.flying, self.turn

    @property
    def rate(self) -> float | None:
        """Requests per second of all jobs; None while unlimited."""
        return self._endpoint.limiter.rate

    @property
    def is_guess(self) -> bool:
        """As of the limiter."""
        return self._endpoint.limiter.is_guess

    def leave(self) -> None:
        """Give the share up."""
        self._endpoint.leave(self)

    def ready_at(self, now: float) -> float:
        """Return the time of the job's next request; ``now`` if it is its turn."""
        self.checked_at = now
        return self._endpoint.ready_at(self, now)

    def widen(self, more: int) -> None:
        """Let the job have more requests in flight."""
        self.room += more
        self._endpoint.fit()

    def resize(self, before: int, after: int) -> None:
        """Change the number of requests that the job may have in flight."""
        self.room = max(1, self.room + after - before)
        self._endpoint.fit()

    def send(self, now: float) -> Flight:
        """Record a sent request."""
        self.flying += 1
        return self._endpoint.send(self, now)

    def record_answer(self, now: float, flight: Flight, *, tokens: int | None = None) -> None:
        """Record an answer."""
        if self._land():
            self._endpoint.limiter.record_answer(now, flight, tokens=tokens)
            self._endpoint.offer(now)

    def record_drop(self, flight: Flight | None = None) -> None:
        """Record a missing answer."""
        if self._land():
            self._endpoint.limiter.record_drop(flight)
            self._endpoint.offer(self.checked_at)

    def record_refusal(
        self, now: float, flight: Flight, *, retry_after_s: float | None, is_rate: bool
    ) -> None:
        """Record a refusal, for which all jobs slow down."""
        if self._land():
            limiter = self._endpoint.limiter
            limiter.record_refusal(now, flight, retry_after_s=retry_after_s, is_rate=is_rate)
            self.gate_until = limiter.gate_until

    def hold(self, now: float, seconds: float) -> None:
        """Send nothing for ``seconds``, in no job."""
        self._endpoint.limiter.hold(now, seconds)
        self.gate_until = self._endpoint.limiter.gate_until

    def learn(self, now: float, hints: RateHints) -> None:
        """Apply a reply's report of limits."""
        self._endpoint.limiter.learn(now, hints)

    def state(self, now: float) -> RateLimiterState:
        """Return the state of the endpoint, with the requests of all jobs."""
        return self._endpoint.limiter.state(now)

    def _land(self) -> bool:
        """Count a request that came back; False if the share was given up meanwhile."""
        if not self.flying:
            return False
        self.flying -= 1
        return True


class SharedEndpoints:
    """The endpoints in use by the jobs of one process; forgotten when the last one leaves."""

    def __init__(self) -> None:
        self._endpoints: dict[EndpointKey, SharedEndpoint] = {}

    def share(
        self,
        key: EndpointKey,
        room: int,
        make: Callable[[], RateLimiter],
        wake: Callable[[], None],
    ) -> FairShare:
        """Return a new share; ``make`` returns the limiter of an endpoint that none uses."""
        endpoint = self._endpoints.get(key)
        if endpoint is None or endpoint.is_unused:
            endpoint = self._endpoints[key] = SharedEndpoint(make(), room)
        return FairShare(room, endpoint, wake)


_ENDPOINTS: ContextVar[SharedEndpoints | None] = ContextVar("shared_endpoints", default=None)


@contextmanager
def sharing_endpoints(endpoints: SharedEndpoints) -> Iterator[None]:
    """Let the job in this block share these endpoints with others."""
    token = _ENDPOINTS.set(endpoints)
    try:
        yield
    finally:
        _ENDPOINTS.reset(token)


class SharedRateLimiters(RateLimiters):
    """The limiters of one job among several."""

    def __init__(
        self,
        provider: object,
        limits: RunLimits,
        *,
        clock: Clock,
        judging: int | None = None,
        endpoints: SharedEndpoints,
    ) -> None:
        super().__init__(provider, limits, clock=clock, judging=judging)
        self._endpoints = endpoints
        self._shares: list[FairShare] = []

    def make(
        self, key: EndpointKey, room: int, stated: tuple[float | None, float | None]
    ) -> RateLimiter:
        """Return the job's share of an endpoint."""
        share = self._endpoints.share(
            key, room, lambda: super(SharedRateLimiters, self).make(key, room, stated), self.wake
        )
        self._shares.append(share)
        return share

    def close(self) -> None:
        """Give all shares up."""
        for share in self._shares:
            share.leave()
        self._shares.clear()


def limiters_for(
    provider: object, limits: RunLimits, *, clock: Clock, judging: int | None = None
) -> RateLimiters:
    """Return the limiters of a job: shared ones if other jobs of this process use endpoints, too.

    The caller calls :meth:`RateLimiters.close` at the end of the job.
    """
    endpoints = _ENDPOINTS.get()
    if endpoints is None:
        return RateLimiters(provider, limits, clock=clock, judging=judging)
    return SharedRateLimiters(provider, limits, clock=clock, judging=judging, endpoints=endpoints)
