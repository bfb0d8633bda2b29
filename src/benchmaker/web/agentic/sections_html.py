"""A command's result for a page: texts sanitised, plots our own."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from markupsafe import Markup

from benchmaker.report.arenas.sections import ReportDocument, Section
from benchmaker.report.tables.sanitize import sanitise, truncate

_LONGEST = 400
_ROWS = 300

Hide = Callable[[str], str]
Link = Callable[[tuple[str, ...]], str]


NO_ROWS: Final = "No data yet.", "The stored submissions have no figures for this page."
"""The heading and the sentence of a page without rows."""


def report_content(
    document: ReportDocument, hide: Hide, link: Link | None = None
) -> dict[str, Any]:
    """Return title, facts, sentences and tables for ``report_sections``.

    Args:
        document: the report.
        hide: takes secrets out of a text.
        link: where the first cell of a row leads; "" for nowhere.
    """

    def clean(text: str) -> str:
        return truncate(sanitise(hide(text)), _LONGEST)

    return {
        "title": clean(document.title),
        "facts": [clean(one) for one in document.facts],
        "verdict": [clean(one) for one in document.verdict],
        "notes": [clean(one) for one in (*document.notes, *document.legend)],
        "sections": [_section(one, clean, link) for one in document.sections],
    }


def _section(one: Section, clean: Hide, link: Link | None) -> dict[str, Any]:
    rows = one.table.rows[:_ROWS]
    plots: Sequence[str] = one.plots or [""] * len(rows)
    left_out = len(one.table.rows) - len(rows)
    more = (f"{left_out:,} more rows are in the export.",) if left_out else ()
    return {
        "caption": clean(one.table.caption),
        "columns": [
            {"label": column.heading, "right": column.is_right} for column in one.table.columns
        ],
        "rows": [
            {
                "cells": [clean(cell) for cell in row],
                "plot": Markup(plot),  # noqa: S704  our own drawing
                "href": link(row) if link else "",
            }
            for row, plot in zip(rows, plots, strict=False)
        ],
        "has_plots": bool(one.plots),
        "axis": Markup(one.axis),  # noqa: S704  our own drawing
        "drawing": Markup(one.drawing),  # noqa: S704  our own drawing, names escaped in it
        "notes": [clean(note) for note in (*one.notes, *one.legend, *more)],
    }
