"""The table of a model's trend: a row for each run or series, with the change that led to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmaker.analysis.trends.trend_results import ModelTrend, Trend, TrendPoint, TrendStep
from benchmaker.report.result_tables.comparisons import SHORT, difference_interval
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.figure_words import WORDS, figure_text
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import TableColumn, TableDeclaration

_TEST, _STARTED, _CASES, _COMMON, _P_VALUE, _FROM = 1, 2, 3, 4, 5, 6
"""What gives way first on a narrow terminal."""

_VERDICTS = {
    "higher": "higher",
    "lower": "lower",
    "not_significant": "not significant",
    "not_tested": missing_figures.NOT_TESTED,
}


@dataclass(frozen=True, slots=True)
class TrendRow:
    """A point of a model, and the step that leads to it, if any."""

    model: ModelTrend
    point: TrendPoint
    step: TrendStep | None

    def to_dict(self) -> dict[str, Any]:
        """The point and its step under the names of files."""
        point, step = self.point, self.step
        return {
            "model": self.model.model,
            "figure": self.model.figure,
            "run_ids": point.run_ids,
            "at": point.at,
            "mean": point.mean,
            "low": point.low,
            "high": point.high,
            "n_cases": point.n_cases,
            "markers": point.markers,
            "compared_with": self.model.points[step.before].run_ids if step else None,
            "diff": step.diff if step else None,
            "diff_low": step.low if step else None,
            "diff_high": step.high if step else None,
            "n": step.n if step else None,
            "p_value": step.p_value if step else None,
            "p_adjusted": step.p_adjusted if step else None,
            "test": step.test if step else None,
            "change": step.change if step else None,
            "reason": step.reason if step else point.reason,
        }


@dataclass(frozen=True, slots=True)
class ModelView:
    """One model of a trend."""

    trend: Trend
    model: ModelTrend

    @property
    def rows(self) -> Sequence[TrendRow]:
        """A row for each point."""
        steps = {step.after: step for step in self.model.steps}
        return [
            TrendRow(self.model, point, steps.get(at)) for at, point in enumerate(self.model.points)
        ]

    @property
    def level(self) -> str:
        """The name of the intervals of means."""
        return f"{100 * self.trend.level:g}% CI"


def _has_steps(made: ModelView, _: object) -> bool:
    return bool(made.model.steps)


def _has_gaps(made: ModelView, _: object) -> bool:
    """True if some points are compared with a point other than the previous one."""
    return any(step.after - step.before > 1 for step in made.model.steps)


def _from(row: TrendRow, _: ModelView) -> str:
    return name(row.model.points[row.step.before].name) if row.step else ""


def _common(row: TrendRow, _: ModelView) -> str:
    return f"{row.step.n:,}" if row.step else ""


def _change(row: TrendRow, _: ModelView) -> str:
    if row.step is None:
        return ""
    if row.step.diff is None:
        return missing_figures.NOT_TESTED
    return numbers.difference(row.step.diff)


def _verdict(row: TrendRow, _: ModelView) -> str:
    if row.step is None:
        return ""
    return missing_figures.SAME_SCORES if row.step.is_unchanged else _VERDICTS[row.step.change]


def _test(row: TrendRow, _: ModelView) -> str:
    if row.step is None:
        return ""
    tested = row.step.p_value is not None
    return SHORT.get(row.step.test if tested else "", missing_figures.NOT_TESTED)


def _is_one_step(made: ModelView) -> bool:
    """True if the interval of the change is not adjusted, so that its name is its level."""
    return made.trend.n_steps <= 1


TREND_POINTS: TableDeclaration[ModelView, TrendRow] = TableDeclaration(
    "trend",
    (
        TableColumn(name="model"),
        TableColumn(name="figure"),
        TableColumn(
            name="run_ids",
            title="Run",
            text=lambda row, _: name(row.point.name),
            is_right=False,
            is_whole=True,
        ),
        TableColumn(
            name="at",
            title="Started",
            text=lambda row, _: row.point.at[:16].replace("T", " "),
            gives_way=_STARTED,
        ),
        TableColumn(
            name="mean",
            title=lambda made: WORDS[made.trend.figure].narrow_head,
            unit=lambda made: WORDS[made.trend.figure].unit,
            text=lambda row, made: figure_text(row.point.mean, made.trend.figure),
        ),
        TableColumn(
            name="interval",
            keys=("low", "high"),
            value=lambda row, _: (row.point.low, row.point.high),
            title=lambda made: made.level,
            unit="cases",
            text=lambda row, _: difference_interval(row.point.low, row.point.high),
            gives_way_last=True,
        ),
        TableColumn(
            name="n_cases",
            title="Cases",
            text=lambda row, _: f"{row.point.n_cases:,}",
            gives_way=_CASES,
        ),
        TableColumn(name="markers"),
        TableColumn(
            name="compared_with",
            title="From",
            text=_from,
            is_right=False,
            is_whole=True,
            shown_after="diff_interval",
            is_shown=_has_gaps,
            gives_way=_FROM,
        ),
        TableColumn(name="diff", title="Change", text=_change, is_shown=_has_steps),
        TableColumn(
            name="diff_interval",
            keys=("diff_low", "diff_high"),
            value=lambda row, _: (row.step.low, row.step.high) if row.step else None,
            title=lambda made: "Change" if _is_one_step(made) else f"Change\n{made.trend.ci_name}",
            unit=lambda made: made.trend.ci_name if _is_one_step(made) else "",
            text=lambda row, _: (
                difference_interval(row.step.low, row.step.high) if row.step else ""
            ),
            shown_after="change",
            is_shown=_has_steps,
        ),
        TableColumn(
            name="n",
            title="Common",
            unit="cases",
            text=_common,
            shown_after="diff_interval",
            is_shown=_has_steps,
            gives_way=_COMMON,
        ),
        TableColumn(name="p_value"),
        TableColumn(
            name="p_adjusted",
            title="p",
            unit="adjusted",
            text=lambda row, _: (
                missing_figures.optional_p_value(row.step.p_adjusted) if row.step else ""
            ),
            is_shown=_has_steps,
            gives_way=_P_VALUE,
        ),
        TableColumn(
            name="test",
            title="Test",
            text=_test,
            is_right=False,
            shown_after="diff_interval",
            is_shown=_has_steps,
            gives_way=_TEST,
        ),
        TableColumn(
            name="change",
            title="Verdict",
            text=_verdict,
            is_right=False,
            is_shown=_has_steps,
            gives_way_last=True,
        ),
        TableColumn(name="reason"),
    ),
    rows=lambda made: made.rows,
)
"""Means with intervals in the order of time, and the change from point to point."""
