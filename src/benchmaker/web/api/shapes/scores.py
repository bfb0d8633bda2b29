"""Summaries of runs, as ``results --json`` prints them; scores from 0 to 1."""

from typing import Any, Literal, NotRequired, TypedDict

from benchmaker.analysis.effects.level_results import LevelComparison
from benchmaker.analysis.effects.matrix import Matrix
from benchmaker.analysis.summary.model_summary import ModelSummary
from benchmaker.analysis.summary.summary import Summary as SummaryOfRuns
from benchmaker.web.api.paging import extend_type
from benchmaker.web.document_shapes import shape_of

Ends = tuple[float, float] | None
"""The bounds of an interval; null if there is none."""


Summary = extend_type(
    "Summary",
    SummaryOfRuns,
    effects=NotRequired[list[shape_of(LevelComparison)]],  # type: ignore[misc]  # made of a class
    matrix=NotRequired[shape_of(Matrix) | None],
)
"""The means; with ``effects`` and ``matrix`` where the runs have prompts or efforts."""


class Groups(TypedDict):
    """The summary for each group of cases; the group without a label is called ""."""

    scale: Literal["0-1"]
    by: str
    groups: dict[str, list[ModelSummary]]


class Table(TypedDict):
    """Rows of a table of results, as the pages show it; scores from 0 to 1."""

    scale: Literal["0-1"]
    table: str
    columns: list[str]
    items: list[dict[str, Any]]
    next: str | None
