"""Sampling parameters, and the effect of benchmark mode on them."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
)

from benchmaker.spec.suites.extra_fields import check_body, check_headers
from benchmaker.spec.suites.response_format import JsonSchemaFormat, ResponseFormat
from benchmaker.spec.suites.spec_model import SpecModel

NEUTRAL = {"top_p": 1.0, "frequency_penalty": 0.0, "presence_penalty": 0.0}
"""Values without effect; they are sent only if given explicitly."""

DEFAULT_MAX_TOKENS = 2048

AMBIGUOUS_DEFAULTS: Mapping[str, float] = {**NEUTRAL, "max_tokens": DEFAULT_MAX_TOKENS}
"""The defaults that differ from the same value if it is written, by parameter.

A written ``max_tokens`` is not raised by an effort.
"""

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]

EFFORTS: tuple[Effort, ...] = get_args(Effort)
"""The efforts, rising; ``none`` turns thinking off."""

THINKING_TOKENS: Mapping[Effort, int] = {
    "none": 0,
    "minimal": 1_024,
    "low": 4_096,
    "medium": 8_192,
    "high": 16_384,
    "xhigh": 28_672,
}
"""Tokens of thinking by effort, for protocols with budgets, and for the default output bound.

The least is the smallest budget that Anthropic accepts. The greatest leaves 2,048 tokens for the
answer within 32,000 tokens, the smallest output limit of the models with budgets. Those between are
powers of two; Google's own figures for Gemini 2.5 are 1,024 (low), 8,192 (medium), 24,576 (high).
Source: https://ai.google.dev/gemini-api/docs/openai.
"""

MOST_OUTPUT_TOKENS = 1_000_000
"""More tokens than any known model writes: the bound of requests without ``max_tokens``."""

MOST_LOGPROBS = 20
"""The most alternatives per token that can be requested; the maximum of most endpoints."""

_EXPLICIT = "explicit"
_CONTROLS = frozenset({"benchmark_mode", "extra_body", "extra_headers"})
"""Fields that are no parameters of a model."""

Stop = Annotated[str, Field(min_length=1, max_length=500)]


class Parameters(SpecModel):
    """The parameters sent with every request; the published defaults.

    None (``null`` in a file) omits a parameter. A neutral value (a top_p of 1 or a penalty of 0) is
    sent if it was written explicitly, not if it is the default.

    ``max_tokens`` limits the answer. A ``thinking_budget`` is added to it. With a
    ``reasoning_effort`` and no written ``max_tokens``, the tokens of that effort are added:
    1,024 (minimal), 4,096 (low), 8,192 (medium), 16,384 (high), 28,672 (xhigh).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    temperature: float | None = Field(0.7, ge=0, le=2)
    top_p: float | None = Field(1.0, gt=0, le=1)
    max_tokens: int | None = Field(DEFAULT_MAX_TOKENS, ge=1)
    frequency_penalty: float | None = Field(0.0, ge=-2, le=2)
    presence_penalty: float | None = Field(0.0, ge=-2, le=2)
    benchmark_mode: bool = False
    reasoning_effort: Effort | None = None
    thinking_budget: int | None = Field(None, ge=1, le=MOST_OUTPUT_TOKENS)
    stop: tuple[Stop, ...] | None = Field(None, max_length=16)
    top_k: int | None = Field(None, ge=1)
    min_p: float | None = Field(None, ge=0, le=1)
    seed: int | None = Field(None, ge=0, le=2**63 - 1)
    response_format: ResponseFormat | None = None
    logprobs: int | None = Field(None, ge=0, le=MOST_LOGPROBS)
    extra_body: dict[str, Any] | None = None
    extra_headers: dict[str, str] | None = None

    @field_validator("stop")
    @classmethod
    def _check_stop(cls, texts: tuple[Stop, ...] | None) -> tuple[Stop, ...] | None:
        return texts or None

    @field_validator("extra_body")
    @classmethod
    def _check_body(cls, fields: dict[str, Any] | None) -> dict[str, Any] | None:
        check_body(fields or {})
        return fields or None

    @field_validator("extra_headers")
    @classmethod
    def _check_headers(cls, headers: dict[str, str] | None) -> dict[str, str] | None:
        check_headers(headers or {})
        return headers or None

    @classmethod
    def of_record(cls, stored: Mapping[str, Any]) -> Self:
        """Restore dumped parameters; ambiguous values are explicit only if the dump says so.

        An effort that is added later, as by a run's options, adds its tokens to a ``max_tokens``
        that is not explicit.
        """
        values = dict(stored)
        explicit = values.pop(_EXPLICIT, ())
        for name, value in AMBIGUOUS_DEFAULTS.items():
            if name not in explicit and values.get(name) == value:
                del values[name]
        return cls.model_validate(values)

    @property
    def explicit_names(self) -> tuple[str, ...]:
        """The names of values that equal a default, but were written and therefore differ from it.

        These are neutral values, which are sent only then, and ``max_tokens``, which no effort
        raises then.
        """
        return tuple(
            name
            for name, default in AMBIGUOUS_DEFAULTS.items()
            if name in self.model_fields_set and getattr(self, name) == default
        )

    @property
    def sent_values(self) -> dict[str, Any]:
        """The values by name, as sent to a model that accepts all of them."""
        given = {name: getattr(self, name) for name in type(self).model_fields}
        return {
            name: value
            for name, value in given.items()
            if name not in _CONTROLS
            and value is not None
            and (value != NEUTRAL.get(name) or name in self.explicit_names)
        }

    @property
    def thinking_room(self) -> int:
        """The tokens added to ``max_tokens`` for thinking.

        >>> Parameters(reasoning_effort="high").thinking_room
        16384
        >>> Parameters(reasoning_effort="high", max_tokens=500).thinking_room
        0
        """
        if self.reasoning_effort == "none":
            return 0
        if self.thinking_budget is not None:
            return self.thinking_budget
        if self.reasoning_effort is None or "max_tokens" in self.model_fields_set:
            return 0
        return THINKING_TOKENS[self.reasoning_effort]

    @property
    def output_bound(self) -> int | None:
        """The maximum number of output tokens, thinking included; None if there is no limit.

        >>> Parameters(thinking_budget=4000).output_bound
        6048
        """
        return None if self.max_tokens is None else self.max_tokens + self.thinking_room

    @property
    def schema_format(self) -> JsonSchemaFormat | None:
        """The format of answers that follow a schema; None for other formats."""
        form = self.response_format
        return form if isinstance(form, JsonSchemaFormat) else None

    @property
    def written_values(self) -> dict[str, Any]:
        """The values set in the file as plain data, null included."""
        plain = self.model_dump(mode="json")
        fields = type(self).model_fields
        return {name: plain.get(name) for name in fields if name in self.model_fields_set}

    def override(self, given: Mapping[str, Any]) -> Self:
        """These parameters with others in place of some; a ValidationError where one is wrong."""
        return type(self).model_validate({**self.written_values, **given})

    @model_serializer(mode="wrap")
    def _omit_implicit_values(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without newer or explicit values it is written, and hashed, as it always was."""
        dumped: dict[str, Any] = dump(self)
        values = {name: it for name, it in dumped.items() if it is not None or name not in NEWER}
        return {**values, _EXPLICIT: list(self.explicit_names)} if self.explicit_names else values


_FIRST = (*NEUTRAL, "temperature", "max_tokens", "benchmark_mode")
NEWER = frozenset(Parameters.model_fields) - frozenset(_FIRST)
"""Fields that are written only if they are set."""

_LOCKED = ("temperature", "frequency_penalty", "presence_penalty")


def effective_parameters(parameters: Parameters | None = None) -> Parameters:
    """The parameters as sent: benchmark mode locks temperature and both penalties to 0.

    Omitted parameters stay omitted.

    Source: the published method, section 5 (``getEffectiveParameters``).

    >>> effective_parameters(Parameters(temperature=0.7, benchmark_mode=True)).temperature
    0.0
    """
    given = parameters or Parameters()
    if not given.benchmark_mode:
        return given
    written = given.model_fields_set | {"temperature"}
    values = {name: getattr(given, name) for name in type(given).model_fields}
    locked = {name: 0.0 for name in _LOCKED if values[name] is not None}
    return Parameters.model_construct(_fields_set=set(written), **{**values, **locked})
