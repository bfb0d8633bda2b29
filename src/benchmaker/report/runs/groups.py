"""Means by category, difficulty or tag, as text."""

from collections.abc import Mapping

from benchmaker.analysis import Summary
from benchmaker.report.result_tables.groups import GROUPS, GroupedMeans
from benchmaker.report.tables.declaration import Surface
from benchmaker.report.tables.table import WIDTH, Table, wrap_paragraphs


def groups_text(
    groups: Mapping[str, Summary], by: str, *, width: int = WIDTH, styled: bool = False
) -> str:
    """Return a row for each group and model, best mean first, and the meaning of the columns."""
    hint = f"Test the differences within each {by}: benchmaker compare --by {by}"
    meanings = GROUPS.legend(GroupedMeans.of(groups, by), Surface.GROUPS)
    table = groups_table(groups, by).text(width=width, styled=styled)
    return f"{table}\n{wrap_paragraphs([*meanings, hint], width)}"


def groups_table(groups: Mapping[str, Summary], by: str) -> Table:
    """Each group with its models."""
    return GROUPS.table(GroupedMeans.of(groups, by), Surface.GROUPS)
