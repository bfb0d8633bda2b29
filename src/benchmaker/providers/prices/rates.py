"""Prices of tokens: rates per million, and the arithmetic of one request."""

from collections.abc import Iterable
from dataclasses import dataclass, fields

from benchmaker.record import Usage

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Rate:
    """Dollars per million tokens; ``steps`` are (from more input tokens than, dollars), rising."""

    usd: float
    steps: tuple[tuple[int, float], ...] = ()

    def usd_at(self, input_tokens: int) -> float:
        """The rate of a request with this many input tokens of all kinds.

        A step applies to all tokens of a request, as providers bill it.

        >>> Rate(1.25, ((200_000, 2.5),)).usd_at(200_001)
        2.5
        """
        return next((usd for start, usd in reversed(self.steps) if input_tokens > start), self.usd)


@dataclass(frozen=True, slots=True, kw_only=True)
class RateCard:
    """The rates of one model; None for missing ones.

    Cache reads and writes without their own rate cost the same as input, writes for an hour the
    same as writes for 5 minutes. Reasoning, which lies inside output, costs the same as output
    without its own rate. ``request_usd`` is charged per request.
    """

    input: Rate | None = None
    output: Rate | None = None
    cache_read: Rate | None = None
    cache_write: Rate | None = None
    cache_write_1h: Rate | None = None
    reasoning: Rate | None = None
    request_usd: float = 0.0

    @property
    def rates(self) -> tuple[Rate, ...]:
        """The known rates, of every kind of tokens."""
        values = (getattr(self, field.name) for field in fields(self))
        return tuple(value for value in values if isinstance(value, Rate))

    @property
    def step_starts(self) -> tuple[int, ...]:
        """The numbers of input tokens above which another rate applies, in rising order."""
        return tuple(sorted({start for rate in self.rates for start, _ in rate.steps}))

    @property
    def is_free(self) -> bool:
        """True if every rate is known to be 0.

        >>> RateCard(input=Rate(0), output=Rate(0)).is_free, RateCard().is_free
        (True, False)
        """
        return self.has_free_tokens and not self.request_usd

    @property
    def has_free_tokens(self) -> bool:
        """True if every rate of tokens is known to be 0, so that a request has one price.

        >>> RateCard(input=Rate(0), output=Rate(0), request_usd=0.01).has_free_tokens
        True
        """
        is_zero = not any(rate.usd or any(usd for _, usd in rate.steps) for rate in self.rates)
        return bool(self.input and self.output) and is_zero

    def cost_usd(self, usage: Usage | None) -> float | None:
        """Return the cost of a request with this usage; None if it is unknown.

        It is known if input and output are known, each with a rate if it has any tokens. Unreported
        kinds of cache count as 0. If tokens are free, it is known without them.

        >>> RateCard(input=Rate(0), output=Rate(0), request_usd=0.01).cost_usd(None)
        0.01
        """
        if usage is None or usage.input_tokens is None or usage.output_tokens is None:
            return self.request_usd if self.has_free_tokens else None
        kinds = self._kinds(usage)
        size = sum([tokens for tokens, _ in kinds[:-1]])
        return self._sum((*kinds[:-1], *self._output(usage)), size)

    def parts_usd(self, usage: Usage | None) -> tuple[float, ...] | None:
        """Return the parts: input, cache reads, writes for 5 minutes and an hour, output, request.

        None if :meth:`cost_usd` is None; otherwise the parts add up to it, up to rounding.
        """
        if usage is None or self.cost_usd(usage) is None:
            return None
        kinds = self._kinds(usage)
        size = sum(tokens for tokens, _ in kinds[:-1])
        parts = (_usd(tokens, rate, size) for tokens, rate in kinds[:-1])
        output = sum(_usd(tokens, rate, size) for tokens, rate in self._output(usage))
        return (*parts, output, self.request_usd)

    def rates_at(self, input_tokens: int) -> tuple[float | None, ...]:
        """Dollars per million tokens of each kind, in the order of :meth:`parts_usd`.

        None for kinds without a rate. ``input_tokens`` is the size of the request, over all kinds.
        """
        return tuple(
            rate.usd_at(input_tokens) if rate else None for _, rate in self._kinds(Usage())
        )

    def _kinds(self, usage: Usage) -> tuple[tuple[int, Rate | None], ...]:
        """The tokens of each kind with their rate, output last."""
        short = self.cache_write or self.input
        return (
            (usage.input_tokens or 0, self.input),
            (usage.cache_read_tokens or 0, self.cache_read or self.input),
            (usage.cache_write_5m_tokens or 0, short),
            (usage.cache_write_1h_tokens or 0, self.cache_write_1h or short),
            (usage.output_tokens or 0, self.output),
        )

    def _output(self, usage: Usage) -> tuple[tuple[int, Rate | None], ...]:
        """The tokens of output without and with reasoning, each with its rate."""
        whole = usage.output_tokens or 0
        if self.reasoning is None:
            return ((whole, self.output),)
        thought = min(usage.reasoning_tokens or 0, whole)
        return ((whole - thought, self.output), (thought, self.reasoning))

    def most_usd(self, *, input_tokens: int, output_tokens: int) -> float | None:
        """Return the maximum cost of these tokens, with any use of caches."""
        sent = [
            rate
            for rate in (self.input, self.cache_read, self.cache_write, self.cache_write_1h)
            if rate is not None
        ]
        dearest = max(sent, key=lambda rate: rate.usd_at(input_tokens), default=None)
        made = [rate for rate in (self.output, self.reasoning) if rate is not None]
        output = max(made, key=lambda rate: rate.usd_at(input_tokens), default=None)
        return self._sum(((input_tokens, dearest), (output_tokens, output)), input_tokens)

    def _sum(self, kinds: Iterable[tuple[int, Rate | None]], input_tokens: int) -> float | None:
        total = 0.0
        for tokens, rate in kinds:
            if not tokens:
                continue
            if rate is None:
                return None
            total += tokens * rate.usd_at(input_tokens)
        return total / _MILLION + self.request_usd


def _usd(tokens: int, rate: Rate | None, input_tokens: int) -> float:
    return tokens * rate.usd_at(input_tokens) / _MILLION if rate else 0.0
