"""The fields that are read of Qwen Code's chats and of its printed output."""

import msgspec

from benchmaker.arenas.agentic.importers.claude.rows import Message as Printed
from benchmaker.arenas.agentic.logs.lenient_json import Amount, Count, Loose


class _Camel(msgspec.Struct, rename="camel"):
    pass


class Counted(_Camel):
    """The tokens of one answer; the prompt includes cached ones."""

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
    """The result of a tool."""

    id: str | None = None
    response: msgspec.Raw = msgspec.Raw(b"")


class Part(_Camel):
    """A part of a message; thoughts are not part of the answer's text."""

    text: str | None = None
    thought: bool | None = None
    function_call: FunctionCall | None = None
    function_response: FunctionResponse | None = None


class ChatMessage(msgspec.Struct):
    """A message of a chat."""

    parts: list[Part] | None = None


class Happened(msgspec.Struct):
    """A telemetry event of Qwen Code."""

    name: str | None = msgspec.field(default=None, name="event.name")
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
    """The payload of a system row."""

    ui_event: Happened | None = None


class Outcome(_Camel):
    """The outcome of a tool call."""

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
    message: ChatMessage | None = None
    usage_metadata: Counted | None = None
    system_payload: Payload | None = None
    tool_call_result: Outcome | None = None


class Sums(msgspec.Struct):
    """The tokens of a run, in its last line."""

    total_tokens: Count | None = None


class Line(msgspec.Struct):
    """One line of the output of ``-o stream-json``, a dialect of Claude Code's."""

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
    usage: Sums | None = None
    total_cost_usd: Amount | None = None

    @property
    def is_own(self) -> bool:
        """True if only Qwen Code prints such a line; the id of a message is that of its line."""
        match self.type:
            case "system":
                return bool(self.qwen_code_version)
            case "assistant":
                return self.message is not None and (self.message.id or "") == self.uuid
            case "result":
                has_sum = self.usage is not None and self.usage.total_tokens is not None
                return has_sum and self.total_cost_usd is None
            case _:
                return False


ROWS = Loose(Row)
LINES = Loose(Line)
