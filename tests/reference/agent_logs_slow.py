"""Expected figures of the samples that come without any, counted the slow and simple way.

Run it to write them anew: python tests/reference/agent_logs_slow.py ../shared/data/agent_logs
"""

import csv
import json
import sys
from pathlib import Path

from ruamel.yaml import YAML

HERE = Path(__file__).resolve().parent


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def copilot(path):
    events = rows(path)
    (end,) = [e["data"] for e in events if e["type"] == "session.shutdown"]
    used = [m["usage"] for m in end["modelMetrics"].values()]
    read = sum(u["cacheReadTokens"] for u in used)
    return {
        "llm_calls": sum(m["requests"]["count"] for m in end["modelMetrics"].values()),
        "tool_calls": sum(e["type"] == "tool.execution_start" for e in events),
        "tool_errors": sum(
            e["type"] == "tool.execution_complete" and not e["data"]["success"] for e in events
        ),
        "user_turns": sum(e["type"] == "user.message" for e in events),
        "input_tokens_uncached": sum(u["inputTokens"] for u in used) - read,
        "cache_read_tokens": read,
        "output_tokens": sum(u["outputTokens"] for u in used),
        "reasoning_tokens_within_output": sum(u["reasoningTokens"] for u in used),
    }


def grok(path):
    updates = [r["params"]["update"] for r in rows(path)]
    calls = [u for u in updates if u["sessionUpdate"] == "tool_call"]
    done = [u for u in updates if u["sessionUpdate"] == "tool_call_update"]
    bad = [u for u in done if u["status"] == "failed" or u["rawOutput"].get("exit_code")]
    return {"tool_calls": len(calls), "tool_errors": len(bad), "total_tokens": 0}


def cline(path):
    messages = json.loads(path.read_text())["messages"]
    parts = [p for m in messages for p in m["content"]]
    used = [m["metrics"] for m in messages if "metrics" in m]
    read = sum(u["cacheReadTokens"] for u in used)
    people = [
        m
        for m in messages
        if m["role"] == "user" and any(p["type"] == "text" for p in m["content"])
    ]
    return {
        "llm_calls": len(used),
        "tool_calls": len({p["id"] for p in parts if p["type"] == "tool_use"}),
        "user_turns": len(people),
        "input_tokens_uncached": sum(u["inputTokens"] for u in used) - read,
        "cache_read_tokens": read,
        "output_tokens": sum(u["outputTokens"] for u in used),
        "cost_usd_reported": sum(u["cost"] for u in used),
    }


def openhands(path):
    lines = rows(path)
    actions = [e.get("action") for line in lines for e in line["history"]]
    return {
        "llm_calls": sum(len(line["metrics"]["costs"]) for line in lines),
        "tool_calls": sum(a in ("run", "run_ipython", "edit", "read", "write") for a in actions),
        "user_turns": sum(a == "message" for a in actions),
        "total_tokens": 0,
        "cost_usd_reported": sum(line["metrics"]["accumulated_cost"] for line in lines),
    }


def hal(path):
    upload = json.loads(path.read_text())
    used = [u for c in upload["raw_logging_results"] for u in c["summary"]["usage"].values()]
    return {
        "llm_calls": len(used),
        "input_tokens_uncached": sum(u["prompt_tokens"] for u in used),
        "output_tokens": sum(u["completion_tokens"] for u in used),
        "cost_usd_reported": sum(upload["results"]["costs"].values()),
    }


def trials(path):
    with path.open() as file:
        lines = list(csv.DictReader(file))
    given = sum(int(float(line["input_tokens"] or 0)) for line in lines)
    taken = sum(int(float(line["output_tokens"] or 0)) for line in lines)
    return {
        "sessions": len(lines),
        "resolved": sum(line["resolved"] == "True" for line in lines),
        "input_tokens_uncached": given,
        "output_tokens": taken,
        "total_tokens": given + taken,
    }


def session(path):
    """The facts of a session; its messages stand beside it."""
    return cline(path.with_name(f"{path.stem}.messages.json"))


def no_log(path):
    """Shapes of usages that a library gave back: tokens, but nothing that was done."""
    assert {"messages", "events", "steps"}.isdisjoint(json.loads(path.read_text()))
    return {"sessions": 0}


def codex_exec(path):
    lines = rows(path)
    used = [line["usage"] for line in lines if line["type"] == "turn.completed"][-1]
    items = {line["item"]["id"]: line["item"] for line in lines if "item" in line}
    kinds = {"command_execution", "file_change", "web_search", "mcp_tool_call"}
    calls = [item for item in items.values() if item["type"] in kinds]
    return {
        "sessions": 1,
        "tool_calls": len(calls),
        "tool_errors": sum(bool(item.get("exit_code")) for item in calls),
        "user_turns": sum(line["type"] == "turn.started" for line in lines),
        "input_tokens_uncached": used["input_tokens"] - used["cached_input_tokens"],
        "cache_read_tokens": used["cached_input_tokens"],
        "output_tokens": used["output_tokens"],
        "total_tokens": used["input_tokens"] + used["output_tokens"],
    }


def polyglot(path):
    runs = YAML(typ="safe", pure=True).load(path.read_text())
    given = sum(run.get("prompt_tokens") or 0 for run in runs)
    made = sum(run.get("completion_tokens") or 0 for run in runs)
    return {
        "sessions": len(runs),
        "input_tokens_uncached": given,
        "output_tokens": made,
        "reasoning_tokens_within_output": sum(run.get("thinking_tokens") or 0 for run in runs),
        "total_tokens": given + made,
        "cost_usd_reported": sum(run.get("total_cost") or 0 for run in runs),
        "active_s": sum(run["seconds_per_case"] * run["test_cases"] for run in runs),
        "reward": sum(run["pass_num_2"] / run["test_cases"] for run in runs),
    }


COUNTERS = {
    "aider/polyglot_leaderboard.yml": polyglot,
    "cline/session.json": session,
    "cline/usage_shapes.json": no_log,
    **{f"codex_exec_json/stream-output-{n}.jsonl": codex_exec for n in range(1, 6)},
    "cline/session.messages.json": cline,
    "copilot_cli/vct_copilot.jsonl": copilot,
    "grok_cli/updates.jsonl": grok,
    "hal/taubench_baseline_UPLOAD.json": hal,
    "openhands/resolver_output.jsonl": openhands,
    "terminal_bench/leaderboard_trials.csv": trials,
}


def counted(folder):
    return {name: count(folder / name) for name, count in COUNTERS.items()}


if __name__ == "__main__":
    values = json.dumps(counted(Path(sys.argv[1])), indent=1)
    (HERE / "agent_logs_slow.json").write_text(values + "\n")
