"""Submissions as OpenTelemetry spans of the GenAI conventions, in the JSON of OTLP.

An agent is a span with its model calls and tools inside; the names are defined in
:mod:`benchmaker.record.otel`. If the sum of the model calls is not the submission's total, the
agent's span has the total and marks it as final.
"""

import json
from collections.abc import Iterator
from hashlib import sha256
from math import isclose
from typing import Any

from benchmaker.arenas.agentic.exporters.figures import count_steps, stated_counts
from benchmaker.arenas.agentic.exporters.inclusive import (
    has_partial_usage,
    input_of,
    kinds_of,
    whole_input_of,
    writes_of,
)
from benchmaker.arenas.agentic.exporters.steps import ExportStep, Story
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.traces.steps import ToolUse
from benchmaker.record import otel
from benchmaker.record.submissions.submission import Submission, TokenUsage

_INTERNAL, _CLIENT = 1, 3
_ERROR = {"code": 2}


def batch(submission: Submission, story: Story) -> dict[str, Any]:
    """Return the spans of one submission, without parts that another submission counts."""
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": _attributes({"service.name": "benchmaker"})},
                "scopeSpans": [
                    {
                        "scope": {"name": "benchmaker"},
                        "spans": list(_Spans(submission, story).spans()),
                    }
                ],
            }
        ]
    }


class _Spans:
    """Makes the spans of one submission; ids follow from its id."""

    def __init__(self, submission: Submission, story: Story) -> None:
        self._submission = submission
        self._story = story
        self._trace = _hash(submission.id)[:32]
        self._root = _hash(submission.id, "agent", "")[:16]
        self._begun = seconds(submission.started_at)
        self._done = seconds(submission.finished_at) or self._begun

    def spans(self) -> Iterator[dict[str, Any]]:
        """The main agent's span, those of its subagents, then step by step."""
        yield self._main()
        for agent in self._story.agents:
            yield self._subagent(agent)
        for number, step in enumerate(self._story.steps):
            if not step.is_copied:
                yield from self._step(step, number)

    def _main(self) -> dict[str, Any]:
        system = self._submission.system
        values = {
            otel.OPERATION: otel.INVOKE_AGENT,
            otel.AGENT_NAME: system.harness,
            otel.AGENT_VERSION: system.harness_version,
            otel.PROVIDER: system.provider,
            otel.REQUEST_MODEL: system.model,
            otel.CONVERSATION_ID: self._conversation,
            otel.COUNTS["iterations"]: self._submission.iterations,
        } | self._total_attributes()
        name = f"{otel.INVOKE_AGENT} {system.harness}"
        return self._span(self._root, name, values, self._begun, self._done, parent="")

    @property
    def _conversation(self) -> str:
        return self._submission.session_id or self._submission.id

    def _total_attributes(self) -> dict[str, Any]:
        """The counts that spans don't show; all totals, where the steps don't add up to them."""
        found, it = count_steps(self._story), self._submission
        counts = stated_counts(it, self._story)
        attributes = {otel.COUNTS[name]: n for name, n in counts.items()}
        is_same = found.usage == it.usage and _is_close(found.cost_usd, it.cost.reported_usd)
        if is_same and not counts.keys() & otel.SUMMED and not _is_mixed(self._story):
            return attributes
        return (
            {
                otel.IS_FINAL: True,
                otel.COST_USD: it.cost.reported_usd,
                otel.TOTAL_TOKENS: it.total_tokens if it.usage.total is None else None,
            }
            | (_partial_usage(it.usage) if has_partial_usage(it) else _usage(it.usage))
            | attributes
        )

    def _subagent(self, agent: str) -> dict[str, Any]:
        times = [it.at for it in self._story.steps if it.agent == agent and it.at is not None]
        name = self._story.agents[agent] or "subagent"
        values = {
            otel.OPERATION: otel.INVOKE_AGENT,
            otel.AGENT_ID: agent,
            otel.AGENT_NAME: name,
        }
        begun, done = min(times, default=self._begun), max(times, default=self._begun)
        return self._span(self._span_id(agent), f"{otel.INVOKE_AGENT} {name}", values, begun, done)

    def _span_id(self, agent: str) -> str:
        """The id of an agent's span."""
        return _hash(self._submission.id, "agent", agent)[:16]

    def _step(self, step: ExportStep, number: int) -> Iterator[dict[str, Any]]:
        request, at = step.request, step.at
        if request is not None:
            operation = otel.INVOKE_AGENT if request.requests is None else otel.CHAT
            values = {
                otel.OPERATION: operation,
                otel.PROVIDER: self._submission.system.provider,
                otel.REQUEST_MODEL: request.model,
                otel.RESPONSE_MODEL: request.model,
                otel.RESPONSE_ID: step.id,
                otel.CONVERSATION_ID: self._conversation,
                otel.COUNTS["llm_calls"]: None if request.requests == 1 else request.requests,
                otel.COST_USD: request.cost_usd,
                otel.OUTPUT_MESSAGES: _message("assistant", step.text),
            } | _usage(request.usage or TokenUsage())
            done = at + request.latency_s if at is not None and request.latency_s else at
            key = _hash(self._submission.id, "step", str(number))[:16]
            name = f"{operation} {request.model or ''}".strip()
            parent = self._span_id(step.agent)
            yield self._span(key, name, values, at, done, parent=parent, kind=_CLIENT)
        for n, call in enumerate(step.calls):
            yield self._tool(call, f"{number}.{n}", step.agent)

    def _tool(self, call: ToolUse, number: str, agent: str) -> dict[str, Any]:
        values = {
            otel.OPERATION: otel.EXECUTE_TOOL,
            otel.TOOL_NAME: call.name,
            otel.TOOL_CALL_ID: call.id,
            otel.TOOL_ARGUMENTS: call.arguments,
            otel.TOOL_RESULT: call.output,
        }
        key = _hash(self._submission.id, "call", number)[:16]
        name = f"{otel.EXECUTE_TOOL} {call.name}"
        span = self._span(key, name, values, call.at, call.at, parent=self._span_id(agent))
        return span | ({"status": _ERROR} if call.is_error else {})

    def _span(
        self,
        key: str,
        name: str,
        values: dict[str, Any],
        begun: float | None,
        done: float | None,
        *,
        parent: str | None = None,
        kind: int = _INTERNAL,
    ) -> dict[str, Any]:
        above = self._root if parent is None else parent
        return {
            "traceId": self._trace,
            "spanId": key,
            **({"parentSpanId": above} if above else {}),
            "name": name,
            "kind": kind,
            "startTimeUnixNano": _nanoseconds(begun),
            "endTimeUnixNano": _nanoseconds(done),
            "attributes": _attributes(values),
        }


def _is_close(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return isclose(one, other, rel_tol=1e-9)


def _is_mixed(story: Story) -> bool:
    """True if some answers represent an unknown number of requests, and some a known one."""
    numbers = {step.request.requests is None for step in story.steps if step.request}
    return len(numbers) > 1


def _usage(usage: TokenUsage) -> dict[str, int | None]:
    return {
        otel.INPUT_TOKENS: input_of(usage),
        otel.OUTPUT_TOKENS: usage.output,
        otel.CACHE_READ: usage.cache_read,
        otel.CACHE_WRITE: writes_of(usage),
        otel.CACHE_WRITE_1H: usage.cache_write_1h,
        otel.REASONING: usage.reasoning,
        otel.OTHER_TOKENS: usage.other,
    }


def _partial_usage(usage: TokenUsage) -> dict[str, Any]:
    """The known kinds of a usage without a total; sums only where all of their kinds are known."""
    return {
        otel.IS_PARTIAL: True,
        otel.INPUT_TOKENS: whole_input_of(usage),
        otel.OUTPUT_TOKENS: usage.output,
        otel.CACHE_READ: usage.cache_read,
        otel.REASONING: usage.reasoning,
    } | {otel.KINDS[name]: n for name, n in kinds_of(usage).items()}


def _message(role: str, text: str | None) -> str | None:
    if not text:
        return None
    parts = [{"type": "text", "content": text}]
    return json.dumps([{"role": role, "parts": parts}], ensure_ascii=False)


def _attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": name, "value": _value(value)} for name, value in values.items() if value is not None
    ]


def _value(value: bool | int | float | str) -> dict[str, Any]:  # noqa: FBT001, PYI041  told apart here
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}


def _nanoseconds(at: float | None) -> str:
    return str(round(at * 1e6) * 1000) if at else "0"


def _hash(*words: str) -> str:
    return sha256("\0".join(words).encode("utf-8", "replace")).hexdigest()
