"""The names of a row's fields, and their meanings."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Final

from benchmaker.arenas.agentic.logs.events import STATED_COUNTS
from benchmaker.record.submissions.submission import TokenUsage

METRICS: Final = {
    "total_tokens": "total_tokens",
    **{name: name for name in STATED_COUNTS},
    "execution_time": "wall_s",
    "estimated_cost": "cost_usd",
    "cost.reported_usd": "cost_usd",
    "time.wall_s": "wall_s",
    "time.active_s": "active_s",
}
"""Fields with a figure, by the name of the figure in :class:`~..events.Totals`."""

KINDS: Final = {f"usage.{kind}": kind for kind in TokenUsage.__struct_fields__}
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
"""Names of which a recognized table has at least two."""

KNOWN: Final = frozenset({*METRICS, *KINDS, *FACTS, *TIMES, *OTHERS})

FIGURES: Final = frozenset({*METRICS, *KINDS, "success", "files_created"})
"""Names of which a row needs at least one, unless it has an id."""

SYNONYMS: Final = {
    "task": "task_id",
    "submission_id": "id",
    "seconds": "execution_time",
    "cost": "estimated_cost",
    "finished_us": "finished_at",
}
"""Names of the same fields in the tables of ``benchmaker.leaderboard``."""

_LONGEST: Final = 60
_SIMILAR: Final = 0.75
_SEPARATORS = re.compile(r"[\s_-]+")
_BY_LETTERS: Final = {
    name.replace("_", ""): known
    for name, known in {**SYNONYMS, **{name: name for name in KNOWN}}.items()
}
_ASSIGNED_HERE = re.compile(
    r"(?:.*[_.])?(?:score|scores|rank|percentile|rating|composite|grade|evidence|verified)(?:[_.].*)?"
)


@lru_cache(maxsize=1024)
def is_assigned_here(name: str) -> bool:
    """True if a field is assigned here and never taken from a file.

    >>> is_assigned_here("efficiency_score"), is_assigned_here("Rank"), is_assigned_here("tool")
    (True, True, False)
    """
    plain = _SEPARATORS.sub("_", name.strip().lower())
    return name not in KNOWN and _ASSIGNED_HERE.fullmatch(plain) is not None


@lru_cache(maxsize=1024)
def known_name(name: str) -> str:
    """Return the known name of a synonym or another spelling; or else the name itself.

    Case and separators do not matter.

    >>> known_name("Total Tokens"), known_name("taskid"), known_name("My Note"), known_name("Cost")
    ('total_tokens', 'task_id', 'My Note', 'estimated_cost')
    """
    return _BY_LETTERS.get(_SEPARATORS.sub("", name).lower(), name)


def with_known_names(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The row under known names; of two fields of one name, the exact spelling has it.

    Fields with fields inside keep their names.

    >>> with_known_names({"Tool": "x", "ID": 1, "id": 2, "cost": {"reported_usd": 0.1}})
    {'tool': 'x', 'ID': 1, 'id': 2, 'cost': {'reported_usd': 0.1}}
    """
    whole = frozenset(name for name, value in row.items() if isinstance(value, dict))
    names = _known_names(tuple(row), whole)
    return dict(zip(names, row.values(), strict=True)) if names else row


@lru_cache(maxsize=1024)
def _known_names(names: tuple[str, ...], whole: frozenset[str]) -> tuple[str, ...]:
    """The known name of each, the others as they are; empty where all are as they are."""
    taken = set(names)
    found: list[str] = []
    for name in names:
        known = name if name in whole else known_name(name)
        found.append(name if known in taken else known)
        taken.add(known)
    return () if tuple(found) == names else tuple(found)


@lru_cache(maxsize=1024)
def unused_name(name: str) -> str | None:
    """Return a note on a field under none of the known names; None for a known one.

    >>> unused_name("second"), unused_name("banana"), unused_name("seconds")
    ("second (did you mean 'seconds'?)", 'banana', 'seconds')

    A synonym counts as unused, since it is renamed before unless the row has the field already.
    """
    if name in KNOWN or is_assigned_here(name):
        return None
    text = name[:_LONGEST]
    near = get_close_matches(text.lower(), (*KNOWN, *SYNONYMS), n=1, cutoff=_SIMILAR)
    if not near or known_name(name) in KNOWN:
        return text
    return f"{text} (did you mean {near[0]!r}?)"
