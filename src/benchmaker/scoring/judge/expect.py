"""The form of judgement requested from a judge."""

from dataclasses import dataclass, field
from typing import Literal

from benchmaker.scoring.judge.categories import JudgeCategory
from benchmaker.scoring.judge.criteria import JudgeCriterion
from benchmaker.scoring.judge.scale import Scale

Mode = Literal["absolute", "pairwise", "checklist"]


@dataclass(frozen=True, slots=True)
class Expect:
    """The requested judgement: a score, a choice between two answers, or a list of yes and no.

    ``absolute``: one score on the scale, or, with criteria, one for each, summed by the program;
    with categories, the id of one of them, whose score counts.
    ``pairwise``: A, B or tie; a tie is refused if ``ties`` is False; criteria only guide.
    ``checklist``: each criterion is a question; the score is the weighted share of yes.

    Raises:
        ValueError: a checklist without criteria, two of the same id, no weight at all, or
            categories with criteria or in another mode.
    """

    mode: Mode = "absolute"
    scale: Scale = field(default_factory=Scale)
    criteria: tuple[JudgeCriterion, ...] = ()
    ties: bool = True
    categories: tuple[JudgeCategory, ...] = ()

    def __post_init__(self) -> None:
        ids = [criterion.id for criterion in self.criteria]
        if self.categories and (ids or self.mode != "absolute"):
            raise ValueError("categories need the mode absolute, without criteria")
        names = [category.id for category in self.categories]
        if len(set(names)) < len(names):
            raise ValueError("two categories have the same id")
        if self.mode == "checklist" and not ids:
            raise ValueError("a checklist needs criteria")
        if twice := {name for name in ids if ids.count(name) > 1}:
            raise ValueError(f"two criteria have the id {min(twice)!r}")
        if ids and sum(criterion.weight for criterion in self.criteria) <= 0:
            raise ValueError("the criteria have no weight")

    @property
    def sums(self) -> bool:
        """True if the score is summed from marks on criteria."""
        return self.mode != "pairwise" and bool(self.criteria)
