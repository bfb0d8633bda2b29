"""The user's own prices: ``prices.yaml`` in the data folder, which goes before the list."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field

from benchmaker.providers.rates import Rate, RateCard
from benchmaker.providers.user_file import read_user_file

FILE = "prices.yaml"

Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class StepForm(BaseModel):
    """Rates of requests with more than ``tokens`` input tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tokens: Annotated[int, Field(ge=0)]
    input: Dollars | None = None
    output: Dollars | None = None
    cache_read: Dollars | None = None
    cache_write: Dollars | None = None
    cache_write_1h: Dollars | None = None


class PriceForm(BaseModel):
    """A model's rates, in dollars per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Dollars
    output: Dollars
    cache_read: Dollars | None = None
    cache_write: Dollars | None = None
    cache_write_1h: Dollars | None = None
    request: Dollars = 0.0
    above: tuple[StepForm, ...] = ()


class PricesForm(BaseModel):
    """The whole file: ``prices:`` with model strings, in which ``*`` stands for anything."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prices: dict[str, PriceForm] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OwnPrices:
    """The file's rate cards by model string; ``sha256`` is the file's, empty without one."""

    cards: Mapping[str, RateCard] = field(default_factory=dict)
    sha256: str = ""

    @classmethod
    def read(cls, home: Path | None) -> Self:
        """The prices in the data folder; none where it has no such file.

        Raises:
            SpecError: the file is wrong; every fault at once, each with line and column.
        """
        parts: dict[str, type[BaseModel]] = {"prices": PriceForm, "above": StepForm}
        read = read_user_file(home / FILE, PricesForm, parts) if home else None
        if home is None or read is None:
            return cls()
        cards = {name: _card(given) for name, given in read[0].prices.items()}
        return cls(cards, hashlib.sha256((home / FILE).read_bytes()).hexdigest())

    def card(self, model: str) -> RateCard | None:
        """The card for a model string: its own, else that of the first pattern that fits."""
        own = self.cards.get(model)
        if own is not None:
            return own
        return next((card for name, card in self.cards.items() if fnmatchcase(model, name)), None)


def _card(given: PriceForm) -> RateCard:
    return RateCard(
        input=_rate(given, "input"),
        output=_rate(given, "output"),
        cache_read=_rate(given, "cache_read"),
        cache_write=_rate(given, "cache_write"),
        cache_write_1h=_rate(given, "cache_write_1h"),
        request_usd=given.request,
    )


def _rate(given: PriceForm, kind: str) -> Rate | None:
    usd = getattr(given, kind)
    steps = sorted(
        (step.tokens, usd_above)
        for step in given.above
        if (usd_above := getattr(step, kind)) is not None
    )
    return None if usd is None else Rate(usd, tuple(steps))
