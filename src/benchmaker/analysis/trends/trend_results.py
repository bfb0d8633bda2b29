"""Results of a trend: frozen values, and their sentences."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, TypeAlias

from benchmaker.analysis.comparison.results import interval_name
from benchmaker.analysis.metric import PLURALS, FigureName
from benchmaker.documents import OMITTED, Document, Key, listed
from benchmaker.record.p_values import p_value_equation
from benchmaker.record.points import points
from benchmaker.stats.pairs.mcnemar import NO_DIFFERENCE
from benchmaker.tabular import Tabular

Change: TypeAlias = Literal["higher", "lower", "not_significant", "not_tested"]


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One model in one run, or in the runs of the series ``series_id``; scores from 0 to 1.

    ``low`` and ``high`` are over cases. ``markers`` names what has changed since the model's last
    point under the same suite and profile, or, without one, since its last point: suite, profile,
    package, parameters, and so on.
    """

    run_ids: tuple[str, ...]
    at: str
    mean: float
    low: float | None
    high: float | None
    n_cases: int
    markers: tuple[str, ...]
    reason: str = ""
    series_id: str | None = None

    @property
    def name(self) -> str:
        """The id of the series, or of the run."""
        return self.series_id or self.run_ids[0]


@dataclass(frozen=True, slots=True)
class TrendStep:
    """The change between two points of a model, paired by case.

    ``before`` and ``after`` are positions in the model's points. ``diff`` is after minus before
    over the common cases. ``change`` is decided by ``p_adjusted``, over all tested steps; ``low``
    and ``high``, at the level ``ci_level``, exclude 0 exactly if there is a change. If no test is
    possible, ``reason`` explains why.
    """

    before: int
    after: int
    diff: float | None
    low: float | None
    high: float | None
    p_value: float | None
    p_adjusted: float | None
    n: int
    test: str
    change: Change
    reason: str = ""
    warnings: tuple[str, ...] = ()
    ci_level: float | None = None

    @property
    def is_unchanged(self) -> bool:
        """True if every common case has the same score in both points."""
        return self.reason == NO_DIFFERENCE


@dataclass(frozen=True, slots=True)
class ModelTrend:
    """One model's points in the order of time, and the steps between them."""

    model: str
    points: tuple[TrendPoint, ...]
    steps: tuple[TrendStep, ...]
    figure: FigureName = "mean"

    @property
    def changes(self) -> tuple[TrendStep, ...]:
        """The steps that noise does not explain."""
        return tuple(step for step in self.steps if step.change in {"higher", "lower"})

    def sentence(self, step: TrendStep) -> str:
        """A step in words, in points of 100."""
        before, after = self.points[step.before], self.points[step.after]
        span = f"{self.model}, {before.name} to {after.name}"
        if step.is_unchanged:
            return f"{span}: no change in any case."
        if step.diff is None or step.change == "not_tested":
            return f"{span}: not tested ({step.reason})."
        by = points(abs(step.diff))
        change = f"{by} points {'higher' if step.diff >= 0 else 'lower'}"
        if step.change == "not_significant":
            equal = f"equal {PLURALS[self.figure]}"
            change = f"no significant change, {equal if by == '0.0' else change}"
        return f"{span}: {change}{_certainty(step)}."


@dataclass(frozen=True, slots=True)
class Trend(Document, Tabular, scale="0-1"):
    """Means over time, model by model, with the tested steps.

    ``figure`` names the averaged quantity. ``baseline`` holds the runs that every point is compared
    with; empty if each is compared with the previous one.
    """

    suite: str
    models: Annotated[tuple[ModelTrend, ...], OMITTED]
    baseline: tuple[str, ...]
    n_steps: int
    level: float
    method: str
    warnings: tuple[str, ...]
    figure: Annotated[FigureName, Key(after="suite")] = "mean"

    @property
    def ci_name(self) -> str:
        """The name of the steps' intervals: ``95% CI``, or ``Holm-adjusted CI``."""
        return interval_name(self.level, "Holm" if self.n_steps > 1 else "")

    @property
    @listed()
    def sentence(self) -> str:
        """The changes, in one sentence."""
        found = [(model, step) for model in self.models for step in model.changes]
        if not self.n_steps:
            return self._untested_sentence()
        steps = f"{self.n_steps} step{'s' if self.n_steps > 1 else ''}"
        if not found:
            return f"No significant change in {steps}."
        return f"{len(found)} of {steps} {'is' if len(found) == 1 else 'are'} significant."

    def _untested_sentence(self) -> str:
        """The reason why no step is tested, if all have the same."""
        steps = [step for model in self.models for step in model.steps]
        if steps and all(step.is_unchanged for step in steps):
            return "No change in any case."
        reasons = {step.reason for step in steps if step.reason}
        return f"No testable change{f': {reasons.pop()}' if len(reasons) == 1 else ''}."

    @property
    @listed("models")
    def model_documents(self) -> list[dict[str, Any]]:
        """The models, each step with its sentence."""
        return [_model_dict(model) for model in self.models]


def _certainty(step: TrendStep) -> str:
    if step.p_adjusted is not None:
        return f" (adjusted {p_value_equation(step.p_adjusted)})"
    return f" ({step.reason})" if step.reason else ""


def _model_dict(model: ModelTrend) -> dict[str, Any]:
    return {
        "model": model.model,
        "points": [asdict(point) for point in model.points],
        "steps": [asdict(step) | {"sentence": model.sentence(step)} for step in model.steps],
    }
