"""GitHub Copilot CLI: ``events.jsonl`` of its sessions."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef
from benchmaker.arenas.agentic.importers.sniffing import first_rows
from benchmaker.arenas.agentic.logs.digests import call_digest, line_beginnings
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import (
    Activity,
    Event,
    FileChange,
    Interruption,
    LlmCall,
    Session,
    SessionEnd,
    ToolCall,
    ToolResult,
    Totals,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.inclusive import disjoint_usage
from benchmaker.arenas.agentic.logs.lenient_json import (
    Amount,
    Count,
    Loose,
    loose_lines,
    quiet_options,
)
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.logs.tooltext import raw_text, result_text
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import Status, TokenUsage

_STATUS = {"routine": Status.COMPLETED, "error": Status.FAILED}


class _Context(msgspec.Struct):
    cwd: str | None = None


class _Requests(msgspec.Struct):
    count: Count | None = None


class _Usage(msgspec.Struct, rename="camel"):
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_read_tokens: Count | None = None
    cache_write_tokens: Count | None = None
    reasoning_tokens: Count | None = None


class _Record(_Usage, rename="camel"):
    model: str | None = None
    duration: Amount | None = None  # milliseconds
    api_call_id: str | None = None


class _Shell(msgspec.Struct, rename="camel"):
    exit_code: int | None = None


class _Model(msgspec.Struct):
    requests: _Requests | None = None
    usage: _Usage | None = None


class _Changes(msgspec.Struct, rename="camel"):
    files_modified: list[str] | None = None


class _Result(msgspec.Struct):
    content: msgspec.Raw = msgspec.Raw(b"")


class _Data(msgspec.Struct, rename="camel"):
    session_id: str | None = None
    copilot_version: str | None = None
    context: _Context | None = None
    new_model: str | None = None
    new_mode: str | None = None
    model: str | None = None
    content: str | None = None
    message_id: str | None = None
    reasoning_text: str | None = None
    api_call_id: str | None = None
    usage: _Record | None = None
    output_tokens: Count | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    arguments: msgspec.Raw = msgspec.Raw(b"")
    success: bool | None = None
    result: _Result | None = None
    shell_execution: _Shell | None = None
    shutdown_type: str | None = None
    session_start_time: Any = None  # milliseconds
    total_api_duration_ms: Amount | None = None
    model_metrics: dict[str, _Model] | None = None
    code_changes: _Changes | None = None


class _Row(msgspec.Struct):
    type: str | None = None
    id: str | None = None
    timestamp: Any = None  # a text, or a number in some
    data: _Data | None = None


_ROWS = Loose(_Row)


@importer(id="copilot", version="2")
class Copilot:
    """Sessions of Copilot CLI.

    Before release 1.0.102 input tokens are recorded only when a session shuts down.
    """

    id: ClassVar[str] = "copilot"
    version: ClassVar[str] = "2"
    title: ClassVar[str] = "Copilot CLI"

    def sniff(self, head: FileHead) -> float:
        """By the first row."""
        first = head.start.split(b"\n", 1)[0]
        is_start = b'"session.start"' in first and b'"copilotVersion"' in first
        return 0.95 if is_start else 0.6 if b'"copilot-agent"' in first else 0.0

    def is_later_part(self, head: FileHead) -> bool:
        """Recognise any other row, by its type, id and content."""
        rows = first_rows(head.start, _ROWS)
        return any(it.type in _READERS and it.id and it.data for it in rows)

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The one session of the file."""
        first = next(loose_lines(root, quiet_options(Options(skip=lambda _: None)), _ROWS), None)
        data = first[1].data if first else None
        name = (data and data.session_id) or root.stem
        yield SessionRef(importer=self.id, id=name, files=(root,))

    def beginnings(self, ref: SessionRef, options: Options) -> tuple[bytes, ...]:
        """The beginnings of the list of rows.

        Also for unique ids, since the totals at the end replace the figures of the answers.
        """
        return line_beginnings(ref.files[0], options)

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """Row by row; a resumed session has several shutdowns."""
        reader = _Reader(ref.id, options)
        for number, row in loose_lines(ref.files[0], options, _ROWS):
            place = EventPlace(at=seconds(row.timestamp), agent="", line=number, file=0)
            read = _READERS.get(row.type or "")
            if read is None or row.data is None:
                yield Activity(**place)
            else:
                yield from read(reader, row.data, place, row.id or f"{ref.id}:{number}")
        yield from reader.totals()


class _Reader:
    """Reads the rows of one session."""

    def __init__(self, session: str, options: Options) -> None:
        self._session = session
        self._options = options
        self._model = options.model
        self._metered: dict[str, LlmCall] = {}
        self._shutdowns: dict[str, _Data] = {}

    def on_session_start(self, data: _Data, place: EventPlace, _id: str) -> Iterator[Event]:
        """The session begins."""
        yield Session(
            **place,
            session_id=self._session,
            harness="copilot-cli",
            harness_version=data.copilot_version,
            cwd=data.context.cwd if data.context else None,
            records=frozenset({"llm_calls", "tool_calls", "tool_errors", "interruptions"}),
        )

    def changed_model(self, data: _Data, place: EventPlace, _id: str) -> Iterator[Event]:
        """The model changes."""
        self._model = data.new_model or self._model
        yield Activity(**place)

    def changed_mode(self, data: _Data, place: EventPlace, _id: str) -> Iterator[Event]:
        """The mode changes: interactive or autonomous."""
        yield Session(**place, mode=data.new_mode)

    def on_prompt(self, data: _Data, place: EventPlace, name: str) -> Iterator[Event]:
        """A person's prompt."""
        yield UserTurn(**place, id=name, text=self._options.text(data.content))

    def on_usage(self, data: _Data, place: EventPlace, name: str) -> Iterator[Event]:
        """The tokens of a request; its answer, if any, is in another row."""
        record = data.usage or _Record()
        duration = record.duration
        call = LlmCall(
            **place,
            id=record.api_call_id or name,
            model=record.model or self._model,
            usage=_usage(record),
            latency_s=None if duration is None else duration / 1000,
        )
        self._metered[record.api_call_id or name] = call
        yield call

    def on_answer(self, data: _Data, place: EventPlace, name: str) -> Iterator[Event]:
        """An answer, for which older releases record output tokens only."""
        unmetered = LlmCall(
            id=data.message_id or name,
            model=data.model or self._model,
            usage=TokenUsage(output=data.output_tokens),
        )
        yield msgspec.structs.replace(
            self._metered.get(data.api_call_id or "", unmetered),
            **place,
            text=self._options.text(data.content),
            reasoning=self._options.text(data.reasoning_text),
        )

    def on_tool_call(self, data: _Data, place: EventPlace, name: str) -> Iterator[Event]:
        """A tool call starts."""
        tool = data.tool_name or "unknown"
        yield ToolCall(
            **place,
            id=data.tool_call_id or name,
            name=tool,
            arguments=raw_text(data.arguments, self._options),
            digest=call_digest(tool, bytes(data.arguments)),
        )

    def on_tool_result(self, data: _Data, place: EventPlace, name: str) -> Iterator[Event]:
        """A tool call ends."""
        text = result_text(data.result.content, self._options) if data.result else None
        has_failed = data.success is False or bool(
            data.shell_execution and data.shell_execution.exit_code
        )
        call_id = data.tool_call_id or name
        yield ToolResult(**place, call_id=call_id, is_error=has_failed, text=text)

    def on_abort(self, _data: _Data, place: EventPlace, name: str) -> Iterator[Event]:
        """A person interrupted the agent."""
        yield Interruption(**place, id=name)

    def shut_down(self, data: _Data, place: EventPlace, name: str) -> Iterator[Event]:
        """The session shuts down, with the totals since it was started or resumed."""
        self._shutdowns[str(data.session_start_time)] = data
        changes = data.code_changes.files_modified if data.code_changes else None
        for path in changes or ():
            yield FileChange(**place, path=path, call_id=name)
        yield SessionEnd(
            **place,
            status=_STATUS.get(data.shutdown_type or "", Status.UNKNOWN),
            exit_status=data.shutdown_type,
        )

    def totals(self) -> Iterator[Event]:
        """The totals over all shutdowns."""
        if not self._shutdowns:
            return
        ends = self._shutdowns.values()
        models = [it for data in ends for it in (data.model_metrics or {}).values()]
        usage = sum((_usage(it.usage) for it in models if it.usage), TokenUsage())
        calls = sum((it.requests.count or 0) for it in models if it.requests)
        waits = [it.total_api_duration_ms for it in ends if it.total_api_duration_ms is not None]
        yield Totals(
            usage=usage if usage.total else None,
            llm_calls=calls or None,
            llm_s=sum(waits) / 1000 if waits else None,
        )


_READERS: dict[str, Callable[[_Reader, _Data, EventPlace, str], Iterator[Event]]] = {
    "session.start": _Reader.on_session_start,
    "session.model_change": _Reader.changed_model,
    "session.mode_changed": _Reader.changed_mode,
    "session.shutdown": _Reader.shut_down,
    "user.message": _Reader.on_prompt,
    "session.usage_record": _Reader.on_usage,
    "assistant.message": _Reader.on_answer,
    "tool.execution_start": _Reader.on_tool_call,
    "tool.execution_complete": _Reader.on_tool_result,
    "abort": _Reader.on_abort,
}


def _usage(usage: _Usage) -> TokenUsage:
    return disjoint_usage(
        usage.input_tokens,
        usage.output_tokens,
        cache_read=usage.cache_read_tokens,
        cache_write=usage.cache_write_tokens,
        reasoning=usage.reasoning_tokens,
    )
