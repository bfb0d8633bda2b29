"""Sessions, messages and their parts, as far as they are read."""

from typing import Any

import msgspec

from benchmaker.arenas.agentic.loose import Amount, Count, Loose


class Cache(msgspec.Struct):
    """What was read from the cache, and written to it."""

    read: Count | None = None
    write: Count | None = None


class Tokens(msgspec.Struct):
    """The count of one request: input stands beside the cache, reasoning beside output."""

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
    """Which model, and who serves it."""

    id: str | None = None
    provider_id: str | None = None


class Problem(msgspec.Struct):
    """Why an answer was broken off."""

    name: str | None = None
    data: Any = None  # of each problem's own shape


class Metadata(msgspec.Struct, rename={"session_id": "sessionId"}):
    """What a tool reports beside its output."""

    exit: int | None = None
    exists: bool | None = None
    session_id: str | None = None


class State(msgspec.Struct):
    """How far a call of a tool has come."""

    status: str | None = None
    input: msgspec.Raw = msgspec.Raw(b"")
    output: str | None = None
    error: str | None = None
    metadata: Metadata | None = None
    time: Span | None = None


class Part(msgspec.Struct, rename={"call_id": "callID", "message_id": "messageID"}):
    """A piece of a message; what is there depends on the type."""

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


class Info(msgspec.Struct, rename={"model_id": "modelID", "provider_id": "providerID"}):
    """A message without its parts."""

    id: str | None = None
    role: str | None = None
    time: Span | None = None
    model_id: str | None = None
    provider_id: str | None = None
    tokens: Tokens | None = None
    cost: Amount | None = None
    finish: str | None = None
    error: Problem | None = None


class Message(msgspec.Struct):
    """A message with its parts."""

    info: Info
    parts: list[Part] = []


class Head(msgspec.Struct):
    """The session itself."""

    id: str | None = None
    directory: str | None = None
    version: str | None = None
    model: Model | None = None


class Export(msgspec.Struct):
    """What ``export`` prints."""

    info: Head | None = None
    messages: list[Message] | None = None


class Line(msgspec.Struct, rename={"session_id": "sessionID"}):
    """One line of what ``run --format json`` prints."""

    type: str | None = None
    timestamp: Any = None  # milliseconds
    session_id: str | None = None
    part: Part | None = None
    error: Problem | None = None


class Arguments(msgspec.Struct, rename="camel"):
    """The file that a tool is to change."""

    file_path: str | None = None


INFOS = Loose(Info)
PARTS = Loose(Part)
MODELS = Loose(Model)
EXPORTS = Loose(Export)
LINES = Loose(Line)
ARGUMENTS = Loose(Arguments)
