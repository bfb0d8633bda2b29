"""Conversations of OpenHands' SDK."""

import json

import pytest

from benchmaker.arenas.agentic.importers.openhands_sdk import OpenHandsSdk
from benchmaker.arenas.agentic.traces.steps import StepKind
from benchmaker.arenas.agentic.traces.trace import trace
from benchmaker.record.submissions.submission import Status
from tests.arenas.agentic.importers.logs import head_of, read_one

SDK = OpenHandsSdk()
CONVERSATION = "c81a0af3-dc58-4626-940e-fdcbf7fd88e4"


def tokens(response, prompt=110):
    return {
        "model": "gpt-5",
        "prompt_tokens": prompt,
        "completion_tokens": 5,
        "cache_read_tokens": 100,
        "response_id": response,
    }


def conversation(folder, *events, usages=(), status="finished"):
    sums = {"prompt_tokens": 220, "completion_tokens": 10, "cache_read_tokens": 200}
    metrics = {
        "model_name": "gpt-5",
        "accumulated_cost": 0.5,
        "accumulated_token_usage": sums,
        "token_usages": list(usages),
        "response_latencies": [{"response_id": "two", "latency": 2.0}],
    }
    state = {
        "id": CONVERSATION,
        "agent": {"kind": "Agent", "llm": {"model": "gpt-5"}},
        "max_iterations": 500,
        "execution_status": status,
        "stats": {"usage_to_metrics": {"agent": metrics}},
    }
    (folder / "events").mkdir(parents=True)
    for number, event in enumerate(events):
        name = f"event-{number:05}-{number:08}.json"
        (folder / "events" / name).write_text(json.dumps(event))
    path = folder / "base_state.json"
    path.write_text(json.dumps(state))
    return path


ASKED = {"kind": "MessageEvent", "id": "e1", "timestamp": "2026-01-01T10:00:00", "source": "user",
         "llm_message": {"role": "user", "content": [{"type": "text", "text": "Go."}]}}  # fmt: skip
ACTED = {"kind": "ActionEvent", "id": "e2", "timestamp": "2026-01-01T10:00:05", "source": "agent",
         "tool_name": "terminal", "tool_call_id": "call_000000000000001",
         "action": {"command": "ls"}}  # fmt: skip
SAW = {"kind": "ObservationEvent", "id": "e3", "timestamp": "2026-01-01T10:00:06",
       "tool_name": "terminal", "tool_call_id": "call_000000000000001",
       "observation": {"exit_code": 2, "content": [{"type": "text", "text": "none"}]}}  # fmt: skip
DONE = ACTED | {"id": "e4", "tool_name": "finish", "tool_call_id": "call_000000000000002"}


def test_a_conversation_has_tokens_calls_and_prompts(tmp_path):
    usages = [tokens("one"), tokens("two")]
    path = conversation(tmp_path, ASKED, ACTED, SAW, DONE, usages=usages)
    found = read_one(SDK, path)
    usage = found.usage
    assert (usage.input_uncached, usage.cache_read, usage.output) == (20, 200, 10)
    assert (found.llm_calls, found.tool_calls, found.tool_errors, found.iterations) == (2, 1, 1, 1)
    assert (found.cost.reported_usd, found.time.llm_s) == (0.5, 2.0)
    assert found.outcome.status is Status.COMPLETED
    assert found.session_id == CONVERSATION
    assert SDK.sniff(head_of(path)) > 0.5


THOUGHT = ACTED | {"llm_response_id": "one", "reasoning_content": "Maybe here.",
                   "thought": [{"type": "text", "text": "I look."}]}  # fmt: skip
BESIDE = THOUGHT | {"id": "e5", "tool_call_id": "call_000000000000003", "thought": [],
                    "reasoning_content": None}  # fmt: skip
ENDED = DONE | {"llm_response_id": "two", "action": {"message": "Nothing is there."},
                "thinking_blocks": [{"type": "thinking", "thinking": "It is over."}]}  # fmt: skip
SAID = {"kind": "MessageEvent", "id": "e6", "timestamp": "2026-01-01T10:00:09", "source": "agent",
        "llm_response_id": "two",
        "llm_message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}],
                        "responses_reasoning_item": {"summary": ["First.", "Then."]}}}  # fmt: skip


@pytest.mark.parametrize(
    ("end", "answer"),
    [(ENDED, ("Nothing is there.", "It is over.")), (SAID, ("Done.", "First.\n\nThen."))],
)
def test_answers_have_their_words_reasoning_tokens_and_calls(tmp_path, end, answer):
    usages = [tokens("one"), tokens("two", 120), tokens("three", 130)]
    conversation(tmp_path, ASKED, THOUGHT, BESIDE, SAW, end, usages=usages)
    steps = list(trace(tmp_path).walk())
    answers = [it for it in steps if it.kind is StepKind.ANSWER]
    said = [(it.text, it.reasoning) for it in answers]
    assert said == [("I look.", "Maybe here."), answer, (None, None)]
    assert [it.usage.total for it in answers] == [115, 125, 135]
    assert [len(it.calls) for it in answers] == [2, 0, 0]


def test_without_single_requests_the_sums_stand(tmp_path):
    found = read_one(SDK, conversation(tmp_path, ASKED, status="stuck"))
    assert (found.total_tokens, found.llm_calls) == (230, None)
    assert found.outcome.status is Status.FAILED


def test_an_event_alone_is_no_conversation(tmp_path):
    conversation(tmp_path, ASKED)
    (event,) = (tmp_path / "events").iterdir()
    assert SDK.sniff(head_of(event)) == 0
