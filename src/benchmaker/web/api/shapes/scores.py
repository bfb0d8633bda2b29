"""Summaries of runs, as ``results --json`` prints them; scores from 0 to 1."""

from typing import Any, Literal, TypedDict

from benchmaker.analysis.judges.correction import CorrectedMeans
from benchmaker.analysis.judges.judging import JudgingSummary
from benchmaker.analysis.metric import FigureName
from benchmaker.analysis.summary.decisions import GateResult
from benchmaker.analysis.summary.summary import ModelSummary
from benchmaker.spec import Metric

Ends = tuple[float, float] | None
"""The bounds of an interval; null if there is none."""


class Summary(TypedDict):
    """A run, or the runs of a series, model by model; scores from 0 to 1."""

    scale: Literal["0-1"]
    run_id: str | None
    series_id: str | None
    run_ids: list[str]
    rescored_from: list[str]
    not_run: list[str]
    suite: str | None
    suite_hash: str | None
    profile: str | None
    profile_version: str | None
    complete: bool
    measure: Literal["score", "checks"]
    mean_of: str
    metric: Metric
    figure: FigureName
    weighted: bool
    level: float
    method: str | None
    models: list[ModelSummary]
    judging: JudgingSummary | None
    corrected: CorrectedMeans | None
    gate: GateResult | None
    reproducibility: dict[str, Any] | None


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
