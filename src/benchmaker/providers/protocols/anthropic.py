"""Anthropic's messages protocol.

Source: https://docs.anthropic.com/en/api/messages and …/messages-streaming.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import asdict

from benchmaker.errors import BadResponse, ProviderError
from benchmaker.providers.base import Image, Request
from benchmaker.providers.endpoints.endpoints import Endpoint
from benchmaker.providers.protocols.json_body import Body
from benchmaker.providers.protocols.model_dialect import ModelDialect
from benchmaker.providers.protocols.partial_answer import PartialAnswer
from benchmaker.providers.protocols.sse import Event
from benchmaker.providers.protocols.tool_calls import (
    BlockCalls,
    message_steps,
    message_tools,
)
from benchmaker.providers.protocols.wire_json import EncodedParameters, encode_json, turns
from benchmaker.spec import Parameters
from benchmaker.spec.suites.extra_fields import merge_fields

VERSION = "2023-06-01"
"""The version of the protocol, sent with every request."""


class _Block(msgspec.Struct):
    type: str = ""
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Any = None  # any JSON
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None


class _Delta(msgspec.Struct):
    type: str = ""
    text: str | None = None
    partial_json: str | None = None
    thinking: str | None = None
    signature: str | None = None
    stop_reason: str | None = None


class _Message(msgspec.Struct):
    id: Any = None  # a text
    type: str = ""
    model: str | None = None
    content: list[_Block] | None = None
    stop_reason: str | None = None
    usage: Any = None  # read by read_usage, which expects anything
    error: Any = None  # any JSON


class _Piece(msgspec.Struct):
    type: str = ""
    index: int = 0
    message: _Message | None = None
    content_block: _Block | None = None
    delta: _Delta | None = None
    usage: Any = None  # as above
    error: Any = None  # any JSON


_whole = Body(_Message, once=("content", "stop_reason", "usage"))
_piece = Body(_Piece, once=("delta", "content_block"))
REPLY_TOOL = "reply"
"""The tool for an answer in a given format."""

_TOOLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})


def _image(image: Image) -> dict[str, Any]:
    """A picture as a block of a message."""
    data = b64encode(image.data).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": image.type, "data": data}}


class Messages(ModelDialect):
    """The dialect of one model at an endpoint of protocol ``anthropic``."""

    path = "/v1/messages"

    def __init__(self, endpoint: Endpoint, model: str, *, seed: int | None = None) -> None:
        del seed  # the protocol has none
        super().__init__(endpoint, model)
        self._is_structured = self._quirks.is_structured(model)
        self._start = b'{"model":' + encode_json(model) + b',"messages":'
        self._tail = EncodedParameters(self._fields)

    def headers(self, key: str | None) -> dict[str, str]:
        """The head of every request."""
        head = {"anthropic-version": VERSION}
        return {**head, "x-api-key": key} if key else head

    def body(self, request: Request, *, stream: bool) -> bytes:
        """The request as JSON; system messages go into their own field, in their order."""
        system = "\n\n".join(turn.content for turn in request.messages if turn.role == "system")
        rest = [turn for turn in request.messages if turn.role != "system"]
        messages = turns(rest, request.images, _image)
        if request.steps:
            messages += message_steps(request.steps)
        start = self._start + encode_json(messages)
        if system:
            start += b',"system":' + encode_json(system)
        extra: dict[str, Any] = {"stream": True} if stream else {}
        key: object = stream
        if request.response_schema is not None:
            extra |= _reply_tool(request.response_schema)
            key = (stream, encode_json(extra))
        if request.tools:
            extra |= self._tool_fields(request)
            key = (stream, encode_json(extra))
        return self._tail.append_to(start, request.parameters, extra, key=key)

    def stream_reader(self, *, tools: bool = False) -> "MessagesStreamReader":
        """A reader for one stream."""
        return MessagesStreamReader(self, tools=tools)

    def read_whole(self, data: bytes, *, tools: bool = False) -> PartialAnswer:
        """The answer in a reply of one piece.

        Raises:
            BadResponse: it holds no content.
            ProviderError: it reports a failure.
        """
        reply = _whole.decode(data)
        self.refuse(reply.error, BadResponse)
        if reply.content is None:
            raise BadResponse(f"{self._host} sent a reply without content.")
        draft = _draft(tools=tools)
        draft.name(reply.model, reply.id)
        draft.finish = reply.stop_reason
        draft.usage = known_counts(reply.usage)
        for index, block in enumerate(reply.content):
            _add(draft, block, index)
        return draft

    def _tool_fields(self, request: Request) -> dict[str, Any]:
        """The fields for the tools of a request; one for the reply's format is never forced."""
        schema = request.response_schema
        own = _reply_tool(schema) if schema is not None else self._format(request.parameters)
        tools = [*message_tools(request.tools), *own.get("tools", ())]
        return {"tools": tools, "tool_choice": {"type": "auto"}}

    def _fields(self, parameters: Parameters) -> dict[str, Any]:
        return merge_fields(self._quirks.sent_fields(parameters), self._format(parameters))

    def _format(self, parameters: Parameters) -> dict[str, Any]:
        """The fields for the format of answers: structured output, or the tool for a reply."""
        if parameters.response_format is None:
            return {}
        schema = parameters.schema_format
        if self._is_structured and schema is not None:
            form = {"type": "json_schema", "schema": schema.json_schema.body}
            return {"output_config": {"format": form}}
        is_thinking = bool(self._quirks.thinking.budget_of(parameters))
        return _reply_tool(
            schema.json_schema.body if schema else _ANY_OBJECT,
            is_forced=not (is_thinking or self._is_structured),
        )


_ANY_OBJECT = {"type": "object", "additionalProperties": True}


def _reply_tool(schema: Mapping[str, Any], *, is_forced: bool = True) -> dict[str, Any]:
    """The fields for an answer through the tool; models that think refuse to be forced."""
    choice = {"type": "tool", "name": REPLY_TOOL} if is_forced else {"type": "auto"}
    tool = {"name": REPLY_TOOL, "input_schema": schema}
    return {"tools": [tool], "tool_choice": choice}


class MessagesStreamReader:
    """Reads one stream of message events; events of unknown types are passed over."""

    __slots__ = ("_dialect", "draft", "is_done")

    def __init__(self, dialect: Messages, *, tools: bool = False) -> None:
        self._dialect = dialect
        self.draft = _draft(tools=tools)
        self.is_done = False

    def take_all(self, events: Sequence[Event]) -> None:
        """Add events up to the end of the message; see :meth:`take`."""
        for event in events:
            if self.is_done:
                return
            self.take(event)

    def take(self, event: Event) -> None:
        """Add an event.

        Raises:
            BadResponse: the event is invalid.
            ProviderError: it reports a failure.
        """
        if not event.data:
            return  # a sign of life
        piece = _piece.decode(event.data)
        draft = self.draft
        match piece.type or event.name.decode("ascii", "replace"):
            case "content_block_delta" if piece.delta is not None:
                _add_delta(draft, piece.delta, piece.index)
            case "content_block_start" if piece.content_block is not None:
                _add(draft, piece.content_block, piece.index)
            case "message_start" if piece.message is not None:
                draft.name(piece.message.model, piece.message.id)
                draft.usage = known_counts(piece.message.usage)
            case "message_delta":
                self._end(piece)
            case "message_stop":
                self.is_done = True
            case "error":
                self._dialect.refuse(piece.error or "no reason given", ProviderError)
            case _:
                pass

    def _end(self, piece: _Piece) -> None:
        if piece.delta is not None and piece.delta.stop_reason:
            self.draft.finish = piece.delta.stop_reason
        if piece.usage is not None:
            self.draft.usage = merge_counts(self.draft.usage, known_counts(piece.usage))


def known_counts(usage: Any) -> Any:  # noqa: ANN401  any JSON
    """The counts under the names that the reader of usage knows for this protocol."""
    details = usage.get("output_tokens_details") if isinstance(usage, Mapping) else None
    if not isinstance(details, Mapping):
        return usage
    rest = {name: count for name, count in usage.items() if name != "output_tokens_details"}
    return {**rest, "reasoning_tokens": details.get("thinking_tokens")}


def merge_counts(first: Any, last: Any) -> Any:  # noqa: ANN401  any JSON
    """The counts as last reported; they are running totals, so nothing is added up."""
    if not isinstance(first, Mapping) or not isinstance(last, Mapping):
        return last
    return {**first, **{name: count for name, count in last.items() if count is not None}}


def _draft(*, tools: bool) -> PartialAnswer:
    draft = PartialAnswer()
    if tools:
        draft.calls = BlockCalls()
    return draft


def _add(draft: PartialAnswer, block: _Block, index: int) -> None:
    if block.type in _THOUGHTS:
        draft.has_reasoning = True
    elif block.name == REPLY_TOOL:
        draft.finish_as_reply()
        if block.input:
            draft.parts.append(encode_json(block.input).decode())
        return
    elif block.type in _TOOLS:
        draft.tools = True
    elif block.text:
        draft.parts.append(block.text)
    if isinstance(draft.calls, BlockCalls):
        held = {name: it for name, it in asdict(block).items() if it is not None}
        draft.calls.start(index, held)


def _add_delta(draft: PartialAnswer, delta: _Delta, index: int) -> None:
    if delta.type == "text_delta":
        if delta.text:
            draft.parts.append(delta.text)
    elif delta.type == "thinking_delta":
        draft.has_reasoning = True
    elif delta.type == "input_json_delta" and draft.is_reply:
        draft.parts.append(delta.partial_json or "")
    elif delta.type == "input_json_delta":
        draft.tools = True
    if isinstance(draft.calls, BlockCalls):
        _collect(draft.calls, delta, index)


def _collect(calls: BlockCalls, delta: _Delta, index: int) -> None:
    """Keep a piece of a block that goes back with the results of tool calls."""
    for name in ("text", "thinking", "signature"):
        if piece := getattr(delta, name):
            calls.add(index, name, piece)
    if delta.partial_json:
        calls.add_input(index, delta.partial_json)
