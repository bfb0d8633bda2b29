"""The messages of a trial with tools, and the calls in them."""

from typing import Any

import msgspec


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


MAX_STEPS = "max_steps"
"""The value of ``stopped_by`` of a trial with as many steps as allowed."""
