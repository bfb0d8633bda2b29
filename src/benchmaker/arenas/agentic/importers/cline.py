"""Cline: sessions of the command line, and tasks of the older extension for VS Code."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef, Skipped
from benchmaker.arenas.agentic.importers.outline import outline
from benchmaker.arenas.agentic.importers.sniffing import file_start
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import beginnings, call_digest
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import (
    Activity,
    Event,
    LlmCall,
    Session,
    SessionEnd,
    ToolCall,
    ToolResult,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.inclusive import disjoint_usage
from benchmaker.arenas.agentic.logs.lenient_json import (
    Amount,
    Count,
    Loose,
    loose_document,
    quiet_options,
)
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.logs.tooltext import raw_text, result_text
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import Status, TokenUsage

_MESSAGES = ".messages.json"
_KINDS = {
    "old": {"[].ts", "[].type", "[].say"},
    "facts": {"session_id", "messages_path", "started_at"},
    "messages": {"sessionId", "messages", "messages[].role", "agent"},
}
"""The fields of each kind of Cline's files."""

_SESSION = re.compile(rb'"session(?:Id|_id)"\s*:\s*"([^"\\]{1,200})"')
_OF_FACTS = " facts"
"""The end of a file's id that names the facts of a session."""

_STATUS = {
    "completed": Status.COMPLETED,
    "failed": Status.FAILED,
    "error": Status.FAILED,
    "cancelled": Status.CANCELLED,
    "aborted": Status.CANCELLED,
}


class _Metrics(msgspec.Struct, rename="camel"):
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_read_tokens: Count | None = None
    cache_write_tokens: Count | None = None
    cost: Amount | None = None


class _ModelInfo(msgspec.Struct):
    id: str | None = None
    provider: str | None = None


class _Part(msgspec.Struct):
    type: str | None = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = msgspec.Raw(b"")
    tool_use_id: str | None = None
    content: msgspec.Raw = msgspec.Raw(b"")
    is_error: bool | None = None


class _Message(msgspec.Struct):
    id: str | None = None
    role: str | None = None
    content: list[_Part] | str | None = None
    ts: Any = None  # milliseconds, or a text
    model_info: _ModelInfo | None = msgspec.field(default=None, name="modelInfo")
    metrics: _Metrics | None = None


class _Messages(msgspec.Struct, rename="camel"):
    session_id: str | None = None
    messages: list[msgspec.Raw] | None = None


class _Facts(msgspec.Struct):
    session_id: str | None = None
    started_at: Any = None  # a text, or a number in some
    ended_at: Any = None
    exit_code: int | None = None
    status: str | None = None
    interactive: bool | None = None
    provider: str | None = None
    model: str | None = None
    cwd: str | None = None


class _ExtensionMessage(msgspec.Struct):
    """A message of the older extension."""

    ts: Any = None  # milliseconds
    type: str | None = None
    say: str | None = None
    ask: str | None = None
    text: str | None = None


class _Request(msgspec.Struct, rename="camel"):
    tokens_in: Count | None = None
    tokens_out: Count | None = None
    cache_writes: Count | None = None
    cache_reads: Count | None = None
    cost: Amount | None = None


class _Tool(msgspec.Struct):
    tool: str | None = None


_DOCUMENTS = Loose(_Messages)
_ROWS = Loose(_Message)
_FACTS = Loose(_Facts)
_OLDER: Loose[list[_ExtensionMessage]] = Loose(list[_ExtensionMessage])
_OLDER_ROWS: Loose[list[msgspec.Raw]] = Loose(list[msgspec.Raw])
_REQUESTS = Loose(_Request)
_TOOLS = Loose(_Tool)


def _kind(start: bytes) -> str:
    """Return the kind of a Cline file; empty for any other file."""
    fields = outline(start)
    return next((kind for kind, signs in _KINDS.items() if fields >= signs), "")


def _is_of(path: Path, session: str) -> bool:
    """True if a file is of Cline and of that session."""
    start = file_start(path) if path.is_file() else b""
    return bool(_kind(start)) and _session(start) == session


def _session(start: bytes) -> str:
    """Return the id of the session that a file names; empty if it names none."""
    found = _SESSION.search(start)
    return found[1].decode("utf-8", "replace") if found else ""


@importer(id="cline", version="1")
class Cline:
    """Sessions of Cline; input includes cache reads now, and didn't in the older extension."""

    id: ClassVar[str] = "cline"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Cline"

    def sniff(self, head: FileHead) -> float:
        """Recognise the fields of its messages, of its facts, or of the extension's messages."""
        return 0.9 if _kind(head.start) else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """Yield the session: its messages, with the adjacent facts, or its facts alone."""
        start = file_start(root)
        if _kind(start) == "old":
            yield SessionRef(importer=self.id, id=root.parent.name, files=(root,))
            return
        stem = root.name.removesuffix(".json").removesuffix(".messages")
        session = _session(start)
        both = (root.parent / f"{stem}{_MESSAGES}", root.parent / f"{stem}.json")
        files = tuple(path for path in both if _is_of(path, session))
        name, files = session or stem, files if root in files else (root,)
        facts = f"{name}{_OF_FACTS}"
        if _kind(file_start(files[0])) == "facts":
            yield SessionRef(importer=self.id, id=facts, files=files, parent=name)
            return
        yield SessionRef(
            importer=self.id,
            id=name,
            files=files,
            session=session,
            threads=(facts,),
            unread=() if len(files) > 1 else (facts,),
        )

    def with_thread(self, ref: SessionRef, thread: SessionRef) -> SessionRef:
        """The messages with the facts of their session."""
        return replace(ref, files=(*ref.files, *thread.files), unread=())

    def beginnings(self, ref: SessionRef, options: Options) -> tuple[bytes, ...]:
        """The beginnings of the older extension's messages, whose files name no session."""
        if _kind(file_start(ref.files[0])) != "old":
            return ()
        rows = loose_document(ref.files[0], quiet_options(options), _OLDER_ROWS)
        return beginnings((), map(bytes, rows or ()))

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """The facts, then message by message."""
        main = ref.files[0]
        yield Session(
            harness="cline", records=frozenset({"llm_calls", "tool_calls", "tool_errors"})
        )
        kind = _kind(file_start(main))
        if kind == "old":
            yield from _extension_events(ref, options)
            return
        is_facts = kind == "facts"
        if is_facts or len(ref.files) > 1:
            yield from _facts(ref.files[-1], options, len(ref.files) - 1)
        if is_facts:
            return
        document = loose_document(main, options, _DOCUMENTS) or _Messages()
        yield Session(session_id=document.session_id or ref.id)
        for number, raw in enumerate(document.messages or (), start=1):
            try:
                message, left_out = _ROWS.decode(raw)
            except DecodingError as refused:
                options.skip(Skipped(main, 0, f"message {number}: {refused}"))
                continue
            for complaint in left_out:
                options.skip(Skipped(main, 0, f"message {number}: skipped {complaint}"))
            yield from _message(message, f"{ref.id}:{number}", options)


def _facts(path: Path, options: Options, file: int) -> Iterator[Event]:
    """The facts beside the messages, which name the models that answered themselves."""
    facts = loose_document(path, options, _FACTS)
    if facts is None:
        return
    mode = None if facts.interactive is None else "interactive" if facts.interactive else "headless"
    yield Session(
        file=file,
        session_id=facts.session_id or "",
        model=None if file else facts.model,
        provider=None if file else facts.provider,
        cwd=facts.cwd,
        mode=mode,
    )
    yield SessionEnd(
        file=file,
        status=_STATUS.get(facts.status or "", Status.UNKNOWN),
        exit_status=None if facts.exit_code is None else str(facts.exit_code),
    )


def _message(message: _Message, where: str, options: Options) -> Iterator[Event]:
    """A fork begins with a copy of its parent's messages, which keep id and time."""
    place = EventPlace(at=seconds(message.ts), agent="", line=0, file=0)
    name = f"cline:{message.ts}:{message.id or where}"
    content = message.content
    parts = [_Part(type="text", text=content)] if isinstance(content, str) else content or []
    text = options.text("\n".join(part.text or "" for part in parts if part.type == "text"))
    if message.role == "assistant":
        yield _answer(message, name, place, text)
    elif message.role == "user" and any(part.type == "text" for part in parts):
        yield UserTurn(**place, id=name, text=text)
    for part in parts:
        yield from _of_part(part, place, name, options)


def _answer(message: _Message, name: str, place: EventPlace, text: str | None) -> LlmCall:
    used = message.metrics
    return LlmCall(
        **place,
        id=name,
        model=message.model_info.id if message.model_info else None,
        usage=_usage(used) if used else None,
        cost_usd=used.cost if used else None,
        text=text,
    )


def _usage(used: _Metrics) -> TokenUsage:
    return disjoint_usage(
        used.input_tokens,
        used.output_tokens,
        cache_read=used.cache_read_tokens,
        cache_write=used.cache_write_tokens,
    )


def _of_part(part: _Part, place: EventPlace, name: str, options: Options) -> Iterator[Event]:
    if part.type == "tool_use":
        tool = part.name or "unknown"
        yield ToolCall(
            **place,
            id=part.id or f"{name}:{tool}",
            name=tool,
            arguments=raw_text(part.input, options),
            digest=call_digest(tool, bytes(part.input)),
        )
    elif part.type == "tool_result" and part.tool_use_id:
        text = result_text(part.content, options)
        is_error = bool(part.is_error)
        yield ToolResult(**place, call_id=part.tool_use_id, is_error=is_error, text=text)


def _extension_events(ref: SessionRef, options: Options) -> Iterator[Event]:
    rows = loose_document(ref.files[0], options, _OLDER)
    yield Session(session_id=ref.id, model=options.model)
    for number, row in enumerate(rows or (), start=1):
        place = EventPlace(at=seconds(row.ts), agent="", line=0, file=0)
        name = f"cline:{ref.id}:{row.ts}:{number}"
        kind = row.say or row.ask
        if row.say == "api_req_started":
            yield from _request(row.text, name, place, ref.files[0], options)
        elif row.say in ("task", "user_feedback"):
            yield UserTurn(**place, id=name, text=options.text(row.text))
        elif kind in ("tool", "command", "use_mcp_server"):
            yield _tool_call(kind, row.text or "", name, place, options)
        else:
            yield Activity(**place)


def _tool_call(kind: str, text: str, name: str, place: EventPlace, options: Options) -> ToolCall:
    tool = kind
    if kind == "tool":
        try:
            tool = _TOOLS.decode(text.encode("utf-8", "replace"))[0].tool or kind
        except DecodingError:
            tool = kind
    kept = options.text(text)
    return ToolCall(**place, id=name, name=tool, arguments=kept, digest=call_digest(tool, text))


def _request(
    text: str | None, name: str, place: EventPlace, path: Path, options: Options
) -> Iterator[Event]:
    try:
        used, left_out = _REQUESTS.decode((text or "").encode("utf-8", "replace"))
    except DecodingError:
        return
    options.pass_on(left_out, path=path)
    usage = TokenUsage(
        input_uncached=used.tokens_in,
        cache_read=used.cache_reads,
        cache_write_5m=used.cache_writes,
        output=used.tokens_out,
    )
    yield LlmCall(**place, id=name, model=options.model, usage=usage, cost_usd=used.cost)
