"""A profile's result for one submission: the composite, its terms, and reasons for gaps."""

from collections.abc import Mapping
from enum import StrEnum
from math import exp
from typing import Any, Literal

import msgspec

from benchmaker.analysis.composite.snapshots import Snapshot
from benchmaker.errors import NotComparable
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.record.submissions.scored_figures import Figure


class Reason(StrEnum):
    """The reason why a row has no composite, or only that of its correctness."""

    NONE = ""
    REFUSED = "refused"
    INFRASTRUCTURE = "infrastructure"
    NO_TOKENS = "no_total_tokens"
    NO_TOOL_CALLS = "no_tool_calls"
    UNVERIFIED = "unverified"
    FAILED = "required_failed"
    WEIGHTLESS = "no_weight"


REASONS = tuple(Reason)
"""The order behind the codes."""

WORDS: Mapping[Reason, str] = {
    Reason.NONE: "",
    Reason.REFUSED: "rejected: impossible figure",
    Reason.INFRASTRUCTURE: "not evaluated: infrastructure failure",
    Reason.NO_TOKENS: "not evaluable in classic: total tokens are missing and have no stand-in",
    Reason.NO_TOOL_CALLS: "not evaluable in classic: tool calls are missing and have no stand-in",
    Reason.UNVERIFIED: "unverified: no verdict on correctness",
    Reason.FAILED: "efficiency, speed and cost do not apply",
    Reason.WEIGHTLESS: "no available part has any weight",
}
"""Descriptions of the reasons."""

NOT_EVALUATED = "not evaluated"
"""Shown for every score of a submission that no profile has evaluated."""


def words_of(reason: Reason, detail: str = "") -> str:
    """Return the reason in words, with its detail; empty for a full composite."""
    return ": ".join(part for part in (WORDS[reason], detail) if part)


def failure(*, by_criteria: bool) -> str:
    """Return the sign of failure: failed required criteria, or the verdict of the record."""
    return "required criteria failed" if by_criteria else "the record reports a failure"


def absence(reason: str) -> str:
    """The text shown for a missing score of an evaluation.

    >>> absence("required_failed"), absence("unverified")
    ('not applicable', 'not scored')
    """
    return "not applicable" if reason == Reason.FAILED else "not scored"


STAND_INS: Mapping[str, str] = {
    "iterations": "no iterations: 1 assumed, as published",
    "speed": "no time: 50, as published",
    "cost": "no cost: 50, as published",
    "correctness": "nothing graded: 100, as published",
}
"""The published stand-ins, by the part that they fill."""


class Term(msgspec.Struct, frozen=True, gc=False):
    """One figure of the sum: ``value`` scored to ``score`` (0–100), with its ``share`` of a part.

    ``low`` and ``high`` are the values that score 100 and 0, in robust their logarithms; for
    iterations in classic ``low`` is the median. Without a score ``reason`` explains the exclusion,
    or, with ``is_range``, a score anywhere from 0 to 100.
    """

    name: Figure
    part: Literal["efficiency", "speed", "cost"]
    value: float | None
    low: float
    high: float
    score: float | None
    share: float
    reason: str = ""
    is_range: bool = False


class Composite(msgspec.Struct, frozen=True, kw_only=True):
    """A profile's result for one submission; scores from 0 to 100, None if missing.

    Classic scores are rounded to two digits as published, robust ones are not rounded.
    ``adjusted_score`` includes the difficulty, for use across tasks; only classic has it.
    ``weights`` are those applied to the present parts, before normalisation to 1. ``stand_ins``
    names the parts with a stand-in for a missing figure.

    If a figure that counts is missing, a robust score is a range: the scores are its lower ends,
    and ``upper`` holds the upper ends by name (``overall`` and the parts). It is ``provisional``
    while the task has fewer than five ranked successes, and with fewer than ten while a figure that
    some of the first five report does not count; ``provisional_reason`` says which. ``failure`` is
    the sign that the submission failed, in words.
    """

    submission_id: str
    task_id: str
    family: Literal["classic", "robust"]
    snapshot: str
    overall_score: float | None = None
    efficiency_score: float | None = None
    speed_score: float | None = None
    cost_score: float | None = None
    correctness_score: float | None = None
    adjusted_score: float | None = None
    weights: Mapping[str, float] = msgspec.field(default_factory=dict)
    terms: tuple[Term, ...] = ()
    reason: Reason = Reason.NONE
    detail: str = ""
    stand_ins: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    upper: Mapping[str, float] = msgspec.field(default_factory=dict)
    provisional_reason: str = ""
    failure: str = ""

    @property
    def provisional(self) -> bool:
        """True if the decision on the figures that count is open or provisional."""
        return bool(self.provisional_reason)

    @property
    def words(self) -> str:
        """The reason in words; empty for a full composite."""
        return words_of(self.reason, self.detail or self.failure)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON and for the store; without ``upper`` and ``provisional`` if unset.

        ``failure`` and ``provisional_reason`` follow from the figures, and are not in it.
        """
        plain = msgspec.structs.asdict(self) | {"provisional": self.provisional}
        del plain["failure"], plain["provisional_reason"]
        for name in ("upper", "provisional"):
            if not plain[name]:
                del plain[name]
        terms = tuple(_plain_term(it) for it in self.terms)
        return plain | {
            "weights": dict(self.weights),
            "terms": terms,
            "reason": str(self.reason),
        }

    def part(self, name: str) -> float | None:
        """The score of one of the four parts."""
        score: float | None = getattr(self, f"{name}_score")
        return score

    def lines(self) -> tuple[str, ...]:
        """Return the sum, term by term, from stored values."""
        lines = [_term_line(term, self.family) for term in self.terms]
        lines += [STAND_INS[name] for name in self.stand_ins]
        present = {name: weight for name, weight in self.weights.items() if weight}
        summed = " + ".join(
            f"{weight:g} · {self.part(name):.6g}" for name, weight in present.items()
        )
        if self.overall_score is not None and self.reason is Reason.FAILED:
            lines.append(f"overall = {summed} = {self.overall_score!r}")
        elif self.overall_score is not None:
            total = sum(present.values())
            over = f" over {total:.6g}" if abs(total - 1) > 1e-9 else ""  # noqa: PLR2004  rounding
            lines.append(f"overall = ({summed}){over} = {self.overall_score!r}")
        lines += self._lines_of_range()
        return (*lines, *([self.words] if self.words else []), *self.warnings)

    def _lines_of_range(self) -> list[str]:
        found = []
        if "overall" in self.upper:
            found.append(
                f"at most {self.upper['overall']!r}, with the best possible missing figures"
            )
        return [*found, f"provisional: {self.provisional_reason}"] if self.provisional else found


def check_task(row: Metrics, task_id: str) -> None:
    """Raise NotComparable where a row and a snapshot are of different tasks."""
    if row.task_id != task_id:
        raise NotComparable(
            f"Submission {row.submission_id!r} is of task {row.task_id!r}, "
            f"the snapshot of {task_id!r}."
        )


def detail_of(row: Metrics, reason: Reason) -> str:
    """Return the implausible figures, or the only reported side of the tokens."""
    return row.one_sided if reason is Reason.NO_TOKENS else "; ".join(row.faults)


def without_score(row: Metrics, snapshot: Snapshot, reason: Reason) -> Composite:
    """A row that has no composite; it keeps its correctness unless it was refused."""
    is_sound = reason is not Reason.REFUSED and row.correctness is not None
    return Composite(
        submission_id=row.submission_id,
        task_id=row.task_id,
        family=snapshot.family,
        snapshot=snapshot.hash,
        correctness_score=100.0 * row.correctness
        if is_sound and row.correctness is not None
        else None,
        reason=reason,
        detail=detail_of(row, reason),
    )


def _plain_term(term: Term) -> dict[str, Any]:
    plain = msgspec.structs.asdict(term)
    if not term.is_range:
        del plain["is_range"]
    return plain


def _term_line(term: Term, family: str) -> str:
    if term.is_range:
        return f"{term.part}: {term.share:g} · {term.name} {term.reason}, so from 0 to 100"
    if term.score is None:
        return f"{term.part}: {term.name} ignored ({term.reason})"
    value = "none" if term.value is None else f"{term.value:g}"
    is_log = family == "robust"
    low, high = (exp(term.low), exp(term.high)) if is_log else (term.low, term.high)
    return (
        f"{term.part}: {term.share:g} · {term.name} {value} between {low:.6g} and {high:.6g}"
        f"{' on the log scale' if is_log else ''} → {term.score:.6g}"
    )
