"""OpenTelemetry spans of the GenAI conventions."""

import json

import pytest

from benchmaker.arenas.agentic.importers.otel import Otel
from benchmaker.arenas.agentic.logs.events import ToolCall
from tests.arenas.agentic.importers.logs import events_of, head_of, read, read_one, written
from tests.arenas.agentic.importers.sums import never_more_when_cut, stays_the_same_when_repeated

OTEL = Otel()


def span(number, operation, *, trace="t1", **attributes):
    values = {"gen_ai.operation.name": operation} | attributes
    return {
        "traceId": trace,
        "spanId": f"span-{number}",
        "startTimeUnixNano": str(1_770_000_000_000_000_000 + number * 10**9),
        "endTimeUnixNano": str(1_770_000_001_000_000_000 + number * 10**9),
        "attributes": [
            {"key": key, "value": {"intValue": str(it)} if type(it) is int else {"stringValue": it}}
            for key, it in values.items()
        ],
        "status": {},
    }


def chat(number, given=100, made=5, names=("input_tokens", "output_tokens"), **more):
    used = {f"gen_ai.usage.{names[0]}": given, f"gen_ai.usage.{names[1]}": made}
    return span(number, "chat", **{"gen_ai.request.model": "gpt-4o"}, **used, **more)


def batch(*spans):
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def log(folder, *spans):
    return written(folder / "spans.jsonl", [batch(it) for it in spans])


@pytest.mark.parametrize(
    "names", [("input_tokens", "output_tokens"), ("prompt_tokens", "completion_tokens")]
)
def test_input_includes_the_cache_under_either_name(tmp_path, names):
    cached = {"gen_ai.usage.cache_read.input_tokens": 60}
    path = log(tmp_path, chat(1, names=names, **cached))
    found = read_one(OTEL, path)
    usage = found.usage
    assert (usage.input_uncached, usage.cache_read, usage.output) == (40, 60, 5)
    assert OTEL.sniff(head_of(path)) > 0


def test_the_sums_of_an_agent_are_not_counted_beside_its_calls(tmp_path):
    agent = span(0, "invoke_agent", **{"gen_ai.usage.input_tokens": 300})
    tool = span(3, "execute_tool", **{"gen_ai.tool.name": "bash"})
    found = read_one(OTEL, log(tmp_path, agent, chat(1), chat(2), tool))
    assert (found.total_tokens, found.llm_calls, found.tools_by_name) == (210, 2, {"bash": 1})
    assert read_one(OTEL, log(tmp_path, agent)).total_tokens == 300


def test_a_call_has_the_arguments_of_its_span(tmp_path):
    tool = {"gen_ai.tool.name": "bash", "gen_ai.tool.call.arguments": '{"command": "ls"}'}
    calls = [
        it
        for it in events_of(OTEL, log(tmp_path, chat(1), span(2, "execute_tool", **tool)))
        if isinstance(it, ToolCall)
    ]
    assert [it.arguments for it in calls] == ['{"command": "ls"}']


def test_traces_of_one_conversation_are_one_session(tmp_path):
    said = {"gen_ai.conversation.id": "a-conversation"}
    path = log(tmp_path, chat(1, trace="a", **said), chat(2, trace="b", **said), chat(3, trace="c"))
    assert [it.llm_calls for it in read(OTEL, path)] == [2, 1]


def test_a_document_over_many_lines_and_the_consoles_spans_are_read(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(batch(chat(1)), indent=1))
    assert read_one(OTEL, tmp_path / "a.json").total_tokens == 105
    plain = {
        "context": {"trace_id": "t", "span_id": "s"},
        "start_time": "2026-01-01T00:00:00Z",
        "end_time": "2026-01-01T00:00:02Z",
        "attributes": {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 7},
    }
    found = read_one(OTEL, written(tmp_path / "b.jsonl", [plain]))
    assert (found.total_tokens, found.time.llm_s) == (7, 2)


def test_a_repeated_or_cut_file_never_raises_a_total(tmp_path):
    path = log(tmp_path, chat(1), chat(2))
    stays_the_same_when_repeated(OTEL, path)
    never_more_when_cut(OTEL, path)
