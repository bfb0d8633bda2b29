"""Summaries of runs, as ``results --json`` prints them; scores from 0 to 1."""

from typing import Any, Literal, TypedDict

from benchmaker.analysis.summary.summary import ModelSummary

Ends = tuple[float, float] | None
"""The bounds of an interval; null if there is none."""


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
