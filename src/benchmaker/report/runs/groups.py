"""Means by category, difficulty or tag, as text."""

from collections.abc import Mapping

from benchmaker.analysis import Summary
from benchmaker.report.result_tables.groups import GROUPS, GroupedMeans
from benchmaker.report.tables.declaration import Surface
from benchmaker.report.tables.table import Table, wrap_paragraphs
from benchmaker.report.tables.width import WIDTH


def groups_text(
    groups: Mapping[str, Summary],
    by: str,
    *,
    compared_by: str = "",
    width: int = WIDTH,
    styled: bool = False,
) -> str:
    """Return a row for each group and model, best mean first, and the meaning of the columns.

    ``compared_by`` is the command that compares the models in each group; empty for the usual one.
    """
    command = compared_by or f"benchmaker compare --by {by}"
    hint = f"Test the differences within each {by}: {command}"
    meanings = GROUPS.legend(GroupedMeans.of(groups, by), Surface.GROUPS)
    table = groups_table(groups, by).text(width=width, styled=styled)
    return f"{table}\n{wrap_paragraphs([*meanings, hint], width)}"


def groups_table(groups: Mapping[str, Summary], by: str) -> Table:
    """Each group with its models."""
    return GROUPS.table(GroupedMeans.of(groups, by), Surface.GROUPS)
