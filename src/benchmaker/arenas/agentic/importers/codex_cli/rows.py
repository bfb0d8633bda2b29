"""The rows read from a Codex rollout; everything else is skipped unread."""

from typing import Any

import msgspec

from benchmaker.arenas.agentic.logs.lenient_json import Count, Loose


class Tokens(msgspec.Struct, frozen=True):
    """OpenAI's count: cached input lies inside input, reasoning inside output."""

    input_tokens: Count = 0
    cached_input_tokens: Count = 0
    cache_write_input_tokens: Count = 0
    output_tokens: Count = 0
    reasoning_output_tokens: Count | None = None
    total_tokens: Count = 0


class TokenInfo(msgspec.Struct):
    """``total_token_usage`` is a running sum, ``last_token_usage`` the last request's part."""

    total_token_usage: Tokens | None = None
    last_token_usage: Tokens | None = None


class Change(msgspec.Struct):
    """The change of one file, in ``patch_apply_end``."""

    type: str | None = None
    add: msgspec.Raw = msgspec.Raw(b"")
    delete: msgspec.Raw = msgspec.Raw(b"")
    content: str | None = None
    unified_diff: str | None = None


class Text(msgspec.Struct):
    """A piece of a message or of a summary of reasoning."""

    text: str | None = None


class Item(msgspec.Struct):
    """The content of ``item_completed``; the fields depend on the type."""

    type: str | None = None
    id: str | None = None
    content: list[Text] | None = None
    aggregated_output: str | None = None
    exit_code: int | None = None
    status: str | None = None
    changes: dict[str, Change] | None = None

    @property
    def text(self) -> str:
        """The words of a message."""
        return "".join(part.text or "" for part in self.content or ())


class Payload(msgspec.Struct):
    """The fields of every kind of row together; which are there depends on the two types."""

    type: str | None = None
    id: str | None = None
    call_id: str | None = None
    turn_id: str | None = None
    thread_id: str | None = None
    timestamp: str | None = None

    cli_version: str | None = None
    originator: str | None = None
    model_provider: str | None = None
    cwd: str | None = None
    source: Any = None  # a word, or an object of any depth about the parent
    forked_from_id: str | None = None
    parent_thread_id: str | None = None
    agent_nickname: str | None = None
    agent_role: str | None = None

    model: str | None = None
    effort: str | None = None
    info: TokenInfo | None = None
    response_id: str | None = None
    usage: Tokens | None = None
    thread_token_usage: Tokens | None = None
    item: Item | None = None

    name: str | None = None
    arguments: msgspec.Raw = msgspec.Raw(b"")
    input: msgspec.Raw = msgspec.Raw(b"")
    action: msgspec.Raw = msgspec.Raw(b"")
    output: msgspec.Raw = msgspec.Raw(b"")

    message: str | None = None
    text: str | None = None
    summary: list[Text] | str | None = None
    kind: str | None = None
    reason: str | None = None
    success: bool | None = None
    changes: dict[str, Change] | None = None


class Row(msgspec.Struct):
    """One line."""

    timestamp: str | None = None
    ordinal: int | None = None
    type: str | None = None
    payload: Payload | None = None


ROWS = Loose(Row)
