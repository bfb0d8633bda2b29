"""A worker's part of the shared limits, and the trading for it."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from math import inf

from benchmaker.engine.executors.quota import USE_S, Grant, PermitReport, PermitRequest, Trade
from benchmaker.engine.requests.budget import Budget, BudgetDecision
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.rate_limiter import Flight, RateLimiter
from benchmaker.engine.requests.rate_limiters import RateLimiters
from benchmaker.engine.trials.clock import Clock
from benchmaker.providers.base import Provider, Request, tool_texts
from benchmaker.providers.protocols.rate_hints import EndpointKey, RateHints
from benchmaker.spec.suites.parameters import MOST_OUTPUT_TOKENS

HEARTBEAT_S = 1.0
"""Maximum seconds between two messages of a worker."""

_TURN_TOKENS = 16
"""More than any chat template puts around a message."""

_POLL_S = 0.01
"""Who waits for a permit looks again so soon."""

Hints = Sequence[tuple[EndpointKey, RateHints]]
Trading = Callable[[Sequence[PermitReport], Hints, Sequence[PermitRequest]], Awaitable[Trade]]
"""Sends reports and hints; returns the grants."""


class LimitShare(RateLimiter):
    """The limiter of one model in this worker: a request goes out for each permit that it holds.

    A flight's ``charged`` is the number of its permit.
    """

    def __init__(self, most: int, held: "LimitShares") -> None:
        super().__init__(most)
        self._held = held
        self._permits: deque[tuple[int, float]] = deque()
        self._guess = False
        self.ask_at = -inf
        self.is_wanted = False

    @property
    def is_guess(self) -> bool:
        """True if the next request may be refused because the rate is still unknown."""
        return self._guess

    @property
    def unused_permits(self) -> int:
        """The number of unused permits."""
        return len(self._permits)

    def grant(self, now: float, requested_at: float, grant: Grant) -> None:
        """Add a grant; it is valid from the time of the request for it."""
        self._permits.extend((permit, requested_at + USE_S) for permit in grant.permits)
        self._guess = grant.is_guess
        self.ask_at = now + grant.wait_s
        if grant.held_s:
            self.gate_until = max(self.gate_until, now + grant.held_s)

    def expire(self, now: float) -> None:
        """Return permits that were not used in time, or may not be used now."""
        while self._permits and (self._permits[0][1] <= now or now < self.gate_until):
            self._held.note(PermitReport(self._permits.popleft()[0], "unused"))

    def ready_at(self, now: float) -> float:
        """Return ``now`` if there is a permit; otherwise a near time, and request one."""
        self.expire(now)
        if self._permits:
            return now
        if now < self.gate_until:
            return self.gate_until
        self.is_wanted = True
        self._held.notify()
        return now + _POLL_S

    def send(self, now: float) -> Flight:
        """A request goes out."""
        self.flying += 1
        return Flight(now, float(self._permits.popleft()[0]))

    def record_answer(self, now: float, flight: Flight, *, tokens: int | None = None) -> None:
        """An answer came in."""
        del now
        self._land(PermitReport(int(flight.charged), "answered", tokens))

    def record_refusal(
        self, now: float, flight: Flight, *, retry_after_s: float | None, is_rate: bool
    ) -> None:
        """Report a refusal, so that other sharers slow down."""
        if retry_after_s is not None:
            self._held.shut(self, now + retry_after_s)
        end = PermitReport(int(flight.charged), "refused", hold_s=retry_after_s, is_rate=is_rate)
        self._land(end)

    def record_drop(self, flight: Flight | None = None) -> None:
        """No answer came."""
        if flight is not None:
            self._land(PermitReport(int(flight.charged), "dropped"))

    def hold(self, now: float, seconds: float) -> None:
        """Pause for ``seconds``, because of the last response."""
        self._held.amend_hold(seconds)
        self._held.shut(self, now + seconds)

    def give_up_unused(self) -> None:
        """Return unused permits."""
        while self._permits:
            self._held.note(PermitReport(self._permits.popleft()[0], "unused"))

    def _land(self, report: PermitReport) -> None:
        self.flying -= 1
        self._held.note(report)


class SharedBudget(Budget):
    """The local view of a budget kept by the lender of permits; only receives costs."""

    def __init__(self, held: "LimitShares") -> None:
        super().__init__(0.0)
        self._held = held

    def decide(self, worst_usd: float) -> BudgetDecision:
        """A permit was lent for it, so that it fits."""
        del worst_usd
        return BudgetDecision.YES

    def take(self, worst_usd: float) -> None:
        """The permit has taken it."""

    def settle(self, worst_usd: float, cost_usd: float | None) -> None:
        """Report the cost of the last request."""
        del worst_usd
        self._held.amend_cost(cost_usd)


class LimitShares(RateLimiters):
    """The limiters of a worker: its part of the limits, and their trading.

    ``most`` is the maximum number of requests in flight here. :meth:`trade` runs concurrently with
    the work. ``lost`` is the reason why nothing can be lent any more; ``on_halt`` is called then,
    and when the budget is reached, with the reason in ``halted``.
    """

    def __init__(
        self,
        provider: Provider,
        limits: RunLimits,
        *,
        clock: Clock,
        trading: Trading,
        on_halt: Callable[[], object],
    ) -> None:
        self._slices: dict[str, LimitShare] = {}
        self._most = limits.concurrency
        self._trading = trading
        self._on_halt = on_halt
        self._provider = provider
        self._time = clock
        self._reports: list[PermitReport] = []
        self._hints: list[tuple[EndpointKey, RateHints]] = []
        self._bounds: dict[str, tuple[float, float]] = {}
        self._stirred = asyncio.Event()
        self._is_over = False
        self.halted = ""
        self.lost: Exception | None = None
        super().__init__(provider, limits, clock=clock)

    def set_bound(self, model: str, *, tokens: float, worst_usd: float) -> None:
        """Set the maximum tokens and cost of requests to this model."""
        self._bounds[model] = tokens, worst_usd

    def raise_bound(self, model: str, request: Request, worst_usd: float) -> None:
        """Expect larger requests; permits that were lent for smaller ones are returned."""
        tokens, usd = self._bounds.get(model, (0.0, 0.0))
        needed = max(tokens, float(most_tokens(request))), max(usd, worst_usd)
        if needed != (tokens, usd):
            self._bounds[model] = needed
            self.limiter_of(model).give_up_unused()

    def limiter_of(self, model: str, provider: object = None) -> LimitShare:
        """The slice of this model."""
        del provider  # there is one here
        known = self._slices.get(model)
        if known is None:
            self._models[model] = self._key(model)
            known = self._slices[model] = LimitShare(self._most, self)
        return known

    def learn(self, key: EndpointKey, hints: RateHints) -> None:
        """Forward a reply's report of limits."""
        self._hints.append((key, hints))

    def note(self, report: PermitReport) -> None:
        """Queue the return of a permit."""
        self._reports.append(report)
        self._stirred.set()

    def amend_cost(self, cost_usd: float | None) -> None:
        """Add the cost of the last returned request."""
        self._reports[-1] = self._reports[-1]._replace(cost_usd=cost_usd)

    def amend_hold(self, seconds: float) -> None:
        """Add the pause requested by the last response."""
        self._reports[-1] = self._reports[-1]._replace(hold_s=seconds)

    def shut(self, known: LimitShare, until: float) -> None:
        """Send nothing to an endpoint before then, by any model."""
        [model] = [name for name, its in self._slices.items() if its is known]
        for other in self.models_sharing(model):
            its = self._slices[other]
            its.gate_until = max(its.gate_until, until)

    def notify(self) -> None:
        """Signal that a request is waiting."""
        self._stirred.set()

    def return_unused(self) -> None:
        """Return unused permits, since nothing is to be sent for now."""
        for known in self._slices.values():
            known.give_up_unused()
            known.is_wanted = False

    async def trade(self) -> None:
        """Trade until told to end, or until the lender is gone.

        Do not cancel it: permits in transit would be lost.
        """
        try:
            while not self._is_over:
                await self._turn()
        except Exception as exc:  # noqa: BLE001  whatever ended it ends the work, and is told there
            self.lost = exc
            self._on_halt()

    def end(self) -> None:
        """Trade no more."""
        self._is_over = True
        self._stirred.set()

    async def settle(self) -> None:
        """Return everything possible, after trading has ended."""
        self.return_unused()
        reports, self._reports = self._reports, []
        if reports and self.lost is None:
            await self._trading(reports, (), ())

    async def _turn(self) -> None:
        await self._until_due()
        if self._is_over:
            return
        requested_at = self._time.monotonic()
        for its in self._slices.values():
            its.expire(requested_at)  # of a model that has nothing more to send, too
        wanted = [model for model, its in self._slices.items() if its.is_wanted]
        wishes = self._permit_requests(
            [it for it in wanted if self._slices[it].ask_at <= requested_at]
        )
        reports, self._reports = self._reports, []
        hints, self._hints = self._hints, []
        trade = await self._trading(reports, hints, wishes)
        for model, grant in trade.grants.items():
            self._slices[model].is_wanted = False
            self._slices[model].grant(self._time.monotonic(), requested_at, grant)
        if trade.halted and not self.halted:
            self.halted = trade.halted
            self._on_halt()

    async def _until_due(self) -> None:
        """Wait until something is to be reported or requested, or a heartbeat is due."""
        self._stirred.clear()
        if self._reports or self._is_over:
            return
        now = self._time.monotonic()
        at = min((its.ask_at for its in self._slices.values() if its.is_wanted), default=inf)
        if at <= now:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(min(at - now, HEARTBEAT_S)):
                await self._stirred.wait()
                while at < inf and not (self._reports or self._is_over):
                    self._stirred.clear()  # that somebody still waits is no news
                    await self._stirred.wait()

    def _permit_requests(self, models: Sequence[str]) -> list[PermitRequest]:
        held = sum(its.unused_permits + its.flying for its in self._slices.values())
        each = max(1, (self._most - held) // len(models)) if models else 0
        return [self._permit_request(model, each) for model in models]

    def _permit_request(self, model: str, number: int) -> PermitRequest:
        stated = getattr(self._provider, "stated_limits", _nothing_stated)(model)
        tokens, worst_usd = self._bounds.get(model, (0.0, 0.0))
        return PermitRequest(model, self._models[model], number, stated, tokens, worst_usd)

    def _key(self, model: str) -> EndpointKey:
        known: Mapping[str, EndpointKey] = self._models
        if model in known:
            return known[model]
        key: EndpointKey = getattr(self._provider, "endpoint_key", _no_endpoint)(model)
        return key


def most_tokens(request: Request) -> int:
    """Return the maximum tokens of a request: no input token is shorter than a byte."""
    texts = (*(turn.content for turn in request.messages), *tool_texts(request))
    sent = sum(len(text.encode("utf-8", "surrogatepass")) + _TURN_TOKENS for text in texts)
    return sent + (request.parameters.output_bound or MOST_OUTPUT_TOKENS)


def _no_endpoint(_: str) -> EndpointKey:
    """Return a single key for providers without endpoints."""
    return EndpointKey("provider", "")


def _nothing_stated(_: str) -> tuple[float | None, float | None]:
    """Return no limits for providers without stated ones."""
    return None, None
