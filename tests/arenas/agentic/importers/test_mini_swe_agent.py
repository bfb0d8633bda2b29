"""Trajectories of mini-swe-agent."""

import json

import pytest

from benchmaker.arenas.agentic.importers.mini_swe_agent import MiniSweAgent
from benchmaker.arenas.agentic.logs.events import LlmCall
from tests.arenas.agentic.importers.logs import events_of, head_of, read_one
from tests.arenas.agentic.importers.sums import (
    never_more_when_cut,
    sample,
    stays_the_same_when_repeated,
    values,
)

MINI = MiniSweAgent()
REAL = "mini_swe_agent/mini-swe-agent-v1-real-run.traj.json"
BARE = "mini_swe_agent/local.traj.json"


def written(folder, **stats):
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 9,
        "prompt_tokens_details": {"cached_tokens": 60},
    }
    answer = {
        "role": "assistant",
        "content": "so\n\n```bash\nls\n```",
        "reasoning_content": "Hm.",
        "extra": {"response": {"model": "gpt-4o", "usage": usage}},
    }
    heard = {"role": "user", "content": "<returncode>1</returncode>"}
    task = {"role": "user", "content": "do it"}
    document = {
        "info": {"exit_status": "Submitted", "model_stats": stats, "mini_version": "1.13"},
        "messages": [{"role": "system", "content": ""}, task, answer, heard],
        "trajectory_format": "mini-swe-agent-1.1",
    }
    path = folder / "task-1.traj.json"
    path.write_text(json.dumps(document))
    return path


@pytest.mark.data
def test_the_sample_has_the_values_of_the_reference(shared):
    expected = values(shared, REAL)
    (found,) = sample(
        MINI,
        shared,
        REAL,
        llm_calls=expected["model_stats"]["api_calls"],
        cost_usd_reported=expected["model_stats"]["instance_cost"],
    )
    assert found.outcome.exit_status == expected["exit_status"]
    assert found.artifacts.patch is None


@pytest.mark.data
def test_a_bare_list_of_messages_has_calls_but_no_tokens(shared):
    expected = values(shared, BARE)
    (found,) = sample(MINI, shared, BARE, llm_calls=expected["assistant_messages"], total_tokens=0)
    assert (found.total_tokens, found.tool_calls) == (None, 2)


def test_tokens_are_those_of_the_responses(tmp_path):
    path = written(tmp_path, instance_cost=0.0, api_calls=0)
    found = read_one(MINI, path)
    usage = found.usage
    assert (usage.input_uncached, usage.cache_read, usage.output) == (40, 60, 9)
    assert (found.llm_calls, found.tool_errors, found.cost.reported_usd) == (1, 1, None)
    assert MINI.sniff(head_of(path)) > 0.9


def test_what_the_model_thought_stands_beside_its_answer(tmp_path):
    events = events_of(MINI, written(tmp_path))
    assert [it.reasoning for it in events if isinstance(it, LlmCall)] == ["Hm."]


def test_a_repeated_or_cut_file_never_raises_a_total(tmp_path):
    path = written(tmp_path, instance_cost=0.5, api_calls=1)
    stays_the_same_when_repeated(MINI, path)
    never_more_when_cut(MINI, path)


def test_what_was_not_executed_has_not_failed(tmp_path):
    asked = {"actions": [{"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"}]}
    skipped = {"returncode": -1, "exception_info": "action was not executed"}
    content = json.dumps({"returncode": -1, "output": ""})
    path = written(tmp_path)
    document = json.loads(path.read_text())
    document["messages"] += [
        {"role": "assistant", "content": "Done.", "extra": asked},
        {"role": "tool", "content": content, "extra": skipped},
    ]
    path.write_text(json.dumps(document))
    found = read_one(MINI, path)
    assert (found.tool_calls, found.tool_errors) == (2, 1)
