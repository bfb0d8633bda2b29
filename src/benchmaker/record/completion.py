"""A model's response."""

from enum import StrEnum
from typing import Any

import msgspec

from benchmaker.record.transcript import ToolCall, Transcript
from benchmaker.record.usage import Usage


class FinishReason(StrEnum):
    """The reason why the model stopped, as reported by the provider."""

    STOP = "stop"
    LENGTH = "length"
    FILTER = "filter"
    REFUSAL = "refusal"
    CONTEXT_OVERFLOW = "context_overflow"
    TOOL_CALLS = "tool_calls"
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

    ``tool_calls`` are the calls of offered tools in a single reply; ``continuation`` holds what its
    protocol requires in the next request besides, such as reasoning with its signature. In a trial
    with tools, tokens, seconds and dollars are the sums over all replies, ``text`` and ``finish``
    those of the last one, and ``transcript`` holds all messages.
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
    tool_calls: tuple[ToolCall, ...] = ()
    continuation: Any = None  # any JSON
    transcript: Transcript | None = None
