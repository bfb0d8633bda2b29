"""The tables of means and differences corrected by human labels."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from benchmaker.analysis.judges.correction import (
    CorrectedDifference,
    CorrectedDifferences,
    CorrectedEstimate,
    CorrectedMean,
    CorrectedMeans,
)
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import TableColumn, TableDeclaration

Corrected: TypeAlias = CorrectedMeans | CorrectedDifferences


class MeansView(NamedTuple):
    """Corrected means; ``noun`` is the word for what has one: model or setup."""

    result: CorrectedMeans
    noun: str = "model"


class DifferencesView(NamedTuple):
    """Corrected differences."""

    result: CorrectedDifferences


TITLE: Final = "Corrected by human labels"
_USUAL_LEVEL: Final = 0.95


def estimates_of(made: Corrected) -> list[tuple[str, CorrectedEstimate]]:
    """Each estimate with the name of its row on one line."""
    if isinstance(made, CorrectedMeans):
        return [(name(one.model), one.estimate) for one in made.models]
    return [(f"{name(one.model_a)} − {name(one.model_b)}", one.estimate) for one in made.pairs]


def _level(made: Corrected) -> str:
    estimates = estimates_of(made)
    return f"{100 * (estimates[0][1].level if estimates else _USUAL_LEVEL):g}%"


def _optional(value: float | None, text: Callable[[float], str]) -> str:
    return missing_figures.NOT_KNOWN if value is None else text(value)


def _figures(text: Callable[[float], str]) -> tuple[TableColumn[Any, Any], ...]:
    """The figures by judge, by both and by labels; ``text`` writes a mean or a difference."""
    return (
        TableColumn(
            name="raw", title="By the\njudge", text=lambda row, _: _optional(row.estimate.raw, text)
        ),
        TableColumn(
            name="corrected",
            title="Corrected",
            text=lambda row, _: _optional(row.estimate.value, text),
        ),
        TableColumn(
            name="ci",
            keys=("ci_low", "ci_high"),
            title=lambda view: f"{_level(view.result)}\nCI",
            text=lambda row, _: missing_figures.optional_interval(row.estimate.ci),
        ),
        TableColumn(name="level"),
        TableColumn(name="labels_only"),
        TableColumn(
            name="labels_only_ci",
            keys=("labels_only_ci_low", "labels_only_ci_high"),
            title=lambda view: f"Labels\nalone, {_level(view.result)}",
            text=lambda row, _: missing_figures.optional_interval(row.estimate.labels_only_ci),
            gives_way=1,
        ),
        TableColumn(
            name="narrower",
            title="Narrower\nby",
            text=lambda row, _: _optional(row.estimate.narrower, numbers.share),
        ),
        TableColumn(
            name="n_labelled",
            title="Labelled",
            text=lambda row, _: f"{row.estimate.n_labelled:,} of {row.estimate.n_judged:,}",
        ),
        TableColumn(name="n_judged"),
    )


CORRECTED_MEANS: TableDeclaration[MeansView, CorrectedMean] = TableDeclaration(
    "corrected_means",
    (
        TableColumn(
            name="model",
            title=lambda view: view.noun.capitalize(),
            text=lambda row, _: name(row.model),
            is_right=False,
        ),
        *_figures(numbers.score),
    ),
    rows=lambda view: view.result.models,
    caption=TITLE,
)
"""The mean of each model by judge, by labels and by both; from 0 to 100, in files from 0 to 1."""

CORRECTED_DIFFERENCES: TableDeclaration[DifferencesView, CorrectedDifference] = TableDeclaration(
    "corrected_differences",
    (
        TableColumn(
            name="pair",
            keys=("model_a", "model_b"),
            value=lambda row, _: (row.model_a, row.model_b),
            title="Higher\n− lower",
            text=lambda row, _: f"{name(row.model_a)}\n− {name(row.model_b)}",
            is_right=False,
        ),
        *_figures(numbers.difference),
    ),
    rows=lambda view: view.result.pairs,
    caption=TITLE,
)
"""The difference of each pair of models, in points; in files from -1 to 1."""
