"""Results: a row for each series and each run without one, on the page and in files."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, ClassVar

from fastapi import APIRouter, Request, Response

from benchmaker.errors import SpecError
from benchmaker.plugins import web_page
from benchmaker.store.runs.run_filters import LISTED_STATES, RunFilter
from benchmaker.store.runs.run_pages import SORTABLE
from benchmaker.store.runs.target_pages import TargetPage
from benchmaker.web.listing import ROWS, Column, Listing, RowPage, add_files
from benchmaker.web.page_declaration import NavigationPlace
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import page
from benchmaker.web.results.latest_results import (
    ComputeBudget,
    LatestResult,
    latest_results,
    results_page,
)
from benchmaker.web.results.result_columns import (
    FIGURE_COLUMNS,
    RESULT_STATE,
    setup_row_columns,
    setup_rows,
)
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="run_list")
class RunListPage:
    """The results of all series and runs."""

    routes: ClassVar = router
    navigation: ClassVar = NavigationPlace("Results", position=50, key="r")


def _n_done(row: LatestResult) -> int | None:
    return row.n_done if row.states else None


COLUMNS: tuple[Column[LatestResult], ...] = (
    Column("suite", "Suite", lambda row: row.run.suite_name),
    Column("started", "Started", lambda row: row.run.started_at),
    Column("run", "Run", lambda row: row.run.id, is_sortable=False),
    Column("series", "Series", lambda row: row.run.series_id, is_sortable=False),
    Column("runs", "Runs", lambda row: [run.id for run in row.runs], is_sortable=False),
    Column("models", "Models", lambda row: list(row.run.models), is_sortable=False),
    *FIGURE_COLUMNS,
    Column("state", "State", lambda row: row.state),
    Column("done", "Done", _n_done, is_number=True, is_sortable=False),
    Column("planned", "Trials", lambda row: row.n_planned, is_number=True),
    RESULT_STATE,
)
"""The columns of JSON files. ``run`` is the first run; ``series`` is empty for a run without one.

While the first result of a row is computed, its figures are missing.
"""


@router.get("/runs")
def runs(request: Request, bench: Bench) -> Response:
    """List series and runs with their results, latest first by default."""
    view = _view(request)
    found = results_page(bench, ("runs", *view.words.items()), lambda: _targets(bench, view))
    return page(
        request,
        "results/runs",
        title="Results",
        here="Results",
        view=view,
        rows=found.rows,
        part=RowPage(found.rows, found.after),
        columns={column.key: column for column in COLUMNS},
        states=LISTED_STATES,
    )


def _view(request: Request) -> View:
    texts = ("suite", "model", "tag", "from", "to")
    filters: dict[str, Any] = {"state": LISTED_STATES, **dict.fromkeys(texts)}
    return read_view(request, sortable=SORTABLE, filters=filters, sort="-started")


def _filters(view: View) -> RunFilter:
    """The filters of an address; days are those of this machine's zone."""
    return RunFilter(
        suite=view.filters["suite"] or "",
        text=view.q,
        model=view.filters["model"],
        tag=view.filters["tag"],
        state=view.filters["state"],
        since=_midnight(view, "from", days=0),
        until=_midnight(view, "to", days=1),
    )


def _midnight(view: View, word: str, *, days: int) -> str:
    """The beginning of a day in UTC, or so many days later; "" without a day.

    Raises:
        SpecError: not a day.
    """
    text = view.filters[word]
    if not text:
        return ""
    try:
        day = date.fromisoformat(text) + timedelta(days=days)
        local = datetime.combine(day, time()).astimezone()
    except (ValueError, OverflowError) as exc:
        hint = "Give a day as 2026-11-20."
        raise SpecError(f"invalid value for {word}: {text[:40]!r}.", hint=hint) from exc
    return local.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _part(bench: Workbench) -> Callable[[View], RowPage]:
    """The rows of a file; all its pages share one budget."""
    budget = ComputeBudget.for_file()

    def part(view: View) -> RowPage:
        with bench.store.read_snapshot():
            found = _targets(bench, view)
            return RowPage(latest_results(bench, found.rows, budget), found.after)

    return part


def _targets(bench: Workbench, view: View) -> TargetPage:
    return bench.store.target_pages.page(
        sort=view.sort,
        descending=view.descending,
        after=view.after,
        limit=ROWS,
        filters=_filters(view),
    )


_TABLE = (setup_row_columns(COLUMNS), setup_rows)

add_files(router, "/runs", Listing("runs", COLUMNS, _view, _part, _TABLE))
