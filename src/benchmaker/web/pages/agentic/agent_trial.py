"""One agent trial: its outcome, tokens and cost, tries, and requests at the gateway."""

import asyncio
from typing import Annotated, ClassVar
from urllib.parse import urlencode

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from benchmaker.plugins import web_page
from benchmaker.store.agentic.agent_trial_pages import NumberedTrial
from benchmaker.web.agentic.gateway_requests import REQUEST_COLUMNS
from benchmaker.web.agentic.series_lookup import CRUMBS, TrialNumber, lookup_trial
from benchmaker.web.agentic.series_stream import series_events
from benchmaker.web.agentic.trial_document import trial_document
from benchmaker.web.agentic.trial_parts import (
    REQUESTS,
    TrialPieces,
    is_over,
    trial_content,
    trial_pieces,
)
from benchmaker.web.downloads import json_answer
from benchmaker.web.listing import RowPage, all_rows, csv_response
from benchmaker.web.live.series_state import AgentSeriesState, agent_series_state
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="agent_trial")
class AgentTrialPage:
    """One attempt of a system at a task, with its requests at the gateway."""

    routes: ClassVar = router
    is_public: ClassVar = True


@router.get("/agentic/trials/{number}.csv")
def agent_trial_csv(request: Request, bench: Bench, number: TrialNumber) -> Response:
    """The requests of a trial for a spreadsheet, newest first."""
    it = lookup_trial(bench, number)
    rows = all_rows(lambda view: _requests(bench, it, view), read_view(request))
    return csv_response(REQUEST_COLUMNS, rows, f"trial-{number}")


@router.get("/agentic/trials/{number}.json")
def agent_trial_json(bench: Bench, number: TrialNumber) -> Response:
    """Return a trial with its tries."""
    it = lookup_trial(bench, number)
    state = agent_series_state(bench.store, it.trial.key.series)
    return json_answer(bench.redactor.tree(trial_document(state, it).to_dict()))


@router.get("/agentic/trials/{number}")
def agent_trial_page(request: Request, bench: Bench, number: TrialNumber) -> Response:
    """Show a trial, with live updates while it runs."""
    it, view = lookup_trial(bench, number), read_view(request)
    state = agent_series_state(bench.store, it.trial.key.series)
    hide = bench.redactor.text
    return page(
        request,
        "agent_series/trial_page",
        title=hide(f"{it.trial.key.system} on {it.trial.key.task}"),
        here="Agentic",
        crumbs=(
            *CRUMBS,
            Crumb(it.trial.key.series, f"/agentic/run/{it.trial.key.series}"),
            Crumb(f"Trial {number}"),
        ),
        hide=hide,
        is_over=is_over(state, it),
        submission=_submission_number(bench, it),
        events=f"{view.path}/events?{urlencode({'after': view.after, 'since': state.token})}",
        **trial_content(bench.store, state, it, view),
    )


@router.get("/agentic/trials/{number}/events")
async def agent_trial_events(
    request: Request,
    bench: Bench,
    number: TrialNumber,
    since: Annotated[str, Query(max_length=200)] = "",
    last_event_id: Annotated[str, Header(max_length=200)] = "",
) -> Response:
    """Stream the changes of a trial as server-sent events."""
    it = await asyncio.to_thread(lookup_trial, bench, number)
    view = read_view(request, filters={"since": None})

    def draw(state: AgentSeriesState) -> TrialPieces:
        return trial_pieces(bench.store, state, it, view, bench.redactor.text)

    stream = series_events(
        bench,
        it.trial.key.series,
        draw,
        since=last_event_id or since,
        is_over=lambda state: is_over(state, it),
    )
    return StreamingResponse(stream, media_type="text/event-stream")


def _submission_number(bench: Workbench, it: NumberedTrial) -> int | None:
    """The number of the submission of a trial; None if it has none."""
    name = it.trial.submission_id
    return bench.store.submission_pages.numbers([name]).get(name) if name else None


def _requests(bench: Workbench, it: NumberedTrial, view: View) -> RowPage:
    found = bench.store.agent_trial_pages.requests(it.trial.key, after=view.after, limit=REQUESTS)
    return RowPage(*found)
