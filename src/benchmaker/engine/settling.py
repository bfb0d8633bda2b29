"""Settling: after each change, a task's baseline and what is evaluated under it.

An evaluation is a pure function of figures, snapshot and profile; a snapshot is one of a set of
figures. New submissions are evaluated under the snapshot that stands, and the task then settles:
where the set has another snapshot, every submission is evaluated under that one. So the order in
which submissions come, their batches, a kill and a second pass change nothing in the end.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, Self

from benchmaker.record.evaluation import BaselineSnapshot, Evaluation
from benchmaker.record.metrics import Metrics
from benchmaker.store import Message, Store
from benchmaker.store.evaluations import Key, Made

_AT_ONCE = 1_000
_TASKS_AT_ONCE = 200


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
    works = {one: _Task(store, evaluate, one, of_task) for one, of_task in rows.items()}
    with _Writing(store, told) as writing:
        for one in wanted:
            if one in works:
                works[one].arrivals(writing, announce)
    arrived = writing.new
    snapshots = evaluate.snapshots([row for of_task in rows.values() for row in of_task])
    with _Writing(store, told) as writing:
        moved = [one for one, work in works.items() if work.under(writing, snapshots[one])]
    return Settled(arrived, writing.new, tuple(moved))


def _rows(store: Store, task_ids: Sequence[str]) -> dict[str, list[Metrics]]:
    """The figures of these tasks and of all tasks of their categories, by task.

    A category's tasks lend each other their priors, so that they come to rest together.
    """
    rooms = store.agentic
    categories = {name for task_id in task_ids for name in rooms.categories_of(task_id)}
    alike = {other for name in categories for other in rooms.tasks_of_category(name)}
    found = {one: list(rooms.metrics(one)) for one in sorted({*task_ids, *alike})}
    return {one: of_task for one, of_task in found.items() if of_task}


class _Writing:
    """What was made, written for several tasks at once; each task is whole when it is written."""

    def __init__(self, store: Store, told: Callable[[int], Any]) -> None:
        self._rooms, self._told = store.agentic, told
        self._waiting: list[Made] = []
        self.new = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_rest: object) -> None:
        if kind is None:
            self._write()

    def put(self, made: Made) -> None:
        """Write it, now or with what comes next."""
        self._waiting.append(made)
        waiting = sum(len(one.evaluations) for one in self._waiting)
        if waiting >= _AT_ONCE or len(self._waiting) >= _TASKS_AT_ONCE:
            self._write()

    def _write(self) -> None:
        if self._waiting:
            self.new += self._rooms.settle_all(self._waiting)
            self._told(sum(len(one.evaluations) for one in self._waiting))
            self._waiting = []


class _Task:
    """One task's submissions, and under what each of them counts."""

    def __init__(
        self, store: Store, evaluate: Evaluate, task_id: str, rows: Sequence[Metrics]
    ) -> None:
        self.rooms, self.evaluate, self.task_id = store.agentic, evaluate, task_id
        self.rows = rows
        self.known = self.rooms.evaluated_under(evaluate.profile, task_id)
        self.standing = self.rooms.snapshot(evaluate.profile, task_id)

    def arrivals(self, writing: _Writing, announce: Announce | None) -> None:
        """Evaluate the submissions that never were, under the snapshot that stands."""
        new = [row for row in self.rows if row.submission_id not in self.known]
        if new:
            self.standing = self.standing or self.evaluate.snapshot(self.task_id)
            self._made(writing, new, self.standing, announce)

    def under(self, writing: _Writing, snapshot: BaselineSnapshot) -> bool:
        """Evaluate under this snapshot what does not count under it yet; whether anything."""
        due = [row for row in self.rows if self._is_due(row, snapshot)]
        if due:
            self._made(writing, due, snapshot, None)
        elif self.standing is None or self.standing.hash != snapshot.hash:
            writing.put(Made(snapshot))
        return bool(due)

    def _is_due(self, row: Metrics, snapshot: BaselineSnapshot) -> bool:
        under = self.known.get(row.submission_id)
        if under is None or under.snapshot != snapshot.hash:
            return True
        return under.input_hash != self.evaluate.input_hash(row)

    def _made(
        self,
        writing: _Writing,
        due: Sequence[Metrics],
        snapshot: BaselineSnapshot,
        announce: Announce | None,
    ) -> None:
        for at in range(0, len(due), _AT_ONCE):
            part = [self.evaluate.evaluate(row, snapshot) for row in due[at : at + _AT_ONCE]]
            news = [announce(one) for one in part] if announce else []
            writing.put(Made(snapshot, part, news))
            self.known.update(
                (one.submission_id, Key(one.snapshot, one.input_hash)) for one in part
            )
