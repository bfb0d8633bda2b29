"""The rate of requests to one endpoint with one key.

Nothing here reads a clock or waits: every method gets the time as an argument, in seconds, so that
a simulation replays a whole day in a moment.
"""

from collections import deque
from dataclasses import dataclass
from math import ceil, inf
from typing import NamedTuple

from benchmaker.engine.requests.token_bucket import TokenBucket
from benchmaker.providers.protocols.rate_hints import Allowance, RateHints

_REMEMBERED = 1024
"""Sends and refusals that are remembered to measure a rate."""

_SMOOTHING = 0.1
"""The weight of the newest answer in a mean."""

_FEW = 10
"""Fewer requests than this say nothing of a rate; a window is at least so many long."""

_MOMENT_S = 0.001
"""Nothing is measured over less than this."""

_RATES = (1e-9, 1e9)
"""No rate is lower or higher, whatever the rules say: it is divided by, and multiplied for ever."""

_FORGETTING = 0.95
"""How much of the longest wait is remembered from one refusal to the next."""

_QUIET = 5
"""After so many windows without a refusal, what was measured is out of date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateRules:
    """The rules by which a limiter slows down and recovers.

    A refusal (429 or 503) reduces the number of requests in flight to ``cut`` of its peak, once per
    ``cooldown_s`` seconds; every answer adds its share of one until the limit is restored.

    After the first 429 requests are spaced at a little ``below`` the recently accepted rate,
    measured over ``window_s`` seconds (twice the longest ``Retry-After`` if that is longer, up to
    ``longest_window_s``) and at least 10 requests. Before that it is guessed from successive
    ``Retry-After`` times: the requests accepted between two refusals were answered between the
    times that they named. It then grows by ``growth`` per window; if it was not yet measured, or
    long ago, by ``probe`` with each request. Of the requests held back by a closed gate, the share
    ``credit`` is sent at once when it opens. No rate is below ``slowest`` requests per second.
    """

    cut: float = 0.8
    cooldown_s: float = 10.0
    window_s: float = 1.0
    longest_window_s: float = 120.0
    below: float = 0.95
    growth: float = 0.05
    probe: float = 0.1
    credit: float = 0.9
    slowest: float = 1 / 60


class Flight(NamedTuple):
    """A request in flight: when it was sent, and the tokens that were set aside for it."""

    sent_at: float
    charged: float


class RemainingAllowance(NamedTuple):
    """An endpoint's report of a limit: the remaining amount, and the maximum."""

    now: float
    most: float


@dataclass(frozen=True, slots=True)
class RateLimiterState:
    """A limiter for display: ``limit`` parallel requests, ``rate`` per second, held for ``held_s``.

    ``rate`` is None while nothing limits it. ``stated`` are the requests and tokens a minute that
    the user allows, ``requests_left`` and ``tokens_left`` are the endpoint's own reports, minus
    later requests; None without a report.
    """

    flying: int
    limit: int
    rate: float | None
    held_s: float
    stated: tuple[float | None, float | None] = (None, None)
    requests_left: RemainingAllowance | None = None
    tokens_left: RemainingAllowance | None = None


class RateLimiter:
    """The limiter of one endpoint and key; see :class:`RateRules`.

    ``concurrency`` is the maximum number in flight, and the initial one: until the first refusal
    nothing is held back. ``requests_per_minute`` and ``tokens_per_minute`` are limits stated by the
    user; others are learned from replies.

    ``is_guess`` is true if the next request probes an unmeasured rate, and may be refused for it.
    The first one after a gate closed by the provider does not.
    """

    def __init__(
        self,
        concurrency: int,
        *,
        rules: RateRules | None = None,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        max_wait_s: float = 300.0,
    ) -> None:
        self.rules = rules or RateRules()
        self.flying = 0
        self.limit = float(concurrency)
        self.gate_until = -inf
        self._most = float(concurrency)
        self._peak = 0
        self._max_wait_s = max_wait_s
        self._rate: float | None = None
        self._rate_at = 0.0
        self._next_at = -inf
        self._credit_s = 0.0
        self._is_probing = False
        self._is_unmeasured = self._is_promised = False
        self._measured: tuple[float, float] | None = None
        self._first_refused = self._first_promise = inf
        self._cut_at = self._slowed_at = -inf
        self._longest_wait_s = 0.0
        self._sends: deque[float] = deque(maxlen=_REMEMBERED)
        self._refusals: deque[float] = deque(maxlen=_REMEMBERED)
        self._latency_s = 0.0
        self._tokens_each = 0.0
        self._per_minute = requests_per_minute, tokens_per_minute
        self._stated = _stated_bucket(requests_per_minute), _stated_bucket(tokens_per_minute)
        self._reported: tuple[TokenBucket | None, TokenBucket | None] = (None, None)
        self._is_free = self._stated == (None, None)

    @property
    def rate(self) -> float | None:
        """Requests per second; None while unlimited."""
        return self._rate

    @property
    def is_guess(self) -> bool:
        """True if the next request may be refused because the rate is still unknown."""
        return self._is_unmeasured and not self._is_promised

    def ready_at(self, now: float) -> float:
        """Return the time of the next request, ``now`` at the earliest; inf until one returns."""
        if self.flying >= int(self.limit):
            return inf
        if self._is_free:
            return now
        at = max(now, self.gate_until, self._next_at)
        for requests, tokens in (self._stated, self._reported):
            if requests is not None:
                at = max(at, requests.ready_at(now, 1.0))
            if tokens is not None:
                at = max(at, tokens.ready_at(now, self._tokens_each))
        return at

    def widen(self, more: int) -> None:
        """Raise the limit of requests in flight."""
        self.limit += more
        self._most += more

    def resize(self, before: int, after: int) -> None:
        """Change the limit of requests in flight, of which the caller had ``before``."""
        self._most = max(1.0, self._most + after - before)
        self.limit = self._most if after > before else min(self.limit, self._most)

    def send(self, now: float) -> Flight:
        """Record a sent request; pass the returned value back when it ends."""
        self.flying += 1
        self._peak = max(self._peak, self.flying)
        self._sends.append(now)
        if self._is_free:
            return Flight(now, 0.0)
        self._is_promised = False
        for requests, tokens in (self._stated, self._reported):
            if requests is not None:
                requests.take(now, 1.0)
            if tokens is not None:
                tokens.take(now, self._tokens_each)
        if self._rate is not None:
            self._grow(now, self._rate)
            space = 1.0 / self._rate
            self._next_at = max(self._next_at, now - max(space, self._credit_s)) + space
        return Flight(now, self._tokens_each)

    def record_answer(self, now: float, flight: Flight, *, tokens: int | None = None) -> None:
        """Record an answer, with its total tokens."""
        self.flying -= 1
        self._latency_s += _SMOOTHING * (now - flight.sent_at - self._latency_s)
        if tokens is not None:
            self._count(now, tokens, flight)
        if self.limit < self._most:
            self.limit = min(self._most, self.limit + 1.0 / self.limit)

    def record_drop(self, flight: Flight | None = None) -> None:
        """Record a missing answer, for reasons unrelated to the limiter."""
        del flight  # whoever lends permits wants to know which
        self.flying -= 1

    def hold(self, now: float, seconds: float) -> None:
        """Send nothing for ``seconds``."""
        self._is_free = False
        self.gate_until = max(self.gate_until, now + seconds)

    def record_refusal(
        self, now: float, flight: Flight, *, retry_after_s: float | None, is_rate: bool
    ) -> None:
        """Record a 429 (``is_rate``) or 503: slow down, and close the gate until it may open.

        Several requests in flight together count as one refusal.
        """
        self._is_free = False
        self.flying -= 1
        if retry_after_s is not None:
            self.hold(now, retry_after_s)
            self._is_promised = True
        if is_rate:
            self._slow_down(now, flight.sent_at, retry_after_s or 0.0)
        self._give_way(now, flight.sent_at)

    def learn(self, now: float, hints: RateHints) -> None:
        """Apply a reply's report of limits; it is valid until the next one."""
        requests, tokens = self._reported
        if hints.requests is not None:
            requests = self._bucket(now, hints.requests, self.flying - 1)
        if hints.tokens is not None:
            in_flight = max(0, self.flying - 1) * self._tokens_each
            tokens = self._bucket(now, hints.tokens, in_flight)
        self._reported = requests, tokens
        if requests or tokens:
            self._is_free = False

    def state(self, now: float) -> RateLimiterState:
        """Return the state for display."""
        requests, tokens = self._reported
        return RateLimiterState(
            self.flying,
            int(self.limit),
            self._rate,
            max(0.0, self.gate_until - now),
            self._per_minute,
            _remaining(requests, now),
            _remaining(tokens, now),
        )

    def _slow_down(self, now: float, sent_at: float, retry_after_s: float) -> None:
        """Space requests at the rate that is accepted.

        Refusals of requests that were in flight together are one event; each of them makes the
        measured rate more exact.
        """
        self._refusals.append(sent_at)
        self._longest_wait_s = max(self._longest_wait_s, retry_after_s)
        if sent_at > self._slowed_at:
            self._longest_wait_s = max(retry_after_s, _FORGETTING * self._longest_wait_s)
            self._is_unmeasured = self._rate is None or self._were_few()
            self._is_probing = self._rate is None or (self._is_unmeasured and retry_after_s > 0.0)
            self._measured = self._span(now, retry_after_s)
            self._slowed_at = now
            if self._first_refused == inf:
                self._first_refused = now
                self._first_promise = now + retry_after_s if retry_after_s else inf
        if self._measured is not None:
            since, seconds = self._measured
            accepted = max(1.0, self._net_sent(since))
            self._set_rate(now, self.rules.below * accepted / max(seconds, _MOMENT_S))
        self._give_credit(now, retry_after_s)

    def _span(self, now: float, retry_after_s: float) -> tuple[float, float] | None:
        """Since when to measure, and for how long; None while too little was sent.

        At the first refusal the last second counts, later nothing before that one.
        """
        if self._rate is None:
            return now - 1.0, 1.0
        if self._is_unmeasured:
            between_s = now + retry_after_s - self._first_promise
            return (self._first_refused, between_s) if between_s > 0.0 < retry_after_s else None
        since = max(self._first_refused, min(self._sends[-_FEW], now - self._window_s()))
        return since, now - since

    def _were_few(self) -> bool:
        """True if too few were sent since the first refusal to measure a rate."""
        return len(self._sends) < _FEW or self._sends[-_FEW] < self._first_refused

    def _window_s(self) -> float:
        """Over how long at least a rate is measured."""
        waits = min(2.0 * self._longest_wait_s, self.rules.longest_window_s)
        return max(self.rules.window_s, waits)

    def _set_rate(self, now: float, rate: float) -> None:
        lowest, highest = _RATES
        self._rate = min(max(self.rules.slowest, lowest, rate), highest)
        self._rate_at = now

    def _give_credit(self, now: float, retry_after_s: float) -> None:
        """Once the gate opens, what would have been sent meanwhile may be sent at once.

        A gate that is shut no longer than the space between two requests lets one through.
        """
        if self._rate is None:
            return
        space = 1.0 / self._rate
        self._credit_s = self.rules.credit * max(0.0, retry_after_s - space)
        if retry_after_s:
            self._next_at = self.gate_until - self._credit_s
        else:
            self._next_at = max(self._next_at, now + space)

    def _net_sent(self, since: float) -> float:
        """Return the number sent since then and not refused so far."""
        return sum(at >= since for at in self._sends) - sum(at >= since for at in self._refusals)

    def _grow(self, now: float, rate: float) -> None:
        """Try a little more: carefully where the rate was measured, else with each request."""
        window_s = max(self._window_s(), _FEW / rate)
        if self._is_probing or now - self._slowed_at > _QUIET * window_s:
            self._set_rate(now, rate * (1.0 + self.rules.probe))
        else:
            windows = (now - self._rate_at) / window_s
            self._set_rate(now, rate * (1.0 + self.rules.growth) ** windows)

    def _give_way(self, now: float, sent_at: float) -> None:
        """Fewer at once; never fewer than the rate that is accepted keeps in flight."""
        if sent_at < self._cut_at or now - self._cut_at < self.rules.cooldown_s:
            return
        self._cut_at = now
        needed = ceil(1.5 * (self._rate or 0.0) * self._latency_s)
        cut = self.rules.cut * min(self.limit, self._peak)
        self._peak = self.flying
        self.limit = max(1.0, min(self.limit, max(cut, needed)))

    def _count(self, now: float, tokens: int, flight: Flight) -> None:
        """Count the request's actual tokens, and expect the same of the next."""
        stated = self._stated[1]
        if stated is not None:
            stated.take(now, tokens - flight.charged)
        if self._tokens_each:
            self._tokens_each += _SMOOTHING * (tokens - self._tokens_each)
        else:
            self._tokens_each = float(tokens)

    def _bucket(self, now: float, said: Allowance, in_flight: float) -> TokenBucket | None:
        """Return a reported limit; None if its reset time is unknown.

        Requests in flight may not be counted yet. Resets beyond the maximum wait are left to the
        provider's refusals.
        """
        if said.left is None or not said.reset_s or said.reset_s > self._max_wait_s:
            return None
        most = max(said.limit or said.left, said.left, 1.0)
        gain = max(most - said.left, 1.0) / said.reset_s
        return TokenBucket(gain, most, level=said.left - max(0.0, in_flight), at=now)


def _stated_bucket(per_minute: float | None) -> TokenBucket | None:
    """A limit that the user states: a second's worth at once, so that it is never overrun."""
    if per_minute is None:
        return None
    return TokenBucket(per_minute / 60.0, max(1.0, per_minute / 60.0))


def _remaining(bucket: TokenBucket | None, now: float) -> RemainingAllowance | None:
    """Return the rest of a reported limit."""
    return (
        None if bucket is None else RemainingAllowance(max(0.0, bucket.level(now)), bucket.capacity)
    )
