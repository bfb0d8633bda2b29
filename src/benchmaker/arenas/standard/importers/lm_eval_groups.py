"""The figures of lm-eval's groups of tasks, explained by those of their tasks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from benchmaker.arenas.standard.importers.evaluation import as_score
from benchmaker.arenas.standard.importers.headline import is_rounded
from benchmaker.arenas.standard.importers.reading import a_dict, a_list, as_text
from benchmaker.record.counts import count

GROUPS = "groups"
"""The key of an evaluation's header that has the groups of its task."""


class _Part(NamedTuple):
    """A figure of a task in a group, and the number of documents behind it."""

    value: float
    documents: float


def groups_of_task(results: Mapping[str, Any], task: str) -> dict[str, Any]:
    """Return the groups of a results file that a task is in: their tasks and their figures.

    A group in a group stands for its own tasks.
    """
    found = {}
    for group, figures in a_dict(results.get("groups")).items():
        tasks = _tasks_in(group, a_dict(results.get("group_subtasks")))
        if task in tasks:
            stated = {name: as_score(value) for name, value in a_dict(figures).items()}
            known = {name: value for name, value in stated.items() if value is not None}
            found[group] = {"tasks": tasks, "figures": known}
    return found


def _tasks_in(group: str, subtasks: Mapping[str, Any], above: tuple[str, ...] = ()) -> list[str]:
    known = (*above, group)
    own = [name for one in a_list(subtasks.get(group)) if (name := as_text(one)) not in known]
    inside = [_tasks_in(one, subtasks, known) or [one] for one in own]
    return list(dict.fromkeys(task for tasks in inside for task in tasks))


def group_notes(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield notes on the groups of a results file.

    A figure of a group is the mean over all documents of its tasks, or the mean of their means,
    where tasks of few documents count as much as others. Any other is not translatable.

    Source: ``aggregate_subtask_metrics`` of lm-evaluation-harness, with and without
    ``weight_by_size``.
    """
    for group, figures in a_dict(results.get("groups")).items():
        members = _tasks_in(group, a_dict(results.get("group_subtasks")))
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
