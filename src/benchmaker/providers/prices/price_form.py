"""The form of the user's prices."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

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
    reasoning: Dollars | None = None


class PriceForm(BaseModel):
    """A model's rates, in dollars per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Dollars
    output: Dollars
    cache_read: Dollars | None = None
    cache_write: Dollars | None = None
    cache_write_1h: Dollars | None = None
    reasoning: Dollars | None = None
    request: Dollars = 0.0
    above: tuple[StepForm, ...] = ()


class PricesForm(BaseModel):
    """The whole file: ``prices:`` with model strings, in which ``*`` matches anything."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prices: dict[str, PriceForm] = Field(default_factory=dict)
