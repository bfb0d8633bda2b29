"""A conversation with tools that has no last answer: its steps so far."""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from benchmaker.record.completion import Completion, ToolCall, Transcript, TranscriptMessage


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
