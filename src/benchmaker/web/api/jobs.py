"""Jobs: requested work; and changes in runs, as server-sent events."""

import asyncio
from typing import Annotated, Any

from fastapi import Header, Path, Query
from fastapi.responses import Response, StreamingResponse

from benchmaker.errors import Conflict
from benchmaker.web.api.events import Stream
from benchmaker.web.api.name_lookup import RunName, resolve_runs
from benchmaker.web.api.paging import PagedQuery, QueryModel, part
from benchmaker.web.api.routes import Api
from benchmaker.web.api.shapes import runs as shapes
from benchmaker.web.workbench import Bench

api = Api("jobs")
router = api.router

JobName = Annotated[str, Path(max_length=300, description="A job's id.")]
"""A job's id as a path parameter."""

LastId = Annotated[str, Header(alias="Last-Event-ID", max_length=30)]
"""The id of the last event received."""


class EventsQuery(QueryModel):
    """Behind which row the events begin; the header Last-Event-ID goes before it."""

    after: Annotated[int | None, Query(ge=0, le=2**62)] = None


@api.get("/jobs", shapes.JobPage)
def jobs(bench: Bench, query: Annotated[PagedQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """List open jobs, oldest first."""
    return part(bench.store.jobs.list_open(), query)


@api.get("/jobs/{job}", shapes.JobOut)
def job(bench: Bench, job: JobName) -> Any:  # noqa: ANN401  its shape
    """One job, at its end or not."""
    return bench.store.jobs.find(job)


@api.post("/jobs/{job}/stop", shapes.JobOut, name="stop")
def stop_job(bench: Bench, job: JobName) -> Any:  # noqa: ANN401  its shape
    """Stop the job; finished trials are kept."""
    found = bench.store.jobs.find(job)
    if not found.is_open or not bench.store.jobs.ask_to_stop(found.target):
        raise Conflict(f"{job} is {found.state} already.", hint="There is nothing to stop.")
    return bench.store.jobs.find(job)


@api.events("/jobs/{job}/events", shapes.RunChange)
async def job_events(
    bench: Bench, job: JobName, query: Annotated[EventsQuery, Query()], last_event_id: LastId = ""
) -> Response:
    """Stream changes in the runs of a job."""
    found = await asyncio.to_thread(bench.store.jobs.find, job)
    return _event_stream(bench, found.target, query, last_event_id)


@api.events("/runs/{run}/events", shapes.RunChange)
async def run_events(
    bench: Bench, run: RunName, query: Annotated[EventsQuery, Query()], last_event_id: LastId = ""
) -> Response:
    """Stream changes in a run or a series.

    Events are `change`, with data as `RunChange` and a row number as id; `beat`, a heartbeat
    without changes; and `over`, the last event. A client that reconnects with the last id misses
    nothing.
    """
    found = await asyncio.to_thread(resolve_runs, bench.store, run)
    return _event_stream(bench, found.series_id or found.run_ids[0], query, last_event_id)


def _event_stream(bench: Bench, target: str, query: EventsQuery, last: str) -> Response:
    since = int(last) if last.isascii() and last.isdecimal() else query.after
    stream = Stream(bench, target, since)
    return StreamingResponse(stream.events(), media_type="text/event-stream")
