"""The user's own prices: ``prices.yaml`` in the data folder, which goes before the list."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Self

from benchmaker.providers.prices.rates import Rate, RateCard

if TYPE_CHECKING:  # who has no such file needs none of it
    from benchmaker.providers.prices.price_form import PriceForm

FILE = "prices.yaml"
_LOCAL = ("command:", "python:")
_PER_REQUEST = "input: 0, output: 0, request: 0.01"
_PLAIN = re.compile(r"[\w.-][\w./:@-]*(?<!:)")
"""Names that YAML reads without quotes."""


@dataclass(frozen=True, slots=True)
class OwnPrices:
    """The file's rate cards by model string; ``sha256`` is the file's, empty without one."""

    cards: Mapping[str, RateCard] = field(default_factory=dict)
    sha256: str = ""

    @classmethod
    def read(cls, home: Path | None) -> Self:
        """Read the prices in the data folder; empty without such a file.

        Raises:
            SpecError: the file is invalid; all faults together, each with line and column.
        """
        if home is None or not (home / FILE).exists():
            return cls()
        from benchmaker.providers.endpoints.user_file import read_user_file  # noqa: PLC0415
        from benchmaker.providers.prices.price_form import PriceForm, PricesForm, StepForm  # noqa: PLC0415

        read = read_user_file(home / FILE, PricesForm, {"prices": PriceForm, "above": StepForm})
        cards = {name: _card(given) for name, given in read[0].prices.items()} if read else {}
        return cls(cards, hashlib.sha256((home / FILE).read_bytes()).hexdigest())

    def card(self, model: str) -> RateCard | None:
        """The card for a model string: its own, else that of the first pattern that fits."""
        own = self.cards.get(model)
        if own is not None:
            return own
        return next((card for name, card in self.cards.items() if fnmatchcase(model, name)), None)


def price_advice(model: str) -> str:
    """Return how to set the price of a model, in one line; of a program also without tokens.

    >>> price_advice("openai/m")
    'Add it to prices.yaml in the data folder, in dollars per million tokens: \
prices: {openai/m: {input: 1.25, output: 10}}.'
    """
    line = _price_line(model, "input: 1.25, output: 10")
    advice = f"Add it to {FILE} in the data folder, in dollars per million tokens: {line}."
    if not model.startswith(_LOCAL):
        return advice
    flat = _price_line(model, _PER_REQUEST)
    return f"{advice} If its answers report no tokens, set a price per request: {flat}."


def _price_line(model: str, rates: str) -> str:
    name = model if _PLAIN.fullmatch(model) else json.dumps(model)
    return f"prices: {{{name}: {{{rates}}}}}"


def _card(given: "PriceForm") -> RateCard:
    return RateCard(
        input=_rate(given, "input"),
        output=_rate(given, "output"),
        cache_read=_rate(given, "cache_read"),
        cache_write=_rate(given, "cache_write"),
        cache_write_1h=_rate(given, "cache_write_1h"),
        reasoning=_rate(given, "reasoning"),
        request_usd=given.request,
    )


def _rate(given: "PriceForm", kind: str) -> Rate | None:
    usd = getattr(given, kind)
    steps = sorted(
        (step.tokens, usd_above)
        for step in given.above
        if (usd_above := getattr(step, kind)) is not None
    )
    return None if usd is None else Rate(usd, tuple(steps))
