"""Sessions of Cline."""

import json

import pytest

from benchmaker.arenas.agentic.importers.cline import Cline
from benchmaker.record.submissions.submission import Status
from tests.arenas.agentic.importers.logs import read, read_one
from tests.arenas.agentic.importers.sums import (
    never_more_when_cut,
    sample,
    slow,
    stays_the_same_when_repeated,
)

CLINE = Cline()
REAL = "cline/session.messages.json"


def answer(number, **used):
    return {
        "id": f"msg_{number}",
        "role": "assistant",
        "ts": 1783376868634 + number,
        "content": [{"type": "text", "text": "so"}],
        "modelInfo": {"id": "m"},
        "metrics": {"inputTokens": 100, "outputTokens": 5, "cacheReadTokens": 40, "cost": 0.5}
        | used,
    }


def written(folder, name, *messages):
    path = folder / f"{name}.messages.json"
    path.write_text(json.dumps({"sessionId": name, "messages": messages}))
    return path


@pytest.mark.data
def test_the_sample_has_the_values_of_the_slow_count(shared):
    (found,) = sample(CLINE, shared, REAL, **slow(REAL))
    assert found.outcome.status is Status.COMPLETED
    assert found.system.model == "anthropic/claude-opus-4.8-fast"


@pytest.mark.data
def test_facts_and_messages_are_one_session(shared):
    folder = shared / "agent_logs" / "cline"
    (ref,) = CLINE.scan(folder / "session.json")
    assert (ref,) == tuple(CLINE.scan(folder / "session.messages.json"))


def test_a_fork_counts_what_it_adds(tmp_path):
    parent = written(tmp_path, "a", answer(1), answer(2))
    fork = written(tmp_path, "b", answer(1), answer(2), answer(3))
    assert [it.llm_calls for it in read(CLINE, parent, fork)] == [2, 1]


def test_the_older_extension_counts_input_without_cache(tmp_path):
    used = {"tokensIn": 10, "tokensOut": 5, "cacheReads": 40, "cacheWrites": 3, "cost": 0.5}
    rows = [
        {"ts": 1700000000000, "type": "say", "say": "task", "text": "do it"},
        {"ts": 1700000001000, "say": "api_req_started", "text": json.dumps(used)},
        {"ts": 1700000002000, "ask": "tool", "text": '{"tool": "readFile"}'},
    ]
    (tmp_path / "ui_messages.json").write_text(json.dumps(rows))
    found = read_one(CLINE, tmp_path / "ui_messages.json")
    assert (found.usage.input_uncached, found.total_tokens) == (10, 58)
    assert (found.tools_by_name, found.iterations) == ({"readFile": 1}, 1)


def test_a_repeated_or_cut_file_never_raises_a_total(tmp_path):
    path = written(tmp_path, "a", answer(1), answer(2))
    stays_the_same_when_repeated(CLINE, path)
    never_more_when_cut(CLINE, path)
