"""The parameters that an endpoint supports, as data."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from benchmaker.providers.endpoints.thinking_fields import REASONING_EFFORT, ThinkingFields
from benchmaker.spec import Parameters
from benchmaker.spec.suites.extra_fields import merge_fields
from benchmaker.spec.suites.parameters import MOST_LOGPROBS, NEUTRAL

LogprobsStyle = Literal["pair", "number", "none"]
"""``logprobs: true`` with ``top_logprobs``, ``logprobs`` as a number, or none."""

Formats = Literal["json", "json_schema"]

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

    ``thinking`` are the fields for efforts and budgets, ``thinking_models`` those of models that
    match a pattern, of which the first counts. ``stop_field`` is None if stop texts are refused.
    ``required_bound`` is the limit that is sent without ``max_tokens``, if the protocol requires
    one. ``formats`` are the supported formats of answers. ``plain_models`` is a pattern of
    unsampled models that also refuse stop texts and logprobs. ``structured_models`` is a pattern
    of models whose schema goes into ``output_config``. ``most_logprobs`` is the limit of
    alternatives per token.
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
    thinking: ThinkingFields = REASONING_EFFORT
    thinking_models: tuple[tuple[str, ThinkingFields], ...] = ()
    unsampled_field: str = "max_completion_tokens"
    stop_field: str | None = "stop"
    top_k: bool = False
    min_p: bool = False
    logprobs: LogprobsStyle = "pair"
    most_logprobs: int = MOST_LOGPROBS
    formats: tuple[Formats, ...] = ("json", "json_schema")
    required_bound: int | None = None
    plain_models: str = _REASONING
    structured_models: str = ""

    def for_model(self, model: str) -> "Quirks":
        """The same for one model."""
        found = self._with_thinking_of(model)
        if _matches(self.plain_models, model):
            found = replace(found, stop_field=None, logprobs="none")
        if not _matches(self.unsampled_models, model):
            return found
        field = self.unsampled_field
        return replace(found, sampling=False, penalties=False, max_tokens_field=field, top_k=False)

    def _with_thinking_of(self, model: str) -> "Quirks":
        for pattern, fields in self.thinking_models:
            if _matches(pattern, model):
                return replace(self, thinking=fields)
        return self

    def takes_schema(self, model: str) -> bool:
        """True if this model supports a JSON Schema for its answer."""
        return _matches(self.schema_models, model)

    def is_structured(self, model: str) -> bool:
        """True if this model's schema goes into ``output_config``."""
        return _matches(self.structured_models, model)

    @property
    def refused_parameters(self) -> tuple[str, ...]:
        """The names of sampling parameters that are never sent, as recorded with a run."""
        left_out = (() if self.sampling else _SAMPLING) + (() if self.penalties else _PENALTIES)
        return left_out if self.seed_field else (*left_out, "seed")

    def sent_fields(self, parameters: Parameters) -> dict[str, Any]:
        """The fields to send, in the endpoint's words, without seed, format and extra ones."""
        unsent = {*self.refused_parameters, *self._newer_refused(parameters)}
        values = {k: it for k, it in parameters.sent_values.items() if k not in unsent}
        fields = {name: values[name] for name in _PLAIN if name in values}
        if not self.neutral_top_p and fields.get("top_p") == NEUTRAL["top_p"]:
            del fields["top_p"]
        if (bound := self.output_limit(parameters)) is not None:
            fields[self.max_tokens_field] = bound
        if "stop" in values and self.stop_field:
            fields[self.stop_field] = list(values["stop"])
        if "logprobs" in values:
            fields |= self._logprobs(min(values["logprobs"], self.most_logprobs))
        return merge_fields(fields, self.thinking.fields(parameters))

    def output_limit(self, parameters: Parameters) -> int | None:
        """The limit of output tokens that is sent, thinking included; None if none is sent."""
        bound = self.thinking.output_limit(parameters)
        if bound is not None or self.required_bound is None:
            return bound
        return self.required_bound + (self.thinking.budget_of(parameters) or 0)

    def unsent_parameters(self, parameters: Parameters) -> tuple[str, ...]:
        """The names of parameters that matter and are not sent."""
        values = parameters.sent_values
        unsent = (*self.refused_parameters, *self._newer_refused(parameters))
        return tuple(
            name
            for name in dict.fromkeys(unsent)
            if name in values and values[name] != NEUTRAL.get(name)
        )

    def changed_parameters(self, parameters: Parameters) -> dict[str, str]:
        """The sent value of each parameter that is sent with another value than the set one."""
        unsent = self.unsent_parameters(parameters)
        changed: dict[str, str] = {}
        effort, word = parameters.reasoning_effort, self.thinking.word_of(parameters)
        if word and word != effort and "reasoning_effort" not in unsent:
            is_off = effort == "none" and self.thinking.off is not None
            changed |= {} if is_off else {"reasoning_effort": word}
        if "logprobs" not in unsent and (parameters.logprobs or 0) > self.most_logprobs:
            changed["logprobs"] = str(self.most_logprobs)
        bound = self.output_limit(parameters)
        if bound is not None and bound != parameters.output_bound:
            changed["max_tokens"] = str(bound)
        return changed

    def _newer_refused(self, parameters: Parameters) -> Iterator[str]:
        """The names of refused parameters beyond :attr:`refused_parameters`."""
        yield from self.thinking.unsent_parameters(parameters)
        accepted = {
            "top_k": self.top_k,
            "min_p": self.min_p,
            "stop": self.stop_field is not None,
            "logprobs": self.logprobs != "none",
            "response_format": _format_of(parameters) in self.formats,
        }
        yield from (name for name, is_accepted in accepted.items() if not is_accepted)

    def _logprobs(self, number: int) -> dict[str, Any]:
        if self.logprobs == "number":
            return {"logprobs": max(1, number)}
        return {"logprobs": True, "top_logprobs": number}


_PLAIN = (*_SAMPLING, *_PENALTIES, "top_k", "min_p")
"""Parameters whose field has their own name."""


def _matches(pattern: str, model: str) -> bool:
    return bool(pattern) and bool(re.search(pattern, model))


def _format_of(parameters: Parameters) -> str:
    return "json_schema" if parameters.schema_format else "json"
