"""The agentic composite of one submission: published or robust, with every term of its sum.

``evaluate_classic`` reads the published formulas with these named readings: the weights of the task
or its category; difficulty as a second figure; the default baseline below five eligible rows; rows
without total tokens or tool calls are not evaluable; other missing figures have the published
stand-in, and are named. For the robust one see
:mod:`benchmaker.analysis.composite.robust_composite`.
"""

from benchmaker.analysis.composite.classic_terms import (
    EFFICIENCY_SHARES,
    FULL,
    NO_FIGURE,
    difficulty_adjusted,
    efficiency_score,
    falling_score,
    iteration_score,
    overall_score,
    published_warnings,
    speed_score,
    token_score,
)
from benchmaker.analysis.composite.result import (
    REASONS,
    Composite,
    Reason,
    Term,
    check_task,
    without_score,
)
from benchmaker.analysis.composite.robust_composite import evaluate_robust
from benchmaker.analysis.composite.snapshots import ClassicSnapshot, Snapshot
from benchmaker.analysis.composite.weights import PUBLISHED_WEIGHTS, Weights
from benchmaker.errors import NotComparable
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.record.submissions.scored_figures import SCORED_FIGURES, Figure
from benchmaker.record.submissions.submission import Status

__all__ = [
    "REASONS",
    "Composite",
    "Reason",
    "Term",
    "evaluate",
    "evaluate_classic",
    "evaluate_robust",
]


def evaluate_classic(
    row: Metrics, snapshot: ClassicSnapshot, weights: Weights = PUBLISHED_WEIGHTS
) -> Composite:
    """The published composite of one submission.

    Args:
        row: the submission's figures.
        snapshot: its task's.
        weights: its task's own or its category's, see ``weights_for``.

    Raises:
        NotComparable: the snapshot is of another task.
    """
    check_task(row, snapshot.task_id)
    reason = _why_not_classic(row)
    if reason is not Reason.NONE:
        return without_score(row, snapshot, reason)
    terms = _classic_terms(row, snapshot)
    by_name = {term.name: _score(term) for term in terms}
    parts = (
        efficiency_score(by_name["tokens"], by_name["tool_calls"], by_name["iterations"]),
        by_name["seconds"],
        by_name["cost"],
        FULL if row.correctness is None else row.correctness * 100.0,
    )
    applied = weights.as_dict()
    overall = round(overall_score(parts, applied), 2)
    efficiency, speed, cost, correctness = (round(part, 2) for part in parts)
    return Composite(
        submission_id=row.submission_id,
        task_id=row.task_id,
        family="classic",
        snapshot=snapshot.hash,
        overall_score=overall,
        efficiency_score=efficiency,
        speed_score=speed,
        cost_score=cost,
        correctness_score=correctness,
        adjusted_score=difficulty_adjusted(overall, row.difficulty),
        weights=applied,
        terms=terms,
        stand_ins=_stand_ins(row),
        warnings=published_warnings(row.total_tokens, efficiency, speed),
    )


def evaluate(row: Metrics, snapshot: Snapshot, weights: Weights = PUBLISHED_WEIGHTS) -> Composite:
    """The composite of the snapshot's family."""
    if isinstance(snapshot, ClassicSnapshot):
        return evaluate_classic(row, snapshot, weights)
    return evaluate_robust(row, snapshot, weights)


def _why_not_classic(row: Metrics) -> Reason:
    if row.faults:
        return Reason.REFUSED
    if row.outcome is Status.INFRA_ERROR:
        return Reason.INFRASTRUCTURE
    if row.total_tokens is None:
        return Reason.NO_TOKENS
    return Reason.NO_TOOL_CALLS if row.tool_calls is None else Reason.NONE


def _classic_terms(row: Metrics, snapshot: ClassicSnapshot) -> tuple[Term, ...]:
    tokens, calls = row.total_tokens or 0, row.tool_calls or 0
    iterations = 1 if row.iterations is None else row.iterations
    seen = snapshot.figures
    of_tokens, of_calls = seen["tokens"], seen["tool_calls"]
    scores: dict[Figure, float] = {
        "tokens": token_score(tokens, of_tokens.minimum, of_tokens.maximum),
        "tool_calls": falling_score(calls, of_calls.minimum, of_calls.maximum),
        "iterations": iteration_score(iterations, seen["iterations"].median),
        "seconds": _speed(row.seconds, seen["seconds"].minimum, seen["seconds"].maximum),
        "cost": _cost(row.cost, seen["cost"].minimum, seen["cost"].maximum),
    }
    return tuple(
        Term(
            name=name,
            part=SCORED_FIGURES[name].part,
            value=row.figure(name, tokens="total"),
            low=seen[name].median if name == "iterations" else seen[name].minimum,
            high=seen[name].maximum,
            score=score,
            share=EFFICIENCY_SHARES.get(name, 1.0),
        )
        for name, score in scores.items()
    )


def _speed(seconds: float | None, low: float, high: float) -> float:
    return speed_score(seconds, low, high) if seconds else NO_FIGURE


def _cost(cost: float | None, low: float, high: float) -> float:
    return falling_score(cost, low, high) if cost else NO_FIGURE


def _stand_ins(row: Metrics) -> tuple[str, ...]:
    missing = {
        "iterations": row.iterations is None,
        "speed": not row.seconds,
        "cost": not row.cost,
        "correctness": row.correctness is None,
    }
    return tuple(name for name, is_missing in missing.items() if is_missing)


def _score(term: Term) -> float:
    if term.score is None:
        raise NotComparable(f"{term.name} has no score.")
    return term.score
