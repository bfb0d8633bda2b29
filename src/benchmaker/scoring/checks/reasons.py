"""The reasons of the verdict on several checks, in words."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_NAMED = 3
"""Maximum number of checks whose reasons are given; the others are counted."""

Result = Mapping[str, Any]


def undecided_reason(
    counted: Sequence[Result], undecided: Sequence[Result], threshold: float | None
) -> str:
    """Return why checks of weight above 0 have no verdict together: the first undecided one."""
    first = undecided[0]
    more = f" (and {len(undecided) - 1} more)" if len(undecided) > 1 else ""
    reason = f"the check {_name(first)}{more} is undecided: {first['reason'] or 'no reason given'}"
    failed = [one for one in counted if one["passed"] is False]
    if threshold is None and failed:
        reason += f"; {_names(failed)} failed"
    return reason


def verdict_reason(counted: Sequence[Result]) -> str:
    """Return the reasons of the failed ones of decided checks, or that all passed.

    >>> verdict_reason([{"type": "json", "not": False, "metric": None, "passed": True}])
    'the check passed'
    """
    failed = [one for one in counted if not one["passed"]]
    if not failed:
        return "all checks passed" if len(counted) > 1 else "the check passed"
    return f"{len(failed)} of {len(counted)} checks failed: {_reasons(failed)}"


def passed_reason(counted: Sequence[Result]) -> str:
    """Return the reasons of the checks that passed in a set that passed, and name the others.

    >>> one = {"type": "equals", "not": False, "metric": None, "passed": True, "reason": "equal"}
    >>> passed_reason([one, {**one, "not": True, "passed": False, "reason": "equal"}])
    '1 of 2 checks passed: equals (equal); not equals failed'
    """
    passed = [one for one in counted if one["passed"]]
    failed = [one for one in counted if not one["passed"]]
    if not passed:
        return verdict_reason(counted)
    others = f"; {_names(failed)} failed" if failed else ""
    return f"{len(passed)} of {len(counted)} checks passed: {_reasons(passed)}{others}"


def _reasons(results: Sequence[Result]) -> str:
    more = f"; and {len(results) - _NAMED} more" if len(results) > _NAMED else ""
    return f"{'; '.join(map(_reason, results[:_NAMED]))}{more}"


def _reason(result: Result) -> str:
    metric = f"metric {result['metric']}" if result["metric"] else ""
    facts = ": ".join(it for it in (metric, result["reason"]) if it)
    return f"{_name(result)} ({facts})" if facts else _name(result)


def _names(results: Iterable[Result]) -> str:
    return ", ".join(dict.fromkeys(map(_name, results)))


def _name(result: Result) -> str:
    return f"not {result['type']}" if result["not"] else str(result["type"])
