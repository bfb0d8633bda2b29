"""The output of ``gemini -o json``: sums for each model and tool, without times."""

from collections.abc import Iterator

import msgspec

from benchmaker.arenas.agentic.importers.gemini_cli.chat import HARNESS
from benchmaker.arenas.agentic.importers.gemini_cli.records import Answer, Stats, ToolStats
from benchmaker.arenas.agentic.importers.gemini_cli.usage import usage_of
from benchmaker.arenas.agentic.logs.digests import call_digest
from benchmaker.arenas.agentic.logs.events import (
    Event,
    LlmCall,
    Session,
    ToolCall,
    ToolResult,
    Totals,
)

_MOST_CALLS = 10_000


def answer_events(answer: Answer, session_id: str) -> Iterator[Event]:
    """Yield the sums as events: one per model, which represents all its requests."""
    name = answer.session_id or session_id
    stats = answer.stats or Stats()
    model = next(iter(stats.models), None)
    yield Session(
        session_id=name,
        harness=HARNESS,
        provider="google",
        mode="headless",
        model=model,
        records=frozenset({"llm_calls", "tool_calls", "tool_errors"}),
    )
    mark = f"{name}:{call_digest('', msgspec.json.encode(stats))}"
    llm_s = 0.0
    for number, (model, sums) in enumerate(stats.models.items()):
        latency_ms = sums.api.total_latency_ms if sums.api else None
        llm_s += (latency_ms or 0.0) / 1e3
        if sums.tokens is not None:
            yield LlmCall(
                id=f"{mark}:{number}",
                model=model,
                usage=usage_of(sums.tokens),
                requests=sums.api.total_requests if sums.api else None,
            )
    if stats.tools is not None:
        yield from _calls(stats.tools, mark)
    tool_ms = stats.tools.total_duration_ms if stats.tools else None
    if llm_s or tool_ms:
        yield Totals(llm_s=llm_s or None, tool_s=tool_ms and tool_ms / 1e3)


def _calls(tools: ToolStats, mark: str) -> Iterator[Event]:
    """As many calls and errors of each tool as were counted."""
    left = _MOST_CALLS
    for tool, sums in tools.by_name.items():
        for number in range(min(sums.count or 0, left)):
            call_id = f"{mark}:{tool}:{number}"
            yield ToolCall(id=call_id, name=tool)
            yield ToolResult(call_id=call_id, is_error=number < (sums.fail or 0))
        left -= min(sums.count or 0, left)
