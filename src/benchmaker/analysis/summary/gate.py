"""Whether each model reaches a threshold: by its mean, or only where that is sure."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from benchmaker.analysis.metric import FigureName, by_metric
from benchmaker.analysis.summary.aggregate import exact_mean_over_cases
from benchmaker.analysis.summary.summary import ModelSummary, Summary
from benchmaker.record import Run
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.stats.means.bounded import cases_to_decide


class GateVerdict(StrEnum):
    """What a gate says."""

    PASSED = "pass"
    FAILED = "fail"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Decision:
    """What a gate says of one model; scores from 0 to 1.

    ``mean`` is the value of ``figure``: the mean, the accuracy, or what the metric counts.
    ``n_scored`` of ``n_trials`` have a score: fewer than all where the figure rests on some. Trials
    of cases of weight 0 are in neither, as they are in no mean.
    ``low`` and ``high`` are the exact 95 % limits of the mean, None where the mean alone decides
    or there are none. ``n_effective`` is how many equal, independent cases they were computed with:
    fewer than ``n_cases`` where cases weigh differently or share groups. ``more_cases`` is how many
    more cases with such scores would decide, None where it is decided or no number would.
    """

    model: str
    verdict: GateVerdict
    threshold: float
    mean: float | None
    low: float | None = None
    high: float | None = None
    n_cases: int = 0
    more_cases: int | None = None
    is_sure: bool = False
    n_scored: int = 0
    n_trials: int = 0
    figure: FigureName = "mean"
    n_effective: float | None = None

    @property
    def is_partial(self) -> bool:
        """Whether trials are missing that the figure should rest on."""
        return self.n_scored < self.n_trials

    @property
    def is_discounted(self) -> bool:
        """Whether weights or groups make the cases worth fewer equal and independent ones."""
        size = self.n_effective
        return size is not None and not math.isclose(size, self.n_cases)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "model": self.model,
            "verdict": self.verdict.value,
            "figure": self.figure,
            "threshold": self.threshold,
            "mean": self.mean,
            "low": self.low,
            "high": self.high,
            "n_cases": self.n_cases,
            "n_effective": self.n_effective,
            "n_scored": self.n_scored,
            "n_trials": self.n_trials,
            "more_cases": self.more_cases,
        }


@dataclass(frozen=True, slots=True)
class Gate:
    """The least mean that passes, from 0 to 1, and whether it decides only where that is sure."""

    threshold: float
    is_sure: bool = False

    def to_dict(self) -> dict[str, Any]:
        """What a run records of the gate it was held to."""
        return {"threshold": self.threshold, "gate": "sure" if self.is_sure else "mean"}

    def decisions(
        self, summary: Summary, columns: Callable[[], ScoreColumns]
    ) -> tuple[Decision, ...]:
        """Whether each model's figure reaches the threshold, in the order of the summary.

        The figure is the mean, or the strict accuracy where that is the summary's metric.

        Where it is to be sure, a model passes if the lower exact limit reaches the threshold,
        fails if the upper one stays below, and is undecided otherwise. A model without a mean is
        undecided: nothing of it was measured, so that it neither reached nor missed the threshold.

        Args:
            summary: of a run or a series.
            columns: reads the scores behind it, where limits are needed.
        """
        if self.is_sure:
            models = [(one.model, one.n_cases) for one in summary.models]
            made = tuple(_surely(by_metric(columns(), summary.metric), models, self.threshold))
        else:
            made = tuple(
                _by_mean(one.model, summary.figure(one), one.n_cases, self.threshold)
                for one in summary.models
            )
        pairs = zip(made, summary.models, strict=True)
        return tuple(_counted(one, model, summary.figure_name) for one, model in pairs)

    def decided(self, summary: Summary, columns: Callable[[], ScoreColumns]) -> "Decided":
        """The same with what it comes to in all."""
        return Decided(self, self.decisions(summary, columns))


@dataclass(frozen=True, slots=True)
class Decided:
    """What a gate says of each model, in the order of the summary."""

    gate: Gate
    decisions: tuple[Decision, ...]

    @property
    def verdict(self) -> GateVerdict:
        """Failed where any model fails, else undecided where any is, else passed."""
        found = {one.verdict for one in self.decisions}
        for worst in (GateVerdict.FAILED, GateVerdict.UNDECIDED):
            if worst in found:
                return worst
        return GateVerdict.PASSED

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            **self.gate.to_dict(),
            "verdict": self.verdict.value,
            "models": [one.to_dict() for one in self.decisions],
        }


def gate_of(run: Run) -> Gate | None:
    """The gate that a run was held to; None where it was to none."""
    threshold = run.manner.get("threshold")
    return None if threshold is None else Gate(threshold, run.manner.get("gate") == "sure")


def _counted(decision: Decision, model: ModelSummary, figure: FigureName) -> Decision:
    """The decision with its figure's name and the trials that it rests on."""
    return replace(decision, n_scored=model.n_scored, n_trials=model.n_counted, figure=figure)


def _by_mean(model: str, mean: float | None, n_cases: int, threshold: float) -> Decision:
    if mean is None:
        return Decision(model, GateVerdict.UNDECIDED, threshold, None, n_cases=n_cases)
    verdict = GateVerdict.PASSED if mean >= threshold else GateVerdict.FAILED
    return Decision(model, verdict, threshold, mean, n_cases=n_cases)


def _surely(
    columns: ScoreColumns, models: Iterable[tuple[str, int]], threshold: float
) -> Iterable[Decision]:
    codes = {name: code for code, name in enumerate(columns.models)}
    for model, n_cases in models:
        rows = columns.model == codes.get(model, -1)
        mean = exact_mean_over_cases(columns, columns.score, rows)
        if mean is None:
            yield Decision(
                model, GateVerdict.UNDECIDED, threshold, None, n_cases=n_cases, is_sure=True
            )
            continue
        verdict = _verdict(mean.low, mean.high, threshold)
        needed = cases_to_decide(mean, threshold) if verdict is GateVerdict.UNDECIDED else None
        yield Decision(
            model,
            verdict,
            threshold,
            mean.mean,
            mean.low,
            mean.high,
            n_cases=mean.n,
            more_cases=None if needed is None else needed - mean.n,
            is_sure=True,
            n_effective=None if mean.low is None else mean.n_eff,
        )


def _verdict(low: float | None, high: float | None, threshold: float) -> GateVerdict:
    if low is not None and low >= threshold:
        return GateVerdict.PASSED
    return GateVerdict.FAILED if high is not None and high < threshold else GateVerdict.UNDECIDED
