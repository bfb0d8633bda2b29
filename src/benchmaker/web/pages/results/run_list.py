"""Results: the list of runs."""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from fastapi import APIRouter, Request, Response

from benchmaker.plugins import web_page
from benchmaker.record import Run
from benchmaker.report.runs.state import ShownState, shown_states
from benchmaker.store.runs.run_pages import LISTED_STATES, SORTABLE
from benchmaker.web.listing import ROWS, Column, Listing, RowPage, add_files
from benchmaker.web.page_declaration import NavigationPlace
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="run_list")
class RunListPage:
    """All runs."""

    routes: ClassVar = router
    navigation: ClassVar = NavigationPlace("Results", position=50, key="r")


class ListedRun(NamedTuple):
    """A run, and its state in lists."""

    run: Run
    state: ShownState


COLUMNS: tuple[Column[ListedRun], ...] = (
    Column("run", "Run", lambda row: row.run.id, is_sortable=False),
    Column("suite", "Suite", lambda row: row.run.suite_name),
    Column("models", "Models", lambda row: list(row.run.models), is_sortable=False),
    Column("state", "State", lambda row: row.state.word),
    Column("planned", "Trials", lambda row: row.run.planned, is_number=True),
    Column("started", "Started", lambda row: row.run.started_at),
)


@router.get("/runs")
def runs(request: Request, bench: Bench) -> Response:
    """List runs, latest first by default."""
    view = _view(request)
    part = _part(bench)(view)
    return page(
        request,
        "results/runs",
        title="Results",
        here="Results",
        view=view,
        part=part,
        columns=COLUMNS,
        states=LISTED_STATES,
    )


def _view(request: Request) -> View:
    filters: dict[str, Any] = {"state": LISTED_STATES, "model": None}
    return read_view(request, sortable=SORTABLE, filters=filters, sort="-started")


def _part(bench: Workbench) -> Callable[[View], RowPage]:
    def part(view: View) -> RowPage:
        found = bench.store.run_pages.page(
            sort=view.sort,
            descending=view.descending,
            after=view.after,
            limit=ROWS,
            text=view.q,
            state=view.filters["state"],
            model=view.filters["model"],
        )
        runs = [row.run for row in found.rows]
        states = shown_states(bench.store, runs)
        return RowPage([ListedRun(run, states[run.id]) for run in runs], found.after)

    return part


add_files(router, "/runs", Listing("runs", COLUMNS, _view, _part))
