"""The limits that all workers share: requests and tokens a minute, how many at once, money.

Nothing here reads a clock or waits: every method is told what time it is, in seconds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import NamedTuple

from benchmaker.engine.executors.window import RateWindow, WindowEntry
from benchmaker.engine.requests.budget import Budget, BudgetDecision
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.rate_limiter import Flight, Pace, PaceState
from benchmaker.engine.requests.token_bucket import TokenBucket
from benchmaker.providers.protocols.rate_hints import EndpointKey, RateHints

USE_S = 1.0
"""A permit that was not used so soon is given back."""

LEASE_S = 10.0
"""Who was not heard of for so long has lost everything it held."""

SPAN_S = 60.0 + USE_S + 1.0
"""A minute, the time that a permit may wait for its use, and a second on the way."""

_SHORTEST_S = 0.005
_LONGEST_S = 0.25
_LATER_S = 0.05


class PermitRequest(NamedTuple):
    """So many requests to one model wait to be sent.

    ``stated`` are the requests and tokens a minute that the user allows. No request of these takes
    more than ``tokens`` or costs more than ``worst_usd``.
    """

    model: str
    key: EndpointKey
    number: int
    stated: tuple[float | None, float | None] = (None, None)
    tokens: float = 0.0
    worst_usd: float = 0.0


class PermitReport(NamedTuple):
    """What became of a permit.

    ``end`` is ``answered``, ``refused`` (429 or 503), ``dropped`` (no answer, which says nothing
    of the pace) or ``unused``. ``hold_s`` is how long the provider wants to be left alone.
    """

    permit: int
    end: str
    tokens: int | None = None
    hold_s: float | None = None
    is_rate: bool = False
    cost_usd: float | None = 0.0


class Grant(NamedTuple):
    """What a wish got: permits, when to ask again, how long the endpoint is to be left alone.

    ``is_guess`` says that nobody knows the rate yet.
    """

    permits: tuple[int, ...] = ()
    wait_s: float = 0.0
    held_s: float = 0.0
    is_guess: bool = False


class Trade(NamedTuple):
    """Grants by model, and why no request fits the budget any more, once one did not."""

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
    """One endpoint and key: its pace, and the stated limits, each as a bucket and a window.

    The bucket spaces requests evenly, the window sees to it that no minute has more than is
    allowed. Both are a thirtieth below what is stated, for the time between a permit and its use.
    """

    def __init__(self, stated: tuple[float | None, float | None], limits: RunLimits) -> None:
        requests, tokens = stated
        self._stated = stated
        self.pace = Pace(
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

    def state(self, now: float) -> PaceState:
        """How it stands, with what was stated as it was."""
        return replace(self.pace.state(now), stated=self._stated)

    def ready_at(self, now: float, tokens: float) -> float:
        """When a request that takes ``tokens`` at most may be sent."""
        at = self.pace.ready_at(now)
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
            self.pace.send(now),
            wish.worst_usd,
            self._requests.take(now, 1.0) if self._requests is not None else None,
            self._tokens.take(now, expected) if self._tokens is not None else None,
        )

    def back(self, now: float, permit: _Permit, report: PermitReport) -> None:
        """A permit came back."""
        match report.end:
            case "answered":
                self._count(now, permit, report.tokens)
                self.pace.record_answer(now, permit.flight, tokens=report.tokens)
            case "refused":
                self.pace.record_refusal(
                    now, permit.flight, retry_after_s=report.hold_s, is_rate=report.is_rate
                )
            case "unused":
                self.pace.record_drop()
                self._unuse(now, permit)
            case _:
                self.pace.record_drop()
                if report.hold_s is not None:
                    self.pace.hold(now, report.hold_s)

    def _expected_tokens(self, most: float) -> float:
        """What a request is reckoned to take: all it may, until it is known what others took."""
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
    """Lends permits to send one request each, for as long as the holder is heard of.

    Each holder says now and then that it lives. What it holds when it is not heard of for
    ``LEASE_S`` seconds comes back; since nobody knows whether those requests were sent, they count
    as sent, and with the most that they may cost.

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
        """What was spent, with the worst of what may still be."""
        return self._budget.spent_usd + self._budget.in_flight_usd if self._budget else 0.0

    @property
    def refusal(self) -> str:
        """Why no request fits the budget any more; empty while one does."""
        return self._budget.refusal if self._budget else ""

    @property
    def lent_permits(self) -> int:
        """How many permits are out."""
        return len(self._permits)

    def fund(self, most_usd: float | None, spent_usd: float) -> None:
        """What may be spent from now on, and what was already."""
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
        """Take back what came back, and lend what is wished for and free."""
        self._renew_holder(now, holder)
        for key, hint in hints:
            if key in self._shares:
                self._shares[key].pace.learn(now, hint)
        for report in reports:
            self._back(now, holder, report)
        return Trade({wish.model: self._lend(now, holder, wish) for wish in wishes}, self.refusal)

    def forget(self, now: float, holder: str) -> None:
        """The holder is dead: what it held comes back, as sent."""
        gone = self._holders.pop(holder, None)
        for permit in sorted(gone.permits) if gone else ():
            self._land(now, PermitReport(permit, "dropped", cost_usd=None))

    def states(self, now: float) -> Mapping[str, PaceState]:
        """How each endpoint stands, by its name."""
        return {str(key): share.state(now) for key, share in self._shares.items()}

    def _renew_holder(self, now: float, holder: str) -> None:
        self._holders.setdefault(holder, _Holder(now)).heard_at = now
        late = [name for name, it in self._holders.items() if now - it.heard_at > LEASE_S]
        for name in late:
            self.forget(now, name)

    def _back(self, now: float, holder: str, report: PermitReport) -> None:
        """Only what the holder still holds: a lease that ran out is settled already."""
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
        held_s = max(0.0, share.pace.gate_until - now)
        return Grant(tuple(lent), wait_s, held_s, share.pace.is_guess)

    def _permit(self, now: float, holder: str, share: _Share, wish: PermitRequest) -> int:
        self._last += 1
        self._permits[self._last] = share.take(now, holder, wish)
        self._holders[holder].permits.add(self._last)
        return self._last

    def _wait_s(self, now: float, share: _Share, wish: PermitRequest) -> float:
        """How long until a permit may be lent; 0 where one may be now."""
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
        verdict = budget.decide(worst_usd)
        if verdict is BudgetDecision.YES:
            budget.take(worst_usd)
        elif verdict is BudgetDecision.NO:
            budget.refuse(worst_usd)
        return verdict is BudgetDecision.YES


def _effective_rate(per_minute: float | None) -> float | None:
    """What is stated, less the time between a permit and its use."""
    return None if per_minute is None else per_minute * 60.0 / SPAN_S
