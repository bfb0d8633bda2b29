"""The cost of a session, priced request by request.

A total is never priced if its rates depend on the size of a request: adding requests up first
would put every long session into the long-context tier, at twice the price.
"""

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from math import fsum

from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.sessions.memory_tables import Request
from benchmaker.providers.prices.costs import Prices
from benchmaker.providers.prices.price_list import Entry
from benchmaker.providers.prices.rates import RateCard
from benchmaker.record import Usage
from benchmaker.record.submissions.submission import UNKNOWN_MODEL, Submission, TokenUsage

_BY_PROVIDER = {
    "anthropic": "anthropic",
    "bedrock": "aws",
    "aws": "aws",
    "vertex": "google",
    "google": "google",
    "gemini": "google",
    "vertex_ai": "google",
    "openai": "openai",
    "azure": "azure",
    "openrouter": "openrouter",
    "xai": "x-ai",
    "x-ai": "x-ai",
    "deepseek": "deepseek",
    "mistral": "mistral",
    "groq": "groq",
    "together": "together",
    "together_ai": "together",
    "fireworks": "fireworks",
    "moonshotai": "moonshotai",
    "cohere": "cohere",
    "cerebras": "cerebras",
}
_BY_MODEL = (
    ("claude", "anthropic"),
    ("gpt-", "openai"),
    ("chatgpt", "openai"),
    ("codex", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("gemini", "google"),
    ("grok", "x-ai"),
    ("deepseek", "deepseek"),
    ("mistral", "mistral"),
    ("devstral", "mistral"),
    ("codestral", "mistral"),
    ("kimi", "moonshotai"),
    ("command", "cohere"),
)


def listed_as(model: str, provider: str | None = None) -> tuple[str, str] | None:
    """Return the provider and the model's name in the price list; None if it is not listed.

    A provider prefix of the model's name takes precedence, then the provider in the log, then the
    usual maker of models with such names.

    >>> listed_as("claude-opus-4-6")
    ('anthropic', 'claude-opus-4-6')
    >>> listed_as("openrouter/anthropic/claude-sonnet-4.5")
    ('openrouter', 'anthropic/claude-sonnet-4.5')
    """
    name = model.strip()
    first, slash, rest = name.partition("/")
    if slash and rest and first.lower() in _BY_PROVIDER:
        return _BY_PROVIDER[first.lower()], rest
    if provider and provider.lower() in _BY_PROVIDER:
        return _BY_PROVIDER[provider.lower()], name
    bare = name.rpartition("/")[2]
    maker = next((list_ for start, list_ in _BY_MODEL if bare.lower().startswith(start)), None)
    return (maker, bare) if maker else None


METHOD = "per request"
NOT_KNOWN = "requests_without_usage"
REASONS = frozenset(
    {NOT_KNOWN, "price_depends_on_request", "tokens_of_no_kind", "usage_incomplete"}
)
"""Flags of a submission for a cost that is unknown or incomplete."""
PARTS = ("input_uncached", "cache_read", "cache_write_5m", "cache_write_1h", "output", "request")
"""The priced parts of a request: tokens of each kind, and the request itself."""

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Priced:
    """The cost of requests; None with the obstacles.

    ``unpriced`` names models without a price, ``unknown`` for an unknown model;
    ``reasons`` are flags of the submission.
    """

    usd: float | None
    unpriced: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


class Pricer:
    """Prices requests, each at the rates of its moment, or all at those of one day.

    Args:
        prices: the user's own prices and the list.
        as_of: the day whose prices count, at noon UTC; None for each request's own moment.
        now: the time of requests without one, in seconds since 1970.
    """

    def __init__(self, prices: Prices, *, as_of: date | None = None, now: float) -> None:
        self._prices = prices
        self.as_of = as_of
        self._day = datetime.combine(as_of, time(12), UTC) if as_of else None
        self._now = datetime.fromtimestamp(now, UTC)
        self._found: dict[tuple[str, str | None], RateCard | Entry | None] = {}

    @property
    def version(self) -> str:
        """The version of the prices."""
        return self._prices.version

    def price(self, requests: Iterable[Request], provider: str | None = None) -> Priced:
        """Return the cost of all; None if one of them cannot be priced.

        Requests with unknown usage are skipped, with a flag.
        """
        costs = array("d")
        unpriced: set[str] = set()
        reasons: set[str] = set()
        for request in requests:
            if request.usage is None or request.usage.total is None:
                reasons.add(NOT_KNOWN)
                continue
            outcome = self._cost(request, request.usage, provider)
            if isinstance(outcome, float):
                costs.append(outcome)
            elif outcome == "unpriced":
                unpriced.add(request.model or UNKNOWN_MODEL)
            else:
                reasons.add(outcome)
        stopped = bool(unpriced) or bool(reasons - {NOT_KNOWN}) or not costs
        return Priced(
            None if stopped else fsum(costs), tuple(sorted(unpriced)), tuple(sorted(reasons))
        )

    def usd_of(self, provider: str | None) -> Callable[[Iterable[Request]], float | None]:
        """Return a function for the cost of requests of that provider; None for unknown cost."""
        return lambda requests: self.price(requests, provider).usd

    def parts(self, request: Request, provider: str | None = None) -> tuple[float, ...] | None:
        """Return the cost of one request by kind, in the order of :data:`PARTS`; None for gaps."""
        usage = request.usage
        if usage is None or not isinstance(self._cost(request, usage, provider), float):
            return None
        card = self.card(request.model, provider, request.at)
        return card.parts_usd(_price_usage(usage)) if card else None

    def input_usd(
        self, model: str | None, provider: str | None = None, *, at: float | None = None
    ) -> float | None:
        """Return the price of one uncached input token of a short request; None if unknown."""
        card = self.card(model, provider, at)
        return card.input.usd / _MILLION if card and card.input else None

    def is_free(self, submission: Submission) -> bool:
        """True if all models of a session are known to be free."""
        models = {one.model for one in submission.usage_by_model} or {submission.system.model}
        at = seconds(submission.finished_at)
        cards = [self.card(model, submission.system.provider, at) for model in models]
        return all(card is not None and card.is_free for card in cards)

    def _cost(self, request: Request, usage: TokenUsage, provider: str | None) -> float | str:
        if not usage.total:
            return 0.0
        card = self.card(request.model, provider, request.at)
        if card is None:
            return "unpriced"
        if request.requests not in (0, 1) and not _is_linear(card, usage):
            return "price_depends_on_request"
        if usage.other:
            return "tokens_of_no_kind"
        cost = card.cost_usd(_price_usage(usage))
        return "usage_incomplete" if cost is None else cost

    def card(
        self, model: str | None, provider: str | None = None, at: float | None = None
    ) -> RateCard | None:
        """The rates of a model at a moment; None if unknown."""
        if model is None:
            return None
        key = (model, provider)
        if key not in self._found:
            self._found[key] = self._find(model, provider)
        found = self._found[key]
        if not isinstance(found, Entry):
            return found
        return found.card(self._day or (datetime.fromtimestamp(at, UTC) if at else self._now))

    def _find(self, model: str, provider: str | None) -> RateCard | Entry | None:
        listed = listed_as(model, provider)
        names = (model, *(("/".join(listed), listed[1]) if listed else ()))
        own = self._prices.own_card(*names)
        if own is not None or listed is None:
            return own
        return self._prices.find(*listed)


def _is_linear(card: RateCard, usage: TokenUsage) -> bool:
    """True if many requests cost the same as one with their sum."""
    if card.request_usd:
        return False
    starts = card.step_starts
    return not starts or (usage.total or 0) <= starts[0]


def _price_usage(usage: TokenUsage) -> Usage:
    """The usage in the words of a price; input is 0 where only its cached part is reported."""
    has_cache = usage.cache_read is not None
    return Usage(
        input_tokens=0 if usage.input_uncached is None and has_cache else usage.input_uncached,
        cache_read_tokens=usage.cache_read,
        cache_write_5m_tokens=usage.cache_write_5m,
        cache_write_1h_tokens=usage.cache_write_1h,
        output_tokens=usage.output,
        reasoning_tokens=usage.reasoning,
    )
