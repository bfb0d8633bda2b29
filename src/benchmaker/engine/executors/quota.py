"""Limits shared by all workers: requests and tokens per minute, concurrency, money.

Nothing here reads a clock or waits: every method gets the time as an argument, in seconds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import NamedTuple

from benchmaker.engine.executors.window import RateWindow, WindowEntry
from benchmaker.engine.requests.budget import Budget, BudgetDecision
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.rate_limiter import Flight, RateLimiter, RateLimiterState
from benchmaker.engine.requests.token_bucket import TokenBucket
from benchmaker.providers.protocols.rate_hints import EndpointKey, RateHints

USE_S = 1.0
"""Seconds after which an unused permit is returned."""

LEASE_S = 10.0
"""Seconds without a sign of life after which a holder loses all its permits."""

SPAN_S = 60.0 + USE_S + 1.0
"""One minute, the maximum age of an unused permit, and a second in transit."""

_SHORTEST_S = 0.005
_LONGEST_S = 0.25
_LATER_S = 0.05


class PermitRequest(NamedTuple):
    """A number of requests to one model waiting to be sent.

    ``stated`` are the requests and tokens a minute that the user allows. ``tokens`` and
    ``worst_usd`` are the maximum tokens and cost of each request.
    """

    model: str
    key: EndpointKey
    number: int
    stated: tuple[float | None, float | None] = (None, None)
    tokens: float = 0.0
    worst_usd: float = 0.0


class PermitReport(NamedTuple):
    """The outcome of a permit.

    ``end`` is ``answered``, ``refused`` (429 or 503), ``dropped`` (no answer, irrelevant for the
    limiter) or ``unused``. ``hold_s`` is the pause requested by the provider.
    """

    permit: int
    end: str
    tokens: int | None = None
    hold_s: float | None = None
    is_rate: bool = False
    cost_usd: float | None = 0.0


class Grant(NamedTuple):
    """The reply to a request: permits, the time of the next request, the endpoint's pause.

    ``is_guess`` is true if the rate is still unknown.
    """

    permits: tuple[int, ...] = ()
    wait_s: float = 0.0
    held_s: float = 0.0
    is_guess: bool = False


class Trade(NamedTuple):
    """Grants by model, and the reason if no request fits the budget any more."""

    grants: dict[str, Grant]
    halted: str = ""


@dataclass(slots=True)
class _Permit:
    holder: str
    share: "_Share"
    flight: Flight
    worst_usd: float
    request: WindowEntry | None
    tokens: WindowEntry | None


@dataclass(slots=True)
class _Holder:
    heard_at: float
    permits: set[int] = field(default_factory=set)


class _Share:
    """One endpoint and key: its limiter, and the stated limits, each as a bucket and a window.

    The bucket spaces requests evenly, the window keeps every minute within the limit. Both are a
    thirtieth below the stated limit, for the time between a permit and its use.
    """

    def __init__(self, stated: tuple[float | None, float | None], limits: RunLimits) -> None:
        requests, tokens = stated
        self._stated = stated
        self.limiter = RateLimiter(
            limits.concurrency,
            rules=limits.pace,
            requests_per_minute=_effective_rate(requests),
            max_wait_s=limits.retry.max_wait_s,
        )
        self._requests = RateWindow(requests, SPAN_S) if requests is not None else None
        self._tokens = RateWindow(tokens, SPAN_S) if tokens is not None else None
        gain = (_effective_rate(tokens) or 0.0) / 60.0
        self._flow = TokenBucket(gain, max(1.0, gain)) if tokens is not None else None
        self._largest = 0.0

    def state(self, now: float) -> RateLimiterState:
        """Return its state, with the original stated limits."""
        return replace(self.limiter.state(now), stated=self._stated)

    def ready_at(self, now: float, tokens: float) -> float:
        """When a request that takes ``tokens`` at most may be sent."""
        at = self.limiter.ready_at(now)
        expected = self._expected_tokens(tokens)
        if self._requests is not None:
            at = max(at, self._requests.ready_at(now, 1.0))
        if self._tokens is not None and self._flow is not None:
            at = max(at, self._tokens.ready_at(now, expected), self._flow.ready_at(now, expected))
        return at

    def take(self, now: float, holder: str, wish: PermitRequest) -> _Permit:
        """A permit goes out."""
        expected = self._expected_tokens(wish.tokens)
        if self._flow is not None:
            self._flow.take(now, expected)
        return _Permit(
            holder,
            self,
            self.limiter.send(now),
            wish.worst_usd,
            self._requests.take(now, 1.0) if self._requests is not None else None,
            self._tokens.take(now, expected) if self._tokens is not None else None,
        )

    def back(self, now: float, permit: _Permit, report: PermitReport) -> None:
        """A permit came back."""
        match report.end:
            case "answered":
                self._count(now, permit, report.tokens)
                self.limiter.record_answer(now, permit.flight, tokens=report.tokens)
            case "refused":
                self.limiter.record_refusal(
                    now, permit.flight, retry_after_s=report.hold_s, is_rate=report.is_rate
                )
            case "unused":
                self.limiter.record_drop()
                self._unuse(now, permit)
            case _:
                self.limiter.record_drop()
                if report.hold_s is not None:
                    self.limiter.hold(now, report.hold_s)

    def _expected_tokens(self, most: float) -> float:
        """Return the expected tokens of a request: the maximum, until others' usage is known."""
        return min(most, self._largest) if self._largest else most

    def _count(self, now: float, permit: _Permit, tokens: int | None) -> None:
        if tokens is None or permit.tokens is None:
            return
        self._largest = max(float(tokens), self._largest)
        self._amend(now, permit.tokens, float(tokens))

    def _unuse(self, now: float, permit: _Permit) -> None:
        if permit.request is not None and self._requests is not None:
            self._requests.amend(permit.request, 0.0)
        if permit.tokens is not None:
            self._amend(now, permit.tokens, 0.0)

    def _amend(self, now: float, taken: WindowEntry, tokens: float) -> None:
        if self._tokens is not None and self._flow is not None:
            self._flow.take(now, tokens - taken.amount)
            self._tokens.amend(taken, tokens)


class Quota:
    """Lends permits for one request each, while the holder is alive.

    Each holder sends heartbeats. After ``LEASE_S`` seconds without one its permits are returned;
    since it is unknown if those requests were sent, they count as sent, at their maximum cost.

    >>> quota = Quota(RunLimits(concurrency=2))
    >>> wish = PermitRequest("m", EndpointKey("here", "host"), 3)
    >>> quota.trade(0.0, "first", wishes=[wish]).grants["m"].permits
    (1, 2)
    >>> quota.trade(LEASE_S + 1.0, "second", wishes=[wish]).grants["m"].permits
    (3, 4)
    """

    def __init__(self, limits: RunLimits) -> None:
        self._limits = limits
        self._budget: Budget | None = None
        self._shares: dict[EndpointKey, _Share] = {}
        self._permits: dict[int, _Permit] = {}
        self._holders: dict[str, _Holder] = {}
        self._last = 0

    @property
    def spent_usd(self) -> float:
        """The amount spent, including the maximum of requests in flight."""
        return self._budget.spent_usd + self._budget.in_flight_usd if self._budget else 0.0

    @property
    def refusal(self) -> str:
        """The reason why no request fits the budget any more; empty while one does."""
        return self._budget.refusal if self._budget else ""

    @property
    def lent_permits(self) -> int:
        """The number of permits lent."""
        return len(self._permits)

    def fund(self, most_usd: float | None, spent_usd: float) -> None:
        """Set the budget from now on, and the earlier spending."""
        for holder in list(self._holders):
            self.forget(0.0, holder)
        self._budget = None if most_usd is None else Budget(most_usd, spent_usd=spent_usd)

    def trade(
        self,
        now: float,
        holder: str,
        *,
        reports: Sequence[PermitReport] = (),
        hints: Sequence[tuple[EndpointKey, RateHints]] = (),
        wishes: Sequence[PermitRequest] = (),
    ) -> Trade:
        """Take returned permits, and lend the requested ones that are free."""
        self._renew_holder(now, holder)
        for key, hint in hints:
            if key in self._shares:
                self._shares[key].limiter.learn(now, hint)
        for report in reports:
            self._back(now, holder, report)
        return Trade({wish.model: self._lend(now, holder, wish) for wish in wishes}, self.refusal)

    def forget(self, now: float, holder: str) -> None:
        """Return a dead holder's permits, counted as sent."""
        gone = self._holders.pop(holder, None)
        for permit in sorted(gone.permits) if gone else ():
            self._land(now, PermitReport(permit, "dropped", cost_usd=None))

    def states(self, now: float) -> Mapping[str, RateLimiterState]:
        """Return the state of each endpoint, by name."""
        return {str(key): share.state(now) for key, share in self._shares.items()}

    def _renew_holder(self, now: float, holder: str) -> None:
        self._holders.setdefault(holder, _Holder(now)).heard_at = now
        late = [name for name, it in self._holders.items() if now - it.heard_at > LEASE_S]
        for name in late:
            self.forget(now, name)

    def _back(self, now: float, holder: str, report: PermitReport) -> None:
        """Return a permit that the holder still has: expired leases are settled already."""
        held = self._holders[holder].permits
        if report.permit in held:
            held.discard(report.permit)
            self._land(now, report)

    def _land(self, now: float, report: PermitReport) -> None:
        permit = self._permits.pop(report.permit)
        permit.share.back(now, permit, report)
        if self._budget is not None:
            self._budget.settle(permit.worst_usd, report.cost_usd)

    def _lend(self, now: float, holder: str, wish: PermitRequest) -> Grant:
        share = self._shares.get(wish.key)
        if share is None:
            share = self._shares[wish.key] = _Share(wish.stated, self._limits)
        lent: list[int] = []
        wait_s = 0.0
        while len(lent) < wish.number and not wait_s:
            wait_s = self._wait_s(now, share, wish)
            if not wait_s:
                lent.append(self._permit(now, holder, share, wish))
        held_s = max(0.0, share.limiter.gate_until - now)
        return Grant(tuple(lent), wait_s, held_s, share.limiter.is_guess)

    def _permit(self, now: float, holder: str, share: _Share, wish: PermitRequest) -> int:
        self._last += 1
        self._permits[self._last] = share.take(now, holder, wish)
        self._holders[holder].permits.add(self._last)
        return self._last

    def _wait_s(self, now: float, share: _Share, wish: PermitRequest) -> float:
        """Return the time until a permit may be lent; 0 if immediately."""
        at = share.ready_at(now, wish.tokens)
        if at > now:
            return _LATER_S if at == inf else min(max(at - now, _SHORTEST_S), _LONGEST_S)
        return 0.0 if self._fits(wish.worst_usd) else _LATER_S

    def _fits(self, worst_usd: float) -> bool:
        budget = self._budget
        if budget is None:
            return True
        if budget.refusal:
            return False
        return budget.admit(worst_usd) is BudgetDecision.YES


def _effective_rate(per_minute: float | None) -> float | None:
    """Return the stated rate, reduced for the time between a permit and its use."""
    return None if per_minute is None else per_minute * 60.0 / SPAN_S
