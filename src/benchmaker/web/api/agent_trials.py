"""Series of agent trials, their trials, and the requests of agents at the gateway."""

from typing import Annotated, Any

from fastapi import Query

from benchmaker.arenas.agentic.series.series_results import AgentSeriesResult, series_result
from benchmaker.record.agent_trial import GatewayRequest
from benchmaker.web.agentic.gateway_requests import REQUEST_COLUMNS
from benchmaker.web.agentic.series_grid import OUTCOMES
from benchmaker.web.agentic.series_lookup import (
    SeriesId,
    TrialNumber,
    lookup_agent_series,
    lookup_trial,
)
from benchmaker.web.agentic.trial_document import AgentTrialDocument, trial_document
from benchmaker.web.agentic.trial_lines import trial_lines
from benchmaker.web.api.paging import NUMBER, PagedQuery, Word, checked_cursor, page_data, part
from benchmaker.web.api.routes import Api
from benchmaker.web.api.shapes import agent_trials as shapes
from benchmaker.web.live.series_state import agent_series_state
from benchmaker.web.workbench import Bench

api = Api("agentic")
router = api.router


class TrialsQuery(PagedQuery):
    """Filters of trials; the outcome `open` is that of trials in progress."""

    outcome: Annotated[str, Query(pattern=f"^({'|'.join(OUTCOMES)})?$")] = ""
    system: Word = ""
    task: Word = ""


@api.get("/agents/series", shapes.AgentSeriesPage)
def list_agent_series(bench: Bench, query: Annotated[PagedQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """List series of agent trials with their plans, newest first."""
    after = checked_cursor(query.after, str)
    found = bench.store.agent_trial_pages.series(after=after, limit=query.limit)
    return page_data(found.rows, found.after)


@api.get("/agents/series/{series}", AgentSeriesResult)
def agent_series(bench: Bench, series: SeriesId) -> Any:  # noqa: ANN401  its shape
    """Return a series with the figures of its systems and its trials."""
    found = lookup_agent_series(bench, series)
    with bench.store.read_snapshot():
        return series_result(bench.store, found).to_dict()


@api.get("/agents/series/{series}/trials", shapes.AgentTrialPage)
def agent_series_trials(
    bench: Bench, series: SeriesId, query: Annotated[TrialsQuery, Query()]
) -> Any:  # noqa: ANN401  its shape
    """List the started trials of a series, in the order of its plan."""
    state = agent_series_state(bench.store, lookup_agent_series(bench, series).id)
    lines = trial_lines(state, outcome=query.outcome, system=query.system, task=query.task)
    return part(list(lines), query, lambda it: it.to_dict(), scale="0-1")


@api.get("/agents/trials/{number}", AgentTrialDocument)
def agent_trial(bench: Bench, number: TrialNumber) -> Any:  # noqa: ANN401  its shape
    """Return a trial with its tries."""
    it = lookup_trial(bench, number)
    return trial_document(agent_series_state(bench.store, it.trial.key.series), it).to_dict()


@api.get("/agents/trials/{number}/requests", shapes.GatewayRequestPage)
def agent_trial_requests(
    bench: Bench, number: TrialNumber, query: Annotated[PagedQuery, Query()]
) -> Any:  # noqa: ANN401  its shape
    """List the requests of all tries of a trial at the gateway, newest first."""
    key = lookup_trial(bench, number).trial.key
    after = checked_cursor(query.after, NUMBER)
    found = bench.store.agent_trial_pages.requests(key, after=after, limit=query.limit)
    return page_data(map(_request, found.rows), found.after)


def _request(it: GatewayRequest) -> dict[str, Any]:
    return {column.key: column.value(it) for column in REQUEST_COLUMNS}
