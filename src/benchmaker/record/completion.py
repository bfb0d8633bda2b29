"""A model's response."""

from enum import StrEnum

import msgspec

from benchmaker.record.usage import Usage


class FinishReason(StrEnum):
    """The reason why the model stopped, as reported by the provider."""

    STOP = "stop"
    LENGTH = "length"
    FILTER = "filter"
    REFUSAL = "refusal"
    CONTEXT_OVERFLOW = "context_overflow"
    UNKNOWN = "unknown"


class Completion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One answer: its text, why it ended, tokens, seconds and dollars.

    ``cost_usd`` and ``latency_s`` are None if unknown. ``first_byte_s`` is the time
    until the first piece of a streamed answer, else until the first byte; both count from the
    send. ``model`` is the model the reply names, when it names one.
    """

    text: str
    finish: FinishReason = FinishReason.STOP
    usage: Usage | None = None
    latency_s: float | None = None
    first_byte_s: float | None = None
    cost_usd: float | None = None
    model: str | None = None
    flags: tuple[str, ...] = ()
