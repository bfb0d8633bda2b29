"""The real samples, and the values that an independent script found in them."""

import json

from benchmaker.record.submissions.submission import TokenUsage

KINDS = ("input_uncached", "cache_read", "cache_write_5m", "cache_write_1h", "output", "reasoning")


def values_of(shared, name):
    values = json.loads((shared / "agent_logs" / "values.json").read_text())
    return values["samples"][name]


def figures(submissions, *, main=False):
    """The sums over the submissions of a file; what is missing counts as 0."""
    counts = [it.main if main and it.main is not None else it for it in submissions]
    usage = sum((it.usage for it in counts), TokenUsage())
    kinds = {kind: getattr(usage, kind) or 0 for kind in KINDS}
    tools = {}
    for it in counts:
        for tool, number in it.tools_by_name.items():
            tools[tool] = tools.get(tool, 0) + number
    return {
        "llm_calls": sum(it.llm_calls or 0 for it in counts),
        "tool_calls": sum(it.tool_calls or 0 for it in counts),
        "tool_errors": sum(it.tool_errors or 0 for it in counts),
        "tools_by_name": tools,
        "user_turns": sum(it.iterations or 0 for it in counts),
        "input_tokens_uncached": kinds["input_uncached"],
        "cache_read_tokens": kinds["cache_read"],
        "cache_write_tokens": kinds["cache_write_5m"] + kinds["cache_write_1h"],
        "cache_write_1h_tokens": kinds["cache_write_1h"],
        "output_tokens": kinds["output"],
        "reasoning_tokens_within_output": kinds["reasoning"],
        "total_tokens": sum(it.total_tokens or 0 for it in counts),
        "cost_usd_reported": sum(it.cost.reported_usd or 0 for it in submissions),
        "models": sorted({m.model for it in submissions for m in it.usage_by_model}),
    }


def expected(values):
    """The values that are figures, under the names of :func:`figures`."""
    names = figures([])
    return {name: value for name, value in values.items() if name in names}
