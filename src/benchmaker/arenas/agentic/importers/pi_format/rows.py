"""The fields of a session file's rows that are read."""

from typing import Any

import msgspec

from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.lenient_json import Amount, Count, Loose

_FIRST_ROWS = 20
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


def _first_rows(start: bytes) -> list[Row]:
    rows = []
    for line in start.split(b"\n")[:_FIRST_ROWS]:
        try:
            rows.append(ROWS.decode(line)[0])
        except DecodingError:
            continue
    return rows


def session_in(start: bytes) -> str:
    """The id of the session in the first row; empty if there is none."""
    if b'"session"' not in start.split(b"\n", 1)[0]:
        return ""
    first = next(iter(_first_rows(start)), Row())
    is_session = first.type == "session" and first.cwd is not None and first.timestamp is not None
    return (first.id or "") if is_session else ""


def kind_of(start: bytes) -> str:
    """Return the tool of a session file, ``pi`` or ``openclaw``; empty for neither."""
    if not session_in(start):
        return ""
    is_claw = any(row.custom_type == _SNAPSHOT for row in _first_rows(start))
    return "openclaw" if is_claw else "pi"
