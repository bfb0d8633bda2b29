"""Summaries of runs, as ``results --json`` prints them; scores from 0 to 1."""

from typing import Any, Literal, TypedDict

from benchmaker.analysis.summary.summary import ModelSummary

Ends = tuple[float, float] | None
"""The ends of an interval; null where there is none."""


class Groups(TypedDict):
    """The same for each group of cases; that of the cases without a label is called ""."""

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
