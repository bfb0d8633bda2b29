"""The fields of a session file's rows that are read."""

from contextlib import suppress
from typing import Any

import msgspec

from benchmaker.arenas.agentic.importers.sniffing import first_rows
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.lenient_json import Amount, Count, Loose

_ROLES = {"user", "assistant", "toolResult"}
_SNAPSHOT = "model-snapshot"


class _Camel(msgspec.Struct, rename="camel"):
    pass


class Cost(msgspec.Struct):
    """Dollars."""

    total: Amount | None = None


class Usage(_Camel):
    """The tokens of one answer; input excludes the cache, output includes reasoning."""

    input: Count | None = None
    output: Count | None = None
    cache_read: Count | None = None
    cache_write: Count | None = None
    reasoning: Count | None = None
    cost: Cost | None = None


class Block(msgspec.Struct):
    """A part of a message."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    arguments: msgspec.Raw = msgspec.Raw(b"")


class Message(_Camel):
    """A message: a person's, a model's, or a tool's."""

    role: str | None = None
    content: str | list[Block] | None = None
    timestamp: Any = None  # milliseconds, or a text
    model: str | None = None
    model_id: str | None = None
    usage: Usage | None = None
    stop_reason: str | None = None
    error_message: str | None = None
    tool_call_id: str | None = None
    is_error: bool | None = None


class Row(_Camel):
    """One row; which fields it has depends on its type."""

    type: str | None = None
    id: str | None = None
    timestamp: Any = None  # a text, or milliseconds
    cwd: str | None = None
    provider: str | None = None
    model_id: str | None = None
    custom_type: str | None = None
    message: msgspec.Raw = msgspec.Raw(b"")


ROWS = Loose(Row)
MESSAGES = Loose(Message)


def session_in(start: bytes) -> str:
    """The id of the session in the first row; empty if there is none."""
    if b'"session"' not in start.split(b"\n", 1)[0]:
        return ""
    first = next(first_rows(start, ROWS), Row())
    is_session = first.type == "session" and first.cwd is not None and first.timestamp is not None
    return (first.id or "") if is_session else ""


def kind_of(start: bytes) -> str:
    """Return the tool of a session file, ``pi`` or ``openclaw``; empty for neither."""
    return _tool_of(start) if session_in(start) else ""


def later_kind_of(start: bytes) -> str:
    """As :func:`kind_of`, for a file with messages but without the row of the session."""
    return _tool_of(start) if any(map(_is_message, first_rows(start, ROWS))) else ""


def _is_message(row: Row) -> bool:
    """True for a message in the envelope of a session file."""
    if row.type != "message" or row.timestamp is None:
        return False
    with suppress(DecodingError):
        return MESSAGES.decode(row.message)[0].role in _ROLES
    return False


def _tool_of(start: bytes) -> str:
    is_claw = any(row.custom_type == _SNAPSHOT for row in first_rows(start, ROWS))
    return "openclaw" if is_claw else "pi"
