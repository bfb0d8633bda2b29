"""The tables of a comparison as texts: models with their figures, pairs with their differences."""

from dataclasses import replace

from benchmaker.analysis.comparison.results import Comparison
from benchmaker.report.result_tables.comparisons import COMPARED_MODELS, PAIRS, PairsView
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables.table import Table

_MOST_PAIRS = 21
_FIGURES = 52
"""Columns of a terminal that the figures of a pair take."""


def models_table(comparison: Comparison) -> Table:
    """Figures with intervals over the common cases, letters and coverage."""
    return COMPARED_MODELS.table(comparison)


def pairs_table(comparison: Comparison, *, stacked: bool = False) -> Table:
    """Differences with intervals, adjusted p-values and named effects: all pairs.

    ``stacked`` puts both names of a pair into one column, for narrow screens.
    """
    return PAIRS.table(PairsView(comparison, is_stacked=stacked))


def stack_names(table: Table) -> Table:
    """The table with the names of its first two columns one below the other in one column."""
    (first, second, *figures) = table.columns
    head = replace(first, head=f"{first.head}\n− {second.head.lower()}")
    return replace(
        table,
        columns=(head, *figures),
        rows=tuple((f"{a}\n− {b}", *cells) for a, b, *cells in table.rows),
    )


def table_against(comparison: Comparison, reference: str) -> Table:
    """Return the pairs with one model: the distance of each other model from it."""
    table = PAIRS.table(PairsView(comparison, reference))
    return replace(table, caption=f"Difference from {name(reference)}")


def displayed_pairs(comparison: Comparison, width: int | None = None) -> Table:
    """Return all pairs; only those with one model if there are many, or if it was requested.

    Names that would leave too little of the width for the figures are stacked.
    """
    models = [{one.model_a, one.model_b} for one in comparison.pairs]
    shared = set.intersection(*models) if len(models) > 1 else set()
    if len(shared) == 1:
        return table_against(comparison, shared.pop())
    if len(models) > _MOST_PAIRS:
        return table_against(comparison, comparison.headline.model_a)
    longest = max(len(name(one.model)) for one in comparison.models)
    return pairs_table(comparison, stacked=width is not None and 2 * longest > width - _FIGURES)
