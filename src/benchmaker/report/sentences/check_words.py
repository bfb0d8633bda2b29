"""Checks of an answer in words."""

from collections.abc import Iterator, Mapping
from typing import Any

from benchmaker.record import POLICY_ZERO, Score

_VERDICTS = {True: "passed", False: "failed", None: "undecided"}


def check_name(result: Mapping[str, Any]) -> str:
    """Return a check's type, after ``not`` if it is inverted.

    >>> check_name({"type": "exact", "not": True})
    'not exact'
    """
    return f"not {result['type']}" if result.get("not") else str(result["type"])


def check_verdict(result: Mapping[str, Any]) -> str:
    """Return passed, failed or undecided."""
    return _VERDICTS[result["passed"]]


def failed_check_lines(score: Score | None) -> Iterator[str]:
    """Yield a line for each check of weight above 0 that the answer did not pass, with its metric.

    There is none if the suite's policy scored the answer 0, which the score's notes say.
    """
    for one in score.checks if score and POLICY_ZERO not in score.flags else ():
        if one["passed"] is not True and one["weight"] > 0:
            reason = f": {one['reason']}" if one["reason"] else ""
            metric = f" (metric {one['metric']})" if one.get("metric") else ""
            yield f"check {check_name(one)}{metric} {check_verdict(one)}{reason}"
