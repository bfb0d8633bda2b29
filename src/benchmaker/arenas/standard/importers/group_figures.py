"""Figures of lm-eval's groups of tasks, with the rows of all their tasks as evidence."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from benchmaker.analysis.opinion.evidence import OpinionEvidence
from benchmaker.analysis.opinion.opinion import OpinionHeadline
from benchmaker.arenas.standard.importers.headline import rounding_of


@dataclass(frozen=True, slots=True)
class TaskEvidence:
    """The evidence for the figure of one task and model, and the groups that the task is in."""

    task: str
    evaluation: str
    evidence: OpinionEvidence
    groups: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GroupFigure:
    """A group's name in opinions, its stated figure for a model, and the rows of its tasks."""

    name: str
    evidence: OpinionEvidence
    headline: OpinionHeadline


def group_figures(parts: Iterable[TaskEvidence]) -> Iterator[GroupFigure]:
    """Yield the figures of groups that are not the means over the rows of all their tasks.

    A group without the rows of each of its tasks is left out.
    """
    pooled: dict[tuple[str, str, str], list[TaskEvidence]] = {}
    for part in parts:
        for group in part.groups:
            key = (group, part.evaluation, part.evidence.model)
            pooled.setdefault(key, []).append(part)
    for (group, _, _), members in pooled.items():
        if figure := _group_figure(group, members):
            yield figure


def _group_figure(group: str, members: Sequence[TaskEvidence]) -> GroupFigure | None:
    first, known = members[0].evidence, members[0].groups[group]
    stated = known["figures"].get(first.scorer.partition("/")[2])
    is_whole = {one.task for one in members} == set(known["tasks"])
    if not is_whole or stated is None or any(it.evidence.scorer != first.scorer for it in members):
        return None
    evidence = _pool_rows(members, stated)
    if not evidence.differs:
        return None
    n = len(evidence.in_mean)
    return GroupFigure(
        name=f"{group} (group of lm-eval)",
        evidence=evidence,
        headline=OpinionHeadline(
            scorer=first.scorer,
            metric="value",
            value=stated,
            n=n,
            scorers={first.scorer: n},
            computed=evidence.mean,
        ),
    )


def _pool_rows(members: Sequence[TaskEvidence], stated: float) -> OpinionEvidence:
    """The rows of all tasks, whose cases have the names of their tasks before their ids."""
    first = members[0].evidence
    rows = [
        msgspec.structs.replace(row, case_id=f"{one.task}/{row.case_id}", groups={"task": one.task})
        for one in members
        for row in one.evidence.rows
    ]
    declared = [one.evidence.declared for one in members]
    return OpinionEvidence(
        tool=first.tool,
        model=first.model,
        scorer=first.scorer,
        rows=rows,
        printed=stated,
        rounding=rounding_of(stated),
        declared=sum(filter(None, declared)) if all(declared) else None,
        day=first.day,
    )
