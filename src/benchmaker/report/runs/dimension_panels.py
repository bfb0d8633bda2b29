"""Panels of a page for runs with prompts, models and efforts."""

from typing import Any

from benchmaker.analysis.comparison.within_margin import WithinMargin
from benchmaker.analysis.effects.level_results import LevelComparison
from benchmaker.analysis.effects.run_effects import RunEffects
from benchmaker.report.plots.cost_plot import cost_svg
from benchmaker.report.result_tables.levels import LEVEL_PAIRS, WITHIN_MARGIN
from benchmaker.report.result_tables.matrix import grid_tables
from benchmaker.report.runs.dimensions import (
    effect_sentences,
    level_verdict,
    matrix_notes,
)
from benchmaker.report.runs.page import ReportPage
from benchmaker.report.runs.within_margin import within_margin_notes
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import Surface
from benchmaker.report.tables.table import Table

PAIRS = 45
"""Maximum number of pairs of a dimension on a page; files have all of them."""


def effects_panel(page: ReportPage, made: RunEffects) -> dict[str, Any]:
    """The matrix, and the pairs of each dimension with their verdicts and interactions."""
    grids = grid_tables(made.matrix, Surface.PAGE) if made.matrix else []
    return {
        "verdicts": [page.clean(said) for said in effect_sentences(made)],
        "grids": [_table(page, table) for table in grids],
        "notes": [page.clean(note) for note in matrix_notes(made)],
        "dimensions": [_dimension(page, one) for one in made.comparisons],
    }


def within_margin_panel(page: ReportPage, made: WithinMargin) -> dict[str, Any]:
    """The cheapest setup within the margin, with score against cost as plot and table."""
    return {
        "verdict": page.clean(numbers.with_minus(made.sentence)),
        "margin": f"{100 * made.margin:g}",
        "drawing": cost_svg(made, page.colour),
        "table": _table(page, WITHIN_MARGIN.table(made, Surface.PAGE)),
        "notes": [page.clean(note) for note in within_margin_notes(made)],
    }


def _dimension(page: ReportPage, made: LevelComparison) -> dict[str, Any]:
    table = LEVEL_PAIRS.table(made, Surface.PAGE)
    interactions = [numbers.with_minus(one.sentence) for one in made.interactions]
    return {
        "by": made.by,
        "verdicts": [page.clean(said) for said in (*level_verdict(made), *interactions)],
        "table": _table(page, Table(table.columns, table.rows[:PAIRS])),
        "left_out": max(0, len(table.rows) - PAIRS),
    }


def _table(page: ReportPage, table: Table) -> dict[str, Any]:
    """Heads and rows; a cell is a list of lines."""
    return {
        "caption": page.clean(table.caption),
        "heads": [(page.clean(one.page_label), one.is_right) for one in table.columns],
        "rows": [
            [
                ([page.clean(line) for line in cell.split("\n")], column.is_right)
                for cell, column in zip(row, table.columns, strict=True)
            ]
            for row in table.rows
        ],
    }
