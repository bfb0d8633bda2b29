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
from benchmaker.store.evaluations import Key

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
    rows = _rows(store, wanted)
    works = {one: _Task(store, evaluate, one, of_task, told) for one, of_task in rows.items()}
    arrived = sum(works[one].arrivals(announce) for one in wanted if one in works)
    again, moved = 0, []
    snapshots = evaluate.snapshots([row for of_task in rows.values() for row in of_task])
    for task_id, work in works.items():
        made = work.under(snapshots[task_id])
        again += made
        moved += [task_id] if made else []
    return Settled(arrived, again, tuple(moved))


def _rows(store: Store, task_ids: Sequence[str]) -> dict[str, list[Metrics]]:
    """The figures of these tasks and of all tasks of their categories, by task.

    A category's tasks lend each other their priors, so that they come to rest together.
    """
    rooms = store.agentic
    categories = {name for task_id in task_ids for name in rooms.categories_of(task_id)}
    alike = {other for name in categories for other in rooms.tasks_of_category(name)}
    found = {one: list(rooms.metrics(one)) for one in sorted({*task_ids, *alike})}
    return {one: of_task for one, of_task in found.items() if of_task}


class _Task:
    """One task's submissions, and under what each of them counts."""

    def __init__(
        self,
        store: Store,
        evaluate: Evaluate,
        task_id: str,
        rows: Sequence[Metrics],
        told: Callable[[int], Any],
    ) -> None:
        self.rooms, self.evaluate, self.task_id = store.agentic, evaluate, task_id
        self.rows, self.told = rows, told
        self.known = self.rooms.evaluated_under(evaluate.profile, task_id)

    def arrivals(self, announce: Announce | None) -> int:
        """Evaluate the submissions that never were, under the snapshot that stands."""
        new = [row for row in self.rows if row.submission_id not in self.known]
        if not new:
            return 0
        standing = self.rooms.snapshot(self.evaluate.profile, self.task_id)
        return self._made(new, standing or self.evaluate.snapshot(self.task_id), announce)

    def under(self, snapshot: BaselineSnapshot) -> int:
        """Evaluate under this snapshot what does not count under it yet."""
        due = [row for row in self.rows if self._is_due(row, snapshot)]
        if due:
            return self._made(due, snapshot, None)
        standing = self.rooms.snapshot(self.evaluate.profile, self.task_id)
        if standing is None or standing.hash != snapshot.hash:
            self.rooms.settle(snapshot, ())
            self.told(0)
        return 0

    def _is_due(self, row: Metrics, snapshot: BaselineSnapshot) -> bool:
        under = self.known.get(row.submission_id)
        if under is None or under.snapshot != snapshot.hash:
            return True
        return under.input_hash != self.evaluate.input_hash(row)

    def _made(
        self, due: Sequence[Metrics], snapshot: BaselineSnapshot, announce: Announce | None
    ) -> int:
        made = 0
        for at in range(0, len(due), _AT_ONCE):
            part = [self.evaluate.evaluate(row, snapshot) for row in due[at : at + _AT_ONCE]]
            news = [announce(one) for one in part] if announce else []
            made += self.rooms.settle(snapshot, part, announce=news)
            self.known.update(
                (one.submission_id, Key(one.snapshot, one.input_hash)) for one in part
            )
            self.told(len(part))
        return made
