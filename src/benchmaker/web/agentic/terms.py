"""A composite term by term, as the page and the command show it."""

from collections.abc import Callable
from typing import NamedTuple

from benchmaker.analysis.composite.result import Composite, Reason, absence
from benchmaker.analysis.composite.weights import PARTS
from benchmaker.arenas.agentic.evaluation.explanation import EvaluationExplained
from benchmaker.record.submissions.evaluation import Evaluation
from benchmaker.report.tables import numbers


class TermRow(NamedTuple):
    """A part of the sum: its formulas with numbers inserted, score, weight, contribution."""

    name: str
    formulas: tuple[str, ...]
    score: str
    weight: str
    adds: str


class Sum(NamedTuple):
    """All parts, their full total, and the notes.

    ``divisor`` is the sum of weights that the total was divided by; empty if it is 1.
    """

    rows: tuple[TermRow, ...]
    weight: str
    total: str
    notes: tuple[str, ...]
    divisor: str


def score_words(made: Evaluation, part: str) -> str:
    """Return a part's score, or the overall one, with one decimal; or the reason for none."""
    score: float | None = getattr(made, f"{part}_score")
    return absence(made.reason) if score is None else numbers.score(score / 100)


def sum_of(explained: EvaluationExplained) -> Sum:
    """The sum of an evaluation."""
    made = explained.composite
    lines = made.lines()
    used = {line for name in PARTS for line in _formulas(name, lines)}
    again = explained.lines()[3 + len(lines) :]
    whole = sum(made.weights.get(name, 0.0) for name in PARTS)
    total = made.overall_score
    return Sum(
        tuple(_row(made, name, lines) for name in PARTS),
        f"{whole:.2f}",
        "no score"
        if total is None
        else _score_or_range(repr(total), made.upper.get("overall"), repr),
        (*(line for line in lines if line not in used), *again),
        f"{whole:.2f}" if total is not None and _divisor(made) != 1.0 else "",
    )


def _divisor(made: Composite) -> float:
    """What the sum of weighted scores is divided by; 1 where required criteria failed."""
    return 1.0 if made.reason is Reason.FAILED else round(sum(made.weights.values()), 9) or 1.0


def _formulas(name: str, lines: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(line for line in lines if line.startswith(f"{name}:"))


def _row(made: Composite, name: str, lines: tuple[str, ...]) -> TermRow:
    score, weight = made.part(name), made.weights.get(name, 0.0)
    over = _divisor(made)
    is_in = score is not None and weight and made.overall_score is not None
    return TermRow(
        name.capitalize(),
        tuple(line.removeprefix(f"{name}: ") for line in _formulas(name, lines)),
        absence(made.reason)
        if score is None
        else _score_or_range(f"{score:.2f}", made.upper.get(name), "{:.2f}".format),
        f"{weight:.2f}" if weight else "excluded",
        f"{weight * score / over:.2f}" if is_in and score is not None else "–",
    )


def _score_or_range(low: str, high: float | None, shown: Callable[[float], str]) -> str:
    """A score, or both ends of one that is a range."""
    return low if high is None else f"{low} to {shown(high)}"
