"""The agentic composite of one submission: published or robust, with every term of its sum.

``evaluate_classic`` reads the published formulas with these named readings: the weights of the
task or its category; difficulty as a second figure; the default baseline below five eligible rows;
rows without total tokens or tool calls are not evaluable; what is missing besides has the
published stand-in, and is named. ``evaluate_robust`` lets efficiency, speed and cost count only
once the required criteria have passed, leaves out what is missing, and compares on a log scale.
"""

from collections.abc import Mapping
from typing import Literal

from benchmaker.analysis.agentic_weights import PUBLISHED_WEIGHTS, Weights
from benchmaker.analysis.baselines import ln
from benchmaker.analysis.classic_terms import (
    EFFICIENCY_SHARES,
    FULL,
    NO_FIGURE,
    difficulty_adjusted,
    efficiency_score,
    falling_score,
    iteration_score,
    overall_score,
    speed_score,
    token_score,
)
from benchmaker.analysis.composed import REASONS, Composite, Reason, Term
from benchmaker.analysis.snapshots import ClassicSnapshot, Ends, RobustSnapshot, Snapshot
from benchmaker.errors import NotComparable
from benchmaker.record.metrics import FIGURES, Figure, Metrics, TokensView
from benchmaker.record.submission import Status

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
    _check(row, snapshot)
    reason = _why_not_classic(row)
    if reason is not Reason.NONE:
        return _without(row, snapshot, reason)
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
        reason=Reason.NONE,
        stand_ins=_stand_ins(row),
        warnings=_warnings(row, efficiency, speed),
    )


def evaluate_robust(
    row: Metrics, snapshot: RobustSnapshot, weights: Weights = PUBLISHED_WEIGHTS
) -> Composite:
    """The robust composite: Σ w·s / Σ w over the parts that are present.

    s = 100 · clip((ln q90 - ln x)/(ln q90 - ln q10), 0, 1); efficiency weighs its tokens .5, tool
    calls .3 and iterations .2, the shares of missing ones going to the others. Where required
    criteria failed it is w_correctness · 100 · c alone. A figure of 0 scores 100.

    Args:
        row: the submission's figures.
        snapshot: its task's; it says which tokens count.
        weights: its task's own or its category's, see ``weights_for``.

    Raises:
        NotComparable: the snapshot is of another task.
    """
    _check(row, snapshot)
    reason = _why_not_robust(row)
    if reason is not Reason.NONE or row.correctness is None:
        return _without(row, snapshot, reason)
    applied = weights.as_dict()
    if not row.gate:
        return _failed(row, snapshot, row.correctness, applied)
    terms = tuple(
        _robust_term(row, name, snapshot.figures[name], snapshot.tokens) for name in FIGURES
    )
    parts: dict[str, float | None] = {
        "efficiency": _mean_of_present(_scores(terms, "efficiency"), EFFICIENCY_SHARES),
        "speed": _scores(terms, "speed")["seconds"],
        "cost": _scores(terms, "cost")["cost"],
        "correctness": 100.0 * row.correctness,
    }
    overall = _mean_of_present(parts, applied)
    return Composite(
        submission_id=row.submission_id,
        task_id=row.task_id,
        family="robust",
        snapshot=snapshot.hash,
        overall_score=overall,
        efficiency_score=parts["efficiency"],
        speed_score=parts["speed"],
        cost_score=parts["cost"],
        correctness_score=parts["correctness"],
        adjusted_score=None,
        weights={name: weight for name, weight in applied.items() if parts[name] is not None},
        terms=terms,
        reason=Reason.WEIGHTLESS if overall is None else Reason.NONE,
    )


def evaluate(row: Metrics, snapshot: Snapshot, weights: Weights = PUBLISHED_WEIGHTS) -> Composite:
    """The composite of the snapshot's family."""
    if isinstance(snapshot, ClassicSnapshot):
        return evaluate_classic(row, snapshot, weights)
    return evaluate_robust(row, snapshot, weights)


def _check(row: Metrics, snapshot: Snapshot) -> None:
    if row.task_id != snapshot.task_id:
        raise NotComparable(
            f"Submission {row.submission_id!r} is of task {row.task_id!r}, "
            f"the snapshot of {snapshot.task_id!r}."
        )


def _why_not_classic(row: Metrics) -> Reason:
    if row.faults:
        return Reason.REFUSED
    if row.outcome is Status.INFRA_ERROR:
        return Reason.INFRASTRUCTURE
    if row.total_tokens is None:
        return Reason.NO_TOKENS
    return Reason.NO_TOOL_CALLS if row.tool_calls is None else Reason.NONE


def _why_not_robust(row: Metrics) -> Reason:
    if row.faults:
        return Reason.REFUSED
    if row.outcome is Status.INFRA_ERROR:
        return Reason.INFRASTRUCTURE
    return Reason.UNVERIFIED if row.correctness is None else Reason.NONE


def _without(row: Metrics, snapshot: Snapshot, reason: Reason) -> Composite:
    is_sound = reason is not Reason.REFUSED and row.correctness is not None
    return Composite(
        submission_id=row.submission_id,
        task_id=row.task_id,
        family=snapshot.family,
        snapshot=snapshot.hash,
        overall_score=None,
        efficiency_score=None,
        speed_score=None,
        cost_score=None,
        correctness_score=100.0 * row.correctness
        if is_sound and row.correctness is not None
        else None,
        adjusted_score=None,
        weights={},
        terms=(),
        reason=reason,
        detail="; ".join(row.faults),
    )


def _failed(
    row: Metrics, snapshot: RobustSnapshot, correctness: float, applied: Mapping[str, float]
) -> Composite:
    return Composite(
        submission_id=row.submission_id,
        task_id=row.task_id,
        family="robust",
        snapshot=snapshot.hash,
        overall_score=applied["correctness"] * (100.0 * correctness),
        efficiency_score=None,
        speed_score=None,
        cost_score=None,
        correctness_score=100.0 * correctness,
        adjusted_score=None,
        weights={"correctness": applied["correctness"]},
        terms=(),
        reason=Reason.FAILED,
    )


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
            part=PART_OF[name],
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


PART_OF: Mapping[Figure, Literal["efficiency", "speed", "cost"]] = {
    "tokens": "efficiency",
    "tool_calls": "efficiency",
    "iterations": "efficiency",
    "seconds": "speed",
    "cost": "cost",
}
"""The part that each figure belongs to."""


def _stand_ins(row: Metrics) -> tuple[str, ...]:
    missing = {
        "iterations": row.iterations is None,
        "speed": not row.seconds,
        "cost": not row.cost,
        "correctness": row.correctness is None,
    }
    return tuple(name for name, is_missing in missing.items() if is_missing)


EXTREME, FEW_TOKENS = 95, 10
"""The bounds of the published validation rules."""


def _warnings(row: Metrics, efficiency: float, speed: float) -> tuple[str, ...]:
    """What the published validation rules find, total tokens passed along."""
    found = []
    if efficiency > EXTREME and speed > EXTREME:
        found.append("Suspicious: Both efficiency and speed scores are extremely high")
    if (row.total_tokens or 0) < FEW_TOKENS:
        found.append("Suspiciously low token count")
    return tuple(found)


def _robust_term(row: Metrics, name: Figure, ends: Ends, tokens: TokensView) -> Term:
    value = row.figure(name, tokens=tokens)
    spread = ends.ln_q90 - ends.ln_q10
    score, reason = None, ""
    if value is None:
        reason = "missing"
    elif not spread > 0:
        reason = "no spread between q10 and q90"
    else:
        score = 100.0 * min(max((ends.ln_q90 - ln(value)) / spread, 0.0), 1.0)
    return Term(
        name=name,
        part=PART_OF[name],
        value=value,
        low=ends.ln_q10,
        high=ends.ln_q90,
        score=score,
        share=EFFICIENCY_SHARES.get(name, 1.0),
        reason=reason,
    )


def _scores(terms: tuple[Term, ...], part: str) -> dict[str, float | None]:
    return {term.name: term.score for term in terms if term.part == part}


def _mean_of_present(
    scores: Mapping[str, float | None], weights: Mapping[str, float]
) -> float | None:
    """Σ w·s / Σ w over what is there; None where that weighs nothing."""
    present = {name: score for name, score in scores.items() if score is not None}
    total = sum(weights[name] for name in present)
    if not total:
        return None
    return sum(weights[name] * score for name, score in present.items()) / total


def _score(term: Term) -> float:
    if term.score is None:
        raise NotComparable(f"{term.name} has no score.")
    return term.score
