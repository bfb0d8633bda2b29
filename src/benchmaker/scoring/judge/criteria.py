"""Criteria judged separately, and their sum, computed by the program and never by the judge."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmaker.scoring.judge.scale import Scale


@dataclass(frozen=True, slots=True)
class JudgeCriterion:
    """One criterion for the judge, with its weight.

    ``levels`` maps the allowed scores to their meaning ({0: "missing", 2: "complete"}); without
    them the criterion is judged on the overall scale. In a checklist it is a yes/no question, and
    levels are not used.

    Raises:
        ValueError: no id, a weight that is negative or not finite, or a single level.
    """

    id: str
    question: str = ""
    weight: float = 1.0
    levels: Mapping[float, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.id.strip():
            raise ValueError("a criterion needs an id")
        if not (math.isfinite(self.weight) and self.weight >= 0):
            raise ValueError(f"criterion {self.id!r}: a weight is 0 or more, not {self.weight}")
        if len(self.levels) == 1:
            raise ValueError(f"criterion {self.id!r}: one level tells nothing; give two or more")

    def scale(self, whole: Scale) -> Scale:
        """The scale of this criterion: its own levels, else that of the whole."""
        return Scale(float(min(self.levels)), float(max(self.levels))) if self.levels else whole


@dataclass(frozen=True, slots=True)
class CriterionMark:
    """The judge's mark for one criterion.

    ``value`` is on the criterion's own scale, in a checklist 1 for yes and 0 for no; ``unit`` is
    the same from 0 to 1; ``evidence`` is the judge's text.
    """

    id: str
    value: float
    unit: float
    evidence: str = ""


def weighted_mark(marks: Sequence[CriterionMark], criteria: Sequence[JudgeCriterion]) -> float:
    """The weighted mean of the marks, from 0 to 1: Σ weight·unit / Σ weight.

    Raises:
        ValueError: a criterion without its mark, a mark without its criterion, or no weight at
            all.

    >>> marks = [CriterionMark("a", 10, 1.0), CriterionMark("b", 0, 0.0)]
    >>> weighted_mark(marks, [JudgeCriterion("a", weight=3), JudgeCriterion("b")])
    0.75
    """
    units = {mark.id: mark.unit for mark in marks}
    if units.keys() != {criterion.id for criterion in criteria} or len(units) != len(marks):
        raise ValueError("every criterion needs exactly one mark")
    total = math.fsum(criterion.weight for criterion in criteria)
    if total <= 0:
        raise ValueError("the criteria have no weight")
    parts = math.fsum(criterion.weight * units[criterion.id] for criterion in criteria)
    return min(1.0, parts / total)
