"""Submissions as ATIF trajectories."""

import pytest

from benchmaker.arenas.agentic.exporters.atif import trajectory
from benchmaker.arenas.agentic.exporters.steps import Story
from benchmaker.arenas.agentic.logs.events import (
    LlmCall,
    SubagentStart,
    ToolCall,
    ToolResult,
    UserTurn,
)
from benchmaker.record.submissions.submission import Cost, Submission, System, TokenUsage
from tests.arenas.agentic.exporters.exported import document, stored
from tests.arenas.agentic.importers import claude_rows as claude
from tests.arenas.agentic.importers import logs

FIELDS = {
    "trajectory": "schema_version session_id trajectory_id agent steps notes final_metrics "
    "continued_trajectory_ref extra subagent_trajectories",
    "agent": "name version model_name tool_definitions extra",
    "step": "step_id timestamp source model_name reasoning_effort message reasoning_content "
    "tool_calls observation metrics extra llm_call_count is_copied_context",
    "call": "tool_call_id function_name arguments extra",
    "result": "source_call_id content subagent_trajectory_ref extra",
    "metrics": "prompt_tokens completion_tokens cached_tokens cost_usd prompt_token_ids "
    "completion_token_ids logprobs extra",
    "final": "total_prompt_tokens total_completion_tokens total_cached_tokens total_cost_usd "
    "total_steps extra",
}
"""The fields of version 1.8; its validators refuse others."""
ONLY_AGENTS = {"model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"}


def has_only(kind, part):
    assert set(part) <= set(FIELDS[kind].split())


def check(made):
    """The rules of the strict models of the package ``atif`` 1.8.0."""
    has_only("trajectory", made)
    has_only("agent", made["agent"])
    assert {"name", "version"} <= set(made["agent"])
    assert [step["step_id"] for step in made["steps"]] == list(range(1, len(made["steps"]) + 1))
    for step in made["steps"]:
        check_step(step)
    has_only("final", made.get("final_metrics", {}))
    children = made.get("subagent_trajectories", [])
    names = [child["trajectory_id"] for child in children]
    assert len(names) == len(set(names))
    for child in children:
        check(child)


def check_step(step):
    has_only("step", step)
    assert step["source"] == "agent" or ONLY_AGENTS.isdisjoint(step)
    assert step.get("llm_call_count") != 0 or "metrics" not in step
    has_only("metrics", step.get("metrics", {}))
    calls = {call["tool_call_id"] for call in step.get("tool_calls", ())}
    for call in step.get("tool_calls", ()):
        has_only("call", call)
        assert isinstance(call["arguments"], dict)
    for result in step.get("observation", {"results": ()})["results"]:
        has_only("result", result)
        assert result["source_call_id"] in calls


def made(*events, **fields):
    submission = Submission(id="x-1", system=System(harness="a", model="m"), **fields)
    found = trajectory(submission, Story.of(events, frozenset()))
    check(found)
    return found


@pytest.mark.data
@pytest.mark.parametrize(
    "name", ["claude_code/subagent.jsonl", "gemini_cli/vct_gemini.jsonl", "codex_exec_json"]
)
def test_samples_pass_the_strict_rules(shared, tmp_path, name):
    with stored(tmp_path / "home", shared / "agent_logs" / name) as (submissions, store):
        for submission in submissions:
            check(document(store, "atif", submission))


def test_rows_of_one_answer_are_one_step_with_its_calls_and_results():
    found = made(
        UserTurn(id="u", text="do it", at=1.0),
        LlmCall(id="m1", text="Well.", usage=TokenUsage(input_uncached=10, output=1), at=2.0),
        LlmCall(id="m1", usage=TokenUsage(input_uncached=10, cache_read=5, output=7), at=2.0),
        ToolCall(id="c1", name="Bash", arguments='{"command": "ls"}'),
        ToolResult(call_id="c1", text="a.py", is_error=True),
    )
    user, agent = found["steps"]
    assert (user["source"], user["message"]) == ("user", "do it")
    assert agent["metrics"] == {"prompt_tokens": 15, "completion_tokens": 7, "cached_tokens": 5}
    assert agent["tool_calls"][0]["arguments"] == {"command": "ls"}
    assert agent["observation"]["results"] == [
        {"source_call_id": "c1", "content": "a.py", "extra": {"is_error": True}}
    ]
    assert agent["timestamp"] == "1970-01-01T00:00:02.000Z"


def test_the_final_metrics_are_the_submissions_own():
    usage = TokenUsage(
        input_uncached=1, cache_read=2, cache_write_5m=4, cache_write_1h=8, output=16, reasoning=3
    )
    final = made(usage=usage, cost=Cost(reported_usd=0.5, computed_usd=0.6))["final_metrics"]
    assert final == {
        "total_prompt_tokens": 15,
        "total_completion_tokens": 16,
        "total_cached_tokens": 2,
        "total_cost_usd": 0.5,
        "total_steps": 0,
        "extra": {
            "total_cache_creation_input_tokens": 12,
            "total_ephemeral_1h_input_tokens": 8,
            "total_reasoning_output_tokens": 3,
            "computed_cost_usd": 0.6,
        },
    }


def test_a_session_without_a_trace_says_so():
    assert "Only the figures" in made(llm_calls=3)["notes"]


@pytest.mark.parametrize(
    ("text", "arguments"),
    [("ls", {"arguments": "ls"}), ("[1]", {"arguments": [1]}), ("", {}), ('{"a": 1}', {"a": 1})],
)
def test_arguments_are_an_object_whatever_they_were(text, arguments):
    found = made(LlmCall(id="m"), ToolCall(id="c", name="x", arguments=text))
    assert found["steps"][0]["tool_calls"][0]["arguments"] == arguments


def test_calls_without_an_answer_are_a_step_without_one():
    (step,) = made(ToolCall(id="c", name="x"))["steps"]
    assert step["llm_call_count"] == 0


def test_a_subagent_stands_inside_and_is_referred_to():
    found = made(
        LlmCall(id="m1"),
        ToolCall(id="c1", name="Task"),
        SubagentStart(id="a1", name="explorer", call_id="c1", agent="a1"),
        LlmCall(id="m2", agent="a1"),
        ToolResult(call_id="c1", text="found"),
    )
    (child,) = found["subagent_trajectories"]
    assert (child["trajectory_id"], child["agent"]["name"]) == ("a1", "explorer")
    (result,) = found["steps"][0]["observation"]["results"]
    assert result["subagent_trajectory_ref"] == [{"trajectory_id": "a1"}]


def test_what_another_submission_counts_is_copied_context(tmp_path):
    folder = tmp_path / "logs"
    first, second = f"msg_{1:020}", f"msg_{2:020}"
    names = [f"{number:08}-0000-4000-8000-000000000000.jsonl" for number in (1, 2)]
    logs.written(folder / names[0], [claude.answer(first)])
    logs.written(folder / names[1], [claude.answer(first), claude.answer(second, 1)])
    with stored(tmp_path / "home", folder) as ((_, later), store):
        steps = document(store, "atif", later)["steps"]
    assert [step.get("is_copied_context") for step in steps] == [True, None]
