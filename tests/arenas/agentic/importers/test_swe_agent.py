"""Trajectories of SWE-agent."""

import json

import pytest

from benchmaker.arenas.agentic.importers.swe_agent import SweAgent
from benchmaker.arenas.agentic.logs.exits import status_of
from benchmaker.record.submissions.submission import Status
from tests.arenas.agentic.importers.logs import read_one
from tests.arenas.agentic.importers.sums import (
    never_more_when_cut,
    sample,
    stays_the_same_when_repeated,
    values,
)

SWE = SweAgent()
REAL = "swe_agent/6e44b9__sweagenttestrepo-1c2844.traj"
DEMO = "swe_agent/function_calling_simple.traj"


def written(folder, **stats):
    steps = [{"action": f"ls {n}", "response": "so", "execution_time": 0.5} for n in range(3)]
    info = {"exit_status": "submitted", "submission": "+++ b/x\n+new\n", "model_stats": stats}
    path = folder / "task-1.traj"
    path.write_text(json.dumps({"trajectory": steps, "history": [], "info": info}))
    return path


@pytest.mark.data
def test_the_sample_has_the_values_of_the_reference(shared):
    expected = values(shared, REAL)
    stats = expected["model_stats"]
    (found,) = sample(
        SWE,
        shared,
        REAL,
        llm_calls=stats["api_calls"],
        input_tokens_uncached=stats["tokens_sent"],
        output_tokens=stats["tokens_received"],
        cost_usd_reported=stats["instance_cost"],
        tool_s=expected["tool_seconds"],
    )
    assert found.outcome.exit_status == expected["exit_status"]
    assert found.artifacts.patch is not None


@pytest.mark.data
def test_a_demonstration_has_calls_but_no_figures(shared):
    (found,) = sample(SWE, shared, DEMO, total_tokens=0, cost_usd_reported=0)
    assert found.outcome.exit_status is None
    assert found.llm_calls == 5


def test_a_replay_that_counts_nothing_has_no_figures(tmp_path):
    found = read_one(SWE, written(tmp_path, instance_cost=0, tokens_sent=0, api_calls=0))
    assert (found.total_tokens, found.cost.reported_usd, found.llm_calls) == (None, None, 3)


@pytest.mark.parametrize(
    ("exit_status", "status"),
    [
        ("submitted", Status.COMPLETED),
        ("submitted (exit_cost)", Status.BUDGET),
        ("LimitsExceeded", Status.BUDGET),
        ("exit_total_execution_timeout", Status.TIMEOUT),
        ("exit_environment_error", Status.INFRA_ERROR),
        ("exit_format", Status.FAILED),
        (None, Status.UNKNOWN),
    ],
)
def test_exits_are_told_apart(exit_status, status):
    assert status_of(exit_status) is status


def test_a_repeated_or_cut_file_never_raises_a_total(tmp_path):
    path = written(tmp_path, instance_cost=0.5, tokens_sent=900, tokens_received=30, api_calls=3)
    stays_the_same_when_repeated(SWE, path)
    never_more_when_cut(SWE, path)
