"""The table of means by category, difficulty or tag: a row for each group and model."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from benchmaker.analysis import ModelSummary, Summary
from benchmaker.report.result_tables.means import MEANS
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables.declaration import TableColumn, TableDeclaration


@dataclass(frozen=True, slots=True)
class GroupedMeans:
    """The summaries of groups of cases, by the label of each.

    The ``representative`` says what the columns hold: the first group with graded scores, else the
    first. It is weighted where any group is.
    """

    by: str
    groups: Mapping[str, Summary]
    representative: Summary

    @classmethod
    def of(cls, groups: Mapping[str, Summary], by: str) -> "GroupedMeans":
        """The groups as they are made by category, difficulty or tag."""
        summaries = list(groups.values())
        first = next((one for one in summaries if not one.is_right_or_wrong), summaries[0])
        is_weighted = any(one.weighted for one in summaries)
        return cls(by, groups, replace(first, weighted=is_weighted))


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A model in a group of cases; the group without a label is that of the cases without one."""

    group: str
    model: ModelSummary

    def to_dict(self) -> dict[str, Any]:
        """The figures of the model, with the label of the group."""
        return {"group": self.group, **self.model.to_dict()}


def _of_group(
    column: TableColumn[Summary, ModelSummary],
) -> TableColumn[GroupedMeans, GroupRow]:
    """A column of means in the table of groups; the SD, at its end, gives way first."""
    found: TableColumn[GroupedMeans, GroupRow] = column.within(
        lambda made: made.representative, lambda row: row.model
    )
    return replace(found, gives_way=column.name == "sd", gives_way_last=False)


GROUPS: TableDeclaration[GroupedMeans, GroupRow] = TableDeclaration(
    "groups",
    (
        TableColumn(
            name="group",
            title=lambda made: made.by.capitalize(),
            text=lambda row, made: name(row.group) if row.group else f"no {made.by}",
            is_right=False,
        ),
        *map(_of_group, MEANS.columns),
    ),
    rows=lambda made: [
        GroupRow(label, model) for label, one in made.groups.items() for model in one.models
    ],
)
"""The means of each group, with the columns of :data:`MEANS`."""
