"""Runs and series: lists, records, summaries."""

from typing import Annotated, Any, Literal

from fastapi import Query, Response

from benchmaker.analysis.comparison.groups import summarise_by
from benchmaker.errors import Conflict, StoreError
from benchmaker.report.runs.state import listed_run, shown_states
from benchmaker.store.runs.run_pages import SORTABLE
from benchmaker.web.api.name_lookup import RunName, resolve_runs
from benchmaker.web.api.paging import (
    NUMBER,
    PagedQuery,
    QueryModel,
    SearchQuery,
    Word,
    checked_cursor,
    page_data,
    part,
)
from benchmaker.web.api.routes import JSON, Api
from benchmaker.web.api.shapes import runs as shapes
from benchmaker.web.api.shapes import scores
from benchmaker.web.live.state import live_state_of
from benchmaker.web.results.exports import export_response
from benchmaker.web.results.run_cache import Known, OverviewCache
from benchmaker.web.results.subject import run_subject, series_subject
from benchmaker.web.results.tables import TABLES
from benchmaker.web.workbench import Bench, Workbench

api = Api("runs")
router = api.router

_KINDS = {"started": (str,), "suite": (str,), "state": (str,), "planned": NUMBER}
_LIVE = "Stop it first: POST /api/v1/runs/{run}/stop."


class RunsQuery(SearchQuery):
    """Filter runs by state and model."""

    sort: Annotated[str, Query(pattern=f"^-?({'|'.join(SORTABLE)})$")] = "-started"
    state: shapes.ListedState | None = None
    model: Word = ""


class TableQuery(PagedQuery):
    """The table of results to return."""

    table: Annotated[str, Query(pattern=f"^({'|'.join(TABLES)})$")] = "means"


class RunGroupsQuery(QueryModel):
    """The grouping of cases."""

    by: Literal["category", "difficulty", "tag"] = "category"


@api.get("/runs", shapes.RunPage)
def runs(bench: Bench, query: Annotated[RunsQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """List runs, latest first by default."""
    sort = query.sort.removeprefix("-")
    found = bench.store.run_pages.page(
        sort=sort,
        descending=query.sort.startswith("-"),
        after=checked_cursor(query.after, _KINDS[sort]),
        limit=query.limit,
        text=query.q,
        state=query.state or "",
        model=query.model,
    )
    listed = [it.run for it in found.rows]
    states = shown_states(bench.store, listed)
    return page_data((listed_run(it, states[it.id]) for it in listed), found.after)


@api.get("/runs/{run}", shapes.RunOut, name="run")
def run_details(bench: Bench, run: RunName) -> Any:  # noqa: ANN401  its shape
    """Return the full record of a run or of the runs of a series, and the current state."""
    found = resolve_runs(bench.store, run)
    name = found.series_id or found.run_ids[0]
    now = live_state_of(bench.store, name, rate=bench.watch.rate(name))
    return {
        "run_ids": list(found.run_ids),
        "series_id": now.target.runs[0].series_id,
        "state": now.state,
        "planned": now.n_planned,
        "done": now.n_done,
        "awaiting": now.n_awaiting,
        "rate": now.rate,
        "seconds_left": now.seconds_left,
        "spent_usd": now.spent_usd,
        "expected_usd": now.expected_usd,
        "outcomes": dict(now.details),
        "can_stop": now.can_stop,
        "can_resume": now.can_resume,
        "job": now.job,
        "runs": list(now.target.runs),
    }


@api.delete("/runs/{run}", shapes.Deleted)
def delete(bench: Bench, run: RunName) -> Any:  # noqa: ANN401  its shape
    """Delete a run, or all runs of a series, with answers and scores."""
    found = resolve_runs(bench.store, run)
    series = {bench.store.run(one).series_id for one in found.run_ids}
    at_work = {job.target for job in bench.store.jobs.list_open()}
    if at_work & {*found.run_ids, *series}:
        raise Conflict(f"{run} is being worked on.", hint=_LIVE)
    for run_id in found.run_ids:
        bench.store.delete_run(run_id)
    return {"deleted": list(found.run_ids)}


@api.get("/runs/{run}/summary", scores.Summary)
def summary(bench: Bench, run: RunName, known: Known) -> Any:  # noqa: ANN401  its shape
    """The means, as `results --json` prints them; over the runs of a series together."""
    made = known.of_runs(bench.store, resolve_runs(bench.store, run).run_ids)
    return made.summary.to_dict() | (made.effects.to_dict() if made.effects else {})


@api.get("/runs/{run}/groups", scores.Groups)
def groups(bench: Bench, run: RunName, query: Annotated[RunGroupsQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """The means of each group of cases, as `results --by --json` prints them."""
    run_ids = resolve_runs(bench.store, run).run_ids
    runs = tuple(bench.store.run(run_id) for run_id in run_ids)
    suite = bench.store.suite(runs[0].suite_hash)
    made = summarise_by(bench.store.columns(run_ids), suite, query.by, runs)
    models = {label: [one.to_dict() for one in each.models] for label, each in made.items()}
    return {"scale": "0-1", "by": query.by, "groups": models}


@api.get("/runs/{run}/table", scores.Table, name="table")
def results_table(
    bench: Bench, run: RunName, known: Known, query: Annotated[TableQuery, Query()]
) -> Any:  # noqa: ANN401  its shape
    """A table of the results page: means, metrics, runs, differences, ranks, outcomes, failures."""
    keys, rows = TABLES[query.table]
    made = list(rows(known.of_runs(bench.store, resolve_runs(bench.store, run).run_ids)))
    chosen = {"scale": "0-1", "table": query.table, "columns": list(keys)}
    return part(made, query, lambda row: {key: row.get(key) for key in keys}, **chosen)


@api.file("/runs/{run}/export.csv", "text/csv")
def export_csv(bench: Bench, run: RunName, known: Known) -> Response:
    """The trials as CSV, as `export --format csv` writes them."""
    return _export(bench, run, known, "csv")


@api.file("/runs/{run}/export.json", JSON, shapes.RunExport)
def export_json(bench: Bench, run: RunName, known: Known) -> Response:
    """Runs, summary and trials as one document, as `export --format json` writes them."""
    return _export(bench, run, known, "json")


@api.file("/runs/{run}/export.jsonl", "application/x-ndjson")
def export_jsonl(bench: Bench, run: RunName, known: Known) -> Response:
    """The trials as JSON lines, as `export --format jsonl` writes them."""
    return _export(bench, run, known, "jsonl")


@api.file("/runs/{run}/export.parquet", "application/vnd.apache.parquet")
def export_parquet(bench: Bench, run: RunName, known: Known) -> Response:
    """The trials as Parquet, as `export --format parquet` writes them.

    The server needs the extra `data`.
    """
    return _export(bench, run, known, "parquet")


@api.get("/series/{series}", shapes.SeriesRow)
def series(bench: Bench, series: Word) -> Any:  # noqa: ANN401  its shape
    """A series, and its runs by number; all else is at `/runs/{series}`."""
    found = bench.store.series(series)
    members = sorted(bench.store.runs(series_id=series), key=lambda one: one.number)
    if not members:
        raise StoreError(f"there is no run in series {series}.", hint="Start it again.")
    return {
        "series_id": series,
        "suite": members[0].suite_name,
        "suite_hash": found.suite_hash,
        "runs": found.runs,
        "created_at": found.created_at,
        "run_ids": [one.id for one in members],
    }


def _export(bench: Workbench, run: str, known: OverviewCache, form: str) -> Response:
    found = resolve_runs(bench.store, run)
    if found.series_id is not None:
        subject = series_subject(bench.store, found.series_id)
    else:
        subject = run_subject(bench.store, found.run_ids[0])
    return export_response(bench, known, subject, form)
