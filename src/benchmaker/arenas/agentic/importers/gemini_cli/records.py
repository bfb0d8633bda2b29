"""The records read from a Gemini chat; everything else is skipped unread."""

from typing import TypeAlias

import msgspec

from benchmaker.arenas.agentic.logs.lenient_json import Amount, Count, Loose

Unread: TypeAlias = str | int | float | bool | list[msgspec.Raw] | None
"""A value that may replace an expected object."""


class Tokens(msgspec.Struct):
    """Google's counts: cached is part of input; thoughts and tool are separate from the output."""

    input: Count | None = None
    prompt: Count | None = None
    output: Count | None = None
    candidates: Count | None = None
    cached: Count | None = None
    thoughts: Count | None = None
    tool: Count | None = None
    total: Count | None = None


class _Camel(msgspec.Struct, rename="camel"):
    pass


class DiffStat(msgspec.Struct):
    """Lines changed by the model, not by the user."""

    model_added_lines: Count | None = None
    model_removed_lines: Count | None = None


class Display(_Camel):
    """The displayed part of a file change."""

    file_path: str | None = None
    file_name: str | None = None
    file_diff: str | None = None
    is_new_file: bool | None = None
    original_content: str | None = None
    diff_stat: DiffStat | None = None


class Arguments(msgspec.Struct):
    """The file changed by a tool."""

    file_path: str | None = None
    absolute_path: str | None = None


class Call(_Camel):
    """A tool call with its result."""

    id: str | None = None
    name: str | None = None
    args: msgspec.Raw = msgspec.Raw(b"")
    result: msgspec.Raw = msgspec.Raw(b"")
    status: str | None = None
    timestamp: str | None = None
    agent_id: str | None = None
    result_display: Display | Unread = None


class Part(_Camel):
    """One piece of a message."""

    text: str | None = None
    function_response: msgspec.Raw = msgspec.Raw(b"")


class Thought(msgspec.Struct):
    """A piece of the model's reasoning."""

    subject: str | None = None
    description: str | None = None


class Record(_Camel):
    """A message, or a line of facts without ``id``.

    ``$set`` and ``$rewindTo`` are not read: the former repeats earlier messages, and work undone by
    the latter was still done and paid for.
    """

    id: str | None = None
    type: str | None = None
    timestamp: str | None = None
    content: str | list[Part | str] | Part | None = None
    tokens: Tokens | None = None
    model: str | None = None
    thoughts: list[Thought] | None = None
    tool_calls: list[Call] | None = None

    session_id: str | None = None
    project_hash: str | None = None
    start_time: str | None = None
    kind: str | None = None


class Named(msgspec.Struct):
    """A record's id alone."""

    id: str | None = None


class Chat(_Camel):
    """A whole chat as one document, as versions before 0.39 write it."""

    session_id: str | None = None
    project_hash: str | None = None
    start_time: str | None = None
    kind: str | None = None
    messages: list[Record] | None = None


class Requests(_Camel):
    """The number of requests to a model."""

    total_requests: Count | None = None
    total_latency_ms: Amount | None = None


class ModelStats(msgspec.Struct):
    """One model's sums."""

    api: Requests | None = None
    tokens: Tokens | None = None


class ToolStat(msgspec.Struct):
    """One tool's sums."""

    count: Count | None = None
    fail: Count | None = None


class ToolStats(_Camel):
    """All tools' sums."""

    total_calls: Count | None = None
    total_fail: Count | None = None
    total_duration_ms: Amount | None = None
    by_name: dict[str, ToolStat] = {}


class Stats(msgspec.Struct):
    """The sums that ``gemini -o json`` ends with."""

    models: dict[str, ModelStats] = {}
    tools: ToolStats | None = None


class Answer(msgspec.Struct):
    """The output of ``gemini -o json``."""

    session_id: str | None = None
    response: str | None = None
    stats: Stats | None = None


NAMES = Loose(Named)
RECORDS = Loose(Record)
CHATS = Loose(Chat)
ANSWERS = Loose(Answer)
ARGUMENTS = Loose(Arguments)
