"""The rows of Qwen Code, as far as they are read: of its chats, and of what it prints."""

import msgspec

from benchmaker.arenas.agentic.importers.claude.rows import Message as Printed
from benchmaker.arenas.agentic.loose import Amount, Count, Loose


class _Camel(msgspec.Struct, rename="camel"):
    pass


class Counted(_Camel):
    """The counts of one answer: cached lies inside the prompt."""

    prompt_token_count: Count | None = None
    candidates_token_count: Count | None = None
    thoughts_token_count: Count | None = None
    cached_content_token_count: Count | None = None
    total_token_count: Count | None = None


class FunctionCall(msgspec.Struct):
    """A call of a tool."""

    id: str | None = None
    name: str | None = None
    args: msgspec.Raw = msgspec.Raw(b"")


class FunctionResponse(msgspec.Struct):
    """What a tool gave back."""

    id: str | None = None
    response: msgspec.Raw = msgspec.Raw(b"")


class Part(_Camel):
    """A piece of a message; thoughts are no words to the person."""

    text: str | None = None
    thought: bool | None = None
    function_call: FunctionCall | None = None
    function_response: FunctionResponse | None = None


class Said(msgspec.Struct):
    """A message of a chat."""

    role: str | None = None
    parts: list[Part] | None = None


class Happened(msgspec.Struct):
    """What Qwen Code measures of itself."""

    name: str | None = msgspec.field(default=None, name="event.name")
    response_id: str | None = None
    model: str | None = None
    duration_ms: Amount | None = None
    input_token_count: Count | None = None
    output_token_count: Count | None = None
    cached_content_token_count: Count | None = None
    thoughts_token_count: Count | None = None
    total_token_count: Count | None = None
    error_message: str | None = None
    error: str | None = None


class Payload(_Camel):
    """What a row of the system's carries."""

    ui_event: Happened | None = None


class Outcome(_Camel):
    """How a call of a tool ended."""

    call_id: str | None = None
    status: str | None = None


class Row(_Camel):
    """One row of a chat."""

    uuid: str | None = None
    parent_uuid: str | None = None
    session_id: str | None = None
    timestamp: str | None = None
    type: str | None = None
    subtype: str | None = None
    cwd: str | None = None
    version: str | None = None
    model: str | None = None
    message: Said | None = None
    usage_metadata: Counted | None = None
    system_payload: Payload | None = None
    tool_call_result: Outcome | None = None


class Line(msgspec.Struct):
    """One line of what ``-o stream-json`` prints, a dialect of Claude Code's."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    session_id: str | None = None
    cwd: str | None = None
    model: str | None = None
    qwen_code_version: str | None = None
    parent_tool_use_id: str | None = None
    message: Printed | None = None
    is_error: bool | None = None
    duration_ms: Amount | None = None
    duration_api_ms: Amount | None = None


ROWS = Loose(Row)
LINES = Loose(Line)
