"""Judges: their reliability, and its changes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

import msgspec
from fastapi import APIRouter, Path, Request, Response
from markupsafe import Markup

from benchmaker.analysis.judges.calibration import CalibrationResult, calibration_result
from benchmaker.analysis.judges.calibration_rating import Interpretation, interpret_calibration
from benchmaker.plugins import web_page
from benchmaker.record.calibration import Calibration
from benchmaker.report.judges.calibration import calibration_data
from benchmaker.report.plots.plots import Axis, axis_svg, range_svg
from benchmaker.report.result_tables.calibrated_judges import JUDGES, CalibratedJudge, JudgesView
from benchmaker.report.result_tables.calibration_figures import (
    CALIBRATION_EFFECTS,
    MISSED_SAMPLES,
    CalibrationView,
)
from benchmaker.report.tables.declaration import PageCell, Surface
from benchmaker.stats.agreement.correlation import Correlation
from benchmaker.stats.means.means import Mean
from benchmaker.stats.means.proportions import Proportion
from benchmaker.web.bias_plot import bias_axis, reliability_svg
from benchmaker.web.faults import Missing
from benchmaker.web.filters import format_time
from benchmaker.web.listing import (
    ROWS,
    RowPage,
    all_rows,
    csv_response,
    json_response,
    record_columns,
)
from benchmaker.web.page_declaration import NavigationPlace
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="calibrations")
class CalibrationsPage:
    """Judges and their calibrations."""

    routes: ClassVar = router
    navigation: ClassVar = NavigationPlace("Judges", position=60, key="j")


HOME = Crumb("Judges", "/judges")
Number = Annotated[int, Path(ge=1, le=2**53)]
"""A judge's number: that of its first calibration."""

_MOST = 50


class Past(NamedTuple):
    """One of a judge's calibrations, with the changes since the previous one."""

    result: CalibrationResult
    said: Interpretation
    plot: Markup


@router.get("/judges")
def judges(request: Request, bench: Bench) -> Response:
    """Calibrated judges, the one calibrated last first, and those that never were."""
    view = read_view(request)
    part = _part(bench)(view)
    found = JudgesView(tuple(part.rows), format_time)
    return page(
        request,
        "judges/judges",
        title="Judges",
        here="Judges",
        view=view,
        part=part,
        heads=JUDGES.shown(found, Surface.PAGE),
        rows=[(row.row, _cells(row, found)) for row in found.judges],
        methods=methods_of(it for row in part.rows for it in _figures(row)),
        uncalibrated=bench.store.judge_pages.list_uncalibrated(),
    )


@router.get("/judges.csv")
def judges_csv(request: Request, bench: Bench) -> Response:
    """The same rows, all of them, for a spreadsheet; figures from 0 to 1."""
    return csv_response(record_columns(JUDGES.keys), _records(request, bench), "judges")


@router.get("/judges.json")
def judges_json(request: Request, bench: Bench) -> Response:
    """The same rows, all of them, as objects; figures from 0 to 1."""
    return json_response(record_columns(JUDGES.keys), _records(request, bench), "judges")


@router.get("/judges/{number}.json")
def judge_json(bench: Bench, number: Number) -> Response:
    """Return every calibration of the judge, as in `benchmaker calibrate --json`."""
    found = results_of(bench.store.calibrations(judge=_name(bench, number)))
    body = msgspec.json.encode({"calibrations": [calibration_data(one) for one in found]})
    return Response(body, media_type="application/json")


@router.get("/judges/{number}")
def judge(request: Request, bench: Bench, number: Number) -> Response:
    """One judge: its newest calibration or the one that is named, and all before it."""
    name = _name(bench, number)
    view = read_view(request, filters={"calibration": None})
    results = list(results_of(bench.store.calibrations(judge=name, limit=_MOST)))
    asked = view.filters["calibration"]
    chosen = next((one for one in results if one.calibration.id == asked), None)
    if asked and chosen is None:
        raise Missing("there is no such calibration of this judge.", where=name)
    result = chosen or results[0]
    axis, shown = bias_axis(results), CalibrationView(result, in_points=True)
    return page(
        request,
        "judges/judge",
        title=name,
        here="Judges",
        crumbs=(HOME, Crumb(name)),
        view=view,
        number=number,
        result=result,
        said=interpret_calibration(result),
        data=calibration_data(result),
        effects=CALIBRATION_EFFECTS.table(shown, Surface.PAGE),
        effect_rows=CALIBRATION_EFFECTS.rows(shown),
        missed=MISSED_SAMPLES.table(shown, Surface.PAGE),
        missed_samples=MISSED_SAMPLES.rows(shown),
        plot=reliability_svg(result.reliability),
        methods=methods_of(one.expected for one in result.reliability),
        axis=Markup(axis_svg(axis)),  # noqa: S704  numbers alone
        past=[Past(one, interpret_calibration(one), _bias_svg(axis, one)) for one in results],
    )


def methods_of(found: Iterable[Mean | Proportion | Correlation | None]) -> str:
    """Return the methods of these figures' intervals, without repeats; empty without intervals."""
    methods = (one.method.split(", ", 1)[-1] for one in found if one and one.interval)
    return "; ".join(dict.fromkeys(methods))


def _figures(row: CalibratedJudge) -> tuple[Mean | Proportion | Correlation | None, ...]:
    at = row.result.summary.intervals
    return at.pass_rate, at.mean_absolute_error, at.bias, at.correlation


def _bias_svg(axis: Axis, result: CalibrationResult) -> Markup:
    found = result.summary.intervals.bias
    ends = found.interval if found else None
    points = (ends[0] * 100, ends[1] * 100) if ends else None
    mean = None if found is None else found.mean * 100
    return Markup(range_svg(axis, mean, points, "m1", zero=True))  # noqa: S704  numbers alone


def _name(bench: Workbench, number: int) -> str:
    name = bench.store.judge_pages.judge_at(number)
    if name is None:
        raise Missing("there is no such judge.", hint="See them all under Judges.")
    return name


def results_of(found: Sequence[Calibration]) -> Iterator[CalibrationResult]:
    """Yield each with the changes since the previous one, on the same texts and prompt."""
    for place, one in enumerate(found):
        own = (one.samples_hash, one.prompt_hash)
        earlier = (it for it in found[place + 1 :] if (it.samples_hash, it.prompt_hash) == own)
        yield calibration_result(one, before=next(earlier, None))


def _records(request: Request, bench: Workbench) -> Iterator[dict[str, Any]]:
    for row in all_rows(_part(bench), read_view(request)):
        yield from JUDGES.records(JudgesView((row,)))


def _cells(row: CalibratedJudge, found: JudgesView) -> list[PageCell]:
    """The cells after the name of a judge."""
    _, *columns = JUDGES.shown(found, Surface.PAGE)
    return JUDGES.page_cells(row, found, Surface.PAGE, columns=columns)


def _part(bench: Workbench) -> Callable[[View], RowPage]:
    def part(view: View) -> RowPage:
        found = bench.store.judge_pages.page(after=view.after, limit=ROWS, text=view.q)
        rows = []
        for row in found.rows:
            result = calibration_result(row.newest)
            rows.append(CalibratedJudge(row, result, interpret_calibration(result)))
        return RowPage(rows, found.after)

    return part
