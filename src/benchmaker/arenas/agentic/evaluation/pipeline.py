"""From submissions to evaluations: figures, baseline, scores, outliers, ranks, notices.

Every step leaves the store consistent and is idempotent, so that a killed evaluation is resumed by
repeating it: each submission is evaluated once under each key (figures, snapshot, profile) and
announced once.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from weakref import WeakKeyDictionary

import msgspec

from benchmaker.arenas.agentic.evaluation.metrics import metrics_of
from benchmaker.arenas.agentic.evaluation.profile import ProfileAtWork
from benchmaker.arenas.agentic.evaluation.profile_columns import ProfileRanking
from benchmaker.arenas.agentic.evaluation.rows import NO_TASK, PARTS, EvaluatedRow
from benchmaker.arenas.agentic.evaluation.task_places import evaluated_rows, places_in_tasks
from benchmaker.arenas.agentic.flags import SOURCE, suspicions
from benchmaker.arenas.agentic.flags.statistics import (
    PUBLISHED,
    ROBUST,
    duplicate_flags,
    identical_flags,
    outlier_flags,
)
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.arenas.agentic.sessions.stored_events import EVENTS, events_of
from benchmaker.arenas.agentic.settling.settling import SettlingResult, settle_tasks
from benchmaker.arenas.agentic.verify.stored_tasks import Tasks
from benchmaker.errors import Conflict, StoreError
from benchmaker.record.submissions.evaluation import Evaluation, Flag, Review, Verification
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metric_joining import concatenate
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.record.submissions.submission import Submission
from benchmaker.spec.tasks.agentic_profile import AgenticProfile
from benchmaker.store import Lease, Message, Store

LEASE = "evaluation"
TOPIC = "submission.evaluated"
WAIT_S = 30.0
"""Seconds that an evaluation waits for another process's evaluation."""

_HOLDER = "pipeline"
_TTL_S = 600.0
_LOOK_S = 0.2
_AT_ONCE = 500
_ROWS_AT_ONCE = 2_000
_TASKS_AT_ONCE = 200
_FEW = 50
_REMEMBERED = 20_000
"""Submissions whose row ids are remembered for the output."""
_MOMENTARY = frozenset({PUBLISHED, ROBUST})
"""Sources whose flags depend on the task's other submissions, and so change as these come in."""

_LEFT: "WeakKeyDictionary[Store, list[Lease]]" = WeakKeyDictionary()
"""Leases that are still to be released, by store."""

StepCallback = Callable[[str, int], None]
"""Called with the name of a step and the number of items done in it since the last call."""


@dataclass(slots=True)
class IntakeSummary:
    """The imported submissions: tasks, submissions without one, and the number of changed ones."""

    tasks: set[str] = field(default_factory=set)
    without: list[Submission] = field(default_factory=list)
    new: int = 0


@dataclass(slots=True)
class Pipeline:
    """The steps over one store under one profile, which :func:`evaluation_lock` holds meanwhile."""

    store: Store
    profile: AgenticProfile
    pricer: Pricer
    on_step: StepCallback = lambda _step, _done: None
    _tasks: Tasks = field(init=False)
    _at_work: ProfileAtWork = field(init=False)
    _outliers: dict[str, tuple[Flag, ...]] = field(default_factory=dict, init=False)
    _settled: list[MetricColumns] = field(default_factory=list, init=False)
    _row_ids: dict[str, str | None] = field(default_factory=dict, init=False)
    _last_read: tuple[Sequence[str], MetricColumns] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._tasks = Tasks(self.store)
        self._at_work = ProfileAtWork(self.profile, self._tasks.weights())

    def take(self, submissions: Iterable[Submission]) -> IntakeSummary:
        """Store the figures of submissions, and flag new ones by the rules."""
        taken, self._settled = IntakeSummary(), []
        source = iter(submissions)
        held = self.store.agentic.quarantined_submissions()
        while page := list(islice(source, _AT_ONCE)):
            self._page(page, held, taken)
            self.on_step("figures", len(page))
        return taken

    def _page(self, page: Sequence[Submission], held: frozenset[str], taken: IntakeSummary) -> None:
        rooms = self.store.agentic
        self._tasks.read(one.task.id for one in page if one.task)
        ids = [one.id for one in page]
        if len(self._row_ids) < _REMEMBERED:
            self._row_ids |= {one.id: one.row_id for one in page}
        verified = rooms.newest_verifications(ids)
        known = rooms.metric_digests(ids)
        changed: dict[str, tuple[Submission, Metrics, str]] = {}
        for one in page:
            row = self._row(one, verified.get(one.id), is_held=one.id in held)
            if row is None:
                taken.without.append(one)
                continue
            taken.tasks.add(row.task_id)
            digest = self._digest(row, one)
            if known.get(one.id) != digest:
                changed[one.id] = one, row, digest
        taken.new += len(changed)
        self._flag_changed([(one, row) for one, row, _ in changed.values()])
        taken.tasks |= rooms.put_metrics([(row, digest) for _, row, digest in changed.values()])

    def _row(
        self, submission: Submission, verification: Verification | None, *, is_held: bool
    ) -> Metrics | None:
        task = self._tasks.find(submission.task.id) if submission.task else None
        return metrics_of(
            submission,
            category=task.category if task else None,
            difficulty=task.difficulty if task else None,
            verification=verification,
            quarantined=is_held,
            pricer=self.pricer,
        )

    def _digest(self, row: Metrics, submission: Submission) -> str:
        """Return a digest of the figures, of their sources, and of the flag rules."""
        task = self._tasks.find(row.task_id)
        parts = (row, submission.revision, task.digest if task else "", SOURCE)
        return sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()

    def _flag_changed(self, changed: Sequence[tuple[Submission, Metrics]]) -> None:
        """Flag submissions with new or changed figures by the rules."""
        traces = (
            self.store.agentic.traces([one.id for one, _ in changed], EVENTS) if changed else {}
        )
        found: list[Flag] = []
        for one, row in changed:
            task = self._tasks.find(row.task_id)
            events = events_of(traces.get(one.id, ()))
            found += suspicions(one, row, events, task=task.body if task else {})
        self._raise(found)

    def _raise(self, flags: Sequence[Flag]) -> None:
        if flags:
            self.store.agentic.add_flags(flags)

    def settle(self, tasks: Iterable[str]) -> SettlingResult:
        """Evaluate new submissions and settle the tasks; those that share priors together."""
        arrived, again, moved = 0, 0, list[str]()
        names = sorted(tasks)
        are_few, self._settled = len(names) <= _TASKS_AT_ONCE, []
        for group in self._groups(names):
            done = settle_tasks(
                self.store,
                self._at_work,
                group,
                announce=evaluation_notice,
                on_progress=lambda made: self.on_step("scores", made),
                on_columns=self._settled.append if are_few else None,
            )
            arrived, again = arrived + done.arrived, again + done.again
            moved += done.moved
        return SettlingResult(arrived, again, tuple(moved))

    def _groups(self, names: list[str]) -> Iterator[list[str]]:
        """Groups to settle: tasks that share priors as one, the others in batches by size."""
        if len(names) == 1:
            yield names
            return
        sizes = self.store.agentic.uncategorised_sizes(names)
        alone: list[str] = []
        rows = 0
        for task_id, size in sizes.items():
            if alone and rows + size > _ROWS_AT_ONCE:
                yield alone
                alone, rows = [], 0
            alone.append(task_id)
            rows += size
        if alone:
            yield alone
        if together := [one for one in names if one not in sizes]:
            yield together

    def flag(self, tasks: Iterable[str]) -> None:
        """Flag outliers, identical figures and work that was submitted twice."""
        names = sorted(tasks)
        for at in range(0, len(names), _TASKS_AT_ONCE):
            columns = self._see(names[at : at + _TASKS_AT_ONCE])
            of_tasks = [it for name in columns.tasks for it in self._outliers[name]]
            self._raise((*of_tasks, *identical_flags(columns)))
            self.on_step("outliers", len(columns))
        self._raise(tuple(duplicate_flags(self.store)))

    def _see(self, tasks: Sequence[str]) -> MetricColumns:
        """Read the current figures of tasks, and find the outliers among them."""
        columns = self._as_settled(tasks)
        if columns is None:
            columns = self.store.agentic.task_columns(tasks)
        self._outliers |= outlier_flags(columns, self.profile)
        self._last_read = tasks, columns
        return columns

    def _as_settled(self, tasks: Sequence[str]) -> MetricColumns | None:
        """The figures as settling has just read them; None unless they are of these tasks alone."""
        parts, self._settled = self._settled, []
        named = sorted(name for part in parts for name in part.tasks)
        return concatenate(parts) if parts and named == list(tasks) else None

    def rows(
        self, tasks: Iterable[str], ids: Collection[str] | None = None
    ) -> Iterator[tuple[EvaluatedRow, ...]]:
        """Yield the submissions with their ranks, task by task; only those of ``ids`` if given."""
        flags, reviews = self._flags(ids), self._reviews(ids)
        ranking, names = ProfileRanking.of_store(self.store, self.profile), sorted(tasks)
        for at in range(0, len(names), _TASKS_AT_ONCE):
            page = names[at : at + _TASKS_AT_ONCE]
            columns = self._columns_of(page)
            row_ids = self._row_ids_of(columns.ids if ids is None else ids)
            for found in places_in_tasks(self.store, ranking, columns, page):
                of_task = [found.columns.ids[number] for number in found.numbers(ids)]
                outliers = self._outliers[found.snapshot.task_id]
                yield evaluated_rows(
                    found,
                    ids=ids,
                    flags=_current_flags(of_task, flags, outliers),
                    reviews=reviews,
                    row_ids=row_ids,
                )
                self.on_step("ranks", len(found.columns))

    def _row_ids_of(self, names: Collection[str]) -> dict[str, str | None]:
        """The ids of rows in their tables; those of submissions just taken are known."""
        others = [name for name in names if name not in self._row_ids]
        known = {name: self._row_ids[name] for name in names if name in self._row_ids}
        return known | self.store.agentic.row_ids(others)

    def _columns_of(self, tasks: Sequence[str]) -> MetricColumns:
        """The figures of tasks as :meth:`flag` has just read them, else read now."""
        if self._last_read is not None and self._last_read[0] == tasks:
            return self._last_read[1]
        return self._see(tasks)

    def _flags(self, ids: Collection[str] | None) -> dict[str, list[Flag]]:
        rooms = self.store.agentic
        if ids is not None and len(ids) <= _FEW:
            return {one: list(rooms.flags(one)) for one in ids}
        return _by_submission(rooms.flags())

    def _reviews(self, ids: Collection[str] | None) -> dict[str, Review]:
        rooms = self.store.agentic
        if ids is not None and len(ids) <= _FEW:
            return {one: it for one in ids for it in rooms.reviews(submission_id=one)}
        return {one.submission_id: one for one in rooms.reviews()}


def _by_submission(flags: Iterable[Flag]) -> dict[str, list[Flag]]:
    found: dict[str, list[Flag]] = {}
    for flag in flags:
        found.setdefault(flag.submission_id, []).append(flag)
    return found


def _current_flags(
    names: Iterable[str], flags: Mapping[str, Sequence[Flag]], outliers: Iterable[Flag]
) -> dict[str, list[Flag]]:
    """The current flags: those of the rules, and outliers among the current rows."""
    found = {
        name: [flag for flag in flags.get(name, ()) if flag.source not in _MOMENTARY]
        for name in names
    }
    for flag in outliers:
        if flag.submission_id in found:
            found[flag.submission_id].append(flag)
    return found


def notice_key(submission_id: str) -> str:
    """The key of a submission's one notice."""
    return f"evaluated:{submission_id}"


def evaluation_notice(one: Evaluation) -> Message:
    """The one notice of a submission, about its first evaluation."""
    scores = {f"{name}_score": getattr(one, f"{name}_score") for name in PARTS}
    body = {
        "submission_id": one.submission_id,
        "task_id": one.task_id,
        "system": one.system,
        "profile": one.profile,
        "scale": "0-100",
        **scores,
        "evidence_level": str(one.evidence_level),
        "reason": one.reason,
    }
    return Message(topic=TOPIC, dedupe_key=notice_key(one.submission_id), body=body)


def without_task(submission: Submission) -> EvaluatedRow:
    """The row of a submission that names no task."""
    return EvaluatedRow(
        submission_id=submission.id,
        task_id=None,
        system=submission.system.name,
        row_id=submission.row_id,
        evidence_level=str(submission.evidence_level),
        flags=submission.flags,
        reason=NO_TASK,
        words="no task, so no comparison",
    )


@contextmanager
def evaluation_lock(store: Store, *, wait_s: float = WAIT_S) -> Iterator[Callable[[], None]]:
    """Hold the evaluation lease for this process; yields a function that renews it.

    Raises:
        Conflict: another process still evaluates after ``wait_s`` seconds; the message names it.
    """
    hold = _Lock(store, _acquire(store, wait_s))
    try:
        yield hold.renew
    finally:
        left = _LEFT.setdefault(store, [])
        left.append(hold.lease)
        with suppress(StoreError):  # it is given back the next time, or runs out by itself
            give_back(store)


@dataclass(slots=True)
class _Lock:
    store: Store
    lease: Lease
    renewed: float = field(default_factory=time.monotonic)

    def renew(self) -> None:
        if time.monotonic() - self.renewed >= _TTL_S / 4:
            self.lease = self.store.renew_lease(self.lease)
            self.renewed = time.monotonic()


def give_back(store: Store) -> None:
    """Release leases of this process that could not be released earlier.

    A full or unreachable store accepts no release, and other evaluating processes would wait until
    the lease expires.

    Raises:
        StoreError: the store still accepts none.
    """
    left = _LEFT.get(store, [])
    for lease in list(left):
        store.release_lease(lease)
        with suppress(ValueError):  # another thread was faster
            left.remove(lease)


def _acquire(store: Store, wait_s: float) -> Lease:
    due = time.monotonic() + wait_s
    while True:
        give_back(store)
        try:
            return store.acquire_lease(LEASE, holder=_HOLDER, ttl_s=_TTL_S)
        except Conflict:
            if time.monotonic() >= due:
                raise
        time.sleep(_LOOK_S)
