"""The fields of sessions, messages and parts that are read."""

from typing import Any

import msgspec

from benchmaker.arenas.agentic.logs.lenient_json import Amount, Count, Loose


class Cache(msgspec.Struct):
    """Tokens read from the cache, and written to it."""

    read: Count | None = None
    write: Count | None = None


class Tokens(msgspec.Struct):
    """The tokens of one request; input excludes the cache, output excludes reasoning."""

    input: Count | None = None
    output: Count | None = None
    reasoning: Count | None = None
    cache: Cache | None = None


class Span(msgspec.Struct):
    """Milliseconds since 1970."""

    created: Any = None  # a number, or a text in some
    completed: Any = None
    start: Any = None
    end: Any = None


class Model(msgspec.Struct, rename={"provider_id": "providerID"}):
    """A model and its provider."""

    id: str | None = None
    provider_id: str | None = None


class Problem(msgspec.Struct):
    """The reason for an interrupted answer."""

    name: str | None = None
    data: Any = None  # of each problem's own shape


class Metadata(msgspec.Struct, rename={"session_id": "sessionId"}):
    """The tool's report besides its output."""

    exit: int | None = None
    exists: bool | None = None
    session_id: str | None = None


class State(msgspec.Struct):
    """The state of a tool call, with its input and output."""

    status: str | None = None
    input: msgspec.Raw = msgspec.Raw(b"")
    output: str | None = None
    error: str | None = None
    metadata: Metadata | None = None
    time: Span | None = None


class Part(msgspec.Struct, rename={"call_id": "callID", "message_id": "messageID"}):
    """A part of a message; which fields it has depends on its type."""

    id: str | None = None
    message_id: str | None = None
    type: str | None = None
    text: str | None = None
    synthetic: bool | None = None
    tool: str | None = None
    call_id: str | None = None
    state: State | None = None
    tokens: Tokens | None = None
    cost: Amount | None = None
    reason: str | None = None


class Info(msgspec.Struct, rename={"model_id": "modelID"}):
    """A message without its parts."""

    id: str | None = None
    role: str | None = None
    time: Span | None = None
    model_id: str | None = None
    tokens: Tokens | None = None
    cost: Amount | None = None
    error: Problem | None = None


class Message(msgspec.Struct):
    """A message with its parts."""

    info: Info
    parts: list[Part] = []


class Head(msgspec.Struct):
    """Return the session itself."""

    id: str | None = None
    directory: str | None = None
    version: str | None = None
    model: Model | None = None


class Export(msgspec.Struct):
    """The output of ``export``."""

    info: Head | None = None
    messages: list[Message] | None = None


class Line(msgspec.Struct, rename={"session_id": "sessionID"}):
    """One line of the output of ``run --format json``."""

    timestamp: Any = None  # milliseconds
    session_id: str | None = None
    part: Part | None = None
    error: Problem | None = None


class Arguments(msgspec.Struct, rename="camel"):
    """The file changed by a tool."""

    file_path: str | None = None


INFOS = Loose(Info)
PARTS = Loose(Part)
MODELS = Loose(Model)
EXPORTS = Loose(Export)
LINES = Loose(Line)
ARGUMENTS = Loose(Arguments)
