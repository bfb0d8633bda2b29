"""Rows of one chat of Qwen Code as events."""

from collections.abc import Callable, Iterator

from benchmaker.arenas.agentic.importers.qwen.rows import Counted, Happened, Outcome, Part, Row
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
    ToolCall,
    ToolResult,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.inclusive import disjoint_usage
from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.logs.tooltext import raw_text, result_text
from benchmaker.record.submissions.submission import TokenUsage

HARNESS = "qwen-code"
RECORDS: frozenset[Metric] = frozenset({"llm_calls", "tool_calls", "tool_errors", "compactions"})
_ANSWERED = "qwen-code.api_response"
_FAILED = "qwen-code.api_error"


class Chat:
    """Reads the rows in order; the metrics of an answer are in the row before it.

    The id of a request is that of this row, so that it counts once if a file ends between the two.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._is_known = False
        self._has_model = False
        self._rows: set[str | None] = {None}
        self._measured: tuple[Happened, EventPlace, str | None] | None = None

    def events(self, row: Row, line: int) -> Iterator[Event]:
        """The events of one row."""
        place = EventPlace(at=seconds(row.timestamp), agent="", line=line, file=0)
        yield from self._facts(row, place)
        if row.type != "assistant":
            yield from self.finish()
        read = _READERS.get(row.type or "")
        said = list(read(self, row, place)) if read else []
        self._rows.add(row.uuid)
        yield from said or (Activity(**place),)

    def finish(self) -> Iterator[Event]:
        """A request with metrics but without a row for its answer, such as a subagent's."""
        if self._measured is None:
            return
        (measured, place, name), self._measured = self._measured, None
        yield LlmCall(
            **place,
            id=name,
            model=measured.model or self._options.model,
            usage=_usage(_to_counted(measured)),
            latency_s=_latency(measured),
        )

    def _facts(self, row: Row, place: EventPlace) -> Iterator[Session]:
        model = None if self._has_model else row.model
        if self._is_known and model is None:
            return
        self._is_known, self._has_model = True, self._has_model or model is not None
        yield Session(
            **place,
            session_id=row.session_id or "",
            harness=HARNESS,
            harness_version=row.version,
            model=model,
            cwd=row.cwd,
            records=RECORDS,
        )

    def _prompt(self, row: Row, place: EventPlace) -> Iterator[Event]:
        text = _text(row)
        if text and row.subtype is None:
            yield UserTurn(**place, id=row.uuid, text=self._options.text(text))

    def _answer(self, row: Row, place: EventPlace) -> Iterator[Event]:
        name = row.uuid if row.parent_uuid in self._rows else row.parent_uuid
        (measured, _, name), self._measured = self._measured or (Happened(), place, name), None
        counted = row.usage_metadata or _to_counted(measured)
        yield LlmCall(
            **place,
            id=name,
            model=row.model or self._options.model,
            usage=_usage(counted),
            latency_s=_latency(measured),
            text=self._options.text(_text(row)) or None,
            reasoning=self._options.text(_thoughts(row)) or None,
        )
        for number, part in enumerate(_parts(row)):
            if part.function_call is not None:
                called = part.function_call
                name = called.name or "unknown"
                yield ToolCall(
                    **place,
                    id=called.id or f"{row.uuid}:{number}",
                    name=name,
                    arguments=raw_text(called.args, self._options),
                    digest=call_digest(name, bytes(called.args)),
                )

    def _result(self, row: Row, place: EventPlace) -> Iterator[Event]:
        outcome = row.tool_call_result or Outcome()
        if outcome.status == "cancelled":
            yield Interruption(**place, id=outcome.call_id)
        for part in _parts(row):
            response = part.function_response
            if response is not None and response.id:
                text = result_text(response.response, self._options)
                failed = outcome.status == "error"
                yield ToolResult(**place, call_id=response.id, is_error=failed, text=text)

    def _system(self, row: Row, place: EventPlace) -> Iterator[Event]:
        happened = row.system_payload.ui_event if row.system_payload else None
        if row.subtype == "chat_compression":
            yield Compaction(**place, id=row.uuid)
        elif happened and happened.name == _ANSWERED:
            self._measured = (happened, place, row.uuid)
        elif happened and happened.name == _FAILED:
            text = self._options.text(happened.error_message or happened.error)
            yield Failure(**place, message=text or "")


_READERS: dict[str, Callable[[Chat, Row, EventPlace], Iterator[Event]]] = {
    "user": Chat._prompt,  # noqa: SLF001  the class's own
    "assistant": Chat._answer,  # noqa: SLF001
    "tool_result": Chat._result,  # noqa: SLF001
    "system": Chat._system,  # noqa: SLF001
}


def _parts(row: Row) -> list[Part]:
    return (row.message.parts if row.message else None) or []


def _text(row: Row) -> str:
    return "\n".join(part.text for part in _parts(row) if part.text and not part.thought)


def _thoughts(row: Row) -> str:
    return "\n\n".join(part.text for part in _parts(row) if part.text and part.thought)


def _latency(measured: Happened) -> float | None:
    return None if measured.duration_ms is None else measured.duration_ms / 1e3


def _to_counted(measured: Happened) -> Counted | None:
    if measured.input_token_count is None and measured.output_token_count is None:
        return None
    return Counted(
        measured.input_token_count,
        measured.output_token_count,
        measured.thoughts_token_count,
        measured.cached_content_token_count,
        measured.total_token_count,
    )


def _usage(counted: Counted | None) -> TokenUsage | None:
    """The tokens; output gets the thoughts added if the total only adds up with them."""
    if counted is None:
        return None
    given, made = counted.prompt_token_count, counted.candidates_token_count
    thoughts = counted.thoughts_token_count or 0
    inside = (given or 0) + (made or 0)
    is_beside = bool(thoughts) and counted.total_token_count == inside + thoughts
    return disjoint_usage(
        given,
        (made or 0) + thoughts if is_beside else made,
        cache_read=counted.cached_content_token_count,
        reasoning=counted.thoughts_token_count,
    )
