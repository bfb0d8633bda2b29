"""Tokens, cost and time of coding tools, as ``benchmaker usage`` sums them up."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from fastapi import APIRouter, Request, Response

from benchmaker.analysis.usage import BYS, UsageRow, UsageTable, start_of, usage
from benchmaker.store.submission_pages import names_of
from benchmaker.web.agentic.files import json_answer
from benchmaker.web.listing import Column, as_csv
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)

_SHOWN = 400
_LISTED = tuple(by for by in BYS if by != "session")

COLUMNS: tuple[Column[UsageRow], ...] = (
    Column("key", "Group", lambda row: row.key),
    Column("sessions", "Sessions", lambda row: row.sessions, True),
    Column("cost_usd", "Cost", lambda row: row.cost_usd, True),
    Column("sessions_unpriced", "Without a cost", lambda row: row.sessions_unpriced, True),
    Column("active_s", "Active", lambda row: row.active_s, True),
    Column("wall_s", "Wall time", lambda row: row.wall_s, True),
    Column("total_tokens", "Tokens", lambda row: row.total_tokens, True),
    Column("input_uncached", "Input", lambda row: row.usage.input_uncached, True),
    Column("cache_read", "Cache read", lambda row: row.usage.cache_read, True),
    Column("cache_write_5m", "Cache write, 5 min", lambda row: row.usage.cache_write_5m, True),
    Column("cache_write_1h", "Cache write, 1 h", lambda row: row.usage.cache_write_1h, True),
    Column("output", "Output", lambda row: row.usage.output, True),
)


class _Asked(NamedTuple):
    view: View
    by: str
    made: UsageTable


@router.get("/agentic/usage")
def usage_page(request: Request, bench: Bench) -> Response:
    """The sums by day, unless another group is asked for."""
    asked = _asked(request, bench)
    made = asked.made
    return page(
        request,
        "agentic_usage",
        title="Usage of coding agents",
        here="Agentic",
        crumbs=(Crumb("Agentic", "/agentic"), Crumb("Usage")),
        view=asked.view,
        by=asked.by,
        bys=_LISTED,
        made=made,
        rows=list(_rows(made)),
        tasks=names_of(bench.store.database, "task"),
        hide=bench.redactor.text,
    )


@router.get("/agentic/usage.csv")
def usage_csv(request: Request, bench: Bench) -> Response:
    """The same rows for a spreadsheet."""
    made = _asked(request, bench).made
    return as_csv(COLUMNS, iter((*made.rows, made.total)), "usage")


@router.get("/agentic/usage.json")
def usage_json(request: Request, bench: Bench) -> Response:
    """The same rows as ``usage --json`` prints them."""
    return json_answer(_asked(request, bench).made.to_dict())


def _asked(request: Request, bench: Workbench) -> _Asked:
    filters = {"by": BYS, "since": None, "until": None, "task": None}
    view = read_view(request, filters=filters)
    zone = datetime.now().astimezone().tzinfo or UTC
    found = bench.store.submissions(
        since=start_of(view.filters["since"], zone),
        until=start_of(view.filters["until"], zone),
        task_id=view.filters["task"] or None,
    )
    by: Any = view.filters["by"] or "day"
    return _Asked(view, by, usage(found, by=by, zone=zone))


def _rows(made: UsageTable) -> Iterator[tuple[UsageRow, int | None, float]]:
    """Rows with their cache writes and their share of the largest, the last day first."""
    shown = tuple(reversed(made.rows)) if made.by == "day" else made.rows
    of_cost = made.total.cost_usd is not None
    values = [(row.cost_usd if of_cost else row.total_tokens) or 0 for row in shown]
    most = max(values, default=0) or 1
    for row, value in list(zip(shown, values, strict=True))[:_SHOWN]:
        writes = [n for n in (row.usage.cache_write_5m, row.usage.cache_write_1h) if n is not None]
        yield row, sum(writes) if writes else None, value / most * 100
