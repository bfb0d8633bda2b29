"""Kimi CLI: ``wire.jsonl``, the messages between the agent and its user interface."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import call_digest, line_beginnings
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import (
    Activity,
    Compaction,
    Event,
    Interruption,
    LlmCall,
    Session,
    SessionEnd,
    SubagentStart,
    ToolCall,
    ToolResult,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.lenient_json import Count, Loose, loose_lines
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.logs.tooltext import result_text
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import Status, TokenUsage

_FIRST_LINES = 5
_KINDS = {"TurnBegin", "StepBegin", "StatusUpdate", "ContentPart", "ToolCall", "ToolResult"}


class _Usage(msgspec.Struct):
    input_other: Count | None = None
    output: Count | None = None
    input_cache_read: Count | None = None
    input_cache_creation: Count | None = None


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: str | None = None


class _Returned(msgspec.Struct):
    is_error: bool | None = None
    output: msgspec.Raw = msgspec.Raw(b"")


class _Payload(msgspec.Struct):
    user_input: msgspec.Raw = msgspec.Raw(b"")
    type: str | None = None
    text: str | None = None
    think: str | None = None
    token_usage: _Usage | None = None
    message_id: str | None = None
    id: str | None = None
    function: _Function | None = None
    arguments_part: str | None = None
    tool_call_id: str | None = None
    return_value: _Returned | None = None
    parent_tool_call_id: str | None = None
    task_tool_call_id: str | None = None
    agent_id: str | None = None
    subagent_type: str | None = None
    event: "_Message | None" = None


class _Message(msgspec.Struct):
    type: str | None = None
    payload: _Payload | None = None


class _Line(msgspec.Struct):
    timestamp: Any = None  # seconds
    message: _Message | None = None


_LINES = Loose(_Line)


@importer(id="kimi", version="1")
class Kimi:
    """Sessions of Kimi CLI, from ``wire.jsonl``.

    Based on the tool's own definition of its messages (2026) and on ccusage's open reader. The
    file names no model, and no session but by its folder.
    """

    id: ClassVar[str] = "kimi"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Kimi CLI"

    def sniff(self, head: FileHead) -> float:
        """By the envelope of the first messages."""
        lines = head.start.split(b"\n")[:_FIRST_LINES] if b'"payload"' in head.start else []
        return 0.95 if any(map(_is_line, lines)) else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The one session of the file."""
        yield SessionRef(importer=self.id, id=root.parent.name or root.stem, files=(root,))

    def beginnings(self, ref: SessionRef, options: Options) -> tuple[bytes, ...]:
        """The beginnings of the list of rows."""
        return line_beginnings(ref.files[0], options)

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """Line by line."""
        yield Session(
            session_id=ref.id,
            harness="kimi-cli",
            model=options.model,
            records=frozenset({"llm_calls", "tool_calls", "tool_errors", "compactions"}),
        )
        wire = _Wire(ref.id, options)
        for number, line in loose_lines(ref.files[0], options, _LINES):
            if line.message is not None:
                place = EventPlace(at=seconds(line.timestamp), agent="", line=number, file=0)
                yield from wire.events(line.message, place)
        yield from wire.finish()


def _is_line(text: bytes) -> bool:
    try:
        line, _ = _LINES.decode(text)
    except DecodingError:
        return False
    message = line.message or _Message()
    return line.timestamp is not None and message.type in _KINDS and message.payload is not None


class _Wire:
    """Reads messages in turn; words and arguments may come in pieces."""

    def __init__(self, session: str, options: Options) -> None:
        self._session = session
        self._options = options
        self._said: dict[str, str] = {}
        self._thoughts: dict[str, str] = {}
        self._open: ToolCall | None = None
        self._started: set[str] = set()
        self._status = Status.UNKNOWN

    def events(self, message: _Message, place: EventPlace) -> Iterator[Event]:
        """Yield the events of one message."""
        payload = message.payload or _Payload()
        if message.type == "ToolCallPart":
            self._append_arguments(payload.arguments_part or "")
            return
        yield from self._flush_call()
        read = _READERS.get(message.type or "")
        yield from read(self, payload, place) if read else (Activity(**place),)

    def finish(self) -> Iterator[Event]:
        """A call that is still open, and how the last turn ended."""
        yield from self._flush_call()
        if self._status is not Status.UNKNOWN:
            yield SessionEnd(status=self._status)

    def _name(self, place: EventPlace) -> str:
        return f"kimi:{self._session}:{place['line']}"

    def _on_prompt(self, payload: _Payload, place: EventPlace) -> Iterator[Event]:
        self._status = Status.UNKNOWN
        text = result_text(payload.user_input, self._options)
        yield UserTurn(**place, id=self._name(place), text=text)

    def _part(self, payload: _Payload, place: EventPlace) -> Iterator[Event]:
        agent = place["agent"]
        if payload.type == "text":
            self._said[agent] = self._said.get(agent, "") + (payload.text or "")
        elif payload.type == "think":
            self._thoughts[agent] = self._thoughts.get(agent, "") + (payload.think or "")
        yield Activity(**place)

    def _on_usage(self, payload: _Payload, place: EventPlace) -> Iterator[Event]:
        """The count of the step that is done."""
        used = payload.token_usage
        if used is None:
            yield Activity(**place)
            return
        yield LlmCall(
            **place,
            id=payload.message_id or self._name(place),
            model=self._options.model,
            usage=TokenUsage(
                input_uncached=used.input_other,
                cache_read=used.input_cache_read,
                cache_write_5m=used.input_cache_creation,
                output=used.output,
            ),
            text=self._options.text(self._said.pop(place["agent"], "")) or None,
            reasoning=self._options.text(self._thoughts.pop(place["agent"], "")) or None,
        )

    def _call(self, payload: _Payload, place: EventPlace) -> Iterator[Event]:
        called = payload.function or _Function()
        self._open = ToolCall(
            **place,
            id=payload.id or self._name(place),
            name=called.name or "unknown",
            arguments=called.arguments or "",
        )
        return iter(())

    def _append_arguments(self, arguments: str) -> None:
        if self._open is not None:
            whole = (self._open.arguments or "") + arguments
            self._open = msgspec.structs.replace(self._open, arguments=whole)

    def _flush_call(self) -> Iterator[Event]:
        if self._open is not None:
            arguments = self._open.arguments or ""
            digest = call_digest(self._open.name, arguments)
            text = self._options.text(arguments)
            yield msgspec.structs.replace(self._open, arguments=text, digest=digest)
        self._open = None

    def _result(self, payload: _Payload, place: EventPlace) -> Iterator[Event]:
        returned = payload.return_value or _Returned()
        yield ToolResult(
            **place,
            call_id=payload.tool_call_id or self._name(place),
            is_error=bool(returned.is_error),
            text=result_text(returned.output, self._options),
        )

    def _on_subagent(self, payload: _Payload, place: EventPlace) -> Iterator[Event]:
        """Yield the events of a subagent."""
        call = payload.parent_tool_call_id or payload.task_tool_call_id
        agent = payload.agent_id or call or "subagent"
        below = EventPlace(at=place["at"], agent=agent, line=place["line"], file=0)
        if agent not in self._started:
            self._started.add(agent)
            yield SubagentStart(**below, id=agent, call_id=call, name=payload.subagent_type)
        if payload.event is not None:
            yield from self.events(payload.event, below)

    def _on_interruption(self, _payload: _Payload, place: EventPlace) -> Iterator[Event]:
        self._status = Status.CANCELLED
        yield Interruption(**place, id=self._name(place))

    def _on_compaction(self, _payload: _Payload, place: EventPlace) -> Iterator[Event]:
        yield Compaction(**place, id=self._name(place))

    def _on_turn_end(self, _payload: _Payload, place: EventPlace) -> Iterator[Event]:
        if self._status is Status.UNKNOWN and not place["agent"]:
            self._status = Status.COMPLETED
        yield Activity(**place)


_READERS: dict[str, Callable[[_Wire, _Payload, EventPlace], Iterator[Event]]] = {
    "TurnBegin": _Wire._on_prompt,  # noqa: SLF001  the class's own
    "SteerInput": _Wire._on_prompt,  # noqa: SLF001
    "TurnEnd": _Wire._on_turn_end,  # noqa: SLF001
    "ContentPart": _Wire._part,  # noqa: SLF001
    "StatusUpdate": _Wire._on_usage,  # noqa: SLF001
    "ToolCall": _Wire._call,  # noqa: SLF001
    "ToolResult": _Wire._result,  # noqa: SLF001
    "SubagentEvent": _Wire._on_subagent,  # noqa: SLF001
    "StepInterrupted": _Wire._on_interruption,  # noqa: SLF001
    "CompactionBegin": _Wire._on_compaction,  # noqa: SLF001
}
