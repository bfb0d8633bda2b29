"""The reason of a verdict by several checks, in words."""

from collections.abc import Sequence
from typing import Any

Result = dict[str, Any]


def undecided_reason(
    counted: Sequence[Result], undecided: Sequence[Result], threshold: float | None
) -> str:
    """Return the sentence on the checks that have no verdict."""
    first = undecided[0]
    more = f" (and {len(undecided) - 1} more)" if len(undecided) > 1 else ""
    reason = f"the check {_name(first)}{more} is undecided: {first['reason'] or 'no reason given'}"
    failed = [one for one in counted if one["passed"] is False]
    if threshold is None and failed:
        reason += f"; {_names(failed)} failed"
    return reason


def failure_reason(counted: Sequence[Result]) -> str:
    """Return the sentence on the checks that failed, or that all passed."""
    failed = [one for one in counted if not one["passed"]]
    if not failed:
        return "all checks passed" if len(counted) > 1 else "the check passed"
    reasons = "; ".join(_failure(one) for one in failed[:3])
    more = f"; and {len(failed) - 3} more" if len(failed) > 3 else ""  # noqa: PLR2004  a note's length
    return f"{len(failed)} of {len(counted)} checks failed: {reasons}{more}"


def _failure(result: Result) -> str:
    metric = f"metric {result['metric']}" if result["metric"] else ""
    facts = ": ".join(it for it in (metric, result["reason"]) if it)
    return f"{_name(result)} ({facts})" if facts else _name(result)


def _names(results: Sequence[Result]) -> str:
    return ", ".join(dict.fromkeys(map(_name, results)))


def _name(result: Result) -> str:
    return f"not {result['type']}" if result["not"] else str(result["type"])
