"""What answers cost: the user's prices first, then the list of genai-prices.

The list is a package of data; it is loaded when a price is first needed, and never updates itself.
"""

import threading
from datetime import UTC, datetime
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmaker.providers.endpoints import Endpoint
from benchmaker.providers.price_file import OwnPrices
from benchmaker.providers.rates import Rate, RateCard
from benchmaker.record import Usage

LIST = "genai-prices"


class Prices:
    """Looks up rate cards; one search a model."""

    def __init__(self, home: Path | None = None) -> None:
        self._own = OwnPrices.read(home)
        self._lock = threading.Lock()
        self._list: Any = None  # the package's snapshot, which is imported late

    @property
    def version(self) -> str:
        """Which prices these are: the package and its version, and the user's file."""
        listed = f"{LIST} {version(LIST)}"
        return f"{listed} + prices.yaml {self._own.sha256[:12]}" if self._own.sha256 else listed

    def load(self) -> None:
        """Load the list, unless it is loaded; some tenths of a second, best in a thread."""
        with self._lock:
            if self._list is None:
                from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415  40 MB

                self._list = get_snapshot()

    def tariff(self, endpoint: Endpoint, model: str, *, asked: str) -> "Tariff":
        """The prices of one model; ``asked`` is its whole model string."""
        return Tariff(self, endpoint.prices, model, self._own.card(asked))

    def find(self, provider: str, model: str) -> Any:  # noqa: ANN401  the package's own model
        """The list's entry for a model; None where it has none."""
        self.load()
        try:
            return self._list.find_provider_model(model, None, provider, None)[1]
        except LookupError:
            return None


class Tariff:
    """The prices of one model; the list is searched once, at the first question."""

    def __init__(
        self, prices: Prices, provider: str | None, model: str, own: RateCard | None
    ) -> None:
        self._prices, self._provider, self._model = prices, provider, model
        self._own = own
        self._entry: Any = None  # the package's entry, once it was searched for
        self._cards: dict[int, tuple[Any, RateCard]] = {}
        self.is_ready = own is not None or provider is None

    def prepare(self) -> None:
        """Search the list; best in a thread, since the first search loads it."""
        if not self.is_ready:
            self._entry = self._prices.find(self._provider or "", self._model)
            self.is_ready = True

    @property
    def context_tokens(self) -> int | None:
        """How many tokens the model takes in, as the list says."""
        self.prepare()
        window = getattr(self._entry, "context_window", None)
        return window if isinstance(window, int) else None

    def card(self, when: datetime | None = None) -> RateCard | None:
        """The rates at a moment (default now); None where none are known."""
        self.prepare()
        if self._own is not None or self._entry is None:
            return self._own
        rates = self._entry.get_prices(when or datetime.now(UTC))
        known = self._cards.get(id(rates))
        if known is None:
            known = self._cards[id(rates)] = (rates, card_of(rates))
        return known[1]

    def cost_usd(self, usage: Usage | None, when: datetime | None = None) -> float | None:
        """What a request cost; None where prices or tokens are not known."""
        card = self.card(when) if usage is not None else None
        return card.cost_usd(usage) if card else None


def card_of(rates: Any) -> RateCard:  # noqa: ANN401  the package's rates
    """The list's rates in our terms."""
    short = rates.cache_write_5m_mtok
    requests = rates.requests_kcount
    return RateCard(
        input=_rate(rates.input_mtok),
        output=_rate(rates.output_mtok),
        cache_read=_rate(rates.cache_read_mtok),
        cache_write=_rate(rates.cache_write_mtok if short is None else short),
        cache_write_1h=_rate(rates.cache_write_1h_mtok),
        request_usd=float(requests) / 1000 if isinstance(requests, Decimal) else 0.0,
    )


def _rate(price: Any) -> Rate | None:  # noqa: ANN401  a number, or one with tiers
    if price is None:
        return None
    if isinstance(price, Decimal):
        return Rate(float(price))
    steps = tuple((int(tier.start), float(tier.price)) for tier in price.tiers)
    return Rate(float(price.base), steps)
