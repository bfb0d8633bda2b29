"""The published ranks, percentiles and interval."""

import math
import statistics
from collections.abc import Sequence
from typing import Any

from benchmaker.arenas.agentic.classic.scores import Plain

_FEWEST, _MANY = 3, 30
_T_OF_FEW, _Z = 2.776, 1.96


def calculate_rankings(evaluations: Sequence[Plain]) -> list[dict[str, Any]]:
    """Best first, equal scores with one rank and the newest of them first; the input is kept."""
    ordered = sorted(
        evaluations, key=lambda one: (one["overall_score"], one["evaluated_at"]), reverse=True
    )
    percentiles = _percentiles([one["overall_score"] for one in evaluations])
    rankings: list[dict[str, Any]] = []
    for place, one in enumerate(ordered, start=1):
        score = one["overall_score"]
        is_tie = place > 1 and score == ordered[place - 2]["overall_score"]
        rank = rankings[-1]["overall_ranking"] if is_tie else place
        ranked = {**one, "overall_ranking": rank, "percentile": percentiles[score]}
        rankings.append(ranked)
    return rankings


def calculate_category_rankings(
    evaluations: Sequence[dict[str, Any]], metric: str
) -> list[dict[str, Any]]:
    """Best first by one metric, numbered without ties; the evaluations are written into."""
    ordered = sorted(evaluations, key=lambda one: one[f"{metric}_score"], reverse=True)
    for place, one in enumerate(ordered, start=1):
        one[f"{metric}_ranking"] = place
    return ordered


def calculate_percentile(score: float, all_scores: Sequence[float]) -> float:
    """Return the percentage of scores before the first equal one; 50 without scores.

    Raises:
        ValueError: the score is not among them.

    >>> calculate_percentile(80, [60, 80, 80, 90])
    25.0
    """
    if not all_scores:
        return 50.0
    return _percentile(sorted(all_scores).index(score), len(all_scores))


def calculate_confidence_interval(
    scores: Sequence[float],
    confidence_level: float = 0.95,  # noqa: ARG001  published, and not read
) -> tuple[float, float]:
    """Mean ± 2.776 or, from 30 scores on, 1.96 standard errors, within 0 to 100.

    Below three scores it is (0, 100). The confidence level is not read, as published.
    """
    if len(scores) < _FEWEST:
        return (0, 100)
    mean, deviation = statistics.mean(scores), statistics.stdev(scores)
    factor = _T_OF_FEW if len(scores) < _MANY else _Z
    margin = factor * (deviation / math.sqrt(len(scores)))
    return max(0, mean - margin), min(100, mean + margin)


def _percentiles(scores: Sequence[float]) -> dict[float, float]:
    """Every score's percentile by one sort, where the document sorts for every score."""
    first: dict[float, float] = {}
    for position, score in enumerate(sorted(scores)):
        if score not in first:
            first[score] = _percentile(position, len(scores))
    return first


def _percentile(position: int, count: int) -> float:
    return round((position / count) * 100, 1)
