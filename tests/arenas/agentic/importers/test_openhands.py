"""Output of OpenHands."""

import pytest

from benchmaker.arenas.agentic.importers.openhands import OpenHands
from benchmaker.arenas.agentic.logs.events import LlmCall
from benchmaker.arenas.agentic.sessions.session_intake import is_empty
from benchmaker.record.submissions.submission import Status
from tests.arenas.agentic.importers.logs import events_of, read, read_one, written
from tests.arenas.agentic.importers.sums import (
    never_more_when_cut,
    sample,
    slow,
    stays_the_same_when_repeated,
    values,
)

HANDS = OpenHands()
REAL = "openhands/multi_swe_output_0.jsonl"
RESOLVER = "openhands/resolver_output.jsonl"


def line(task, **more):
    used = {"model": "m", "prompt_tokens": 100, "completion_tokens": 5, "cache_read_tokens": 30}
    actions = ["system", "message", "run", "think", "browse_interactive", "finish"]
    return {
        "instance_id": task,
        "instruction": "do it",
        "history": [{"id": n, "source": "agent", "action": a} for n, a in enumerate(actions)],
        "metrics": {
            "accumulated_cost": 0.25,
            "accumulated_token_usage": used,
            "token_usages": [used | {"response_id": f"gen-1746001974-{task}"}],
            "response_latencies": [{"latency": 2.0}],
        },
        "error": None,
    } | more


@pytest.mark.data
def test_the_sample_has_the_values_of_the_reference(shared):
    expected = values(shared, REAL)
    used = expected["token_usage"]
    (found,) = sample(
        HANDS,
        shared,
        REAL,
        llm_calls=expected["llm_calls"],
        tool_calls=expected["tool_calls"],
        input_tokens_uncached=used["prompt_tokens"] - used["cache_read_tokens"],
        output_tokens=used["completion_tokens"],
        cost_usd_reported=expected["accumulated_cost"],
        llm_s=expected["sum_latency_s"],
        wall_s=expected["history_seconds"],
        patch_bytes=expected["patch_bytes"],
    )
    assert found.cost.reported_usd is None


@pytest.mark.data
def test_the_resolver_has_the_values_of_the_slow_count(shared):
    sample(HANDS, shared, RESOLVER, **slow(RESOLVER))


def test_each_line_is_a_session(tmp_path):
    found = read(HANDS, written(tmp_path / "output.jsonl", [line("a"), line("b")]))
    assert [it.tool_calls for it in found] == [2, 2]
    assert [it.usage.input_uncached for it in found] == [70, 70]


def test_the_error_tells_the_end(tmp_path):
    error = "RuntimeError: Agent reached maximum iteration in headless mode"
    found = read_one(HANDS, written(tmp_path / "output.jsonl", [line("a", error=error)]))
    assert found.outcome.status is Status.BUDGET


def test_bad_lines_are_told_and_passed_over(tmp_path):
    path = written(tmp_path / "output.jsonl", [line("a"), "{", line("b")])
    assert [is_empty(it) for it in read(HANDS, path)] == [False, False, True]


def test_a_repeated_or_cut_file_never_raises_a_total(tmp_path):
    path = written(tmp_path / "output.jsonl", [line("a"), line("b")])
    stays_the_same_when_repeated(HANDS, path)
    never_more_when_cut(HANDS, path)


def test_latencies_are_paired_by_response(tmp_path):
    usages = [{"prompt_tokens": n, "response_id": f"gen-1746001974-{n}"} for n in (1, 2, 3)]
    waits = [{"latency": 10.0 * n, "response_id": f"gen-1746001974-{n}"} for n in (3, 1)]
    metrics = {"token_usages": usages, "response_latencies": waits}
    path = written(tmp_path / "output.jsonl", [line("a", metrics=metrics)])
    calls = [it for it in events_of(HANDS, path) if isinstance(it, LlmCall)]
    assert [it.latency_s for it in calls] == [10.0, None, 30.0]
