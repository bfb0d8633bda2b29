"""Series of agent trials: their list, and one with its figures and its live grid."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, ClassVar
from urllib.parse import urlencode

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import RedirectResponse, StreamingResponse

from benchmaker.plugins import web_page
from benchmaker.report.tables import numbers
from benchmaker.web.agentic.series_grid import OUTCOMES, GridLook, series_grid
from benchmaker.web.agentic.series_lookup import (
    CRUMBS,
    LATEST,
    SeriesId,
    lookup_agent_series,
)
from benchmaker.web.agentic.series_parts import (
    SeriesPieces,
    outcome_choices,
    page_content,
    series_pieces,
)
from benchmaker.web.agentic.series_rows import COLUMNS as LIST_COLUMNS
from benchmaker.web.agentic.series_rows import series_row, system_rows
from benchmaker.web.agentic.series_stream import series_events
from benchmaker.web.agentic.trial_lines import TRIAL_COLUMNS, trial_lines
from benchmaker.web.downloads import json_answer
from benchmaker.web.listing import Listing, RowPage, add_files, csv_response
from benchmaker.web.live.series_state import AgentSeriesState, agent_series_state
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)
TITLE = "Series of agent trials"


@web_page(id="agent_series")
class AgentSeriesPage:
    """Series of agent trials and their figures."""

    routes: ClassVar = router
    title: ClassVar = TITLE
    is_public: ClassVar = True


_ROWS = 20
_DIGITS = re.compile(r"[0-9]{1,9}")


@router.get("/agentic/run")
def agent_series_list(request: Request, bench: Bench) -> Response:
    """List series, newest first."""
    view = read_view(request)
    with bench.store.read_snapshot():
        found = bench.store.agent_trial_pages.series(after=view.after, limit=_ROWS)
        rows = [series_row(bench.store, one) for one in found.rows]
    return page(
        request,
        "agent_series/list",
        title=TITLE,
        here="Agentic",
        crumbs=(*CRUMBS[:1], Crumb("Series")),
        view=view,
        part=RowPage(rows, found.after),
        hide=bench.redactor.text,
    )


def _list_part(bench: Workbench) -> Callable[[View], RowPage]:
    def part(view: View) -> RowPage:
        found = bench.store.agent_trial_pages.series(after=view.after, limit=_ROWS)
        rows = (series_row(bench.store, one) for one in found.rows)
        return RowPage(list(system_rows(rows)), found.after)

    return part


add_files(router, "/agentic/run", Listing("agent-series", LIST_COLUMNS, read_view, _list_part))


@router.get("/agentic/run/{series}.csv")
def agent_series_csv(request: Request, bench: Bench, series: SeriesId) -> Response:
    """Return the selected trials of a series for a spreadsheet."""
    state = agent_series_state(bench.store, lookup_agent_series(bench, series).id)
    filters = _view(request).filters
    lines = trial_lines(state, outcome=filters["outcome"], system=filters["system"])
    return csv_response(TRIAL_COLUMNS, lines, state.series.id)


@router.get("/agentic/run/{series}.json")
def agent_series_json(bench: Bench, series: SeriesId) -> Response:
    """Return the figures and trials of a series, as `agents show --json` prints them."""
    state = agent_series_state(bench.store, lookup_agent_series(bench, series).id)
    return json_answer(bench.redactor.tree(state.result.to_dict()))


@router.get("/agentic/run/{series}")
def agent_series_page(request: Request, bench: Bench, series: SeriesId) -> Response:
    """Show the figures of a series and its trials, with live updates."""
    found = lookup_agent_series(bench, series)
    if series == LATEST:
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/agentic/run/{found.id}{query}", 303)
    view, state = _view(request), agent_series_state(bench.store, found.id)
    return page(
        request,
        "agent_series/series",
        title=TITLE,
        here="Agentic",
        crumbs=(*CRUMBS, Crumb(found.id)),
        choices=outcome_choices(state),
        systems=[it.id for it in state.plan.systems],
        caps=_caps(state),
        events=_events_link(view, state.token),
        **page_content(state, series_grid(state, _look(view)), view, bench.redactor.text),
    )


@router.get("/agentic/run/{series}/events")
async def agent_series_events(
    request: Request,
    bench: Bench,
    series: SeriesId,
    since: Annotated[str, Query(max_length=200)] = "",
    last_event_id: Annotated[str, Header(max_length=200)] = "",
) -> Response:
    """Stream the changes of a series as server-sent events."""
    found = await asyncio.to_thread(lookup_agent_series, bench, series)
    view = _view(request)

    def draw(state: AgentSeriesState) -> SeriesPieces:
        return series_pieces(state, _look(view), view, bench.redactor.text)

    stream = series_events(
        bench,
        found.id,
        draw,
        since=last_event_id or since,
        is_over=lambda state: not state.is_live,
    )
    return StreamingResponse(stream, media_type="text/event-stream")


def _view(request: Request) -> View:
    filters: dict[str, Any] = {"outcome": OUTCOMES, "system": None, "since": None}
    view = read_view(request, filters=filters)
    kept = {name: value for name, value in view.filters.items() if name != "since"}
    return replace(view, path=view.path.removesuffix("/events"), filters=kept)


def _look(view: View) -> GridLook:
    start = int(view.after) if _DIGITS.fullmatch(view.after) else 0
    return GridLook(view.filters["outcome"], view.filters["system"], start)


def _caps(state: AgentSeriesState) -> list[tuple[str, str]]:
    """The caps of each trial, by their names."""
    caps, usd = state.plan.caps, state.plan.trial_budget_usd
    named = {
        "requests": caps.requests and f"{caps.requests:,}",
        "tokens": caps.tokens and f"{caps.tokens:,}",
        "tokens of context": caps.context_tokens and f"{caps.context_tokens:,}",
        "of agent time": caps.wall_s and numbers.duration(caps.wall_s),
        "budget": usd is not None and numbers.money(usd),
    }
    return [(name, f"at most {cap}") for name, cap in named.items() if cap]


def _events_link(view: View, token: str) -> str:
    """The address of the stream of a page that shows the state of a token."""
    words = {name: value for name, value in view.words.items() if value}
    return f"{view.path}/events?{urlencode({**words, 'since': token})}"
