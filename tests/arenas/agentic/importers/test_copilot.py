"""Sessions of Copilot CLI."""

import pytest

from benchmaker.arenas.agentic.importers.copilot import Copilot
from benchmaker.arenas.agentic.logs.events import LlmCall
from tests.arenas.agentic.importers.logs import events_of, head_of, read_one, written
from tests.arenas.agentic.importers.sums import (
    never_more_when_cut,
    sample,
    slow,
    stays_the_same_when_repeated,
)

COPILOT = Copilot()
REAL = "copilot_cli/vct_copilot.jsonl"


def row(kind, number, **data):
    at = f"2026-04-23T17:08:{number:02}.000Z"
    return {"type": kind, "id": f"a-row-of-a-session-{number}", "timestamp": at, "data": data}


def log(folder, *rows):
    start = row("session.start", 0, sessionId="a-session", copilotVersion="1.0")
    return written(folder / "events.jsonl", [start, *rows])


def answered(number):
    return row("assistant.message", number, messageId=f"a-message-of-some-{number}", outputTokens=7)


def shut_down(number, start, prompt):
    usage = {"inputTokens": prompt, "outputTokens": 14, "cacheReadTokens": 60}
    models = {"m": {"requests": {"count": 2}, "usage": usage}}
    return row("session.shutdown", number, sessionStartTime=start, modelMetrics=models)


@pytest.mark.data
def test_the_sample_has_the_values_of_the_slow_count(shared):
    sample(COPILOT, shared, REAL, **slow(REAL))


def test_a_session_that_did_not_shut_down_knows_its_output_only(tmp_path):
    found = read_one(COPILOT, log(tmp_path, answered(1), answered(2)))
    assert (found.usage.output, found.usage.input_uncached) == (14, None)


def metered(number, call, prompt):
    usage = {"model": "m", "inputTokens": prompt, "outputTokens": 9, "cacheReadTokens": 60,
             "reasoningTokens": 4, "duration": 500, "apiCallId": call}  # fmt: skip
    return row("session.usage_record", number, usage=usage)


def test_requests_that_are_metered_one_by_one_have_their_words_and_reasoning(tmp_path):
    said = {"messageId": "a-message", "apiCallId": "one", "content": "Yes.", "reasoningText": "Hm."}
    called = row("tool.execution_start", 3, toolCallId="call_0000000001", toolName="bash")
    failed = row("tool.execution_complete", 4, toolCallId="call_0000000001", success=True,
                 shellExecution={"exitCode": 1})  # fmt: skip
    rows = metered(1, "one", 100), row("assistant.message", 2, **said), called, failed
    path = log(tmp_path, *rows, metered(5, "two", 160))
    found = read_one(COPILOT, path)
    usage = found.usage
    assert (usage.input_uncached, usage.cache_read, usage.output) == (140, 120, 18)
    assert (found.llm_calls, found.tool_errors, found.time.llm_s) == (2, 1, 1.0)
    calls = [it for it in events_of(COPILOT, path) if isinstance(it, LlmCall)]
    assert [(it.text, it.reasoning) for it in calls if it.text] == [("Yes.", "Hm.")]


def test_a_resumed_session_adds_up_its_stretches(tmp_path):
    path = log(tmp_path, answered(1), shut_down(2, 5, 100), shut_down(3, 9, 200))
    found = read_one(COPILOT, path)
    assert (found.usage.input_uncached, found.llm_calls) == (180, 4)
    assert COPILOT.sniff(head_of(path)) > 0.9


def test_a_repeated_or_cut_file_never_raises_a_total(tmp_path):
    path = log(tmp_path, answered(1), answered(2), shut_down(3, 5, 100))
    stays_the_same_when_repeated(COPILOT, path)
    never_more_when_cut(COPILOT, path)
