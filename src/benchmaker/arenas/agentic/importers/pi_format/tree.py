"""Rows of a session file as events."""

from collections.abc import Callable, Iterator
from pathlib import Path

from benchmaker.arenas.agentic.importers.pi_format.rows import (
    MESSAGES,
    Block,
    Cost,
    Message,
    Row,
    Usage,
)
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import call_digest
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import (
    Activity,
    Compaction,
    Event,
    Failure,
    Interruption,
    LlmCall,
    Metric,
    Session,
    SessionEnd,
    ToolCall,
    ToolResult,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.options import Options, Skipped
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.logs.tooltext import raw_text
from benchmaker.record.submissions.submission import Status, TokenUsage

_RECORDS: frozenset[Metric] = frozenset({"llm_calls", "tool_calls", "tool_errors", "compactions"})
_ENDS = {"stop": Status.COMPLETED, "aborted": Status.CANCELLED, "error": Status.FAILED}


class Tree:
    """Reads all branches: abandoned ones were paid for, too."""

    def __init__(self, path: Path, harness: str, options: Options) -> None:
        self._path = path
        self._harness = harness
        self._options = options
        self._status = Status.UNKNOWN

    def events(self, row: Row, line: int) -> Iterator[Event]:
        """The events of one row."""
        place = EventPlace(at=seconds(row.timestamp), agent="", line=line, file=0)
        if row.type == "session":
            yield Session(
                **place,
                session_id=row.id or "",
                harness=self._harness,
                provider=row.provider,
                model=row.model_id or self._options.model,
                cwd=row.cwd,
                records=_RECORDS,
            )
        elif row.type == "compaction":
            yield Compaction(**place, id=f"{row.id}:{row.timestamp}")
        elif row.message:
            yield from self._message(row, place)
        else:
            yield Activity(**place)

    def finish(self) -> Iterator[Event]:
        """Yield the end of the last answer."""
        if self._status is not Status.UNKNOWN:
            yield SessionEnd(status=self._status)

    def _message(self, row: Row, place: EventPlace) -> Iterator[Event]:
        try:
            message, left_out = MESSAGES.decode(row.message)
        except DecodingError as refused:
            self._options.skip(Skipped(self._path, place["line"], str(refused)))
            return
        self._options.pass_on(left_out, path=self._path, line=place["line"])
        at = seconds(message.timestamp) or place["at"]
        there = EventPlace(at=at, agent="", line=place["line"], file=0)
        read = _READERS.get(message.role or "")
        name = f"pi:{call_digest('', bytes(row.message))}"
        yield from read(self, message, name, there) if read else (Activity(**there),)

    def _on_prompt(self, message: Message, name: str, place: EventPlace) -> Iterator[Event]:
        self._status = Status.UNKNOWN
        yield UserTurn(**place, id=name, text=self._options.text(_text(message)))

    def _answer(self, message: Message, name: str, place: EventPlace) -> Iterator[Event]:
        """An answer; copies in other branches are byte-identical and so get the same id."""
        used = message.usage
        yield LlmCall(
            **place,
            id=name,
            model=message.model_id or message.model or self._options.model,
            usage=_usage(used) if used else None,
            cost_usd=((used and used.cost) or Cost()).total or None,
            text=self._options.text(_text(message)) or None,
            reasoning=self._options.text(_thoughts(message)) or None,
        )
        for block in _blocks(message, "toolCall"):
            called = block.name or "unknown"
            yield ToolCall(
                **place,
                id=block.id or name,
                name=called,
                arguments=raw_text(block.arguments, self._options),
                digest=call_digest(called, bytes(block.arguments)),
            )
        self._status = _ENDS.get(message.stop_reason or "", Status.UNKNOWN)
        if self._status is Status.CANCELLED:
            yield Interruption(**place, id=name)
        if self._status is Status.FAILED:
            yield Failure(**place, message=self._options.text(message.error_message) or "")

    def _result(self, message: Message, name: str, place: EventPlace) -> Iterator[Event]:
        yield ToolResult(
            **place,
            call_id=message.tool_call_id or name,
            is_error=bool(message.is_error),
            text=self._options.text(_text(message)),
        )


_READERS: dict[str, Callable[[Tree, Message, str, EventPlace], Iterator[Event]]] = {
    "user": Tree._on_prompt,  # noqa: SLF001  the class's own
    "assistant": Tree._answer,  # noqa: SLF001
    "toolResult": Tree._result,  # noqa: SLF001
}


def _blocks(message: Message, kind: str) -> Iterator[Block]:
    if isinstance(message.content, list):
        yield from (block for block in message.content if block.type == kind)


def _text(message: Message) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(block.text for block in _blocks(message, "text") if block.text)


def _thoughts(message: Message) -> str:
    thinking = (block.thinking for block in _blocks(message, "thinking"))
    return "\n\n".join(filter(None, thinking))


def _usage(used: Usage) -> TokenUsage:
    return TokenUsage(
        input_uncached=used.input,
        cache_read=used.cache_read,
        cache_write_5m=used.cache_write,
        output=used.output,
        reasoning=used.reasoning,
    )
