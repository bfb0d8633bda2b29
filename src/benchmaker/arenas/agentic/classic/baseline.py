"""The published baseline of a task."""

import statistics
from collections.abc import Sequence
from typing import Any

from benchmaker.analysis.composite.default_baseline import DEFAULT_BASELINE
from benchmaker.arenas.agentic.classic.scores import Plain
from benchmaker.arenas.agentic.classic.time import Now, stamp, utc_now

FEWEST = 5
"""Number of submissions below which the default baseline is used."""


def get_default_baseline(task_id: str) -> dict[str, Any]:  # noqa: ARG001  the published name and shape
    """Return the baseline used below five submissions, the same for every task.

    The document defines the function and the values for time and cost; those for tokens, tool calls
    and iterations are this project's. It has no quartiles, and was never updated.

    >>> get_default_baseline("any")["median_execution_time"]
    300
    """
    return dict(DEFAULT_BASELINE)


def calculate_task_baseline(
    task_id: str, submissions: Sequence[Plain], *, now: Now = utc_now
) -> dict[str, Any]:
    """Return the task's baseline from all its submissions; below five the default one.

    Times and costs count if above 0. Quartiles are those of the exclusive method.

    Args:
        task_id: passed to :func:`get_default_baseline`.
        submissions: each with ``total_tokens`` and ``tool_calls``.
        now: the time of ``last_updated``, or a function that returns it.

    Raises:
        KeyError: five or more submissions, one without total tokens or tool calls.
    """
    if len(submissions) < FEWEST:
        return get_default_baseline(task_id)
    tokens = [one["total_tokens"] for one in submissions]
    calls = [one["tool_calls"] for one in submissions]
    times = [one["execution_time"] for one in submissions if one.get("execution_time", 0) > 0]
    costs = [one["estimated_cost"] for one in submissions if one.get("estimated_cost", 0) > 0]
    quartiles = statistics.quantiles(tokens, n=4)
    return {
        "submission_count": len(submissions),
        **_spread("tokens", tokens),
        "q25_tokens": quartiles[0],
        "q75_tokens": quartiles[2],
        **_spread("tool_calls", calls),
        **_spread("execution_time", times),
        **_spread("cost", costs),
        "median_iterations": statistics.median(one.get("iterations", 1) for one in submissions),
        "last_updated": stamp(now),
    }


def _spread(name: str, figures: Sequence[float]) -> dict[str, float]:
    """Median, smallest and largest; the default's where there is no figure."""
    keys = (f"median_{name}", f"min_{name}", f"max_{name}")
    if not figures:
        return {key: DEFAULT_BASELINE[key] for key in keys}
    found = (statistics.median(figures), min(figures), max(figures))
    return dict(zip(keys, found, strict=True))
