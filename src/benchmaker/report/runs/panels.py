"""Panels of a page: differences, ranks, corrected means."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from benchmaker.analysis import Comparison, RankedModel, Ranking, Summary
from benchmaker.analysis.judges.correction import CorrectedMean
from benchmaker.record.counts import count
from benchmaker.report.plots import plots
from benchmaker.report.result_tables.comparisons import PAIRS, PairsView, ShownPair
from benchmaker.report.result_tables.corrections import CORRECTED_MEANS, TITLE, MeansView
from benchmaker.report.result_tables.ranks import RANKS
from benchmaker.report.result_tables.repeats import FLAKY_CASES, REPEATS, model_repeats
from benchmaker.report.runs import comparison as compared
from benchmaker.report.runs import ranking
from benchmaker.report.runs.correction import correction_notes
from benchmaker.report.runs.differences import pairs_table
from benchmaker.report.runs.page import ReportPage
from benchmaker.report.runs.repeats import LEGEND, repeats_notes
from benchmaker.report.runs.repeats import TITLE as TITLE_OF_REPEATS
from benchmaker.report.sentences.figure_words import WORDS
from benchmaker.report.tables.declaration import Surface

ROWS = 30
"""Maximum number of models drawn; the tables of ``compare`` and ``rank`` have all of them."""

PAIRS_LISTED = 500
"""Maximum number of pairs listed."""


def differences_panel(
    page: ReportPage,
    comparison: Comparison,
    reference: str = "",
    *,
    more_cases: Mapping[str, str] = MappingProxyType({}),
    surface: Surface = Surface.REPORT,
) -> dict[str, Any]:
    """Return each model compared with the reference, best first; with all pairs if there are more.

    The default reference is the best model. ``more_cases`` has the number of additional cases
    that models need for a significant difference.
    """
    reference = reference or comparison.headline.model_a
    view = PairsView(comparison, reference, more_cases=more_cases)
    pairs = view.rows[:ROWS]
    axis = plots.axis_over([0.0, *(end * 100 for one in pairs for end in one.difference)])
    table = pairs_table(comparison)
    right = [column.is_right for column in table.columns]
    return {
        "reference": page.clean(reference),
        "figure": WORDS[comparison.figure].noun,
        "level": f"{100 * comparison.level:g}%",
        "ci_name": comparison.headline.ci_name,
        "axis": plots.axis_svg(axis),
        "figure_heads": PAIRS.page_heads(view, surface),
        "rows": [_difference(page, one, view, axis, surface) for one in pairs],
        "heads": [(one.label, one.is_right) for one in table.columns],
        "pairs": [
            [(page.clean(cell), at_right) for cell, at_right in zip(row, right, strict=True)]
            for row in table.rows[:PAIRS_LISTED]
        ]
        if len(comparison.pairs) > len(pairs)
        else [],
        "listed": f"All {count(len(table.rows), 'pair')}"
        if len(table.rows) > 1
        else "The pair"
        if len(table.rows) <= PAIRS_LISTED
        else f"The first {PAIRS_LISTED} of {len(table.rows):,} pairs",
        "notes": [
            page.clean(text)
            for text in (
                _truncation_note(len(comparison.models) - 1),
                *compared.comparison_notes(comparison),
                *compared.comparison_legend(comparison),
            )
            if text
        ],
    }


def ranks_panel(
    page: ReportPage, made: Ranking, surface: Surface = Surface.REPORT
) -> dict[str, Any]:
    """The rank of each model with its interval, and the rating behind it."""
    axis = plots.rank_axis(len(made.models))
    return {
        "verdict": page.clean(" ".join(ranking.ranking_verdict(made))),
        "level": f"{100 * made.level:g}%",
        "axis": plots.axis_svg(axis),
        "heads": RANKS.page_heads(made, surface),
        "rows": [_rank(page, one, made, axis, surface) for one in made.models[:ROWS]],
        "notes": [
            page.clean(text)
            for text in (
                _truncation_note(len(made.models)),
                *ranking.ranking_notes(made),
                *ranking.ranking_legend(made, ()),
            )
            if text
        ],
    }


def repeats_panel(
    page: ReportPage, summary: Summary, surface: Surface = Surface.REPORT
) -> dict[str, Any] | None:
    """Return pass@k, pass^k and majority of each model, and the flaky cases; None for one run."""
    if not model_repeats(summary):
        return None
    flaky = FLAKY_CASES.table(summary, surface)
    left = max(0, len(flaky.rows) - ROWS)
    return {
        "title": TITLE_OF_REPEATS,
        "shares": page.lines(REPEATS.table(summary, surface)),
        "flaky": page.lines(replace(flaky, rows=flaky.rows[:ROWS])) if flaky.rows else None,
        "left": f"{count(left, 'more flaky case')} not listed." if left else "",
        "notes": [*LEGEND, *repeats_notes(summary)],
    }


def corrected_means_panel(page: ReportPage, summary: Summary) -> dict[str, Any] | None:
    """Return the means corrected by human labels, with those of the judge; None without labels."""
    made = summary.corrected
    if made is None:
        return None
    view = MeansView(made, summary.noun)
    shown = CORRECTED_MEANS.shown(view, Surface.REPORT)
    return {
        "title": TITLE,
        "heads": [(one.head(view).label, one.is_right) for one in shown],
        "rows": [] if made.is_empty else [_corrected_row(page, one, view) for one in made.models],
        "notes": [page.clean(text) for text in correction_notes(made, noun=summary.noun)],
    }


def _corrected_row(page: ReportPage, row: CorrectedMean, view: MeansView) -> dict[str, Any]:
    cells = CORRECTED_MEANS.page_cells(row, view, Surface.REPORT)
    return {**page.identity(row.model), "cells": [one.text for one in cells]}


def _truncation_note(models: int) -> str:
    return f"Showing the first {ROWS} of {models}." if models > ROWS else ""


def _difference(
    page: ReportPage, row: ShownPair, view: PairsView, axis: plots.Axis, surface: Surface
) -> dict[str, Any]:
    away, *ends = row.difference
    drawn = (ends[0] * 100, ends[1] * 100) if ends else None
    return {
        **page.identity(row.other),
        "plot": plots.range_svg(axis, away * 100, drawn, page.colour(row.other), zero=True),
        "cells": PAIRS.page_cells(row, view, surface),
    }


def _rank(
    page: ReportPage, one: RankedModel, made: Ranking, axis: plots.Axis, surface: Surface
) -> dict[str, Any]:
    ends = None if one.best is None or one.worst is None else (float(one.best), float(one.worst))
    place = None if one.rank is None else float(one.rank)
    return {
        **page.identity(one.model),
        "plot": plots.range_svg(axis, place, ends, page.colour(one.model)),
        "cells": RANKS.page_cells(one, made, surface),
    }
