"""The robust composite of one submission, with every term of its sum.

Efficiency, speed and cost count unless the submission failed, on a log scale. The figures that
count are decided per task (see :mod:`benchmaker.analysis.composite.counting_figures`). A row that
lacks a figure that counts has a range, from that figure at its worst to its best, so that omitting
a figure never pays.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from benchmaker.analysis.composite.baselines import ln
from benchmaker.analysis.composite.classic_terms import EFFICIENCY_SHARES, FULL
from benchmaker.analysis.composite.counting_figures import LEAST_HAVING, Counting
from benchmaker.analysis.composite.far_below import ln_least, words
from benchmaker.analysis.composite.result import (
    Composite,
    Reason,
    Term,
    check_task,
    failure,
    without_score,
)
from benchmaker.analysis.composite.snapshots import Ends, RobustSnapshot
from benchmaker.analysis.composite.weights import PUBLISHED_WEIGHTS, Weights
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.record.submissions.scored_figures import FIGURES, SCORED_FIGURES, Figure
from benchmaker.record.submissions.submission import Status


class Range(NamedTuple):
    """The lower and upper end of a score; equal if nothing is missing."""

    low: float
    high: float


_ANYTHING: Final = Range(0.0, FULL)


def evaluate_robust(
    row: Metrics, snapshot: RobustSnapshot, weights: Weights = PUBLISHED_WEIGHTS
) -> Composite:
    """Return the robust composite: Σ w·s / Σ w over the parts that are present.

    s = 100 · clip((ln q90 - ln x)/(ln q90 - ln q10), 0, 1); efficiency weighs its tokens .5, tool
    calls .3 and iterations .2, the shares of those that don't count going to the others. A figure
    that counts and is missing scores 0 at the lower end and 100 at the upper one. If required
    criteria failed, or the record reports a failure, it is w_correctness · 100 · c alone.

    Args:
        row: the submission's figures.
        snapshot: its task's snapshot, which selects the figures and tokens that count.
        weights: its task's own or its category's, see ``weights_for``.

    Raises:
        NotComparable: the snapshot is of another task.
    """
    check_task(row, snapshot.task_id)
    reason = _why_not(row)
    if reason is not Reason.NONE or row.correctness is None:
        return without_score(row, snapshot, reason)
    applied = weights.as_dict()
    if not row.gate:
        return _failed_composite(row, snapshot, row.correctness, applied)
    counting = snapshot.counting_of(row)
    terms = tuple(_term(row, name, snapshot, counting) for name in FIGURES)
    parts = _parts(terms, row.correctness)
    overall = _mean_of_present(parts, applied)
    scores = {"overall": overall, **parts}
    return Composite(
        submission_id=row.submission_id,
        task_id=row.task_id,
        family="robust",
        snapshot=snapshot.hash,
        weights={name: weight for name, weight in applied.items() if parts[name] is not None},
        terms=terms,
        reason=Reason.WEIGHTLESS if overall is None else Reason.NONE,
        upper={
            name: one.high
            for name, one in scores.items()
            if one is not None and one.high != one.low
        },
        provisional_reason=snapshot.provisional_reason(
            is_ranked=row.evidence_level in snapshot.ranked
        ),
        **_low_ends(scores),
    )


def _why_not(row: Metrics) -> Reason:
    if row.faults:
        return Reason.REFUSED
    if row.outcome is Status.INFRA_ERROR:
        return Reason.INFRASTRUCTURE
    return Reason.UNVERIFIED if row.correctness is None else Reason.NONE


def _failed_composite(
    row: Metrics, snapshot: RobustSnapshot, correctness: float, applied: Mapping[str, float]
) -> Composite:
    return Composite(
        submission_id=row.submission_id,
        task_id=row.task_id,
        family="robust",
        snapshot=snapshot.hash,
        overall_score=applied["correctness"] * (100.0 * correctness),
        correctness_score=100.0 * correctness,
        weights={"correctness": applied["correctness"]},
        reason=Reason.FAILED,
        failure=failure(by_criteria=row.required_passed is False),
    )


def _term(row: Metrics, name: Figure, snapshot: RobustSnapshot, counting: Counting | None) -> Term:
    ends = snapshot.figures[name]
    value, absence = _read(row, name, snapshot, counting)
    is_range = value is None and counting is not None and counting.counts(name)
    reason = _not_counted(name, counting)
    if reason and absence.startswith("missing: "):
        reason = f"{reason}; {absence}"
    reason = reason or (absence if value is None else _no_spread(ends))
    return Term(
        name=name,
        part=SCORED_FIGURES[name].part,
        value=value,
        low=ends.ln_q10,
        high=ends.ln_q90,
        score=None if reason or value is None else _score(value, ends),
        share=EFFICIENCY_SHARES.get(name, 1.0),
        reason=reason,
        is_range=is_range,
    )


def _read(
    row: Metrics, name: Figure, snapshot: RobustSnapshot, counting: Counting | None
) -> tuple[float | None, str]:
    """The figure, or why there is none that counts."""
    tokens = snapshot.tokens
    if counting is None:  # robust/1
        return row.figure(name, tokens=tokens), "missing"
    value = row.valid_figure(name, tokens=tokens)
    if value is None:
        return None, row.absence(name, tokens=tokens)
    if counting.counts(name) and _is_far_below(value, name, snapshot.figures[name]):
        return None, words(value, snapshot.figures[name].ln_q10)
    return value, ""


def _is_far_below(value: float, name: Figure, ends: Ends) -> bool:
    """True if a figure is so low that it counts as missing; 0 is that of a free model."""
    least = float(ln_least(name, ends.ln_q10, ends.ln_q90, ends.n))
    return value > 0 and ln(value) < least


def _not_counted(name: Figure, counting: Counting | None) -> str:
    if counting is None or not counting.is_decided or counting.counts(name):
        return ""
    needed = f", at least {LEAST_HAVING} are needed" if name in counting.lacking else ""
    return f"not counted: {counting.having[name]} of {counting.rows} successes have it{needed}"


def _no_spread(ends: Ends) -> str:
    return "" if ends.ln_q90 - ends.ln_q10 > 0 else "no spread between q10 and q90"


def _score(value: float, ends: Ends) -> float:
    spread = ends.ln_q90 - ends.ln_q10
    return 100.0 * min(max((ends.ln_q90 - ln(value)) / spread, 0.0), 1.0)


def _parts(terms: tuple[Term, ...], correctness: float) -> dict[str, Range | None]:
    of = {term.name: _range(term) for term in terms}
    efficiency = {name: of[name] for name in FIGURES if SCORED_FIGURES[name].part == "efficiency"}
    return {
        "efficiency": _mean_of_present(efficiency, EFFICIENCY_SHARES),
        "speed": of["seconds"],
        "cost": of["cost"],
        "correctness": Range(100.0 * correctness, 100.0 * correctness),
    }


def _range(term: Term) -> Range | None:
    if term.is_range:
        return _ANYTHING
    return None if term.score is None else Range(term.score, term.score)


def _low_ends(scores: Mapping[str, Range | None]) -> dict[str, Any]:
    """The scores of a composite by their fields; missing ones are left out."""
    return {f"{name}_score": one.low for name, one in scores.items() if one is not None}


def _mean_of_present(
    scores: Mapping[str, Range | None] | Mapping[Figure, Range | None],
    weights: Mapping[str, float],
) -> Range | None:
    """Return Σ w·s / Σ w over the present values, at both ends; None if their weights sum to 0."""
    present = [(weights[name], score) for name, score in scores.items() if score is not None]
    total = sum(weight for weight, _ in present)
    if not total:
        return None
    return Range(
        sum(weight * score.low for weight, score in present) / total,
        sum(weight * score.high for weight, score in present) / total,
    )
