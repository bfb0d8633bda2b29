"""Decisions of a gate: the models that reach a threshold, and the criterion."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal

from benchmaker.analysis.metric import FigureName
from benchmaker.documents import INLINE, OMITTED, Document, Key, listed


class GateVerdict(StrEnum):
    """The verdict of a gate."""

    PASSED = "pass"
    FAILED = "fail"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Decision(Document):
    """The decision of a gate on one model; scores from 0 to 1.

    ``mean`` is the value of ``figure``: the mean, the accuracy, or what the metric counts.
    ``n_scored`` of ``n_trials`` have a score: fewer than all if the figure is based on some. Trials
    of cases of weight 0 are in neither, like in means. ``low`` and ``high`` are the exact 95%
    limits of the mean, None if the mean alone decides or there are none. ``n_effective`` is the
    number of equal, independent cases they were computed with: fewer than ``n_cases`` if weights
    differ or cases share groups. ``metric`` is the metric of checks, if the gate has one.
    ``more_cases`` is the number of further such cases needed for a
    decision, None if it is decided or no number suffices.
    """

    model: str
    verdict: GateVerdict
    threshold: float
    mean: float | None
    low: float | None = None
    high: float | None = None
    n_cases: int = 0
    more_cases: Annotated[int | None, Key(after="n_trials")] = None
    is_sure: Annotated[bool, OMITTED] = False
    n_scored: int = 0
    n_trials: int = 0
    figure: Annotated[FigureName, Key(after="verdict")] = "mean"
    n_effective: Annotated[float | None, Key(after="n_cases")] = None
    metric: Annotated[str, Key(after="figure", omit_if_empty=True)] = ""

    @property
    def is_partial(self) -> bool:
        """True if trials are missing from the figure."""
        return self.n_scored < self.n_trials

    @property
    def is_discounted(self) -> bool:
        """True if weights or groups reduce the effective number of cases."""
        size = self.n_effective
        return size is not None and not math.isclose(size, self.n_cases)


@dataclass(frozen=True, slots=True)
class Threshold(Document):
    """The minimum mean from 0 to 1, and whether the decision must be statistically certain.

    ``metric`` is the metric of checks whose mean it is; empty for that of the run.
    """

    threshold: float
    is_sure: Annotated[bool, OMITTED] = False
    metric: Annotated[str, Key("gate_metric", omit_if_empty=True)] = ""

    @property
    @listed("gate", after="threshold")
    def name(self) -> Literal["mean", "sure"]:
        """The criterion of the decision: the mean, or exact limits."""
        return "sure" if self.is_sure else "mean"


@dataclass(frozen=True, slots=True)
class GateResult(Document):
    """The decisions of a gate on all models, in the order of the summary.

    ``noun`` is the word for a model of the summary: model, or setup.
    """

    gate: Annotated[Threshold, INLINE]
    decisions: Annotated[tuple[Decision, ...], Key("models")]
    noun: Annotated[str, OMITTED] = "model"

    @property
    @listed(after="gate")
    def verdict(self) -> GateVerdict:
        """Failed where any model fails, else undecided where any is, else passed."""
        found = {one.verdict for one in self.decisions}
        for worst in (GateVerdict.FAILED, GateVerdict.UNDECIDED):
            if worst in found:
                return worst
        return GateVerdict.PASSED
