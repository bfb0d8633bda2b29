"""Chat completions, the protocol of OpenAI and most others.

Source: https://platform.openai.com/docs/api-reference/chat, and the behaviour of compatible
servers.
"""

from base64 import b64encode
from collections.abc import Callable, Sequence
from typing import Any, Self

import msgspec

from benchmaker.errors import BadResponse, ProviderError
from benchmaker.providers.base import Image, Request
from benchmaker.providers.endpoints.endpoints import Endpoint
from benchmaker.providers.protocols.json_body import Body
from benchmaker.providers.protocols.model_dialect import ModelDialect
from benchmaker.providers.protocols.partial_answer import PartialAnswer
from benchmaker.providers.protocols.sse import Event
from benchmaker.providers.protocols.tool_calls import ChatCalls, chat_steps, chat_tools
from benchmaker.providers.protocols.wire_json import EncodedParameters, encode_json, turns
from benchmaker.spec import Parameters

_KEY = b'"content":'
_PROBE = "?"

_string = msgspec.json.Decoder(str).decode
_strings = msgspec.json.Decoder(list[str]).decode


class Frame:
    """The bytes before and after the text of an event, without its quotation marks.

    Of an event in the same frame only the text is read: JSON that differs in one string differs
    only in that value.

    >>> frame = Frame.from_event("a", b'{"content":"a"}', lambda data: str(data[12:-2], "ascii"))
    >>> frame.text_in(b'{"content":"b"}'), frame.text_in(b'{"content":"b","error":1}')
    ('b', None)
    """

    __slots__ = ("_after", "_before", "_end", "_start")

    def __init__(self, before: bytes, after: bytes) -> None:
        self._before, self._after = before, after
        self._start, self._end = len(before), len(after)

    @classmethod
    def from_event(cls, text: str, data: bytes, read: Callable[[bytes], str | None]) -> Self | None:
        """Return the frame around this text; None if it is uncertain.

        It is certain if ``read`` returns another text inserted in its place.
        """
        said = msgspec.json.encode(text) if text.isascii() else b""
        key = data.find(_KEY)
        start = data.find(said, key)
        if not said or key < 0 or start < 0:
            return None
        before, after = data[:start], data[start + len(said) :]
        try:
            probed = read(b'%b"%b"%b' % (before, _PROBE.encode(), after))
        except BadResponse:
            return None
        return cls(before, after) if probed == _PROBE else None

    def text_in(self, data: bytes) -> str | None:
        """The text of an event in this frame; None for any other."""
        if not (data.startswith(self._before) and data.endswith(self._after)):
            return None
        try:
            return _string(data[self._start : len(data) - self._end])
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None

    def texts_in(self, events: Sequence[Event], start: int = 0) -> list[str] | None:
        """The texts of the events in this frame, up to the first other one; None if one has none.

        They are read together, as lines of one list. No string in JSON contains a line feed, so
        that each of them belongs to one event.
        """
        found = []
        for at in range(start, len(events)):
            name, data = events[at]
            if name or not (data.startswith(self._before) and data.endswith(self._after)):
                break
            found.append(data[self._start : len(data) - self._end])
        try:
            texts = _strings(b"[%b]" % b",\n".join(found))
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None
        return texts if len(texts) == len(found) else None


_DONE = b"[DONE]"
_FRAMES = 3
"""So often an event is looked at for a frame; where it changes with each, that is in vain."""


class _Part(msgspec.Struct, gc=False):
    type: str = "text"
    text: str | None = None


class _MessageBody(msgspec.Struct, gc=False):
    """A message, or a piece of one."""

    content: str | list[_Part] | None = None
    refusal: str | None = None
    reasoning_content: Any = (
        None  # a text with some, a list with others; only its being there counts
    )
    reasoning: Any = None  # as above
    reasoning_details: Any = None  # sent back with tool calls
    tool_calls: Any = None  # read if tools were offered
    function_call: Any = None  # not carried out, so not read


class _Choice(msgspec.Struct, gc=False):
    index: int = 0
    finish_reason: str | None = None
    delta: _MessageBody | None = None
    message: _MessageBody | None = None
    error: Any = None  # any JSON
    logprobs: Any = None  # read by read_logprobs, which expects anything


class _Reply(msgspec.Struct, gc=False):
    id: Any = None  # a text with nearly all
    choices: list[_Choice] | None = None
    usage: Any = None  # read by read_usage, which expects anything
    model: str | None = None
    error: Any = None  # any JSON


_whole = Body(_Reply, once=("choices", "message", "content", "finish_reason", "usage"))
_piece = Body(_Reply, once=("choices", "delta", "content", "finish_reason"))


def _image(image: Image) -> dict[str, Any]:
    """A picture as a part of a message."""
    data = b64encode(image.data).decode()
    return {"type": "image_url", "image_url": {"url": f"data:{image.type};base64,{data}"}}


class ChatCompletions(ModelDialect):
    """The dialect of one model at an endpoint of protocol ``openai``."""

    path = "/chat/completions"

    def __init__(self, endpoint: Endpoint, model: str, *, seed: int | None = None) -> None:
        super().__init__(endpoint, model)
        self._seed = seed
        self._start = b'{"model":' + encode_json(model) + b',"messages":'
        self._tail = EncodedParameters(self._fields)

    def headers(self, key: str | None) -> dict[str, str]:
        """The head of every request."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def body(self, request: Request, *, stream: bool) -> bytes:
        """The request as JSON."""
        messages = turns(request.messages, request.images, _image)
        if request.steps:
            messages += chat_steps(request.steps)
        start = self._start + encode_json(messages)
        extra: dict[str, Any] = {}
        parameters = request.parameters
        seed = parameters.seed if self._seed is None else self._seed
        if seed is not None and self._quirks.seed_field:
            extra[self._quirks.seed_field] = seed + request.run - 1
        if stream:
            extra["stream"] = True
            if self._quirks.stream_options:
                extra["stream_options"] = {"include_usage": True}
        key: tuple[object, ...] = (stream, request.run)
        if request.response_schema is not None:
            form = {"name": "reply", "strict": True, "schema": request.response_schema}
            extra["response_format"] = {"type": "json_schema", "json_schema": form}
            key = (*key, encode_json(form))
        else:
            extra |= self._response_format(parameters)
        if request.tools:
            extra["tools"] = chat_tools(request.tools)
            key = (*key, encode_json(extra["tools"]))
        return self._tail.append_to(start, parameters, extra, key=key)

    def stream_reader(self, *, tools: bool = False) -> "ChatStreamReader":
        """A reader for one stream."""
        return ChatStreamReader(self, tools=tools)

    def read_whole(self, data: bytes, *, tools: bool = False) -> PartialAnswer:
        """The answer in a reply of one piece.

        Raises:
            BadResponse: it holds no message.
            ProviderError: it reports a failure.
        """
        reply = _whole.decode(data)
        self.refuse(reply.error, BadResponse)
        choice = min(reply.choices or (), key=_index, default=None)
        if choice is None:
            raise BadResponse(f"{self._host} sent a reply without choices.")
        self.refuse(choice.error, BadResponse)
        if choice.message is None:
            raise BadResponse(f"{self._host} sent a choice without a message.")
        draft = _draft(tools=tools)
        draft.name(reply.model, reply.id)
        draft.finish = choice.finish_reason
        draft.add_logprobs(choice.logprobs)
        self.count(draft, reply.usage)
        add_message(draft, choice.message)
        return draft

    def count(self, draft: PartialAnswer, usage: Any) -> None:  # noqa: ANN401  any JSON
        """Keep the newest report of usage."""
        if usage is not None:
            draft.usage = with_reasoning(usage) if self._quirks.reasoning_beside else usage

    def _fields(self, parameters: Parameters) -> dict[str, Any]:
        return self._quirks.sent_fields(parameters)

    def _response_format(self, parameters: Parameters) -> dict[str, Any]:
        """The field for the format of answers, if one is set and accepted."""
        if parameters.response_format is None:
            return {}
        if "response_format" in self.unsent_parameters(parameters):
            return {}
        schema = parameters.schema_format
        return {"response_format": schema.model_dump() if schema else {"type": "json_object"}}


class ChatStreamReader:
    """Reads one stream of chunks."""

    __slots__ = ("_dialect", "_frame", "_frames_left", "draft", "is_done")

    def __init__(self, dialect: ChatCompletions, *, tools: bool = False) -> None:
        self._dialect = dialect
        self._frame: Frame | None = None
        self._frames_left = _FRAMES
        self.draft = _draft(tools=tools)
        self.is_done = False

    def take_all(self, events: Sequence[Event]) -> None:
        """Add chunks up to the end of the stream; see :meth:`take`."""
        at, is_plain = 0, True
        while at < len(events) and not self.is_done:
            texts: list[str] | None = []
            if self._frame is not None and is_plain:
                texts = self._frame.texts_in(events, at)
                is_plain = texts is not None
            if texts:
                self.draft.parts.extend(filter(None, texts))
                at += len(texts)
            else:
                self.take(events[at])
                at += 1

    def take(self, event: Event) -> None:
        """Add a chunk.

        Raises:
            BadResponse: the chunk is invalid.
            ProviderError: it reports a failure.
        """
        name, data = event
        frame = self._frame
        if frame is not None and not name and (text := frame.text_in(data)) is not None:
            if text:
                self.draft.parts.append(text)
        elif data.startswith(_DONE):
            self.is_done = True
        elif data:  # nothing is a sign of life
            self._take_whole(name, data)

    def _take_whole(self, name: bytes, data: bytes) -> None:
        if name == b"error":
            self._fail(data)
        chunk = _piece.decode(data)
        if self._frames_left and (text := _text_alone(chunk)):
            self._frames_left -= 1
            self._frame = Frame.from_event(text, data, _text_of) or self._frame
        if chunk.error:
            self._dialect.refuse(chunk.error, ProviderError)
        draft = self.draft
        if draft.model is None or draft.reply_id is None:
            draft.name(chunk.model, chunk.id)
        if chunk.usage is not None:
            self._dialect.count(draft, chunk.usage)
        for choice in chunk.choices or ():
            if choice.index == 0:
                self._choose(choice)

    def _choose(self, choice: _Choice) -> None:
        if choice.error:
            self._dialect.refuse(choice.error, ProviderError)
        said = choice.delta or choice.message
        if said is not None:
            add_message(self.draft, said)
        if choice.logprobs is not None:
            self.draft.add_logprobs(choice.logprobs)
        if choice.finish_reason:
            self.draft.finish = choice.finish_reason

    def _fail(self, data: bytes) -> None:
        try:
            value = msgspec.json.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            value = data[:1000].decode("utf-8", "replace")
        inner = value.get("error", value) if isinstance(value, dict) else value
        self._dialect.refuse(inner or "no reason given", ProviderError)


def _draft(*, tools: bool) -> PartialAnswer:
    draft = PartialAnswer()
    if tools:
        draft.calls = ChatCalls()
    return draft


def add_message(draft: PartialAnswer, said: _MessageBody) -> None:
    """Add a message, or a piece of one."""
    content = said.content
    if content:
        if isinstance(content, str):
            draft.parts.append(content)
        else:
            draft.parts.extend(part.text for part in content if part.text)
    if said.refusal:
        draft.is_refusal = True
        draft.parts.append(said.refusal)
    if said.reasoning_content or said.reasoning:
        draft.has_reasoning = True
    if said.tool_calls or said.function_call:
        draft.tools = True
    if isinstance(draft.calls, ChatCalls):
        draft.calls.add_calls(said.tool_calls)
        for name in ("reasoning_content", "reasoning", "reasoning_details"):
            draft.calls.add_reasoning(name, getattr(said, name))


def _text_alone(chunk: _Reply) -> str | None:
    """The text of a chunk that brings nothing else."""
    choices = chunk.choices
    if not choices or len(choices) > 1 or chunk.error or chunk.usage is not None:
        return None
    said = choices[0].delta
    if said is None or not isinstance(said.content, str):
        return None
    is_alone = choices[0] == _Choice(delta=_MessageBody(content=said.content))
    return said.content if is_alone else None


def _text_of(data: bytes) -> str | None:
    return _text_alone(_piece.decode(data))


def _index(choice: _Choice) -> int:
    return choice.index


def with_reasoning(usage: Any) -> Any:  # noqa: ANN401  any JSON
    """Counts of an endpoint that leaves reasoning out of the completion's: it is put in."""
    if not isinstance(usage, dict):
        return usage
    prompt, completion, total = (
        usage.get(f"{name}_tokens") for name in ("prompt", "completion", "total")
    )
    if not (isinstance(prompt, int) and isinstance(completion, int) and isinstance(total, int)):
        return usage
    whole = max(completion, total - prompt)
    details = usage.get("completion_tokens_details")
    known = details if isinstance(details, dict) else {}
    if whole > completion and known.get("reasoning_tokens") is None:
        details = {**known, "reasoning_tokens": whole - completion}
    return {**usage, "completion_tokens": whole, "completion_tokens_details": details}
