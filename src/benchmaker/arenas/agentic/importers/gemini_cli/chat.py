"""From the records of one Gemini chat to events."""

from collections.abc import Iterator
from typing import Literal

import msgspec

from benchmaker.arenas.agentic.importers.gemini_cli.records import (
    ARGUMENTS,
    Call,
    Chat,
    Display,
    Part,
    Record,
)
from benchmaker.arenas.agentic.importers.gemini_cli.shell import exit_code_of
from benchmaker.arenas.agentic.importers.gemini_cli.usage import usage_of
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import call_digest
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import (
    PROJECT_HASH,
    Activity,
    Compaction,
    Event,
    Failure,
    FileChange,
    Interruption,
    LlmCall,
    Metric,
    Session,
    SubagentStart,
    ToolCall,
    ToolResult,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.logs.tooltext import raw_text

HARNESS = "gemini-cli"

_RECORDS: frozenset[Metric] = frozenset(
    {"llm_calls", "tool_calls", "tool_errors", "compactions", "interruptions", "file_changes"}
)
_WRITING = {"write_file": "created", "replace": "modified", "edit": "modified"}
_CANCELLED = "Request cancelled"
_COMPRESSED = ("Chat history compressed", "Chat history has been compressed")


class Conversation:
    """Reads the records of one file, each once: the last that was written under its id."""

    def __init__(self, options: Options, *, file: int, agent: str) -> None:
        self._options = options
        self._file = file
        self._agent = agent
        self._has_model = False

    def header(self, head: Record | Chat, line: int) -> Iterator[Event]:
        """The session, or the start of the subagent whose file it is."""
        place = self._place(head.start_time, line)
        if self._agent:
            yield SubagentStart(**place, id=self._agent)
            return
        yield Session(
            **place,
            session_id=head.session_id or "",
            harness=HARNESS,
            provider="google",
            records=_RECORDS,
            extra={PROJECT_HASH: head.project_hash} if head.project_hash else {},
        )

    def events(self, record: Record, line: int) -> Iterator[Event]:
        """Yield the events of one record."""
        place = self._place(record.timestamp, line)
        match record.type:
            case "gemini":
                yield from self._answer(record, place)
            case "user":
                yield from self._prompt(record, place)
            case "info" | "warning":
                yield from self._notice(record, place)
            case "error":
                yield Failure(**place, message=self._options.text(_text(record)) or "")
            case _:
                yield Activity(**place)

    def _place(self, moment: str | None, line: int) -> EventPlace:
        return EventPlace(at=seconds(moment), agent=self._agent, line=line, file=self._file)

    def _answer(self, record: Record, place: EventPlace) -> Iterator[Event]:
        model = record.model or self._options.model
        if record.model and not (self._agent or self._has_model):
            self._has_model = True
            yield Session(**place, model=record.model)
        if record.tokens is None:
            yield Activity(**place)
        else:
            yield LlmCall(
                **place,
                id=record.id,
                model=model,
                usage=usage_of(record.tokens),
                text=self._options.text(_text(record)),
                reasoning=self._options.text(_reasoning(record)) or None,
            )
        for number, call in enumerate(record.tool_calls or ()):
            yield from self._call(call, f"{record.id}:{call.id or number}", place)

    def _call(self, call: Call, call_id: str, place: EventPlace) -> Iterator[Event]:
        name = call.name or "unknown"
        yield ToolCall(
            **place,
            id=call_id,
            name=name,
            arguments=raw_text(call.args, self._options),
            digest=call_digest(name, bytes(call.args)),
        )
        done = place.copy()
        done["at"] = seconds(call.timestamp) or place["at"]
        if call.status == "cancelled":
            yield Interruption(**done, id=call_id)
        yield ToolResult(
            **done,
            call_id=call_id,
            is_error=call.status == "error" or bool(exit_code_of(call)),
            text=raw_text(call.result, self._options),
        )
        yield from _change(call, call_id, done)

    def _prompt(self, record: Record, place: EventPlace) -> Iterator[Event]:
        """Yield a user message; results of tools have the same type."""
        if self._agent or _is_response(record.content):
            yield Activity(**place)
            return
        yield UserTurn(**place, id=record.id, text=self._options.text(_text(record)))

    def _notice(self, record: Record, place: EventPlace) -> Iterator[Event]:
        text = _text(record)
        if text.startswith(_CANCELLED):
            yield Interruption(**place, id=record.id)
        elif text.startswith(_COMPRESSED):
            yield Compaction(**place, id=record.id)
        else:
            yield Activity(**place)


def is_header(record: Record) -> bool:
    """True if it is the header line of a file."""
    return record.id is None and record.session_id is not None


def _change(call: Call, call_id: str, place: EventPlace) -> Iterator[FileChange]:
    if call.name not in _WRITING or call.status == "cancelled":
        return
    display = call.result_display if isinstance(call.result_display, Display) else Display()
    path = display.file_path or _path(call.args) or display.file_name
    if path is None:
        return
    stat = display.diff_stat
    yield FileChange(
        **place,
        path=path,
        call_id=call_id,
        change=_kind(call, display),
        added=stat.model_added_lines if stat else None,
        removed=stat.model_removed_lines if stat else None,
        failed=call.status == "error",
    )


def _kind(call: Call, display: Display) -> Literal["created", "modified"]:
    """A new file by its own word; one that was empty is said to be no new one."""
    if display.is_new_file is not None:
        return "created" if display.is_new_file else "modified"
    return "created" if _WRITING.get(call.name or "") == "created" else "modified"


def _path(arguments: msgspec.Raw) -> str | None:
    try:
        decoded, _ = ARGUMENTS.decode(arguments)
    except DecodingError:
        return None
    return decoded.file_path or decoded.absolute_path


def _text(record: Record) -> str:
    content = record.content
    parts = content if isinstance(content, list) else [content]
    texts = (part.text if isinstance(part, Part) else part for part in parts)
    return "\n".join(text for text in texts if text)


def _reasoning(record: Record) -> str:
    """Return the model's reasoning, each piece below its subject."""
    pieces = (filter(None, (it.subject, it.description)) for it in record.thoughts or ())
    return "\n\n".join("\n".join(piece) for piece in pieces)


def _is_response(content: str | list[Part | str] | Part | None) -> bool:
    """True if it only contains results of tools."""
    parts = content if isinstance(content, list) else [content]
    return bool(parts) and all(
        isinstance(part, Part) and bool(part.function_response) for part in parts
    )
