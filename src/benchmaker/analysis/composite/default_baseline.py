"""The default baseline of a task, for too little data."""

from collections.abc import Mapping
from types import MappingProxyType

DEFAULT_BASELINE: Mapping[str, float] = MappingProxyType(
    {
        "submission_count": 0,
        "median_tokens": 10_000,
        "min_tokens": 1_000,
        "max_tokens": 100_000,
        "median_tool_calls": 20,
        "min_tool_calls": 1,
        "max_tool_calls": 100,
        "median_execution_time": 300,
        "min_execution_time": 60,
        "max_execution_time": 1800,
        "median_cost": 0.05,
        "min_cost": 0.01,
        "max_cost": 0.20,
        "median_iterations": 3,
    }
)
"""Tokens, calls, seconds, dollars, under the published names. Time and cost are the document's."""

DEFAULT_ENDS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "tokens": (1_000.0, 100_000.0),
        "tool_calls": (1.0, 100.0),
        "iterations": (1.0, 10.0),
        "seconds": (60.0, 1800.0),
        "cost": (0.01, 0.20),
    }
)
"""Values with robust scores 1 and 0 without data: the default's smallest and largest."""
