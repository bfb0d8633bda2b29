"""``codex exec --json``: a line for each thing that happens, without times and model."""

import shlex
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef
from benchmaker.arenas.agentic.importers.codex_cli.patches import Kind
from benchmaker.arenas.agentic.importers.codex_cli.rollout import HARNESS
from benchmaker.arenas.agentic.importers.codex_cli.rows import TokenInfo, Tokens
from benchmaker.arenas.agentic.importers.codex_cli.usage import Meter, usage_of
from benchmaker.arenas.agentic.importers.sniffing import first_rows
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import call_digest
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import (
    Event,
    Failure,
    FileChange,
    LlmCall,
    Session,
    SessionEnd,
    ToolCall,
    ToolResult,
    Totals,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.lenient_json import Loose, loose_lines, quiet_options
from benchmaker.arenas.agentic.logs.lines import text_lines
from benchmaker.arenas.agentic.logs.opening import opened_log
from benchmaker.arenas.agentic.logs.tooltext import raw_text
from benchmaker.errors import SpecError
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import Status

_TOOLS = {
    "command_execution": "command_execution",
    "file_change": "apply_patch",
    "web_search": "web_search",
}
_CHANGES: dict[str, Kind] = {"add": "created", "delete": "deleted"}
_FIRST_LINE = 64 * 2**10
_WRAPPED = 3


class _Change(msgspec.Struct):
    path: str | None = None
    kind: str | None = None


class _Item(msgspec.Struct):
    id: str | None = None
    type: str | None = None
    text: str | None = None
    command: msgspec.Raw = msgspec.Raw(b"")
    query: msgspec.Raw = msgspec.Raw(b"")
    arguments: msgspec.Raw = msgspec.Raw(b"")
    aggregated_output: str | None = None
    exit_code: int | None = None
    status: str | None = None
    server: str | None = None
    tool: str | None = None
    changes: list[_Change] | None = None
    message: str | None = None


class _Line(msgspec.Struct):
    type: str | None = None
    thread_id: str | None = None
    item: _Item | None = None
    usage: Tokens | None = None
    message: str | None = None
    error: Any = None  # a message, or an object with one


_LINES = Loose(_Line)


@importer(id="codex_exec", version="4")
class CodexExec:
    """The output of ``codex exec --json``."""

    id: ClassVar[str] = "codex_exec"
    version: ClassVar[str] = "4"
    title: ClassVar[str] = "Codex exec"

    def sniff(self, head: FileHead) -> float:
        """By the first line."""
        first = _decode(head.start.split(b"\n", 1)[0])
        return 0.95 if first and first.type == "thread.started" and first.thread_id else 0.0

    def is_later_part(self, head: FileHead) -> bool:
        """Recognise an item, or the end of a turn."""
        return any(map(_is_later_line, first_rows(head.start, _LINES)))

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The one thread of the file."""
        try:
            with opened_log(root, Options(skip=lambda _: None)) as stream:
                first = _decode(stream.readline(_FIRST_LINE))
        except SpecError:
            first = None
        thread = (first and first.thread_id) or ""
        yield SessionRef("codex", thread or root.stem, (root,), session=thread, form="print")

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """Line by line."""
        path = ref.files[0]
        yield Session(
            session_id=ref.id,
            harness=HARNESS,
            model=options.model,
            provider="openai",
            mode="headless",
            records=frozenset({"llm_calls", "tool_calls", "tool_errors", "file_changes"}),
        )
        thread = _Thread(ref.id, f"{ref.id}:{_mark(path, options)}", options)
        for number, line in loose_lines(path, options, _LINES):
            read = _READERS.get(line.type or "")
            if read is not None:
                yield from read(thread, line, number)
        yield from thread.finish()


class _Thread:
    """Reads the lines of one run, whose ids of items count from 0; ``mark`` is unique to it."""

    def __init__(self, thread_id: str, mark: str, options: Options) -> None:
        self._id = thread_id
        self._mark = mark
        self._options = options
        self._meter = Meter()
        self._turns = 0
        self._said: list[str] = []
        self._thought: list[str] = []

    def on_turn_start(self, _line: _Line, number: int) -> Iterator[Event]:
        """A turn begins with a prompt, which the log doesn't hold."""
        self._turns += 1
        yield UserTurn(line=number, id=f"{self._mark}:{self._turns}")

    def on_turn_end(self, line: _Line, number: int) -> Iterator[Event]:
        """The end of a turn, with the thread's running sum of tokens."""
        if line.usage is not None:
            yield from self._tokens(line.usage, number)
        yield SessionEnd(line=number, status=Status.COMPLETED)

    def on_turn_failure(self, line: _Line, number: int) -> Iterator[Event]:
        """The end of a turn that went wrong."""
        yield Failure(line=number, message=self._options.text(_message(line)) or "")
        yield SessionEnd(line=number, status=Status.FAILED)

    def on_error(self, line: _Line, number: int) -> Iterator[Event]:
        """An error in between, such as a lost connection."""
        yield Failure(line=number, message=self._options.text(_message(line)) or "")

    def finish(self) -> Iterator[Event]:
        """The words of an aborted turn, which has no count of tokens."""
        if self._said or self._thought:
            said, thought = self._words()
            yield LlmCall(id=f"{self._mark}:last", requests=None, text=said, reasoning=thought)

    def _words(self) -> tuple[str | None, str | None]:
        """Return text and reasoning since the last count."""
        said, self._said = self._said, []
        thought, self._thought = self._thought, []
        return "\n\n".join(said) or None, "\n\n".join(thought) or None

    def item(self, line: _Line, number: int) -> Iterator[Event]:
        """A tool's call, its result, or words."""
        item = line.item
        if item is None:
            return
        place = EventPlace(at=None, agent="", line=number, file=0)
        if item.type == "agent_message":
            self._said += filter(None, (self._options.text(item.text),))
        elif item.type == "reasoning":
            self._thought += filter(None, (self._options.text(item.text),))
        elif item.type == "error":
            yield Failure(**place, message=self._options.text(item.message) or "")
        elif name := _tool(item):
            yield from self._call(item, name, place, is_done=line.type == "item.completed")

    def _call(self, item: _Item, name: str, place: EventPlace, *, is_done: bool) -> Iterator[Event]:
        call_id = f"{self._mark}:{item.id or place['line']}"
        command = _command(item.command)
        call_input = command.encode() or bytes(item.arguments or item.query)
        yield ToolCall(
            **place,
            id=call_id,
            name=name,
            arguments=raw_text(call_input, self._options),
            digest=call_digest(name, call_input or call_id),
        )
        if not is_done:
            return
        failed = item.status in ("failed", "declined") or bool(item.exit_code)
        text = self._options.text(item.aggregated_output)
        yield ToolResult(**place, call_id=call_id, is_error=failed, text=text)
        for change in item.changes or ():
            if change.path:
                kind = _CHANGES.get(change.kind or "", "modified")
                yield FileChange(
                    **place, path=change.path, call_id=call_id, change=kind, failed=failed
                )

    def _tokens(self, usage: Tokens, number: int) -> Iterator[Event]:
        """The tokens since the last count, of an unknown number of requests."""
        used = self._meter.request(TokenInfo(total_token_usage=usage, last_token_usage=usage))
        if used is None:
            return
        said, thought = self._words()
        yield LlmCall(
            line=number,
            id=f"{self._id}:{usage.input_tokens}/{usage.output_tokens}",
            model=self._options.model,
            usage=usage_of(used),
            requests=None,
            text=said,
            reasoning=thought,
        )
        yield Totals(line=number, usage=usage_of(usage))


_READERS: dict[str, Callable[[_Thread, _Line, int], Iterator[Event]]] = {
    "turn.started": _Thread.on_turn_start,
    "turn.completed": _Thread.on_turn_end,
    "turn.failed": _Thread.on_turn_failure,
    "item.started": _Thread.item,
    "item.completed": _Thread.item,
    "error": _Thread.on_error,
}


def _tool(item: _Item) -> str | None:
    if item.type == "mcp_tool_call":
        return f"{item.server or 'mcp'}.{item.tool or 'unknown'}"
    return _TOOLS.get(item.type or "")


def _command(raw: msgspec.Raw) -> str:
    """The command inside Codex's call of a shell; any other command as it is."""
    try:
        text = msgspec.json.decode(raw) if raw else ""
        words = shlex.split(text) if isinstance(text, str) else []
    except (ValueError, RecursionError):
        return bytes(raw).decode("utf-8", "replace")
    if len(words) == _WRAPPED and words[1] in ("-lc", "-c"):
        return words[2]
    return bytes(raw).decode("utf-8", "replace")


def _mark(path: Path, options: Options) -> str:
    """A digest that tells the runs of one thread apart, wherever their output is stored."""
    digest = blake2b(digest_size=8)
    for _, line in text_lines(path, quiet_options(options)):
        digest.update(line + b"\n")
    return digest.hexdigest()


def _message(line: _Line) -> str | None:
    error = line.error.get("message") if isinstance(line.error, dict) else line.error
    return line.message or (error if isinstance(error, str) else None)


def _is_later_line(line: _Line) -> bool:
    is_item = line.item is not None and line.item.id is not None and line.item.type is not None
    is_end = line.type == "turn.completed" and line.usage is not None
    return is_end or (is_item and line.type in ("item.started", "item.completed"))


def _decode(line: bytes) -> _Line | None:
    try:
        return _LINES.decode(line)[0]
    except DecodingError:
        return None
