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


class TokenLogprob(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A token of an answer, its log probability (natural), and the likeliest alternatives."""

    token: str
    logprob: float
    alternatives: tuple[tuple[str, float], ...] = ()


class Completion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One answer: its text, why it ended, tokens, seconds and dollars.

    ``cost_usd`` and ``latency_s`` are None if unknown. ``first_byte_s`` is the time
    until the first piece of a streamed answer, else until the first byte; both count from the
    send. ``model`` is the model the reply names, when it names one. ``logprobs`` are those of the
    answer's first tokens, if they were requested and reported.
    """

    text: str
    finish: FinishReason = FinishReason.STOP
    usage: Usage | None = None
    latency_s: float | None = None
    first_byte_s: float | None = None
    cost_usd: float | None = None
    model: str | None = None
    flags: tuple[str, ...] = ()
    logprobs: tuple[TokenLogprob, ...] = ()
