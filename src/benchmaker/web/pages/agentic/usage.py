"""Tokens, cost and time of coding tools, as ``benchmaker usage`` sums them up."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, NamedTuple

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from benchmaker.analysis.usage.blocks import UsageBlock
from benchmaker.analysis.usage.days import start_of
from benchmaker.analysis.usage.session_usage import BYS, IN_ORDER, UNKNOWN, UsageRow, UsageTable
from benchmaker.arenas.agentic.sessions.stored_usage import UsageQuery, usage_blocks_of, usage_table
from benchmaker.plugins import web_page
from benchmaker.record.counts import count
from benchmaker.report.result_tables.usage_groups import (
    BLOCKS,
    USAGE,
    BlocksView,
    UsageLine,
    UsageView,
    page_active_time,
    page_cost,
)
from benchmaker.report.sentences.usage_words import (
    active_time_note,
    cost_sums,
    outside_window,
    unpriced_words,
)
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import PageCell, Surface
from benchmaker.web.accounts.actors import Who
from benchmaker.web.agentic.machine_logs import is_collecting, may_collect, start_collecting
from benchmaker.web.downloads import json_answer
from benchmaker.web.listing import csv_response, record_columns
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="usage")
class UsagePage:
    """Tokens, cost and time of coding agents."""

    routes: ClassVar = router
    is_public: ClassVar = True


_SHOWN = 400
_BLOCKS = 12
_RECENT_DAYS = 14
_LISTED = tuple(by for by in BYS if by != "session")

_KEYS = tuple(key for key in USAGE.keys if key != "model")


class _UsageRequest(NamedTuple):
    view: View
    by: str
    made: UsageTable
    query: UsageQuery


@router.get("/agentic/usage")
def usage_page(request: Request, bench: Bench, who: Who) -> Response:
    """Show the sums by day, unless another grouping is requested."""
    asked = _usage_request(request, bench)
    made = asked.made
    return page(
        request,
        "agentic/usage",
        title="Usage of coding agents",
        here="Agentic",
        crumbs=(Crumb("Agentic", "/agentic"), Crumb("Usage")),
        view=asked.view,
        by=asked.by,
        bys=_LISTED,
        made=made,
        heads=USAGE.page_heads(_page_view(made), Surface.PAGE),
        rows=list(_rows(made)),
        groups=_groups(made),
        blocks=BLOCKS.table(
            BlocksView.of(_blocks(asked.query, bench), zone=UTC, is_page=True), Surface.PAGE
        ),
        cost_sums=cost_sums(made.total, numbers.money),
        cost=page_cost(made.total),
        may_collect=may_collect(bench, who),
        is_collecting=is_collecting(bench),
        active_time=page_active_time(made.total),
        split_note=_split_note(made),
        active_note=active_time_note(made),
        without_time=outside_window(made.left_out, numbers.money),
        tasks=bench.store.submission_pages.names_of("task"),
        tools=bench.store.submission_pages.names_of("tool"),
        unpriced_words=unpriced_words,
        hide=bench.redactor.text,
    )


@router.post("/agentic/usage/import")
def import_machine_logs(bench: Bench, who: Who) -> Response:
    """Import the logs of this machine; the page waits for them."""
    start_collecting(bench, who)
    return RedirectResponse("/agentic/usage", 303)


@router.get("/agentic/usage.csv")
def usage_csv(request: Request, bench: Bench) -> Response:
    """The same rows for a spreadsheet."""
    view = UsageView.of(_usage_request(request, bench).made)
    return csv_response(record_columns(_KEYS), USAGE.records(view), "usage")


@router.get("/agentic/usage.json")
def usage_json(request: Request, bench: Bench) -> Response:
    """The same rows as ``usage --json`` prints them."""
    return json_answer(_usage_request(request, bench).made.to_dict())


def _usage_request(request: Request, bench: Workbench) -> _UsageRequest:
    words = dict.fromkeys(("since", "until", "task", "tool", "project"))
    view = read_view(request, filters={"by": BYS, **words, "of": ("own", "benchmarks")})
    chosen: Any = {name: view.filters[name] or None for name in words}
    by: Any = view.filters["by"] or "day"
    query = UsageQuery(by=by, benchmarks=view.filters["of"] == "benchmarks", **chosen)
    made = usage_table(bench.store, query, bench.home, now=bench.settings.clock())
    return _UsageRequest(view, by, made, query)


def _blocks(query: UsageQuery, bench: Workbench) -> tuple[UsageBlock, ...]:
    """The last five-hour blocks, newest first; only beside the table by day."""
    if query.by != "day" or query.benchmarks:
        return ()
    now = bench.settings.clock()
    recent = query if query.since else replace(query, since=_some_days_before(query, now))
    found = usage_blocks_of(bench.store, recent, bench.home, now=now)
    return found.blocks[: -_BLOCKS - 1 : -1]


def _some_days_before(query: UsageQuery, now: float) -> str:
    """The day from which blocks are shown: some days before the end of the query's window."""
    today = datetime.fromtimestamp(now, query.zone)
    end = start_of(query.until, query.zone, today=today) or today
    return (end - timedelta(days=_RECENT_DAYS)).date().isoformat()


def _groups(made: UsageTable) -> str:
    """The number of groups, and of the sessions that belong to none that is known."""
    unknown = sum(row.sessions for row in made.rows if row.key == UNKNOWN)
    known = sum(row.key != UNKNOWN for row in made.rows)
    apart = f"{count(unknown, 'session')} of unknown {made.by}" if unknown else ""
    return ", ".join(filter(None, (count(known, made.by), apart)))


def _split_note(made: UsageTable) -> str:
    """Return the note on sessions that count in several groups; empty if none does."""
    if sum(row.sessions for row in made.rows) <= made.total.sessions:
        return ""
    return f"A session over several {made.by}s counts in each; the total counts it once."


def _page_view(made: UsageTable, rows: Iterable[UsageRow] = ()) -> UsageView:
    return UsageView(tuple(map(UsageLine, rows)), made.by, is_page=True)


def _rows(made: UsageTable) -> Iterator[tuple[str, list[PageCell], float]]:
    """Groups with their cells and their share of the largest, the last day first."""
    shown = tuple(reversed(made.rows)) if made.by in IN_ORDER else made.rows
    of_cost = made.total.cost_usd is not None
    values = [(row.cost_usd if of_cost else row.total_tokens) or 0 for row in shown]
    most = max(values, default=0) or 1
    view = _page_view(made, shown[:_SHOWN])
    for line, value in zip(view.lines, values, strict=False):
        yield line.key, USAGE.page_cells(line, view, Surface.PAGE), value / most * 100
