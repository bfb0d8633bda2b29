"""Results of tau²-bench."""

import json

from benchmaker.arenas.agentic.importers.benchmarks.tau2 import Tau2
from benchmaker.record.submissions.submission import Status
from tests.arenas.agentic.importers.logs import head_of, read

TAU = Tau2()


def message(role, **more):
    return {"role": role, "content": "so", "timestamp": "2026-01-01T10:00:00"} | more


def results(folder, *simulations):
    info = {
        "agent_info": {"implementation": "llm_agent", "llm": "gpt-5"},
        "environment_info": {"domain_name": "airline"},
    }
    path = folder / "results.json"
    path.write_text(json.dumps({"info": info, "tasks": [], "simulations": simulations}))
    return path


def simulation(**more):
    call = {"id": "call_0000000000000001", "name": "get_user", "arguments": {"id": 1}}
    asks = message("assistant", usage={"prompt_tokens": 100, "completion_tokens": 5},
                   cost=0.25, tool_calls=[call])  # fmt: skip
    told = message("tool", id=call["id"], requestor="assistant", error=True)
    return {
        "id": "sim-1",
        "task_id": "7",
        "trial": 0,
        "duration": 12.5,
        "termination_reason": "user_stop",
        "agent_cost": 0.25,
        "user_cost": 9.0,
        "reward_info": {"reward": 1.0, "reward_breakdown": {"DB": 1.0, "COMMUNICATE": 0.0}},
        "messages": [message("assistant", cost=0.0), message("user", cost=9.0), asks, told],
    } | more


def test_a_simulation_has_the_agents_figures_and_the_verdict(tmp_path):
    path = results(tmp_path, simulation())
    (found,) = read(TAU, path)
    assert (found.total_tokens, found.llm_calls, found.cost.reported_usd) == (105, 1, 0.25)
    assert (found.tool_calls, found.tool_errors, found.iterations) == (1, 1, 1)
    assert (found.time.wall_s, found.outcome.success, found.outcome.reward) == (12.5, True, 1.0)
    assert [it.result for it in found.outcome.criteria] == ["pass", "fail"]
    assert (found.system.harness, found.system.model) == ("llm_agent", "gpt-5")
    assert TAU.sniff(head_of(path)) > 0.5


def test_damaged_results_are_reported(tmp_path):
    path = results(tmp_path, simulation())
    path.write_bytes(path.read_bytes()[:-20])
    told = []
    read(TAU, path, skipped=told)
    assert [it.reason for it in told] == ["cut off in the middle"]


def test_each_simulation_is_one_and_how_it_ended_is_kept(tmp_path):
    ends = ("max_steps", "infrastructure_error")
    rows = [simulation(id=f"sim-{end}", termination_reason=end) for end in ends]
    found = read(TAU, results(tmp_path, *rows))
    assert [it.outcome.status for it in found] == [Status.BUDGET, Status.INFRA_ERROR]
    assert [it.outcome.reward for it in found] == [1.0, None]
