"""A model's response, and the messages, tool calls and steps that lead to it."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any, Final

import msgspec
from msgspec.structs import replace

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


class ToolCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A call of a tool by a model.

    ``arguments`` are the arguments by name, or the text of the model if that is no JSON object.
    ``id`` is the protocol's, by which the result refers to the call; transcripts have none.
    """

    name: str
    arguments: Any
    id: str | None = None


class TranscriptMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One message: of the case, of the model, or the result of a call (role ``tool``).

    ``name`` is the called tool; ``is_error`` is true if the result is an error.
    """

    role: str
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    name: str | None = None
    is_error: bool = False


class Transcript(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All messages of a trial with tools, in order, from the first that was sent.

    ``steps`` counts the answers of the model; None for recorded calls without their messages.
    ``stopped_by`` is ``max_steps`` if the model still
    called tools in the last answer that was allowed.
    """

    messages: tuple[TranscriptMessage, ...]
    steps: int | None = None
    stopped_by: str | None = None

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """All calls, in order."""
        return tuple(call for message in self.messages for call in message.tool_calls)

    @property
    def plain_messages(self) -> list[dict[str, Any]]:
        """The messages as plain data: role, content and tool_calls, and the fields that are set.

        These are ``name`` and ``is_error``. Calls have a name and arguments.
        """
        return [
            {
                "role": one.role,
                "content": one.content,
                "tool_calls": [
                    {"name": call.name, "arguments": call.arguments} for call in one.tool_calls
                ],
                **({"name": one.name} if one.name else {}),
                **({"is_error": True} if one.is_error else {}),
            }
            for one in self.messages
        ]

    @property
    def last_calls(self) -> tuple[ToolCall, ...]:
        """The calls of the last answer; empty if that calls no tool."""
        answers = (one for one in reversed(self.messages) if one.role == "assistant")
        return next((one.tool_calls for one in answers), ())


MAX_STEPS: Final = "max_steps"
"""The value of ``stopped_by`` of a trial with as many steps as allowed."""


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


class ToolResult(msgspec.Struct, frozen=True):
    """The result of a tool call, as the model gets it; an error explains why there is none."""

    text: str
    is_error: bool = False


class Step(msgspec.Struct, frozen=True):
    """An earlier answer of a trial, and the results of its tool calls in their order."""

    completion: Completion
    results: tuple[ToolResult, ...]

    @property
    def pairs(self) -> Iterator[tuple[ToolCall, ToolResult]]:
        """Each call with its result."""
        return zip(self.completion.tool_calls, self.results, strict=True)


class UnfinishedConversation(msgspec.Struct, frozen=True, kw_only=True):
    """The stored part of a conversation, with which a later execution goes on.

    ``messages`` are those of the case, ``steps`` the answers with the results of their calls, and
    ``last`` is an answer whose calls have no results yet. ``key`` identifies messages and tools: a
    conversation goes on only where both are the same.
    """

    key: str
    messages: tuple[TranscriptMessage, ...]
    steps: tuple[Step, ...] = ()
    last: Completion | None = None

    @property
    def completions(self) -> tuple[Completion, ...]:
        """The answers of the model, in order."""
        last = () if self.last is None else (self.last,)
        return (*(step.completion for step in self.steps), *last)

    @property
    def transcript(self) -> Transcript:
        """The messages so far; the number of steps counts the answers."""
        messages = (*self.messages, *step_messages(self.steps, self.last))
        return Transcript(messages=messages, steps=len(self.completions))


def step_messages(steps: Iterable[Step], last: Completion | None) -> Iterator[TranscriptMessage]:
    """Yield the messages of the steps, and of an answer after them without results."""
    for step in steps:
        yield _answer(step.completion)
        for call, result in step.pairs:
            yield TranscriptMessage(
                role="tool", content=result.text, name=call.name, is_error=result.is_error
            )
    if last is not None:
        yield _answer(last)


def _answer(done: Completion) -> TranscriptMessage:
    calls = tuple(replace(call, id=None) for call in done.tool_calls)
    return TranscriptMessage(role="assistant", content=done.text, tool_calls=calls)
