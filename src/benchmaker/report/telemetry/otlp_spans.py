"""Spans as OpenTelemetry's SDK holds them; needs the extra ``otel``."""

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, TraceFlags
from opentelemetry.trace.status import Status, StatusCode

from benchmaker.report.telemetry.spans import Span

_SAMPLED = TraceFlags(TraceFlags.SAMPLED)


def to_readable_span(span: Span, version: str) -> ReadableSpan:
    """The span, of the service ``benchmaker`` in this version."""
    context = _context(span.trace_id, span.span_id)
    parent = _context(span.trace_id, span.parent_id) if span.parent_id else None
    return ReadableSpan(
        span.name,
        context=context,
        parent=parent,
        resource=Resource({"service.name": "benchmaker", "service.version": version}),
        attributes=span.attributes,
        kind=SpanKind.CLIENT if span.is_request else SpanKind.INTERNAL,
        status=Status(StatusCode.ERROR) if span.is_failed else Status(),
        start_time=span.start_ns,
        end_time=span.end_ns,
        instrumentation_scope=InstrumentationScope("benchmaker", version),
    )


def _context(trace_id: int, span_id: int) -> SpanContext:
    return SpanContext(trace_id, span_id, is_remote=False, trace_flags=_SAMPLED)
