"""The rows read from a Claude Code log; everything else is skipped unread."""

from typing import TypeAlias

import msgspec

from benchmaker.arenas.agentic.logs.lenient_json import Amount, Count, Loose

Unread: TypeAlias = str | int | float | bool | list[msgspec.Raw] | None
"""A value that may replace an object in rows that are not of interest."""


class _Camel(msgspec.Struct, rename="camel"):
    pass


class CacheCreation(msgspec.Struct):
    """Cache writes by lifetime; an hour costs more than five minutes."""

    ephemeral_5m_input_tokens: Count | None = None
    ephemeral_1h_input_tokens: Count | None = None


class Usage(msgspec.Struct):
    """The provider's count; ``input_tokens`` is without the cache."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None
    cache_creation: CacheCreation | None = None


class Block(msgspec.Struct):
    """One piece of a message's content."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = msgspec.Raw(b"")
    tool_use_id: str | None = None
    is_error: bool | None = None
    content: msgspec.Raw = msgspec.Raw(b"")


class Message(msgspec.Struct):
    """A message of the conversation; ``id`` and ``usage`` on the model's side only."""

    id: str | None = None
    role: str | None = None
    model: str | None = None
    usage: Usage | None = None
    content: str | list[Block | str] | None = None


class Hunk(msgspec.Struct):
    """A piece of a diff; its lines begin with a blank, ``+`` or ``-``."""

    lines: list[str] = []


class ToolOutcome(_Camel):
    """The tool's report to Claude Code itself, besides the text for the model."""

    type: str | None = None
    file_path: str | None = None
    structured_patch: list[Hunk] | None = None
    agent_id: str | None = None


class Progress(_Camel):
    """The progress of a hook or a subagent; ``message`` is a whole row of the subagent."""

    type: str | None = None
    agent_id: str | None = None
    message: "Row | Unread" = None


class ModelTotal(_Camel):
    """The use of one model, in the last row of ``--output-format stream-json``."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None


class Row(_Camel):
    """One line. Old versions leave ``type`` out."""

    type: str | None = None
    subtype: str | None = None
    timestamp: str | None = None
    session_id: str | None = None
    uuid: str | None = None
    version: str | None = None
    cwd: str | None = None
    entrypoint: str | None = None
    request_id: str | None = None
    agent_id: str | None = None
    is_meta: bool | None = None
    is_sidechain: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    cost_usd: Amount | None = msgspec.field(default=None, name="costUSD")
    message: Message | Unread = None
    data: Progress | Unread = None
    tool_use_result: ToolOutcome | Unread = None
    parent_tool_use_id: str | None = msgspec.field(default=None, name="parentToolUseID")

    stream_session_id: str | None = msgspec.field(default=None, name="session_id")
    stream_parent_id: str | None = msgspec.field(default=None, name="parent_tool_use_id")
    stream_version: str | None = msgspec.field(default=None, name="claude_code_version")
    model: str | None = None
    is_error: bool | None = msgspec.field(default=None, name="is_error")
    total_cost_usd: Amount | None = msgspec.field(default=None, name="total_cost_usd")
    terminal_reason: str | None = msgspec.field(default=None, name="terminal_reason")
    duration_ms: Amount | None = msgspec.field(default=None, name="duration_ms")
    duration_api_ms: Amount | None = msgspec.field(default=None, name="duration_api_ms")
    model_usage: dict[str, ModelTotal] | None = None


class ToolInput(msgspec.Struct):
    """The arguments that describe a file change."""

    file_path: str | None = None
    notebook_path: str | None = None
    content: str | None = None
    subagent_type: str | None = None
    description: str | None = None


ROWS = Loose(Row)
INPUTS = Loose(ToolInput)
