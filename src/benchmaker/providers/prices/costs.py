"""Costs of answers: the user's prices first, then the list of genai-prices.

The list is a package of data; it is loaded on first use, and never updates itself.
"""

import threading
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from benchmaker.providers.endpoints.endpoints import Endpoint
from benchmaker.providers.prices.price_file import OwnPrices
from benchmaker.providers.prices.price_list import LIST, Entry, PriceList
from benchmaker.providers.prices.rates import RateCard
from benchmaker.record import Completion, Usage


class Prices:
    """Looks up rate cards; one search per model.

    With ``keep``, results are cached in a file of the data folder.
    """

    def __init__(self, home: Path | None = None, *, keep: bool = True) -> None:
        self._own = OwnPrices.read(home)
        self._lock = threading.Lock()
        self._list = PriceList(home if keep else None)

    @property
    def version(self) -> str:
        """The version of the prices: the package's, and the user's file."""
        listed = f"{LIST} {self._list.version}"
        return f"{listed} + prices.yaml {self._own.sha256[:12]}" if self._own.sha256 else listed

    def tariff(self, endpoint: Endpoint, model: str, *, requested: str) -> "Tariff":
        """Return the prices of one model; ``requested`` is its whole model string."""
        return Tariff(self, endpoint.prices, model, self._own.card(requested))

    def local_tariff(self, model: str) -> "Tariff | None":
        """Return the user's own prices of a model without an endpoint; None without any."""
        own = self._own.card(model)
        return None if own is None else Tariff(self, None, model, own)

    def own_card(self, *models: str) -> RateCard | None:
        """The user's own rates for the first of these model strings that has any."""
        return next((card for model in models if (card := self._own.card(model))), None)

    def find(self, provider: str, model: str) -> Entry | None:
        """Return the list's entry for a model; None if it has none.

        The first uncached one loads the list, which takes about 50 ms and is best done in a thread.
        """
        with self._lock:
            return self._list.entry(provider, model)

    def release(self) -> None:
        """Let go of the list; it is loaded again where it is needed."""
        with self._lock:
            self._list.release()


class Tariff:
    """The prices of one model; the list is searched once, at the first question."""

    def __init__(
        self, prices: Prices, provider: str | None, model: str, own: RateCard | None
    ) -> None:
        self._prices, self._provider, self._model = prices, provider, model
        self._own = own
        self._entry: Entry | None = None
        self.is_ready = own is not None or provider is None

    def prepare(self) -> None:
        """Search the list; best in a thread, since the first search loads it."""
        if not self.is_ready:
            self._entry = self._prices.find(self._provider or "", self._model)
            self.is_ready = True

    @property
    def context_tokens(self) -> int | None:
        """The model's context size in tokens, by the list."""
        self.prepare()
        return self._entry.context_tokens if self._entry else None

    def card(self, when: datetime | None = None) -> RateCard | None:
        """The rates at a moment (default now); None where none are known."""
        self.prepare()
        if self._own is not None or self._entry is None:
            return self._own
        return self._entry.card(when)

    def cost_usd(self, usage: Usage | None, when: datetime | None = None) -> float | None:
        """Return the cost of a request; None for unknown prices or tokens.

        Without tokens it is known if they are free by the user's own prices.
        """
        card = self._own if usage is None else self.card(when)
        return card.cost_usd(usage) if card else None

    def add_cost(self, completion: Completion) -> Completion:
        """Return an answer with its cost, unless it states one or the cost is unknown."""
        if completion.cost_usd is not None:
            return completion
        cost_usd = self.cost_usd(completion.usage)
        return completion if cost_usd is None else replace(completion, cost_usd=cost_usd)

    def most_usd(self, *, input_tokens: int, output_tokens: int) -> float | None:
        """Return the maximum cost of these tokens now; None for unknown prices."""
        card = self.card()
        if card is None:
            return None
        return card.most_usd(input_tokens=input_tokens, output_tokens=output_tokens)
