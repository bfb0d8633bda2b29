"""Submissions as OpenTelemetry spans."""

import json

from benchmaker.arenas.agentic.exporters.otel import batch
from benchmaker.arenas.agentic.exporters.steps import Story
from benchmaker.arenas.agentic.logs.events import (
    LlmCall,
    SubagentStart,
    ToolCall,
    ToolResult,
    UserTurn,
)
from benchmaker.record.submissions.submission import Submission, System, TokenUsage

USAGE = TokenUsage(
    input_uncached=1, cache_read=2, cache_write_5m=4, cache_write_1h=8, output=16, reasoning=3
)


def spans(*events, **fields):
    submission = Submission(id="x-1", system=System(harness="a", model="m"), **fields)
    found = batch(submission, Story.of(events, frozenset()))
    (resource,) = found["resourceSpans"]
    (scope,) = resource["scopeSpans"]
    return scope["spans"]


def values(span):
    return {it["key"]: next(iter(it["value"].values())) for it in span["attributes"]}


def test_an_answer_is_a_chat_within_its_agent():
    root, chat = spans(
        LlmCall(id="r1", model="gpt-5", usage=USAGE, at=100.0, latency_s=2.5, text="Well."),
        usage=USAGE,
        llm_calls=1,
        session_id="s",
        started_at="1970-01-01T00:01:40Z",
    )
    assert (chat["name"], chat["parentSpanId"]) == ("chat gpt-5", root["spanId"])
    assert (chat["startTimeUnixNano"], chat["endTimeUnixNano"]) == ("100000000000", "102500000000")
    assert (len(chat["traceId"]), len(chat["spanId"])) == (32, 16)
    found = values(chat)
    assert found.pop("gen_ai.output.messages") == json.dumps(
        [{"role": "assistant", "parts": [{"type": "text", "content": "Well."}]}]
    )
    assert found == {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.response.model": "gpt-5",
        "gen_ai.response.id": "r1",
        "gen_ai.conversation.id": "s",
        "gen_ai.usage.input_tokens": "15",
        "gen_ai.usage.output_tokens": "16",
        "gen_ai.usage.cache_read.input_tokens": "2",
        "gen_ai.usage.cache_creation.input_tokens": "12",
        "benchmaker.usage.cache_creation_1h.input_tokens": "8",
        "gen_ai.usage.reasoning.output_tokens": "3",
    }
    assert "gen_ai.usage.input_tokens" not in values(root)


def test_totals_that_the_answers_do_not_add_up_to_stand_at_the_agent():
    root, _ = spans(LlmCall(id="r1"), usage=USAGE, llm_calls=7)
    found = values(root)
    assert found["benchmaker.usage.is_final"] is True
    assert (found["gen_ai.usage.input_tokens"], found["benchmaker.llm_calls"]) == ("15", "7")


def test_a_tool_that_failed_has_an_error_status():
    _, _, tool = spans(
        LlmCall(id="r1"),
        ToolCall(id="c1", name="Bash", arguments="{}"),
        ToolResult(call_id="c1", is_error=True, text="no such file"),
    )
    assert (tool["name"], tool["status"]) == ("execute_tool Bash", {"code": 2})
    assert values(tool)["gen_ai.tool.call.result"] == "no such file"


def test_a_subagent_is_an_agent_within():
    root, agent, chat = spans(
        SubagentStart(id="a1", name="explorer", agent="a1"), LlmCall(id="r", agent="a1")
    )
    assert agent["parentSpanId"] == root["spanId"]
    assert chat["parentSpanId"] == agent["spanId"]
    assert values(agent)["gen_ai.agent.name"] == "explorer"


def test_prompts_are_counted_and_times_may_be_unknown():
    (root,) = spans(UserTurn(id="u", text="do it"), iterations=1)
    assert values(root)["benchmaker.iterations"] == "1"
    assert root["startTimeUnixNano"] == "0"
