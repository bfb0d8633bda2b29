"""Goose: its database of sessions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef, Skipped
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import call_digest
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import (
    Event,
    LlmCall,
    Session,
    ToolCall,
    ToolResult,
    Totals,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.lenient_json import Loose
from benchmaker.arenas.agentic.logs.options import MAX_COUNT
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.logs.tooltext import raw_text
from benchmaker.errors import StoreError
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import TokenUsage
from benchmaker.store.database.foreign_databases import (
    MAGIC,
    ForeignDatabase,
    open_foreign_database,
)

_SIGNS = {"id", "working_dir", "accumulated_input_tokens", "accumulated_output_tokens"}
_SUMS = (
    "accumulated_total_tokens",
    "accumulated_input_tokens",
    "accumulated_output_tokens",
    "accumulated_cost",
)
_FACTS = ("created_at", "working_dir", "provider_name", "model_config_json", *_SUMS)
_MESSAGE = ("id", "role", "content_json", "created_timestamp")


class _Value(msgspec.Struct):
    name: str | None = None
    arguments: msgspec.Raw = msgspec.Raw(b"")
    is_error: bool | None = msgspec.field(default=None, name="isError")


class _Attempt(msgspec.Struct):
    status: str | None = None
    value: msgspec.Raw = msgspec.Raw(b"")


class _Part(msgspec.Struct, rename="camel"):
    type: str | None = None
    id: str | None = None
    text: str | None = None
    thinking: str | None = None
    tool_call: _Attempt | None = None
    tool_result: _Attempt | None = None


class _Model(msgspec.Struct):
    model_name: str | None = None


_PARTS: Loose[list[_Part]] = Loose(list[_Part])
_VALUES = Loose(_Value)
_MODELS = Loose(_Model)


@importer(id="goose", version="1")
class Goose:
    """Sessions of Goose, from its database.

    Based on the tool's own schema (``sessions.db``, 2026) and ccusage's open-source reader. The
    database has sums for a whole session, and no counts of requests or cache tokens.
    """

    id: ClassVar[str] = "goose"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Goose"

    def sniff(self, head: FileHead) -> float:
        """By the tables and their columns."""
        if not head.start.startswith(MAGIC):
            return 0.0
        try:
            with open_foreign_database(head.path) as base:
                is_own = base.columns("sessions") >= _SIGNS
                return 0.95 if is_own and base.columns("messages") >= set(_MESSAGE) else 0.0
        except StoreError:
            return 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """A session for each row of the table of sessions."""
        with open_foreign_database(root) as base:
            for (name,) in base.rows("sessions", ("id",), order=("id",)):
                yield SessionRef(importer=self.id, id=str(name), files=(root,), part=str(name))

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """The session, then message by message."""
        try:
            with open_foreign_database(ref.files[0]) as base:
                yield from _session(base, ref, options)
        except StoreError as exc:
            options.skip(Skipped(ref.files[0], 0, exc.message))


def _session(base: ForeignDatabase, ref: SessionRef, options: Options) -> Iterator[Event]:
    known = [name for name in _FACTS if name in base.columns("sessions")]
    row = next(base.rows("sessions", known, where={"id": ref.id}), ())
    facts = dict(zip(known, row, strict=False))
    name = f"{ref.id}@{facts.get('created_at')}"
    yield Session(
        at=seconds(facts.get("created_at")),
        session_id=name,
        harness="goose",
        provider=_text(facts.get("provider_name")),
        model=_model(facts.get("model_config_json")) or options.model,
        cwd=_text(facts.get("working_dir")),
        records=frozenset({"tool_calls", "tool_errors"}),
    )
    rows = base.rows("messages", _MESSAGE, where={"session_id": ref.id}, order=("id",))
    for number, role, content, created in rows:
        place = EventPlace(at=seconds(created), agent="", line=0, file=0)
        try:
            parts, _ = _PARTS.decode(str(content).encode("utf-8", "replace"))
        except DecodingError as refused:
            options.skip(Skipped(ref.files[0], 0, f"message {number}: {refused}"))
            continue
        yield from _message(role, parts, f"goose:{name}:{number}", place, options)
    sums = ((name, facts.get(name)) for name in _SUMS)
    options.refuse_impossible(sums, path=ref.files[0])
    yield _totals(facts)


def _message(
    role: object, parts: list[_Part], name: str, place: EventPlace, options: Options
) -> Iterator[Event]:
    words = "\n".join(part.text for part in parts if part.type == "text" and part.text)
    if role == "assistant":
        thoughts = "\n\n".join(part.thinking for part in parts if part.thinking)
        yield LlmCall(
            **place,
            id=name,
            model=None,
            requests=None,
            text=options.text(words) or None,
            reasoning=options.text(thoughts) or None,
        )
    elif words:
        yield UserTurn(**place, id=name, text=options.text(words))
    for number, part in enumerate(parts):
        call_id = f"{name}:{number}" if part.id is None else f"goose:{part.id}"
        if part.tool_call is not None:
            value = _value(part.tool_call)
            called = value.name or "unknown"
            yield ToolCall(
                **place,
                id=call_id,
                name=called,
                arguments=raw_text(value.arguments, options),
                digest=call_digest(called, bytes(value.arguments)),
            )
        if part.tool_result is not None:
            failed = part.tool_result.status == "error" or bool(_value(part.tool_result).is_error)
            text = raw_text(part.tool_result.value, options)
            yield ToolResult(**place, call_id=call_id, is_error=failed, text=text)


def _value(attempt: _Attempt) -> _Value:
    try:
        return _VALUES.decode(attempt.value)[0]
    except DecodingError:
        return _Value()


def _totals(facts: dict[str, Any]) -> Totals:
    """The sums of the session; how much of its input came from the cache is not recorded."""
    given = _count(facts.get("accumulated_input_tokens"))
    made = _count(facts.get("accumulated_output_tokens"))
    cost = facts.get("accumulated_cost")
    return Totals(
        usage=TokenUsage(input_uncached=given, output=made) if given or made else None,
        total_tokens=_count(facts.get("accumulated_total_tokens")),
        cost_usd=cost if isinstance(cost, int | float) and 0 < cost <= MAX_COUNT else None,
    )


def _count(value: object) -> int | None:
    is_sound = isinstance(value, int) and 0 < value <= MAX_COUNT
    return value if is_sound and isinstance(value, int) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _model(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    try:
        return _MODELS.decode(value.encode("utf-8", "replace"))[0].model_name
    except DecodingError:
        return None
