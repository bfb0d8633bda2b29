"""The base of the scorers that judge one property of an answer by fixed instructions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from benchmaker.scoring.excerpts import shorten
from benchmaker.scoring.judge import (
    Instructions,
    JudgeCriterion,
    Mode,
    OwnInstructions,
    Scale,
)
from benchmaker.scoring.judged.llm_judge import LLMJudge
from benchmaker.spec import Case


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeKind(LLMJudge):
    """An :class:`LLMJudge` whose instructions, scale and form of reply are fixed.

    Fields that are not arguments (``init=False``) are the same in every scorer of a kind. The
    judges, repeats, panels, cascades and limits are those of ``llm_judge``. ``prompt_name`` is the
    bundled text with the instructions.
    """

    default_threshold: ClassVar[float] = 0.5
    prompt_name: ClassVar[str] = ""

    mode: Mode = field(default="absolute", init=False, repr=False)
    criteria: tuple[JudgeCriterion, ...] = field(default=(), init=False, repr=False)
    scale: Scale = field(default_factory=Scale, init=False, repr=False)
    baseline: str | None = field(default=None, init=False, repr=False)
    ties: bool = field(default=True, init=False, repr=False)
    instructions: str | None = field(default=None, init=False, repr=False)

    def judge_prompt(self, case: Case | None = None) -> OwnInstructions:
        """Return the instructions of the kind, with its own texts."""
        return Instructions(self.prompt_name, self.prompt_values(case))

    def reason_of(self, singles: Sequence[dict[str, Any]]) -> str:
        """Return the first judge's category and rationale, shortened to one line."""
        first: dict[str, Any] = next((one for one in singles if "unit" in one), {})
        category = first.get("verdict", "") if self.categories else ""
        rationale = " ".join(first.get("rationale", "").split())
        return shorten(": ".join(filter(None, (category, rationale))))

    def prompt_values(self, case: Case | None) -> dict[str, str]:  # noqa: ARG002  for kinds
        """Return the check's own texts in the instructions by their place; any without a case."""
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreferencedKind(JudgeKind):
    """A kind whose judge is shown no reference."""

    reference: Literal["expected", "own", "none"] = field(default="none", init=False, repr=False)
    counterfactual: bool = field(default=False, init=False, repr=False)
