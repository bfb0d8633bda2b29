"""The form of the user's endpoints."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from benchmaker.providers.endpoints.dialect_flags import LogprobsStyle
from benchmaker.providers.endpoints.endpoints import Protocol
from benchmaker.providers.endpoints.thinking_fields import ThinkingStyle

Word = Annotated[str, Field(min_length=1, max_length=100)]


class EndpointForm(BaseModel):
    """One endpoint as written in the file; defaults are those of plain chat completions.

    ``key`` names the variable that holds the key; without it no key is sent.
    ``requests_per_minute`` and ``tokens_per_minute`` are limits to observe, in addition to those
    reported by replies. ``thinking`` names the fields for efforts and thinking budgets; the default
    depends on the protocol and the model. ``top_k`` and ``min_p`` are true if they may be sent.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: Annotated[str, Field(min_length=1, max_length=2000)]
    protocol: Protocol = "openai"
    key: Word | None = None
    local: bool = False
    prices: Word | None = None
    max_tokens_field: Word = "max_tokens"
    seed_field: Word | None = None
    penalties: bool = True
    neutral_top_p: bool = True
    sampling: bool = True
    stream_options: bool = True
    reasoning_beside: bool = False
    thinking: ThinkingStyle | None = None
    top_k: bool | None = None
    min_p: bool | None = None
    logprobs: LogprobsStyle | None = None
    requests_per_minute: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    tokens_per_minute: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None


class EndpointsForm(BaseModel):
    """The whole file: ``endpoints:`` with a mapping of names."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    endpoints: dict[str, EndpointForm] = Field(default_factory=dict)
