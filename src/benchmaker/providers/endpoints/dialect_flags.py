"""The parameters that an endpoint supports, as data."""

import re
from dataclasses import dataclass, replace
from typing import Any

from benchmaker.spec import Parameters
from benchmaker.spec.suites.parameters import NEUTRAL

_SAMPLING = ("temperature", "top_p")
_PENALTIES = ("frequency_penalty", "presence_penalty")
_OWNERS = r"^(?:(?:[^/]+/)*(?:openai|azure)/)?"
_REASONING = _OWNERS + r"(?:o\d|gpt-5(?!.*chat))"
"""OpenAI's reasoning models, wherever they are asked: they refuse temperature and the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quirks:
    """An endpoint's deviations from the plain protocol.

    ``max_tokens_field`` is the field that limits the answer. ``seed_field`` is None if no seed is
    accepted. ``penalties`` and ``neutral_top_p`` are true if penalties, and a top_p of 1, may be
    sent. ``stream_options`` is true if usage in a stream must be requested. ``unsampled_models`` is
    a pattern of models that refuse temperature, top_p, penalties and ``max_tokens``, and use
    ``max_completion_tokens`` instead. ``schema_models`` is a pattern of models that support a JSON
    Schema for answers. ``reasoning_beside`` is true if reported completion tokens exclude
    reasoning, although the total includes it.
    """

    max_tokens_field: str = "max_tokens"
    seed_field: str | None = "seed"
    penalties: bool = True
    neutral_top_p: bool = True
    sampling: bool = True
    stream_options: bool = True
    reasoning_beside: bool = False
    unsampled_models: str = _REASONING
    schema_models: str = ""

    def for_model(self, model: str) -> "Quirks":
        """The same for one model."""
        if not (self.unsampled_models and re.search(self.unsampled_models, model)):
            return self
        field = "max_completion_tokens"
        return replace(self, sampling=False, penalties=False, max_tokens_field=field)

    def takes_schema(self, model: str) -> bool:
        """True if this model supports a JSON Schema for its answer."""
        return bool(self.schema_models) and bool(re.search(self.schema_models, model))

    @property
    def refused_parameters(self) -> tuple[str, ...]:
        """The names of parameters that are never sent."""
        left_out = (() if self.sampling else _SAMPLING) + (() if self.penalties else _PENALTIES)
        return left_out if self.seed_field else (*left_out, "seed")

    def sent_fields(self, parameters: Parameters) -> dict[str, Any]:
        """The fields to send, in the endpoint's words."""
        fields: dict[str, Any] = {
            name: value
            for name, value in parameters.sent_values.items()
            if name not in self.refused_parameters
        }
        if not self.neutral_top_p and fields.get("top_p") == NEUTRAL["top_p"]:
            del fields["top_p"]
        fields[self.max_tokens_field] = fields.pop("max_tokens")
        return fields

    def unsent_parameters(self, parameters: Parameters) -> tuple[str, ...]:
        """The names of parameters that matter and are not sent."""
        return tuple(
            name
            for name, value in parameters.sent_values.items()
            if name in self.refused_parameters and value != NEUTRAL.get(name)
        )
