"""The table at the head of a result's page: its columns, its order, and its rows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from benchmaker.analysis.comparison.pairing import check_models
from benchmaker.report.result_tables.comparisons import PairsView
from benchmaker.report.result_tables.overview import OPTIONAL, OVERVIEW, Overview, OverviewRow
from benchmaker.report.runs.page import ReportPage
from benchmaker.report.tables.declaration import Surface, TableColumn
from benchmaker.web.query import View
from benchmaker.web.results.panels import DRAWN, more_cases_of
from benchmaker.web.results.run_cache import RunsOverview

METRICS = "metrics"
"""The columns of all named metrics together, in addresses."""

COLUMNS = (
    *(one.name for one in OVERVIEW.columns if one.text and one.is_right and not one.beside),
    "verdict", "more_cases", METRICS,
)  # fmt: skip
"""The columns that an address may choose."""

SORTABLE = tuple(
    one.name for one in OVERVIEW.columns if one.text and one.is_right and not one.beside
)
"""The columns that the rows may be sorted by."""


_RANKS_NOTE = (
    "Ranks count in how many cases an answer scored higher, not by how much; "
    "their order can differ from that of the means."
)


class HeadCell(NamedTuple):
    """A head: its column in addresses, its label, that of the interval, and if it sorts."""

    name: str
    label: str
    interval: str
    is_right: bool
    is_wide: bool
    is_sortable: bool


class OfferedColumn(NamedTuple):
    """A column that may be chosen, and the address without it, or with it."""

    label: str
    is_shown: bool
    href: str


def overview_of(made: RunsOverview, reference: str = "") -> Overview:
    """The result with its comparison with one model, by default the best.

    Verdicts and intervals are those over all pairs, whichever model is chosen: a choice after a
    look at the results is no reason for a smaller adjustment.
    """
    return made.remember(("overview", reference), lambda: _compare(made, reference))


def _compare(made: RunsOverview, reference: str) -> Overview:
    if made.comparison is None:
        return Overview(made.summary, None, made.ranking)
    seen = made.comparison
    if reference:
        check_models((reference,), [one.model for one in seen.models])
    base = reference or seen.headline.model_a
    view = PairsView(seen, base, more_cases=more_cases_of(seen, base))
    return Overview(made.summary, view, made.ranking)


def overview_panel(
    page: ReportPage, made: RunsOverview, reference: str, view: View
) -> dict[str, Any]:
    """The table for the template: heads, rows with their plots, and the columns to choose from."""
    overview = overview_of(made, reference)
    drawn = page.tables(Surface.PAGE)
    offered = _offer_columns(overview)
    chosen = view.columns or tuple(key for key in offered if key not in OPTIONAL)
    shown = [column for key, column in offered.items() if key in chosen]
    found = _metric_parts(drawn)
    metrics = found if METRICS in chosen or not view.columns else ([], {})
    by_model = {one.model: at for at, one in enumerate(made.summary.models)}
    rows = [
        {
            **_identity(page, row, drawn["models"][by_model[row.model.model]]["plot"]),
            "early_end": _early_end(row.model.model, made),
            "cells": [
                *OVERVIEW.page_cells(row, overview, Surface.PAGE, columns=shown),
                *metrics[1].get(by_model[row.model.model], ()),
            ],
        }
        for row in _sort_rows(overview, view)[:DRAWN]
    ]
    return {
        "title": drawn["forest_title"],
        "reference": page.clean(overview.pairs.reference) if overview.pairs else "",
        "difference_cases": overview.difference_cases,
        "axis": Markup(drawn["axis"]),  # noqa: S704  drawn by us, out of numbers
        "sorted_by": OVERVIEW.column(view.sort).head(overview).page_label if view.sort else "",
        "heads": [*(_head(one, overview) for one in shown), *metrics[0]],
        "rows": rows,
        "left_out": max(0, len(made.summary.models) - DRAWN),
        "columns": list(_choices(offered, chosen, view, overview, has_metrics=bool(found[0]))),
        "below": {"cost_usd": "cost", "median_latency_s": "latency", **drawn["below"]},
        "method": drawn["method"],
        "ranks_note": _RANKS_NOTE if "rank" in chosen and _has_other_order(overview) else "",
        "metrics": drawn["metrics"],
    }


def _early_end(setup: str, made: RunsOverview) -> str:
    """When a setup was dropped or stopped, and if the others are compared without it."""
    ended = made.summary.ended_early.get(setup, "")
    is_left_out = made.comparison is not None and setup in made.comparison.left_out
    return f"left out: {ended}" if is_left_out else ended


def _has_other_order(overview: Overview) -> bool:
    """True if a setup with a higher mean than another has a worse rank."""
    if overview.ranking is None or overview.ranking.provisional:
        return False
    known = [
        (-mean, row.rank.rank)
        for row in overview.rows
        if row.rank and row.rank.rank and (mean := overview.summary.figure(row.model)) is not None
    ]
    ranks = [rank for _, rank in sorted(known)]
    return ranks != sorted(ranks)


def _offer_columns(overview: Overview) -> dict[str, TableColumn[Overview, OverviewRow]]:
    """The columns of figures that the result has, by name; an interval stands in its figure's."""
    figures = OVERVIEW.figures(overview, Surface.PAGE)
    return {one.name: one for one in figures if not one.beside}


def _interval_of(
    column: TableColumn[Overview, OverviewRow],
) -> TableColumn[Overview, OverviewRow] | None:
    return next((one for one in OVERVIEW.columns if one.beside == column.name), None)


def _head(column: TableColumn[Overview, OverviewRow], overview: Overview) -> HeadCell:
    beside = _interval_of(column)
    return HeadCell(
        column.name,
        column.head(overview).page_label,
        beside.head(overview).name if beside else "",
        column.is_right,
        column.gives_way_on(Surface.PAGE, overview),
        column.name in SORTABLE,
    )


def _identity(page: ReportPage, row: OverviewRow, plot: str) -> dict[str, Any]:
    identity = page.identity(row.model.model)
    key = Markup(identity["key"])  # noqa: S704  drawn by us
    return {**identity, "key": key, "plot": Markup(plot)}  # noqa: S704  drawn by us


def _metric_parts(drawn: Mapping[str, Any]) -> tuple[list[HeadCell], dict[int, Sequence[Any]]]:
    """The heads of named metrics, and their cells for each model."""
    count = len(drawn["below"])
    heads = drawn["heads"][len(drawn["heads"]) - count :]
    found = [
        HeadCell(METRICS, one.label, "", one.is_right, one.is_wide, is_sortable=False)
        for one in heads
    ]
    rows = enumerate(drawn["models"])
    return found, {at: one["cells"][len(one["cells"]) - count :] for at, one in rows}


def _sort_rows(overview: Overview, view: View) -> Sequence[OverviewRow]:
    """The rows by the plain value of a column, missing ones last; by default the best first."""
    if not view.sort:
        return overview.rows
    key = OVERVIEW.column(view.sort).file_keys[0]
    values = [record[key] for record in OVERVIEW.records(overview)]
    known = [at for at, value in enumerate(values) if value is not None]
    known.sort(key=lambda at: values[at], reverse=view.descending)
    missing = [at for at, value in enumerate(values) if value is None]
    return [overview.rows[at] for at in (*known, *missing)]


def _choices(
    offered: Mapping[str, TableColumn[Overview, OverviewRow]],
    chosen: Sequence[str],
    view: View,
    overview: Overview,
    *,
    has_metrics: bool,
) -> Iterator[OfferedColumn]:
    """Each column with the address that adds or removes it."""
    labels = {key: column.head(overview).page_label for key, column in offered.items()}
    if has_metrics:
        labels[METRICS] = "Named metrics"
    shown = [key for key in labels if key in chosen or (key == METRICS and not view.columns)]
    for key, label in labels.items():
        kept = [one for one in shown if one != key] if key in shown else [*shown, key]
        yield OfferedColumn(label, key in shown, view.link(cols=",".join(kept)))
