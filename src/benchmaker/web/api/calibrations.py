"""Judges, and their calibrations."""

from typing import Annotated, Any

from fastapi import Path, Query

from benchmaker.analysis.judges.calibration import CalibrationResult, calibration_result
from benchmaker.analysis.judges.calibration_rating import interpret_calibration
from benchmaker.report.judges.calibration import calibration_data
from benchmaker.store.judges.judge_pages import JudgeRow
from benchmaker.web.api.paging import (
    NUMBER,
    PagedQuery,
    SearchQuery,
    checked_cursor,
    page_data,
    part,
)
from benchmaker.web.api.routes import Api
from benchmaker.web.api.shapes import judges as shapes
from benchmaker.web.faults import Missing
from benchmaker.web.pages.judges.calibrations import results_of
from benchmaker.web.workbench import Bench

api = Api("judges")
router = api.router

Number = Annotated[int, Path(ge=1, le=2**53, description="A judge's number from the list.")]
"""A judge's number: that of its first calibration."""


@api.get("/judges", shapes.JudgePage)
def judges(bench: Bench, query: Annotated[SearchQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Calibrated judges, the one calibrated last first, and those that never were."""
    found = bench.store.judge_pages.page(
        after=checked_cursor(query.after, NUMBER),
        limit=query.limit,
        text=query.q,
    )
    never = [
        {"judge": name, "judgments": count}
        for name, count in bench.store.judge_pages.list_uncalibrated()
    ]
    return page_data(map(_row, found.rows), found.after, scale="0-1", uncalibrated=never)


@api.get("/judges/{number}/calibrations", shapes.CalibrationPage)
def calibrations(bench: Bench, number: Number, query: Annotated[PagedQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Every calibration of a judge, the newest first, as `calibrate --json` prints it."""
    name = bench.store.judge_pages.judge_at(number)
    if name is None:
        raise Missing("there is no such judge.", hint="See /api/v1/judges.")
    found = list(results_of(bench.store.calibrations(judge=name)))
    return part(found, query, calibration_data, scale="0-1")


@api.get("/calibrations/{calibration:path}", shapes.CalibrationOut)
def calibration(bench: Bench, calibration: Annotated[str, Path(max_length=300)]) -> Any:  # noqa: ANN401  its shape
    """One calibration by its id."""
    found = next((it for it in bench.store.calibrations() if it.id == calibration), None)
    if found is None:
        raise Missing("there is no such calibration.", hint="See /api/v1/judges.")
    of_judge = results_of(bench.store.calibrations(judge=found.judge))
    result = next((it for it in of_judge if it.calibration.id == calibration), None)
    return calibration_data(result or calibration_result(found))


def _row(row: JudgeRow) -> dict[str, Any]:
    result: CalibrationResult = calibration_result(row.newest)
    said = interpret_calibration(result)
    return {
        "number": row.number,
        "judge": row.judge,
        "calibrations": row.calibrations,
        "calibration_id": row.newest.id,
        "tier": row.newest.tier,
        "rating": said.rating,
        "supported_rating": said.supported,
        "pass_rate": result.summary.pass_rate,
        "mean_absolute_error": result.summary.mean_absolute_error,
        "bias": result.summary.bias,
        "correlation": result.summary.correlation,
        "timestamp": row.newest.created_at,
    }
