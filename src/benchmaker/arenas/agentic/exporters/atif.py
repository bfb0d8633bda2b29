"""Submissions as ATIF trajectories, version 1.8.

Source: harbor-framework/harbor, ``rfcs/0001-trajectory-format.md``; the documents pass the strict
models of the package ``atif`` 1.8. Values without a field in the format are put in its ``extra``.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from benchmaker.arenas.agentic.exporters.figures import stated_counts
from benchmaker.arenas.agentic.exporters.inclusive import (
    has_partial_usage,
    input_of,
    kinds_of,
    whole_input_of,
    writes_of,
)
from benchmaker.arenas.agentic.exporters.steps import ExportStep, Story
from benchmaker.arenas.agentic.sessions.memory_tables import Request
from benchmaker.arenas.agentic.traces.steps import ToolUse
from benchmaker.record.submissions.submission import Submission, TokenUsage
from benchmaker.record.timestamps import optional_timestamp

VERSION: Final = "ATIF-v1.8"


def trajectory(submission: Submission, story: Story) -> dict[str, Any]:
    """The trajectory of a submission: the main agent's steps, its subagents inside.

    Steps that another submission counts are marked as copied context. The final metrics are the
    submission's own totals, subagents included; the cost is the one that was reported.
    """
    names = [agent for agent in story.agents if agent]
    children = [_child(submission, story, agent) for agent in names]
    return _without_none(
        schema_version=VERSION,
        session_id=submission.session_id or submission.id,
        trajectory_id=submission.id,
        agent=_agent(submission),
        steps=list(_steps(story, "")),
        notes=None
        if story.steps
        else "Only the figures of this session are stored, not its trace.",
        final_metrics=_final_metrics(submission, story),
        subagent_trajectories=children or None,
    )


def _child(submission: Submission, story: Story, agent: str) -> dict[str, Any]:
    return _without_none(
        schema_version=VERSION,
        trajectory_id=agent,
        session_id=submission.session_id or submission.id,
        agent=_agent(submission) | {"name": story.agents[agent] or submission.system.harness},
        steps=list(_steps(story, agent)),
    )


def _agent(submission: Submission) -> dict[str, Any]:
    system = submission.system
    extra = _without_none(provider=system.provider, effort=system.effort, mode=system.mode)
    return _without_none(
        name=system.harness,
        version=system.harness_version or "unknown",
        model_name=system.model,
        extra=extra or None,
    )


def _steps(story: Story, agent: str) -> Iterator[dict[str, Any]]:
    own = (step for step in story.steps if step.agent == agent)
    for number, step in enumerate(own, 1):
        yield _step(step, number)


def _step(step: ExportStep, number: int) -> dict[str, Any]:
    request, is_agent = step.request, step.source == "agent"
    numbered = [(called, called.id or f"call-{n}") for n, called in enumerate(step.calls)]
    results = [it for called, name in numbered for it in _results(called, name)]
    return _without_none(
        step_id=number,
        timestamp=optional_timestamp(step.at),
        source=step.source,
        message=step.text or "",
        model_name=request.model if request else None,
        tool_calls=[_call(called, name) for called, name in numbered] or None,
        observation={"results": results} if results else None,
        metrics=_metrics(request) if request else None,
        llm_call_count=_call_count(request) if is_agent else None,
        is_copied_context=True if step.is_copied else None,
        extra={"llm_calls_unknown": True} if request and request.requests is None else None,
    )


def _call_count(request: Request | None) -> int | None:
    return 0 if request is None else request.requests


def _call(called: ToolUse, name: str) -> dict[str, Any]:
    return {
        "tool_call_id": name,
        "function_name": called.name,
        "arguments": _arguments(called.arguments),
    }


def _arguments(text: str | None) -> dict[str, Any]:
    """The arguments as an object; text that is none, such as one that was cut, under one name."""
    if not text:
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    return value if isinstance(value, dict) else {"arguments": value}


def _results(called: ToolUse, name: str) -> Iterator[dict[str, Any]]:
    refs = [{"trajectory_id": agent} for agent in called.agents]
    if called.output is None and not called.is_error and not refs:
        return
    yield _without_none(
        source_call_id=name,
        content=called.output,
        subagent_trajectory_ref=refs or None,
        extra={"is_error": True} if called.is_error else None,
    )


def _metrics(request: Request) -> dict[str, Any] | None:
    usage = request.usage or TokenUsage()
    extra = _without_none(
        cache_creation_input_tokens=writes_of(usage),
        ephemeral_1h_input_tokens=usage.cache_write_1h,
        reasoning_output_tokens=usage.reasoning,
        other_tokens=usage.other,
    )
    found = _without_none(
        prompt_tokens=input_of(usage),
        completion_tokens=usage.output,
        cached_tokens=usage.cache_read,
        cost_usd=request.cost_usd,
        extra=extra or None,
    )
    return found or None


def _final_metrics(submission: Submission, story: Story) -> dict[str, Any]:
    usage, cost = submission.usage, submission.cost
    is_partial = has_partial_usage(submission)
    kinds = _partial_kinds(usage) if is_partial else _extra_kinds(submission)
    extra = kinds | _without_none(computed_cost_usd=cost.computed_usd)
    extra |= stated_counts(submission, story)
    return _without_none(
        total_prompt_tokens=whole_input_of(usage) if is_partial else input_of(usage),
        total_completion_tokens=usage.output,
        total_cached_tokens=usage.cache_read,
        total_cost_usd=cost.reported_usd,
        total_steps=sum(not step.agent for step in story.steps),
        extra=extra or None,
    )


def _extra_kinds(submission: Submission) -> dict[str, Any]:
    """Kinds of tokens without a field in the format, and a total without kinds."""
    usage = submission.usage
    return _without_none(
        total_cache_creation_input_tokens=writes_of(usage),
        total_ephemeral_1h_input_tokens=usage.cache_write_1h,
        total_reasoning_output_tokens=usage.reasoning,
        total_other_tokens=usage.other,
        total_tokens=submission.total_tokens if usage.total is None else None,
    )


def _partial_kinds(usage: TokenUsage) -> dict[str, Any]:
    """The known kinds of a usage without a total, whose sums would be too low."""
    return {"is_usage_partial": True, "usage": kinds_of(usage)}


def _without_none(**fields: Any) -> dict[str, Any]:  # noqa: ANN401  JSON of any shape
    return {name: value for name, value in fields.items() if value is not None}
