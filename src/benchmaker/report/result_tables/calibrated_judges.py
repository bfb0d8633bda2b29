"""The table of calibrated judges."""

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from benchmaker.analysis.judges.calibration import CalibrationResult
from benchmaker.analysis.judges.calibration_rating import Interpretation
from benchmaker.report.result_tables.calibration_figures import interval_ends
from benchmaker.report.sentences import missing_figures
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import TableColumn, TableDeclaration
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.store.judges.judge_pages import JudgeRow


class CalibratedJudge(NamedTuple):
    """A judge with the result of its latest calibration."""

    row: JudgeRow
    result: CalibrationResult
    said: Interpretation


class JudgesView(NamedTuple):
    """Judges; ``when`` writes the time of a calibration."""

    judges: tuple[CalibratedJudge, ...]
    when: Callable[[str], str] = str


JudgeColumn: TypeAlias = TableColumn[JudgesView, CalibratedJudge]


def _judge_figure(
    name: Literal["pass_rate", "mean_absolute_error", "bias"],
    title: str,
    text: Callable[[float], str],
    *,
    shown_after: str,
) -> tuple[JudgeColumn, JudgeColumn]:
    """A figure, and its interval, which stands in the same cell."""

    def value(one: CalibratedJudge, _: JudgesView) -> float | None:
        found: float | None = getattr(one.result.summary, name)
        return found

    def cell(one: CalibratedJudge, view: JudgesView) -> str:
        found = value(one, view)
        return missing_figures.NOT_KNOWN if found is None else text(found)

    def interval(one: CalibratedJudge, _: JudgesView) -> str:
        return missing_figures.optional_interval(
            interval_ends(getattr(one.result.summary.intervals, name))
        )

    return (
        TableColumn(
            name=name,
            value=value,
            title=f"{title}, 95% CI",
            text=cell,
            shown_after=shown_after,
        ),
        TableColumn(text=interval, beside=name, is_shown=lambda _, __: False),
    )


JUDGES: TableDeclaration[JudgesView, CalibratedJudge] = TableDeclaration(
    "judges",
    (
        TableColumn(
            name="judge",
            value=lambda one, _: one.row.judge,
            title="Judge",
            text=lambda one, _: sanitise(one.row.judge),
            is_right=False,
        ),
        TableColumn(
            name="tier",
            value=lambda one, _: one.row.newest.tier,
            title="Tier",
            text=lambda one, _: one.row.newest.tier,
            is_right=False,
            shown_after="bias",
        ),
        TableColumn(
            name="rating",
            value=lambda one, _: one.said.rating,
            title="Published rating",
            text=lambda one, _: one.said.rating,
            is_right=False,
        ),
        TableColumn(
            name="supported",
            value=lambda one, _: one.said.supported,
            title="Supported rating",
            text=lambda one, _: one.said.supported,
            is_right=False,
        ),
        *_judge_figure("pass_rate", "Pass rate", numbers.score, shown_after="supported"),
        *_judge_figure(
            "mean_absolute_error", "Mean absolute error", numbers.score, shown_after="pass_rate"
        ),
        *_judge_figure("bias", "Bias", numbers.difference, shown_after="mean_absolute_error"),
        TableColumn(name="correlation", value=lambda one, _: one.result.summary.correlation),
        TableColumn(
            name="calibrated",
            value=lambda one, _: one.row.newest.created_at,
            title="Calibrated",
            text=lambda one, view: view.when(one.row.newest.created_at),
            is_right=False,
            shown_after="tier",
        ),
        TableColumn(
            name="calibrations",
            value=lambda one, _: one.row.calibrations,
            title="Calibrations",
            text=lambda one, _: f"{one.row.calibrations}",
        ),
    ),
    rows=lambda view: view.judges,
)
"""Calibrated judges with both ratings; figures from 0 to 1 in files, in points on pages."""
