"""Decides if each model reaches a threshold: by its mean, or only if that is certain."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from benchmaker.analysis.metric import FigureName, by_metric, figure_name
from benchmaker.analysis.summary.aggregate import exact_mean_over_cases
from benchmaker.analysis.summary.decisions import Decision, GateResult, GateVerdict, Threshold
from benchmaker.analysis.summary.model_summary import ModelSummary
from benchmaker.analysis.summary.summary import Summary
from benchmaker.record import Run
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.scoring.thresholds import reaches
from benchmaker.stats.means.bounded import cases_to_decide


class Gate(Threshold):
    """A threshold for the models of a summary."""

    __slots__ = ()

    def decisions(
        self, summary: Summary, columns: Callable[[], ScoreColumns]
    ) -> tuple[Decision, ...]:
        """Return each model's decision, in the order of the summary.

        The figure is the mean, or the strict accuracy if that is the summary's metric. With a
        metric of checks, it is the mean of that metric.

        If certainty is required, a model passes if the lower exact limit reaches the threshold,
        fails if the upper one stays below, and is undecided otherwise. A model without a mean is
        undecided: without measurements it neither reached nor missed the threshold.

        Args:
            summary: summary of a run or a series.
            columns: function that reads its scores, if limits or a metric of checks are needed.

        Raises:
            SpecError: no check has the metric.
        """
        if self.metric:
            return tuple(self._by_metric_of_checks(summary, columns()))
        if self.is_sure:
            models = [(one.model, one.n_cases) for one in summary.models]
            made = tuple(
                _decide_if_certain(by_metric(columns(), summary.metric), models, self.threshold)
            )
        else:
            made = tuple(
                _by_mean(one.model, summary.figure(one), one.n_cases, self.threshold)
                for one in summary.models
            )
        pairs = zip(made, summary.models, strict=True)
        return tuple(_with_counts(one, model, summary.figure_name) for one, model in pairs)

    def _by_metric_of_checks(self, summary: Summary, columns: ScoreColumns) -> Iterable[Decision]:
        """Each model's decision by the mean of a metric of checks."""
        counted, figure = by_metric(columns, self.metric), figure_name(columns, self.metric)
        codes = {name: code for code, name in enumerate(counted.models)}
        models = [(one.model, one.metrics[self.metric].n) for one in summary.models]
        sure = _decide_if_certain(counted, models, self.threshold)
        for model, decision in zip(summary.models, sure, strict=True):
            mean = model.metrics[self.metric].mean
            made = (
                decision
                if self.is_sure
                else _by_mean(model.model, mean, decision.n_cases, self.threshold)
            )
            rows = (counted.model == codes.get(model.model, -1)) & (counted.weight > 0)
            scored = int((~np.isnan(counted.score[rows])).sum())
            yield replace(
                made, n_scored=scored, n_trials=model.n_counted, figure=figure, metric=self.metric
            )

    def decide(self, summary: Summary, columns: Callable[[], ScoreColumns]) -> GateResult:
        """Return the decisions with the overall verdict."""
        return GateResult(self, self.decisions(summary, columns), summary.noun)


def gate_of(run: Run) -> Gate | None:
    """Return the gate of a run; None without one."""
    threshold = run.options.get("threshold")
    if threshold is None:
        return None
    is_sure = run.options.get("gate") == "sure"
    return Gate(threshold, is_sure, run.options.get("gate_metric", ""))


def _with_counts(decision: Decision, model: ModelSummary, figure: FigureName) -> Decision:
    """The decision with its figure's name and the trials that it rests on."""
    return replace(decision, n_scored=model.n_scored, n_trials=model.n_counted, figure=figure)


def _by_mean(model: str, mean: float | None, n_cases: int, threshold: float) -> Decision:
    if mean is None:
        return Decision(model, GateVerdict.UNDECIDED, threshold, None, n_cases=n_cases)
    verdict = GateVerdict.PASSED if reaches(mean, threshold) else GateVerdict.FAILED
    return Decision(model, verdict, threshold, mean, n_cases=n_cases)


def _decide_if_certain(
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
