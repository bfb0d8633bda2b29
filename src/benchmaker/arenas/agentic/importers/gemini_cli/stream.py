"""The output of ``gemini -o stream-json``: text, tool calls, and final sums of the run.

It lacks the number of requests in the sums.
"""

from collections.abc import Callable, Iterator

import msgspec

from benchmaker.arenas.agentic.importers.gemini_cli.chat import HARNESS
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import call_digest
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import (
    Activity,
    Event,
    Failure,
    LlmCall,
    Session,
    SessionEnd,
    ToolCall,
    ToolResult,
    Totals,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.inclusive import disjoint_usage
from benchmaker.arenas.agentic.logs.lenient_json import Amount, Count, Loose
from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.logs.tooltext import raw_text
from benchmaker.record.submissions.submission import Status, TokenUsage


class Sums(msgspec.Struct):
    """The tokens of a run: input includes the cache, thoughts are in the total only."""

    total_tokens: Count | None = None
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cached: Count | None = None
    duration_ms: Amount | None = None


class Problem(msgspec.Struct):
    """An error."""

    type: str | None = None
    message: str | None = None


class Line(msgspec.Struct):
    """One line."""

    type: str | None = None
    timestamp: str | None = None
    session_id: str | None = None
    model: str | None = None
    role: str | None = None
    content: str | None = None
    delta: bool | None = None
    tool_name: str | None = None
    tool_id: str | None = None
    parameters: msgspec.Raw = msgspec.Raw(b"")
    status: str | None = None
    output: str | None = None
    stats: Sums | None = None
    error: Problem | None = None
    message: str | None = None


LINES = Loose(Line)


def opening_of(start: bytes) -> Line | None:
    """The first line of Gemini CLI's output; None where it is something else."""
    try:
        line, _ = LINES.decode(start.split(b"\n", 1)[0])
    except DecodingError:
        return None
    is_opening = line.type == "init" and line.session_id and line.model and line.timestamp
    return line if is_opening else None


def is_later_line(line: Line) -> bool:
    """True for a piece of an answer, a tool call, its result, or the sums at the end."""
    match line.type:
        case "message":
            return line.role == "assistant" and bool(line.delta and line.timestamp)
        case "tool_use" | "tool_result":
            return line.tool_id is not None and line.timestamp is not None
        case "result":
            return line.stats is not None and line.stats.total_tokens is not None
        case _:
            return False


class Stream:
    """Reads the lines of one run; ids are made from the time at which it began."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._run = ""
        self._at: float | None = None
        self._model: str | None = None
        self._said = ""
        self._answers = 0

    def events(self, line: Line, number: int) -> Iterator[Event]:
        """Yield the events of one line; text arrives in pieces."""
        place = EventPlace(at=seconds(line.timestamp), agent="", line=number, file=0)
        is_piece = line.type == "message" and line.role == "assistant"
        if not is_piece:
            yield from self._answer(place)
        read = _READERS.get(line.type or "")
        yield from read(self, line, place) if read else (Activity(**place),)

    def _answer(self, place: EventPlace) -> Iterator[Event]:
        if self._said:
            self._answers += 1
            yield LlmCall(
                **place,
                id=f"{self._run}:{self._answers}",
                model=self._model,
                requests=None,
                text=self._options.text(self._said),
            )
        self._said = ""

    def _on_init(self, line: Line, place: EventPlace) -> Iterator[Event]:
        self._run = f"{line.session_id}:{line.timestamp}"
        self._at = place["at"]
        self._model = line.model or self._options.model
        yield Session(
            **place,
            session_id=line.session_id or "",
            harness=HARNESS,
            provider="google",
            model=self._model,
            mode="headless",
            records=frozenset({"tool_calls", "tool_errors"}),
        )

    def _message(self, line: Line, place: EventPlace) -> Iterator[Event]:
        if line.role == "user":
            text = self._options.text(line.content)
            yield UserTurn(**place, id=f"{self._run}:{place['line']}", text=text)
        else:
            self._said += line.content or ""
            yield Activity(**place)

    def _call(self, line: Line, place: EventPlace) -> Iterator[Event]:
        name = line.tool_name or "unknown"
        yield ToolCall(
            **place,
            id=line.tool_id or f"{self._run}:{place['line']}",
            name=name,
            arguments=raw_text(line.parameters, self._options),
            digest=call_digest(name, bytes(line.parameters)),
        )

    def _result(self, line: Line, place: EventPlace) -> Iterator[Event]:
        if line.tool_id:
            text = self._options.text(line.output)
            failed = line.status == "error"
            yield ToolResult(**place, call_id=line.tool_id, is_error=failed, text=text)

    def _on_error(self, line: Line, place: EventPlace) -> Iterator[Event]:
        yield Failure(**place, message=self._options.text(line.message) or "")

    def _on_result(self, line: Line, place: EventPlace) -> Iterator[Event]:
        sums = line.stats or Sums()
        yield Totals(
            **place,
            run=self._run,
            began=self._at,
            usage=_usage(sums),
            active_s=None if sums.duration_ms is None else sums.duration_ms / 1e3,
        )
        if line.error is not None:
            yield Failure(**place, message=self._options.text(line.error.message) or "")
        status = Status.COMPLETED if line.status == "success" else Status.FAILED
        yield SessionEnd(**place, status=status, exit_status=line.status)


_READERS: dict[str, Callable[[Stream, Line, EventPlace], Iterator[Event]]] = {
    "init": Stream._on_init,  # noqa: SLF001  the class's own
    "message": Stream._message,  # noqa: SLF001
    "tool_use": Stream._call,  # noqa: SLF001
    "tool_result": Stream._result,  # noqa: SLF001
    "error": Stream._on_error,  # noqa: SLF001
    "result": Stream._on_result,  # noqa: SLF001
}


def _usage(sums: Sums) -> TokenUsage | None:
    """The tokens of a run; the rest of the total beyond input and output are thoughts."""
    total, given, made = sums.total_tokens, sums.input_tokens, sums.output_tokens
    if total is None or given is None or made is None or total < given + made:
        return disjoint_usage(given, made, cache_read=sums.cached) if given or made else None
    thoughts = total - given - made
    return disjoint_usage(given, made + thoughts, cache_read=sums.cached, reasoning=thoughts)
