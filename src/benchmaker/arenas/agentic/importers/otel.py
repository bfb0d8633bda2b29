"""OpenTelemetry spans of the GenAI conventions, as OTLP JSON or as the console writes them."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef, Skipped
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import beginnings, call_digest
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import (
    Activity,
    Event,
    LlmCall,
    Session,
    ToolCall,
    ToolResult,
    Totals,
)
from benchmaker.arenas.agentic.logs.inclusive import disjoint_usage
from benchmaker.arenas.agentic.logs.lenient_json import Loose, loose_document, quiet_options
from benchmaker.arenas.agentic.logs.lines import text_lines
from benchmaker.arenas.agentic.logs.options import MAX_COUNT, QUIET
from benchmaker.arenas.agentic.logs.shared_file import FileCache
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.plugins import importer
from benchmaker.record import otel
from benchmaker.record.submissions.submission import TokenUsage

_CHATS = (otel.CHAT, "text_completion", "generate_content")
_USAGE = "gen_ai.usage."
_INPUT = ("input_tokens", "prompt_tokens")
_OUTPUT = ("output_tokens", "completion_tokens")
_READ = ("cache_read.input_tokens", "cache_read_input_tokens")
_WRITTEN = ("cache_creation.input_tokens", "cache_creation_input_tokens")
_REASONING = ("reasoning.output_tokens", "reasoning_tokens")
_FIGURES = frozenset(
    {
        otel.CACHE_WRITE_1H,
        otel.COST_USD,
        otel.OTHER_TOKENS,
        *otel.COUNTS.values(),
        otel.TOTAL_TOKENS,
        *otel.KINDS.values(),
    }
)
_SESSION = (otel.CONVERSATION_ID, "session.id")


class _Value(msgspec.Struct, rename="camel"):
    string_value: str | None = None
    int_value: Any = None  # a number, or as OTLP has it a text
    double_value: float | None = None
    bool_value: bool | None = None


class _Attribute(msgspec.Struct):
    key: str | None = None
    value: _Value | None = None


class _Context(msgspec.Struct):
    trace_id: str | None = None
    span_id: str | None = None


class _Status(msgspec.Struct):
    code: Any = None  # a number or a name
    status_code: str | None = None


class _Span(msgspec.Struct, rename="camel"):
    name: str | None = None
    trace_id: str | None = None
    span_id: str | None = None
    start_time_unix_nano: Any = None  # a text or a number
    end_time_unix_nano: Any = None
    context: _Context | None = None
    start: Any = msgspec.field(default=None, name="start_time")
    end: Any = msgspec.field(default=None, name="end_time")
    attributes: list[_Attribute] | dict[str, Any] | None = None
    status: _Status | None = None

    @property
    def values(self) -> Mapping[str, Any]:
        """The attributes by name."""
        if isinstance(self.attributes, dict):
            return self.attributes
        return {
            it.key: _plain_value(it.value) for it in self.attributes or () if it.key and it.value
        }

    @property
    def ids(self) -> tuple[str, str]:
        """Of the trace and of the span."""
        context = self.context or _Context()
        trace, span = self.trace_id or context.trace_id, self.span_id or context.span_id
        return trace or "", span or ""

    @property
    def is_error(self) -> bool:
        """True if its status is an error."""
        status = self.status or _Status()
        return status.code in (2, "STATUS_CODE_ERROR", "ERROR") or status.status_code == "ERROR"


class _Scope(msgspec.Struct):
    spans: list[_Span] | None = None


class _Resource(msgspec.Struct, rename="camel"):
    scope_spans: list[_Scope] | None = None


class _Document(_Span, rename="camel"):
    """A batch of spans, or one span."""

    resource_spans: list[_Resource] | None = None


_DOCUMENTS = Loose(_Document)


@importer(id="otel", version="1")
class Otel:
    """Spans of model calls and tools; input includes cached tokens, output the reasoning."""

    id: ClassVar[str] = "otel"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "OpenTelemetry GenAI spans"

    def __init__(self) -> None:
        self._sessions = FileCache(_read)

    def sniff(self, head: FileHead) -> float:
        """By the names of attributes."""
        is_json = head.is_object or head.is_list
        keys = (b'"resourceSpans"', b'"trace_id"', b'"traceId"')
        is_span = is_json and any(key in head.start for key in keys)
        return 0.9 if is_span and b'"gen_ai.' in head.start else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """A session for each conversation, else for each trace."""
        for name in self._sessions.get(root, QUIET):
            yield SessionRef(importer=self.id, id=name or root.stem, files=(root,), part=name)

    def beginnings(self, ref: SessionRef, options: Options) -> tuple[bytes, ...]:
        """The beginnings of the session's list of spans."""
        spans = self._sessions.get(ref.files[0], quiet_options(options)).get(ref.part, {})
        return beginnings((), map(msgspec.json.encode, spans.values()))

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """Span by span, by time."""
        spans = self._sessions.get(ref.files[0], options).get(ref.part, {})
        yield Session(
            session_id=ref.id,
            model=options.model,
            records=frozenset({"llm_calls", "tool_calls", "tool_errors"}),
        )
        is_detailed = any(_operation(span) in _CHATS for span in spans.values())
        for span in spans.values():
            figures = ((name, value) for name, value in span.values.items() if _is_figure(name))
            options.refuse_impossible(figures, path=ref.files[0])
            yield from _events(span, options, is_detailed=is_detailed)


def _read(path: Path, options: Options) -> dict[str, dict[tuple[str, str], _Span]]:
    """The spans by session and id; one that is written twice is one.

    The spans of a trace follow the conversation that one of them names.
    """
    spans = {span.ids: span for span in _spans(path, options)}
    named = {
        ids[0]: str(name)
        for ids, span in spans.items()
        if (name := _first_value(span.values, _SESSION)) is not None
    }
    found: dict[str, dict[tuple[str, str], _Span]] = {}
    for ids, span in spans.items():
        found.setdefault(named.get(ids[0], ids[0]), {})[ids] = span
    return found


def _spans(path: Path, options: Options) -> Iterator[_Span]:
    """Of lines, else of one document over many lines."""
    quiet = quiet_options(options)
    first = next(text_lines(path, quiet), (0, b""))[1]
    try:
        _DOCUMENTS.decode(first)
    except DecodingError:
        document = loose_document(path, options, _DOCUMENTS)
        yield from _document_spans(document) if document else ()
        return
    for number, text in text_lines(path, options):
        try:
            document, left_out = _DOCUMENTS.decode(text)
        except DecodingError as refused:
            options.skip(Skipped(path, number, str(refused)))
            continue
        for complaint in left_out:
            options.skip(Skipped(path, number, f"skipped {complaint}"))
        yield from _document_spans(document)


def _document_spans(document: _Document) -> Iterator[_Span]:
    if document.resource_spans is None:
        yield document
    for resource in document.resource_spans or ():
        for scope in resource.scope_spans or ():
            yield from scope.spans or ()


def _plain_value(value: _Value) -> object:
    if value.int_value is not None:
        text = str(value.int_value)
        return int(text) if text.isdecimal() and text.isascii() else text
    kinds = (value.string_value, value.double_value, value.bool_value)
    return next((it for it in kinds if it is not None), None)


def _first_value(values: Mapping[str, Any], names: tuple[str, ...], before: str = "") -> object:
    return next((values[before + name] for name in names if before + name in values), None)


def _operation(span: _Span) -> str:
    return str(span.values.get(otel.OPERATION) or "")


def _events(span: _Span, options: Options, *, is_detailed: bool) -> Iterator[Event]:
    values, operation = span.values, _operation(span)
    begun = seconds(span.start_time_unix_nano or span.start)
    done = seconds(span.end_time_unix_nano or span.end)
    place = EventPlace(at=begun, agent="", line=0, file=0)
    name = "otel:span:" + ":".join(span.ids)
    if harness := values.get(otel.AGENT_NAME):
        yield Session(**place, harness=str(harness))
    if operation == otel.INVOKE_AGENT:
        model = values.get(otel.REQUEST_MODEL)
        yield Session(**place, model=str(model) if model else None)
        yield from _final_totals(values, place)
    is_sum = operation == otel.INVOKE_AGENT and not is_detailed and _has_usage(span)
    if operation in _CHATS or (is_sum and values.get(otel.IS_FINAL) is not True):
        model = values.get(otel.RESPONSE_MODEL) or values.get(otel.REQUEST_MODEL)
        provider = values.get(otel.PROVIDER) or values.get("gen_ai.system")
        yield Session(**place, provider=str(provider) if provider else None)
        yield LlmCall(
            **place,
            id=str(values.get(otel.RESPONSE_ID) or name),
            model=str(model) if model else options.model,
            usage=_usage(values),
            cost_usd=_cost(values),
            latency_s=done - begun if begun and done and done > begun else None,
            requests=(_count(values.get(otel.COUNTS["llm_calls"])) or 1)
            if operation in _CHATS
            else None,
        )
    elif operation == otel.EXECUTE_TOOL:
        yield from _tool(values, name, place, options, is_error=span.is_error)
    yield Activity(at=done)


def _usage(values: Mapping[str, Any]) -> TokenUsage:
    kinds = (_INPUT, _OUTPUT, _READ, _WRITTEN, _REASONING)
    given, made, read, written, reasoning = (
        _count(_first_value(values, names, _USAGE)) for names in kinds
    )
    hour, other = _count(values.get(otel.CACHE_WRITE_1H)), _count(values.get(otel.OTHER_TOKENS))
    if hour is not None:
        hour = hour if written is None else min(hour, written)
        written = (written or 0) - hour or None
    usage = disjoint_usage(
        given,
        made,
        cache_read=read,
        cache_write=written,
        cache_write_1h=hour,
        reasoning=reasoning,
    )
    return usage if other is None else msgspec.structs.replace(usage, other=other)


def _partial_usage(values: Mapping[str, Any]) -> TokenUsage:
    """The known kinds of a usage without a total."""
    return TokenUsage(**{kind: _count(values.get(name)) for kind, name in otel.KINDS.items()})


def _is_figure(name: str) -> bool:
    return name.startswith(_USAGE) or name in _FIGURES


def _count(value: object) -> int | None:
    return value if type(value) is int and 0 <= value <= MAX_COUNT else None


def _cost(values: Mapping[str, Any]) -> float | None:
    value = values.get(otel.COST_USD)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and value is not None and 0 <= value <= MAX_COUNT else None


def _has_usage(span: _Span) -> bool:
    return any(_first_value(span.values, names, _USAGE) is not None for names in (_INPUT, _OUTPUT))


def _final_totals(values: Mapping[str, Any], place: EventPlace) -> Iterator[Event]:
    """Yield the totals of an agent's span."""
    counts = _counts(values)
    if others := {name: n for name, n in counts.items() if name not in otel.SUMMED}:
        yield Totals(**place, counts=others)
    if values.get(otel.IS_FINAL) is True:
        is_partial = values.get(otel.IS_PARTIAL) is True or None
        usage = _partial_usage(values) if is_partial else _usage(values)
        yield Totals(
            **place,
            usage=usage if is_partial or usage.total else None,
            is_usage_partial=is_partial,
            total_tokens=_count(values.get(otel.TOTAL_TOKENS)),
            counts={name: n for name, n in counts.items() if name in otel.SUMMED},
            cost_usd=_cost(values),
        )


def _counts(values: Mapping[str, Any]) -> dict[str, int]:
    """Return the counts that an agent's span states."""
    return {
        name: n
        for name, attribute in otel.COUNTS.items()
        if (n := _count(values.get(attribute))) is not None
    }


def _tool(
    values: Mapping[str, Any], name: str, place: EventPlace, options: Options, *, is_error: bool
) -> Iterator[Event]:
    tool = str(values.get(otel.TOOL_NAME) or "unknown")
    arguments = str(values.get(otel.TOOL_ARGUMENTS) or "")
    yield ToolCall(
        **place,
        id=name,
        name=tool,
        arguments=options.text(arguments),
        digest=call_digest(tool, arguments or name),
    )
    text = values.get(otel.TOOL_RESULT)
    kept = options.text(str(text)) if text is not None else None
    yield ToolResult(**place, call_id=name, is_error=is_error, text=kept)
