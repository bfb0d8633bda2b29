"""Settling: after each change, a task's baseline and what is evaluated under it.

An evaluation is a pure function of figures, snapshot and profile; a snapshot is one of a set of
figures. New submissions are evaluated under the snapshot that stands, and the task then settles:
where the set has another snapshot, every submission is evaluated under that one. So the order in
which submissions come, their batches, a kill and a second pass change nothing in the end.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from benchmaker.record.evaluation import BaselineSnapshot, Evaluation
from benchmaker.record.metrics import Metrics
from benchmaker.store import Message, Store

_AT_ONCE = 1_000


class Evaluate(Protocol):
    """A scoring profile at work: what an arena lends the engine."""

    @property
    def profile(self) -> str:
        """Name and version."""

    def snapshots(self, rows: Sequence[Metrics]) -> Mapping[str, BaselineSnapshot]:
        """Every task's baseline out of all figures of their categories."""

    def snapshot(self, task_id: str) -> BaselineSnapshot:
        """The baseline of a task that nobody has worked on."""

    def input_hash(self, row: Metrics) -> str:
        """The name of what an evaluation of these figures starts from."""

    def evaluate(self, row: Metrics, snapshot: BaselineSnapshot) -> Evaluation:
        """What the profile makes of the figures."""


Announce = Callable[[Evaluation], Message]
"""The notice of a submission's first evaluation."""


class Settled(NamedTuple):
    """What settling did: evaluations made on arrival and again, and the tasks that moved."""

    arrived: int = 0
    again: int = 0
    moved: tuple[str, ...] = ()


def settle(
    store: Store,
    evaluate: Evaluate,
    task_ids: Iterable[str],
    *,
    announce: Announce | None = None,
    on_progress: Callable[[int], Any] | None = None,
) -> Settled:
    """Evaluate what is new in these tasks, and bring them and their categories to rest.

    Args:
        store: where figures lie and evaluations are kept.
        evaluate: the profile.
        task_ids: where something changed.
        announce: makes the one notice of each submission, when it is first evaluated; it is put
            into the outbox in the same transaction.
        on_progress: is told how many evaluations were made since it was last called.
    """
    told = on_progress or (lambda _made: None)
    wanted = sorted(set(task_ids))
    arrived = sum(_arrivals(store, evaluate, one, announce, told) for one in wanted)
    again, moved = 0, []
    rows = _rows(store, wanted)
    snapshots = evaluate.snapshots([row for of_task in rows.values() for row in of_task])
    for task_id, of_task in rows.items():
        made = _under(store, evaluate, snapshots[task_id], of_task, told)
        again += made
        moved += [task_id] if made else []
    return Settled(arrived, again, tuple(moved))


def _arrivals(
    store: Store,
    evaluate: Evaluate,
    task_id: str,
    announce: Announce | None,
    told: Callable[[int], Any],
) -> int:
    """Evaluate the submissions of a task that never were, under the snapshot that stands."""
    rooms = store.agentic
    known = rooms.evaluated_under(evaluate.profile, task_id)
    new = [row for row in rooms.metrics(task_id) if row.submission_id not in known]
    standing = rooms.snapshot(evaluate.profile, task_id) or evaluate.snapshot(task_id)
    made = 0
    for at in range(0, len(new), _AT_ONCE):
        part = [evaluate.evaluate(row, standing) for row in new[at : at + _AT_ONCE]]
        news = [announce(one) for one in part] if announce else []
        made += rooms.settle(standing, part, announce=news)
        told(len(part))
    return made


def _rows(store: Store, task_ids: Sequence[str]) -> dict[str, list[Metrics]]:
    """The figures of these tasks and of all tasks of their categories, by task.

    A category's tasks lend each other their priors, so that they come to rest together.
    """
    rooms = store.agentic
    rows = {one: list(rooms.metrics(one)) for one in task_ids}
    categories = {row.category for of_task in rows.values() for row in of_task} - {None}
    if not categories:
        return rows
    for other in rooms.metric_tasks():
        if other not in rows:
            of_task = list(rooms.metrics(other))
            if categories & {row.category for row in of_task}:
                rows[other] = of_task
    return {one: rows[one] for one in sorted(rows) if rows[one]}


def _under(
    store: Store,
    evaluate: Evaluate,
    snapshot: BaselineSnapshot,
    rows: Sequence[Metrics],
    told: Callable[[int], Any],
) -> int:
    """Evaluate under this snapshot what does not count under it yet."""
    rooms = store.agentic
    known = rooms.evaluated_under(evaluate.profile, snapshot.task_id)
    due = [
        row
        for row in rows
        if known.get(row.submission_id) != (snapshot.hash, evaluate.input_hash(row))
    ]
    standing = rooms.snapshot(evaluate.profile, snapshot.task_id)
    if not due and standing is not None and standing.hash == snapshot.hash:
        return 0
    made = 0
    for at in range(0, max(len(due), 1), _AT_ONCE):
        part = [evaluate.evaluate(row, snapshot) for row in due[at : at + _AT_ONCE]]
        made += rooms.settle(snapshot, part)
        told(len(part))
    return made
