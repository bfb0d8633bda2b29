"""Settling: after each change, new submissions are evaluated and the tasks' baselines updated.

An evaluation is a pure function of figures, snapshot and profile; a snapshot is a pure function of
a set of figures. A new submission is evaluated once, under the current snapshot, and that
evaluation is stored. Then the task settles: if its figures now yield another snapshot, that becomes
the current one. Evaluations under it are computed on demand, so one more submission does not
rewrite every row of its task. The result does not depend on the order or batches of submissions,
and is the same after an interruption or a second pass.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from benchmaker.record.submissions.evaluation import BaselineSnapshot, Evaluation
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.store import Message, Store
from benchmaker.store.agentic.evaluations import SnapshotUpdate

_AT_ONCE = 1_000
_TASKS_AT_ONCE = 200


class Evaluate(Protocol):
    """A scoring profile, as passed by an arena to the engine."""

    @property
    def profile(self) -> str:
        """Name and version."""

    def snapshots(self, columns: MetricColumns) -> Mapping[str, BaselineSnapshot]:
        """Every task's baseline out of all figures of their categories."""

    def snapshot(self, task_id: str) -> BaselineSnapshot:
        """Return the baseline of a task without submissions."""

    def evaluate(self, row: Metrics, snapshot: BaselineSnapshot) -> Evaluation:
        """Return the profile's evaluation of the figures."""


Announce = Callable[[Evaluation], Message]
"""The notice of a submission's first evaluation."""


class SettlingResult(NamedTuple):
    """The result of settling: new evaluations, submissions with a new baseline, and their tasks."""

    arrived: int = 0
    again: int = 0
    moved: tuple[str, ...] = ()


def settle_tasks(
    store: Store,
    evaluate: Evaluate,
    task_ids: Iterable[str],
    *,
    announce: Announce | None = None,
    on_progress: Callable[[int], Any] | None = None,
    on_columns: Callable[[MetricColumns], Any] | None = None,
) -> SettlingResult:
    """Evaluate new submissions in these tasks, and settle all tasks of their categories.

    Args:
        store: the store of figures and evaluations.
        evaluate: the profile.
        task_ids: the changed tasks.
        announce: creates the single notice of each submission at its first evaluation; it is added
            to the outbox in the same transaction.
        on_progress: called with the number of evaluations made since its last call.
        on_columns: called with the figures of all these tasks, once they are read.
    """
    report = on_progress or (lambda _made: None)
    wanted = set(task_ids)
    tasks = _tasks_of_categories(store, wanted)
    with _EvaluationBuffer(store, report) as writing:
        for page in store.agentic.arrivals(evaluate.profile, tasks):
            _put_arrivals(store, evaluate, page, writing, lambda one: _news(one, wanted, announce))
    columns = store.agentic.task_columns(tasks)
    if on_columns is not None:
        on_columns(columns)
    before = store.agentic.snapshot_hashes(evaluate.profile, tasks)
    moved = {
        task: one
        for task, one in evaluate.snapshots(columns).items()
        if before.get(task) != one.hash
    }
    with _EvaluationBuffer(store, report) as rest:
        for snapshot in moved.values():
            rest.put(SnapshotUpdate(snapshot))
    return SettlingResult(writing.new, _size(columns, moved), tuple(moved))


def _tasks_of_categories(store: Store, task_ids: Collection[str]) -> list[str]:
    """These tasks and all tasks of their categories.

    The tasks of a category share their priors, so they settle together.
    """
    rooms = store.agentic
    categories = rooms.categories_of(list(task_ids))
    alike = {other for name in categories for other in rooms.tasks_of_category(name)}
    return sorted({*task_ids, *alike})


def _put_arrivals(
    store: Store,
    evaluate: Evaluate,
    rows: Sequence[Metrics],
    writing: "_EvaluationBuffer",
    news: Callable[[Evaluation], list[Message]],
) -> None:
    """Evaluate new submissions under the current snapshot."""
    by_task: dict[str, list[Metrics]] = {}
    for row in rows:
        by_task.setdefault(row.task_id, []).append(row)
    known = store.agentic.newest_snapshots(evaluate.profile, list(by_task))
    for task_id, own in by_task.items():
        snapshot = known.get(task_id) or evaluate.snapshot(task_id)
        made = [evaluate.evaluate(row, snapshot) for row in own]
        writing.put(SnapshotUpdate(snapshot, made, [it for one in made for it in news(one)]))


def _news(one: Evaluation, wanted: set[str], announce: Announce | None) -> list[Message]:
    return [announce(one)] if announce is not None and one.task_id in wanted else []


def _size(columns: MetricColumns, tasks: Iterable[str]) -> int:
    """Return the number of submissions of these tasks."""
    count = np.bincount(columns.task, minlength=len(columns.tasks))
    sizes = dict(zip(columns.tasks, count.tolist(), strict=True))
    return sum(sizes[task] for task in tasks)


class _EvaluationBuffer:
    """A buffer of evaluations and snapshots, written for several whole tasks at once."""

    def __init__(self, store: Store, on_put: Callable[[int], Any]) -> None:
        self._rooms, self._on_put = store.agentic, on_put
        self._waiting: list[SnapshotUpdate] = []
        self.new = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_rest: object) -> None:
        if kind is None:
            self._write()

    def put(self, made: SnapshotUpdate) -> None:
        """Add to the buffer, and write it when it is full."""
        self._waiting.append(made)
        waiting = sum(len(one.evaluations) for one in self._waiting)
        if waiting >= _AT_ONCE or len(self._waiting) >= _TASKS_AT_ONCE:
            self._write()

    def _write(self) -> None:
        if self._waiting:
            self.new += self._rooms.settle_all(self._waiting)
            self._on_put(sum(len(one.evaluations) for one in self._waiting))
            self._waiting = []
