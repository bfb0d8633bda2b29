"""The names that a row's fields may have, and what each stands for."""

import re
from functools import lru_cache
from typing import Final

METRICS: Final = {
    "total_tokens": "total_tokens",
    "llm_calls": "llm_calls",
    "tool_calls": "tool_calls",
    "tool_errors": "tool_errors",
    "iterations": "iterations",
    "execution_time": "wall_s",
    "estimated_cost": "cost_usd",
    "cost.reported_usd": "cost_usd",
    "time.wall_s": "wall_s",
    "time.active_s": "active_s",
}
"""Fields with a figure, by the name of the figure in :class:`~..events.Totals`."""

KINDS: Final = {
    f"usage.{kind}": kind
    for kind in (
        "input_uncached",
        "cache_read",
        "cache_write_5m",
        "cache_write_1h",
        "output",
        "reasoning",
        "other",
    )
}
"""Fields with tokens of a kind."""

FACTS: Final = {
    "tool": "harness",
    "harness": "harness",
    "tool_version": "harness_version",
    "harness_version": "harness_version",
    "model": "model",
    "provider": "provider",
    "effort": "effort",
    "session_id": "session_id",
}
"""Fields with a fact of the session."""

TIMES: Final = ("started_at", "finished_at", "created_at", "timestamp", "submitted_at")
OTHERS: Final = ("id", "task_id", "success", "files_created")

TELLING: Final = frozenset(
    {"tool", "harness", "task_id", "total_tokens", "tool_calls", "iterations"}
    | {"execution_time", "estimated_cost", "files_created"}
)
"""Names of which a table has at least two."""

KNOWN: Final = frozenset({*METRICS, *KINDS, *FACTS, *TIMES, *OTHERS})

_ASSIGNED_HERE = re.compile(
    r"(?:.*[_.])?(?:score|scores|rank|percentile|rating|composite|grade|evidence|verified)(?:[_.].*)?"
)


@lru_cache(maxsize=1024)
def is_assigned_here(name: str) -> bool:
    """Whether a field is something that we assign and no file does.

    >>> is_assigned_here("efficiency_score"), is_assigned_here("total_tokens")
    (True, False)
    """
    return name not in KNOWN and _ASSIGNED_HERE.fullmatch(name.lower()) is not None
