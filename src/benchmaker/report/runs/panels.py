"""Panels of a page: differences, ranks, corrected means."""

from typing import Any

from benchmaker.analysis import ComparedPair, Comparison, RankedModel, Ranking
from benchmaker.analysis.judges.correction import CorrectedMeans
from benchmaker.report.plots import plots
from benchmaker.report.runs import comparison as compared
from benchmaker.report.runs import ranking
from benchmaker.report.runs.correction import TITLE, corrected_table, correction_notes
from benchmaker.report.runs.differences import effect, other_than, pairs_table, seen_from, word
from benchmaker.report.runs.page import ReportPage
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.figure_words import WORDS
from benchmaker.report.tables import numbers

ROWS = 30
"""Maximum number of models drawn; the tables of ``compare`` and ``rank`` have all of them."""

PAIRS = 500
"""Maximum number of pairs listed."""


def differences_panel(
    page: ReportPage, comparison: Comparison, reference: str = ""
) -> dict[str, Any]:
    """Return each model compared with the reference, best first; with all pairs if there are more.

    The default reference is the best model.
    """
    reference = reference or comparison.headline.model_a
    pairs = [one for one in comparison.pairs if reference in (one.model_a, one.model_b)][:ROWS]
    axis = plots.axis_over(
        [0.0, *(end * 100 for one in pairs for end in seen_from(one, reference))]
    )
    table = pairs_table(comparison)
    many = len(comparison.pairs) > len(pairs)
    right = [column.is_right for column in table.columns]
    return {
        "reference": page.clean(reference),
        "figure": WORDS[comparison.figure].noun,
        "level": f"{100 * comparison.level:g}%",
        "ci_name": comparison.headline.ci_name,
        "p": "p" if not comparison.headline.adjustment else "p, adjusted",
        "axis": plots.axis_svg(axis),
        "rows": [_difference(page, one, reference, axis) for one in pairs],
        "heads": [(one.label, one.is_right) for one in table.columns],
        "pairs": [
            [(page.clean(cell), at_right) for cell, at_right in zip(row, right, strict=True)]
            for row in table.rows[:PAIRS]
        ]
        if many
        else [],
        "listed": f"All {numbers.count(len(table.rows), 'pair')}"
        if len(table.rows) > 1
        else "The pair"
        if len(table.rows) <= PAIRS
        else f"The first {PAIRS} of {len(table.rows):,} pairs",
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


def ranks_panel(page: ReportPage, made: Ranking) -> dict[str, Any]:
    """The rank of each model with its interval, and the rating behind it."""
    axis = plots.rank_axis(len(made.models))
    top = "P(first)" if made.top == 1 else f"P(top {made.top})"
    return {
        "verdict": page.clean(" ".join(ranking.ranking_verdict(made))),
        "level": f"{100 * made.level:g}%",
        "top": top,
        "axis": plots.axis_svg(axis),
        "rows": [_rank(page, one, made, axis) for one in made.models[:ROWS]],
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


def corrected_means_panel(page: ReportPage, made: CorrectedMeans) -> dict[str, Any]:
    """Return the means corrected by human labels, with those of the judge."""
    table = corrected_table(made)
    rows = zip(made.models, table.rows, strict=True)
    return {
        "title": TITLE,
        "heads": [(column.label, column.is_right) for column in table.columns],
        "rows": []
        if made.is_empty
        else [{**page.identity(one.model), "cells": cells[1:]} for one, cells in rows],
        "notes": [page.clean(text) for text in correction_notes(made)],
    }


def _truncation_note(models: int) -> str:
    return f"The first {ROWS} of {models} are drawn." if models > ROWS else ""


def _difference(
    page: ReportPage, pair: ComparedPair, reference: str, axis: plots.Axis
) -> dict[str, Any]:
    other = other_than(pair, reference)
    away, *ends = seen_from(pair, reference)
    drawn = (ends[0] * 100, ends[1] * 100) if ends else None
    return {
        **page.identity(other),
        "model": other,
        "plot": plots.range_svg(axis, away * 100, drawn, page.colour(other), zero=True),
        "difference": numbers.difference(away),
        "ci": numbers.interval((ends[0], ends[1])) if ends else missing_figures.NO_INTERVAL,
        "p": missing_figures.optional_p_value(pair.p_adjusted),
        "effect": effect(pair, reference),
        "cases": f"{pair.n:,}",
        "verdict": word(pair, reference),
    }


def _rank(page: ReportPage, one: RankedModel, made: Ranking, axis: plots.Axis) -> dict[str, Any]:
    ends = None if one.best is None or one.worst is None else (float(one.best), float(one.worst))
    place = None if one.rank is None else float(one.rank)
    return {
        **page.identity(one.model),
        "plot": plots.range_svg(axis, place, ends, page.colour(one.model)),
        "rank": "not ranked" if one.rank is None else ranking.rank_range(one),
        "rating": ranking.rating_text(one, made),
        "ci": ranking.rating_interval(one, made),
        "chance": ranking.chance(one),
        "battles": f"{one.n_battles:,}",
    }
