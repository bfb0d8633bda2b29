"""The published checks on submissions and evaluations."""

import statistics
from collections.abc import Sequence
from typing import Any

from benchmaker.analysis.composite.classic_terms import SUSPICIOUS, suspicious_signs
from benchmaker.arenas.agentic.classic.scores import Plain

_EXTREME = 95
_FEW_TOKENS = 10


def detect_outliers(submissions: Sequence[Plain]) -> list[dict[str, Any]]:
    """Submissions with two or more of: under a tenth of the median tokens, under 5 s, one call.

    A missing time counts as 0 and is therefore fast.

    Raises:
        statistics.StatisticsError: there is no submission.
    """
    median = statistics.median(one["total_tokens"] for one in submissions)
    outliers = []
    for one in submissions:
        seconds, calls = one.get("execution_time", 0), one.get("tool_calls", 0)
        flags = suspicious_signs(one["total_tokens"], seconds, calls, median_tokens=median)
        if len(flags) >= SUSPICIOUS:
            outliers.append(
                {
                    "submission_id": one["id"],
                    "flags": flags,
                    "recommended_action": "manual_review",
                }
            )
    return outliers


def validate_evaluation_metrics(evaluation: Plain) -> list[str]:
    """Return the suspicious values of an evaluation; a missing ``total_tokens`` always is one."""
    errors = []
    for kind in ("overall", "efficiency", "speed", "cost", "correctness"):
        key = f"{kind}_score"
        if key in evaluation and not (0 <= evaluation[key] <= 100):  # noqa: PLR2004  the scale
            errors.append(f"{key} out of range: {evaluation[key]}")
    efficiency, speed = evaluation.get("efficiency_score", 0), evaluation.get("speed_score", 0)
    if efficiency > _EXTREME and speed > _EXTREME:
        errors.append("Suspicious: Both efficiency and speed scores are extremely high")
    if evaluation.get("total_tokens", 0) < _FEW_TOKENS:
        errors.append("Suspiciously low token count")
    return errors
