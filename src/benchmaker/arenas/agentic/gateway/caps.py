"""Caps on requests, tokens, money and context, and the spending under them."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple, Protocol

from benchmaker.errors import SpecError
from benchmaker.record.agent_trial import (
    GatewayRequest,
    UnknownCosts,
    has_counts,
    total_tokens,
)
from benchmaker.record.counts import count
from benchmaker.record.dollars import dollars
from benchmaker.record.usage import Usage

SERIES: Final = "series"
"""The scope of the caps of all trials of a series together."""


class Caps(Protocol):
    """Limits of requests, tokens, dollars, and tokens of context; None for none."""

    @property
    def requests(self) -> int | None: ...  # noqa: D102  as in the classes below
    @property
    def tokens(self) -> int | None: ...  # noqa: D102
    @property
    def cost_usd(self) -> float | None: ...  # noqa: D102
    @property
    def context_tokens(self) -> int | None: ...  # noqa: D102


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialCaps:
    """The caps of one trial; None for none.

    ``requests`` are forwarded requests, ``tokens`` those of all kinds together, ``cost_usd``
    dollars by the price list. ``context_tokens`` are the tokens of one request and its answer.
    """

    requests: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    context_tokens: int | None = None

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesCaps:
    """The caps of all trials of a series together; None for none."""

    requests: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None

    def __post_init__(self) -> None:
        _check(self)

    @property
    def context_tokens(self) -> None:
        """A series has no cap on context."""


class Reservation(NamedTuple):
    """The most that one request may use: tokens, and dollars, None without a price."""

    tokens: int
    usd: float | None


@dataclass(slots=True)
class Amount:
    """Tokens or dollars: the known ones, and the most that requests of unknown use can have used.

    ``earlier`` is the part of the known ones that earlier tries used. ``excused`` is the part of
    ``most`` that is not the agent's doing in this try: requests of earlier tries, and those which
    the endpoint failed. ``unknown`` counts the requests of unknown use, ``earlier_unknown`` those
    of earlier tries among them.
    """

    known: float = 0
    earlier: float = 0
    most: float = 0
    excused: float = 0
    unknown: int = 0
    earlier_unknown: int = 0

    @property
    def total(self) -> float:
        """All that counts under a cap."""
        return self.known + self.most

    @property
    def own(self) -> float:
        """The part that the agent itself used in this try."""
        return self.total - self.earlier - self.excused

    def add(self, known: float | None, most: float | None, *, is_excused: bool) -> None:
        """Count a request; without a known amount, with the most."""
        if known is not None:
            self.known += known
        elif most is not None:
            self.unknown += 1
            self.most += most
            self.excused += most if is_excused else 0

    def add_earlier(self, known: float | None, most: float | None) -> None:
        """Count a request of an earlier try."""
        self.earlier += known or 0
        self.earlier_unknown += known is None and most is not None
        self.add(known, most, is_excused=True)


class Spending:
    """The spending under caps: of finished requests, and reserved for those in progress.

    Requests are admitted until a cap is reached, so that the last one may exceed it. Those in
    progress count with the most that they may use; so all together exceed a cap by one request at
    most, however many are in progress. A request of unknown usage keeps its reservation.
    """

    def __init__(self, caps: Caps, *, scope: str) -> None:
        self.caps = caps
        self.requests = self.context_tokens = 0
        self._earlier_requests = 0
        self._tokens, self._dollars = Amount(), Amount()
        self._judges = Amount()
        self._scope = scope
        self._reserved: list[Reservation] = []

    @property
    def tokens(self) -> int:
        """The tokens used so far."""
        return int(self._tokens.total)

    @property
    def cost_usd(self) -> float:
        """The dollars spent so far, on judges too; of unknown costs the most."""
        return self._dollars.total + self._judges.total

    @property
    def agents_usd(self) -> float:
        """The dollars spent by agents; of unknown costs the most."""
        return self._dollars.total

    @property
    def unknown_costs(self) -> int:
        """The number of ended requests of unknown cost."""
        return self._dollars.unknown

    def resume(self, rows: Iterable[GatewayRequest]) -> None:
        """Add the requests of an earlier process; of unknown ones the most counts."""
        for row in rows:
            if not row.refused:
                self.requests += 1
                most = Reservation(row.most_tokens, row.most_usd)
                self._add(most, row.usage, row.cost_usd, is_failed=row.is_endpoint_failure)

    def add_earlier(self, rows: Iterable[GatewayRequest]) -> None:
        """Add the requests of an earlier try; of those of unknown use the most counts.

        Of a request that was in progress when its runner was killed or interrupted, the most counts
        under the caps of the series alone.
        """
        for row in rows:
            if not row.refused:
                self.requests += 1
                self._earlier_requests += 1
                most = Reservation(row.most_tokens, row.most_usd) if row.status else None
                self._tokens.add_earlier(_known_tokens(row.usage), most and most.tokens)
                self._dollars.add_earlier(row.cost_usd, most and most.usd)

    def add_judge_cost(self, usd: float, unknowns: UnknownCosts = UnknownCosts()) -> None:  # noqa: B008  frozen
        """Add what judges of the series cost; requests of unknown cost count with the most."""
        self._judges.known += usd
        self._judges.most += unknowns.most_usd or 0.0
        self._judges.unknown += unknowns.requests

    def refusal(self) -> str:
        """Return why no further request is admitted; empty if one may be."""
        caps = self.caps
        if _is_reached(self.requests, caps.requests):
            return self._reason(f"{caps.requests:,} requests", self._requests_in_words())
        if _is_reached(self._tokens.total, caps.tokens):
            return self._reason(f"{caps.tokens:,} tokens", self._tokens_in_words())
        if caps.cost_usd == self.cost_usd == 0:
            return f"The cap of $0.00 for this {self._scope} admits no request."
        if _is_reached(self.cost_usd, caps.cost_usd):
            return self._reason(dollars(caps.cost_usd or 0.0), self._dollars_in_words())
        if _is_reached(self.context_tokens, caps.context_tokens):
            most = f"the last context had {self.context_tokens:,}"
            return self._reason(f"{caps.context_tokens:,} tokens of context", most)
        return ""

    @property
    def is_used_by_agent(self) -> bool:
        """True if a cap is reached by the agent's own requests in this try.

        Otherwise earlier tries, or requests that the endpoint failed, used a part of it.
        """
        caps = self.caps
        return (
            _is_reached(self.requests - self._earlier_requests, caps.requests)
            or _is_reached(self._tokens.own, caps.tokens)
            or _is_reached(self._dollars.own, caps.cost_usd)
            or _is_reached(self.context_tokens, caps.context_tokens)
        )

    def has_room(self) -> bool:
        """True if a request fits beside those in progress."""
        tokens = self.tokens + sum(it.tokens for it in self._reserved)
        usd = self.cost_usd + sum(it.usd or 0.0 for it in self._reserved)
        return not (_is_reached(tokens, self.caps.tokens) or _is_reached(usd, self.caps.cost_usd))

    def reserve(self, most: Reservation) -> None:
        """A request is sent."""
        self.requests += 1
        self._reserved.append(most)

    def settle(
        self,
        most: Reservation,
        usage: Usage | None,
        cost_usd: float | None,
        *,
        is_failed: bool = False,
    ) -> None:
        """A request has ended; ``is_failed`` is true if its endpoint failed."""
        self._reserved.remove(most)
        self._add(most, usage, cost_usd, is_failed=is_failed)

    def _add(
        self, most: Reservation, usage: Usage | None, cost_usd: float | None, *, is_failed: bool
    ) -> None:
        tokens = _known_tokens(usage)
        self._tokens.add(tokens, most.tokens, is_excused=is_failed)
        self.context_tokens = max(self.context_tokens, tokens or 0)
        self._dollars.add(cost_usd, most.usd, is_excused=is_failed)

    def _requests_in_words(self) -> str:
        made = f"{self.requests:,} were made"
        earlier = self._earlier_requests
        return f"{made}, {earlier:,} of them by earlier tries" if earlier else made

    def _tokens_in_words(self) -> str:
        it = self._tokens
        words = f"{int(it.known):,} were used"
        if it.earlier:
            words += f", {int(it.earlier):,} of them by earlier tries"
        if it.unknown:
            requests = count(it.unknown, "request")
            words += f", and counted at most {int(it.most):,} for {requests} of unknown usage"
            words += _earlier_in_words(it)
        return words

    def _dollars_in_words(self) -> str:
        it, judges = self._dollars, self._judges
        words = f"{dollars(it.known + judges.known)} were spent"
        if judges.known:
            words += f", {dollars(judges.known)} of it on judges"
        if it.earlier:
            words += f", {dollars(it.earlier)} of it by earlier tries"
        if unknown := it.unknown + judges.unknown:
            most, requests = dollars(it.most + judges.most), count(unknown, "request")
            words += f", and counted at most {most} for {requests} of unknown cost"
            words += _earlier_in_words(it)
            if judges.unknown:
                words += ", to judges too" if it.unknown else ", to judges"
        return words

    def _reason(self, cap: str, spent: str) -> str:
        return f"The cap of {cap} for this {self._scope} is reached: {spent}."


def _earlier_in_words(it: Amount) -> str:
    """The requests of unknown use that earlier tries made."""
    return f", {it.earlier_unknown:,} of them by earlier tries" if it.earlier_unknown else ""


def _known_tokens(usage: Usage | None) -> int | None:
    return total_tokens(usage) if has_counts(usage) else None


def _is_reached(used: float, cap: float | None) -> bool:
    return used >= (inf if cap is None else cap)


def _check(caps: Caps) -> None:
    given = (caps.requests, caps.tokens, caps.cost_usd, caps.context_tokens)
    if not all(cap is None or cap >= 0 for cap in given):
        raise SpecError("a cap can't be negative.", hint="Use 0 or more, or leave it out.")
