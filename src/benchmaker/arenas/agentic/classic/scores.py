"""The published scores of one submission."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from benchmaker.analysis.composite.classic_terms import (
    FULL,
    NO_FIGURE,
    difficulty_adjusted,
    efficiency_score,
    falling_score,
    iteration_score,
    overall_score,
    speed_score,
    token_score,
)
from benchmaker.analysis.composite.weights import CATEGORY_WEIGHTS, PUBLISHED_WEIGHTS

Plain: TypeAlias = Mapping[str, Any]
"""A submission, task, baseline or evaluation as the document has it: any plain data."""

TASK_CATEGORY_WEIGHTS: dict[str, dict[str, float]] = {
    category: weights.as_dict() for category, weights in CATEGORY_WEIGHTS.items()
}
"""The published weights of five categories; ``calculate_overall_score`` does not read them."""


def calculate_token_efficiency_score(submission: Plain, task_baseline: Plain) -> float:
    """Return the score for total tokens: linear from the baseline's smallest to its largest.

    Raises:
        KeyError: a figure is missing; the median is required, though unused.
    """
    tokens_used = submission["total_tokens"]
    task_baseline["median_tokens"]
    return token_score(tokens_used, task_baseline["min_tokens"], task_baseline["max_tokens"])


def calculate_tool_call_efficiency_score(submission: Plain, task_baseline: Plain) -> float:
    """Return the score for tool calls: linear from the baseline's smallest to its largest.

    Raises:
        KeyError: a figure is missing; the median is required, though unused.
    """
    calls = submission["tool_calls"]
    task_baseline["median_tool_calls"]
    return falling_score(calls, task_baseline["min_tool_calls"], task_baseline["max_tool_calls"])


def calculate_iteration_efficiency_score(submission: Plain, task_baseline: Plain) -> float:
    """Fewer iterations, more points; a missing number counts as 1, which is full marks."""
    return iteration_score(submission.get("iterations", 1), task_baseline["median_iterations"])


def calculate_efficiency_score(submission: Plain, task_baseline: Plain) -> float:
    """Half tokens, three tenths tool calls, two tenths iterations."""
    return efficiency_score(
        calculate_token_efficiency_score(submission, task_baseline),
        calculate_tool_call_efficiency_score(submission, task_baseline),
        calculate_iteration_efficiency_score(submission, task_baseline),
    )


def calculate_speed_score(submission: Plain, task_baseline: Plain) -> float:
    """Less time, more points; 50 where the time is missing or 0."""
    seconds = submission.get("execution_time", 0)
    if seconds == 0:
        return NO_FIGURE
    task_baseline["median_execution_time"]
    low, high = task_baseline["min_execution_time"], task_baseline["max_execution_time"]
    return speed_score(seconds, low, high)


def calculate_cost_score(submission: Plain, task_baseline: Plain) -> float:
    """Less cost, more points; 50 where the cost is missing or 0."""
    cost = submission.get("estimated_cost", 0.0)
    if cost == 0.0:
        return NO_FIGURE
    task_baseline["median_cost"]
    return falling_score(cost, task_baseline["min_cost"], task_baseline["max_cost"])


def calculate_correctness_score(submission: Plain, task: Plain) -> float:
    """The share of the task's success criteria that pass; 100 where it has none."""
    criteria = task.get("success_criteria", [])
    if not criteria:
        return FULL
    passed = [check_criterion(submission, criterion) for criterion in criteria]
    return sum(passed) / len(criteria) * 100.0


def check_criterion(submission: Plain, criterion: Plain) -> bool:
    """True if one criterion passes; ``min_functionality`` and every unknown type do."""
    match criterion.get("type"):
        case "file_exists":
            return criterion["file_path"] in submission.get("files_created", [])
        case "no_errors":
            success: bool = submission.get("success", True)
            return success
        case _:
            return True


def calculate_overall_score(submission: Plain, task: Plain, task_baseline: Plain) -> dict[str, Any]:
    """The four scores and their sum by the fixed weights, rounded to two digits at the end."""
    parts = (
        calculate_efficiency_score(submission, task_baseline),
        calculate_speed_score(submission, task_baseline),
        calculate_cost_score(submission, task_baseline),
        calculate_correctness_score(submission, task),
    )
    weights = PUBLISHED_WEIGHTS.as_dict()
    names = ("efficiency_score", "speed_score", "cost_score", "correctness_score")
    return {
        "overall_score": round(overall_score(parts, weights), 2),
        **{name: round(part, 2) for name, part in zip(names, parts, strict=True)},
        "breakdown": {f"{name}_weight": weight for name, weight in weights.items()},
    }


def apply_difficulty_adjustment(score: float, difficulty: str) -> float:
    """Return the score times 1, 1.1 or 1.2, at most 100; unchanged for an unknown difficulty."""
    return difficulty_adjusted(score, difficulty)
