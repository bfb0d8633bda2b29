"""Results as HTML in notebooks: a fragment without scripts, colours and external resources."""

from typing import Any

from benchmaker.redact import Redactor
from benchmaker.report.notebooks.result_documents import document_of_result
from benchmaker.report.runs.html import template_of
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.report.tables.table import Table
from benchmaker.tabular import Tabular

_MOST_ROWS = 60
"""Rows of a table that are shown."""


def html_of(made: Tabular) -> str:
    """Return the verdict and the tables of a result, escaped and without secrets.

    Text and lines have the colour of the notebook, so that they are readable in any theme.
    """
    page = document_of_result(made)
    shown: str = template_of("notebook.html.jinja").render(
        verdict=_clean(page.verdict),
        tables=[
            {**_table(one.table), "notes": _clean((*one.notes, _rest(one.table)))}
            for one in page.sections
        ],
        notes=_clean(page.notes),
    )
    return shown


def _clean(sentences: tuple[str, ...]) -> list[str]:
    hide = Redactor().text
    return [sanitise(hide(one)) for one in sentences if one]


def _rest(table: Table) -> str:
    more = len(table.rows) - _MOST_ROWS
    return f"{more:,} more rows: use to_polars()." if more > 0 else ""


def _table(table: Table) -> dict[str, Any]:
    hide = Redactor().text
    sides = ["right" if column.is_right else "left" for column in table.columns]
    return {
        "caption": sanitise(hide(table.caption)),
        "heads": [(column.label, side) for column, side in zip(table.columns, sides, strict=True)],
        "rows": [
            [(sanitise(hide(cell)), side) for cell, side in zip(row, sides, strict=True)]
            for row in table.rows[:_MOST_ROWS]
        ],
    }
