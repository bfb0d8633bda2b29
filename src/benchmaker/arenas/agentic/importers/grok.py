"""Grok CLI: ``updates.jsonl``, which has tools but no tokens."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Literal

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef
from benchmaker.arenas.agentic.importers.sniffing import file_start, first_rows
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import call_digest, line_beginnings
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import (
    Activity,
    Event,
    FileChange,
    Session,
    ToolCall,
    ToolResult,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.lenient_json import Loose, loose_lines
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.logs.tooltext import raw_text
from benchmaker.plugins import importer

_EDITORS: dict[str, Literal["created", "modified"]] = {
    "write": "created",
    "search_replace": "modified",
}


class _Tool(msgspec.Struct):
    name: str | None = None


class _Meta(msgspec.Struct):
    tool: _Tool | None = msgspec.field(default=None, name="x.ai/tool")


class _Input(msgspec.Struct):
    file_path: str | None = None
    content: str | None = None
    old_string: str | None = None
    new_string: str | None = None


class _Output(msgspec.Struct):
    exit_code: int | None = None
    text: str | None = None


class _Update(msgspec.Struct, rename="camel"):
    session_update: str | None = None
    tool_call_id: str | None = None
    title: str | None = None
    raw_input: msgspec.Raw = msgspec.Raw(b"")
    raw_output: _Output | None = None
    status: str | None = None
    meta: _Meta | None = msgspec.field(default=None, name="_meta")


class _Params(msgspec.Struct, rename="camel"):
    session_id: str | None = None
    update: _Update | None = None


class _Row(msgspec.Struct):
    method: str | None = None
    params: _Params | None = None
    timestamp: Any = None  # seconds, or a text


_ROWS = Loose(_Row)
_INPUTS = Loose(_Input)


@importer(id="grok", version="1")
class Grok:
    """Updates of a session of Grok CLI: calls of tools, their results, and files."""

    id: ClassVar[str] = "grok"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Grok CLI"

    def sniff(self, head: FileHead) -> float:
        """By the method of its rows."""
        first = head.start.split(b"\n", 1)[0]
        return 0.9 if b'session/update"' in first and b'"sessionUpdate"' in first else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The one session of the file, named by its first row, or else by its folder."""
        first = next(first_rows(file_start(root), _ROWS), _Row())
        session = (first.params and first.params.session_id) or ""
        name = session or f"grok:{root.parent.name}"
        yield SessionRef(importer=self.id, id=name, files=(root,), session=session)

    def beginnings(self, ref: SessionRef, options: Options) -> tuple[bytes, ...]:
        """The beginnings of the list of rows."""
        return line_beginnings(ref.files[0], options)

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """Row by row."""
        yield Session(
            session_id=ref.id,
            harness="grok-cli",
            model=options.model,
            provider="x-ai",
            records=frozenset({"tool_calls", "tool_errors", "file_changes"}),
        )
        reader = _Reader(options, ref.session)
        for number, row in loose_lines(ref.files[0], options, _ROWS):
            place = EventPlace(at=seconds(row.timestamp), agent="", line=number, file=0)
            update = row.params.update if row.params else None
            yield from reader.events(update or _Update(), place)


class _Reader:
    """Reads updates; a file is changed once its call has succeeded."""

    def __init__(self, options: Options, session: str) -> None:
        self._options = options
        self._session = session
        self._changes: dict[str, FileChange] = {}
        self._ids: dict[str, str] = {}
        self._was_user = False

    def events(self, update: _Update, place: EventPlace) -> Iterator[Event]:
        """Yield the events of one row."""
        kind = update.session_update
        call_id = update.tool_call_id
        if kind == "tool_call" and call_id:
            self._ids[call_id] = f"grok:{self._session or place['at']}:{call_id}"
            yield self._tool_call(update, self._ids[call_id], place)
        elif kind == "tool_call_update" and call_id:
            known = self._ids.get(call_id) or f"grok:{self._session}:{call_id}"
            yield from self._tool_result(update, known, place)
        elif kind == "user_message_chunk" and not self._was_user:
            moment = place["at"] if self._session else None
            yield UserTurn(**place, id=f"line {place['line']}" if moment is None else f"{moment}")
        else:
            yield Activity(**place)
        self._was_user = kind == "user_message_chunk"

    def _tool_call(self, update: _Update, call_id: str, place: EventPlace) -> ToolCall:
        tool = update.meta.tool if update.meta else None
        name = (tool.name if tool else None) or update.title or "unknown"
        change = _EDITORS.get(name)
        if change is not None:
            given = _input(update.raw_input)
            if given.file_path:
                self._changes[call_id] = FileChange(
                    **place,
                    path=given.file_path,
                    call_id=call_id,
                    change=change,
                    added=_lines(given.content or given.new_string),
                    removed=_lines(given.old_string),
                )
        return ToolCall(
            **place,
            id=call_id,
            name=name,
            arguments=raw_text(update.raw_input, self._options),
            digest=call_digest(name, bytes(update.raw_input)),
        )

    def _tool_result(self, update: _Update, call_id: str, place: EventPlace) -> Iterator[Event]:
        if update.status not in ("completed", "failed"):
            yield Activity(**place)
            return
        output = update.raw_output or _Output()
        is_error = update.status == "failed" or bool(output.exit_code)
        text = self._options.text(output.text)
        yield ToolResult(**place, call_id=call_id, is_error=is_error, text=text)
        change = self._changes.pop(call_id, None)
        if change is not None:
            yield msgspec.structs.replace(change, failed=is_error)


def _input(raw: msgspec.Raw) -> _Input:
    try:
        return _INPUTS.decode(raw)[0]
    except DecodingError:
        return _Input()


def _lines(text: str | None) -> int:
    return len(text.splitlines()) if text else 0
