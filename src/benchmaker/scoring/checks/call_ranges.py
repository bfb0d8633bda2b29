"""The numbers of tool calls and of steps with which checks pass."""

from math import inf
from typing import TypeAlias

from benchmaker.scoring.checks.tool_checks import Steps, ToolCalled, contains_json
from benchmaker.spec import CheckSpec

Bounds: TypeAlias = tuple[float, float]


def passing_range(scorer: ToolCalled | Steps, *, is_negated: bool) -> Bounds:
    """Return the least and the greatest number of calls or steps with which a check passes.

    The least is above the greatest if no number passes. For ``not`` with two bounds, which leaves a
    number on either side, all numbers are given.

    >>> passing_range(Steps(3), is_negated=True), passing_range(ToolCalled("a"), is_negated=True)
    ((4, inf), (0, 0))
    """
    is_steps = isinstance(scorer, Steps)
    low, high = (1, scorer.max) if isinstance(scorer, Steps) else scorer.bounds
    if not is_negated:
        return low, high
    if high == inf:
        return 0, low - 1
    return (high + 1, inf) if is_steps or low == 0 else (0, inf)


def have_ranges_apart(first: CheckSpec, second: CheckSpec) -> bool:
    """True if two checks of steps, or of calls of one tool, can't both pass."""
    if first.type != second.type or first.threshold == 0 or second.threshold == 0:
        return False
    if first.type == "steps":
        one, other = (_range(check, Steps(**check.parameters)) for check in (first, second))
        return one[0] > other[1] or other[0] > one[1]
    if first.type != "tool_called":
        return False
    return _needs_more(first, second) or _needs_more(second, first)


def _needs_more(first: CheckSpec, second: CheckSpec) -> bool:
    """True if the first check needs more of the calls that the second counts than it allows."""
    one, other = ToolCalled(**first.parameters), ToolCalled(**second.parameters)
    counts_all = other.arguments is None or (
        one.arguments is not None and contains_json(one.arguments, other.arguments)
    )
    is_same = one.value == other.value and counts_all
    return is_same and _range(first, one)[0] > _range(second, other)[1]


def _range(check: CheckSpec, scorer: ToolCalled | Steps) -> Bounds:
    return passing_range(scorer, is_negated=check.is_negated)
