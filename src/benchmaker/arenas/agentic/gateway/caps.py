"""Caps on requests, tokens, money and context, and the spending under them."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple, Protocol

from benchmaker.errors import SpecError
from benchmaker.record.agent_trial import GatewayRequest, total_tokens
from benchmaker.record.dollars import dollars
from benchmaker.record.usage import Usage

SERIES: Final = "series"
"""The scope of the caps of all trials of a series together."""

_REACHED: Final = "for this {scope} is reached"


def is_series_cap(refusal: str) -> bool:
    """True if a request was refused for a cap of its series, not of its trial."""
    return _REACHED.format(scope=SERIES) in refusal


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


class Spending:
    """The spending under caps: of finished requests, and reserved for those in progress.

    Requests are admitted until a cap is reached, so that the last one may exceed it. Those in
    progress count with the most that they may use; so all together exceed a cap by one request at
    most, however many are in progress. A request of unknown usage keeps its reservation.
    """

    def __init__(self, caps: Caps, *, scope: str) -> None:
        self.caps = caps
        self.requests = self.tokens = self.context_tokens = 0
        self.cost_usd = 0.0
        self._scope = scope
        self._reserved: list[Reservation] = []

    def resume(self, rows: Iterable[GatewayRequest]) -> None:
        """Add the requests of an earlier process."""
        for row in rows:
            if not row.refused:
                self.requests += 1
                self._add(Reservation(row.most_tokens, row.most_usd), row.usage, row.cost_usd)

    def refusal(self) -> str:
        """Return why no further request is admitted; empty if one may be."""
        caps = self.caps
        if _is_reached(self.requests, caps.requests):
            return self._reason(f"{caps.requests:,} requests", f"{self.requests:,} were made")
        if _is_reached(self.tokens, caps.tokens):
            return self._reason(f"{caps.tokens:,} tokens", f"{self.tokens:,} were used")
        if _is_reached(self.cost_usd, caps.cost_usd):
            spent = f"{dollars(self.cost_usd)} were spent"
            return self._reason(dollars(caps.cost_usd or 0.0), spent)
        if _is_reached(self.context_tokens, caps.context_tokens):
            most = f"the last context had {self.context_tokens:,}"
            return self._reason(f"{caps.context_tokens:,} tokens of context", most)
        return ""

    def has_room(self) -> bool:
        """True if a request fits beside those in progress."""
        tokens = self.tokens + sum(it.tokens for it in self._reserved)
        usd = self.cost_usd + sum(it.usd or 0.0 for it in self._reserved)
        return not (_is_reached(tokens, self.caps.tokens) or _is_reached(usd, self.caps.cost_usd))

    def reserve(self, most: Reservation) -> None:
        """A request is sent."""
        self.requests += 1
        self._reserved.append(most)

    def settle(self, most: Reservation, usage: Usage | None, cost_usd: float | None) -> None:
        """A request has ended."""
        self._reserved.remove(most)
        self._add(most, usage, cost_usd)

    def _add(self, most: Reservation, usage: Usage | None, cost_usd: float | None) -> None:
        is_known = usage is not None and None not in (usage.input_tokens, usage.output_tokens)
        tokens = total_tokens(usage) if is_known else most.tokens
        self.tokens += tokens
        if is_known:
            self.context_tokens = max(self.context_tokens, tokens)
        self.cost_usd += (most.usd or 0.0) if cost_usd is None else cost_usd

    def _reason(self, cap: str, spent: str) -> str:
        return f"The cap of {cap} {_REACHED.format(scope=self._scope)}: {spent}."


def _is_reached(used: float, cap: float | None) -> bool:
    return used >= (inf if cap is None else cap)


def _check(caps: Caps) -> None:
    given = (caps.requests, caps.tokens, caps.cost_usd, caps.context_tokens)
    if not all(cap is None or cap >= 0 for cap in given):
        raise SpecError("a cap can't be negative.", hint="Use 0 or more, or leave it out.")
