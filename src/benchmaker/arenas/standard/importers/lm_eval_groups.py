"""The figures of lm-eval's groups of tasks, explained by those of their tasks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from benchmaker.arenas.standard.importers.evaluation import as_score
from benchmaker.arenas.standard.importers.headline import is_rounded
from benchmaker.arenas.standard.importers.reading import a_dict, a_list, as_text
from benchmaker.record.counts import count


class _Part(NamedTuple):
    """A figure of a task in a group, and the number of documents behind it."""

    value: float
    documents: float


def group_notes(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield notes on the groups of a results file.

    A figure of a group is the mean over all documents of its tasks, or the mean of their means,
    where tasks of few documents count as much as others. Any other is not translatable.

    Source: ``aggregate_subtask_metrics`` of lm-evaluation-harness, with and without
    ``weight_by_size``.
    """
    for group, figures in a_dict(results.get("groups")).items():
        members = [as_text(one) for one in a_list(a_dict(results.get("group_subtasks")).get(group))]
        reproduced = 0
        for metric, given in a_dict(figures).items():
            stated = as_score(given)
            if stated is None or "," not in metric or "_stderr," in metric:
                continue
            said = _difference(stated, _parts(results, members, metric))
            reproduced += not said
            if said:
                yield f"group {group}: {metric} is {stated:.6g}, {said}"
        if reproduced:
            number = count(reproduced, "figure")
            yield f"group {group}: {number} reproduced from the documents of its tasks."


def _parts(results: Mapping[str, Any], members: Sequence[str], metric: str) -> list[_Part]:
    """The figures of the tasks of a group; empty if one of them is unknown."""
    values, sizes = a_dict(results.get("results")), a_dict(results.get("n-samples"))
    found = [
        (as_score(a_dict(values.get(one)).get(metric)), as_score(a_dict(sizes.get(one)).get(_SIZE)))
        for one in members
    ]
    parts = [_Part(value, size) for value, size in found if value is not None and size]
    return parts if len(parts) == len(members) else []


_SIZE = "effective"


def _difference(stated: float, parts: Sequence[_Part]) -> str:
    """What a figure is if it is not the mean over the documents; empty if it is."""
    if not parts:
        return "which is not translatable: figures of its tasks are missing."
    total = sum(one.documents for one in parts)
    over_documents = sum(one.value * one.documents for one in parts) / total
    if is_rounded(stated, over_documents):
        return ""
    if is_rounded(stated, sum(one.value for one in parts) / len(parts)):
        return (
            f"the mean of the means of {len(parts)} unequal tasks. Over their documents it is "
            f"{over_documents:.6g}."
        )
    return f"which is not translatable. Over the documents of its tasks it is {over_documents:.6g}."
