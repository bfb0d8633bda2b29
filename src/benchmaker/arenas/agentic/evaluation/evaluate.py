"""``benchmaker.evaluate`` and ``benchmaker.submit``: one call from logs to evaluations."""

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from benchmaker.arenas.agentic.evaluation.notices import receivers_of
from benchmaker.arenas.agentic.evaluation.pipeline import (
    Pipeline,
    StepCallback,
    evaluation_lock,
    without_task,
)
from benchmaker.arenas.agentic.evaluation.profiles import (
    keep_profile,
    profile_named,
    settle_all_boards,
    settle_boards_of_tasks,
)
from benchmaker.arenas.agentic.evaluation.registered_attempts import record_attempt_result
from benchmaker.arenas.agentic.evaluation.rows import Evaluated, EvaluatedRow
from benchmaker.arenas.agentic.sessions.importing import Imported, import_logs
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.arenas.agentic.settling.settling import SettlingResult
from benchmaker.arenas.agentic.verify.one_submission import verify_workspace
from benchmaker.arenas.agentic.verify.results import Graded
from benchmaker.arenas.agentic.verify.rubric_judges import WantedJury
from benchmaker.arenas.agentic.verify.stored_tasks import find_folder, named_task, stored_form
from benchmaker.engine.jobs.notices import DeliveryResult, Receiver, deliver
from benchmaker.engine.trials.interpreter import tune_interpreter
from benchmaker.errors import SpecError
from benchmaker.providers.prices.costs import Prices
from benchmaker.record.submissions.submission import Submission
from benchmaker.spec.documents.files import is_there
from benchmaker.spec.tasks.agentic_profile import BUILT_IN, OPENING, AgenticProfile, load_profile
from benchmaker.spec.tasks.task import TaskFolder
from benchmaker.store import Store
from benchmaker.store.home import Home

_AT_ONCE = 500

OnTask = Callable[[tuple[EvaluatedRow, ...]], None]
"""Receives the rows of one task after another."""


def evaluate(
    what: str | Path | None = None,
    *,
    profile: str | Path | AgenticProfile = OPENING,
    task: str | None = None,
    submitter: str | None = None,
    source: str = "",
    home: str | Path | None = None,
    store: str | None = None,
    environ: Mapping[str, str] | None = None,
    on_progress: StepCallback | None = None,
    clock: Callable[[], float] = time.time,
) -> Evaluated:
    """Evaluate a batch of submissions, and settle their tasks.

    Args:
        what: path of a file or a folder of logs, rows or submissions, which is imported first;
            None for everything stored.
        profile: the name of a profile, the path of a custom one, or a profile.
        task: the default task of the sessions; a task's folder or id.
        submitter: the submitter.
        source: a name for the collection of the rows, see ``import_logs``.
        home: the data folder; default ``~/.local/share/benchmaker``.
        store: the store's address, if it is not in the data folder.
        environ: the variables with the secrets of the receivers in ``notices.yaml``;
            without them notices wait, see ``benchmaker notices``.
        on_progress: called with each step and its number of items.
        clock: returns seconds since 1970.

    Returns:
        All submissions to the affected tasks, each with its scores, rank and reason.

    Raises:
        TranscriptError: a path does not exist, or the file's format is not recognised.
        SpecError: unknown profile or task, or an invalid file.
        StoreError: the store is unusable; Conflict if another process evaluates.
    """
    place = Home.of(home, store)
    order = EvaluationOptions(
        profile=profile_of(place, profile),
        place=place,
        environ=environ,
        clock=clock,
    )
    rows: list[EvaluatedRow] = []
    made = batch(
        order,
        None if what is None else Path(what),
        task=task,
        submitter=submitter,
        source=source,
        on_task=rows.extend,
        on_step=on_progress,
    )
    return replace(made, rows=tuple(rows))


def submit(
    path: str | Path,
    *,
    task: str | Path,
    workspace: str | Path | None = None,
    isolation: str | None = None,
    unsafe_local: bool = False,
    executor: str | None = None,
    judges: Sequence[str] = (),
    recorded_judge: str | Path | None = None,
    submitter: str | None = None,
    attempt: str | None = None,
    profile: str | Path | AgenticProfile = OPENING,
    home: str | Path | None = None,
    store: str | None = None,
    environ: Mapping[str, str] | None = None,
    clock: Callable[[], float] = time.time,
) -> Evaluated:
    """Submit one session and its workspace for a task.

    Args:
        path: the session's log, or a file with one submission.
        task: the folder of a task, or the id of a bundled or stored one.
        workspace: the workspace to verify in isolation by the task's criteria; it is never changed.
        isolation: the isolation level, if stricter than the task requires.
        unsafe_local: allow verification without isolation, if the task allows it.
        executor: the place of grading: ``local`` (this process), ``ray``, or the address of a Ray
            cluster. Judges are queried only from this process.
        judges: the models that judge by rubrics; without any, and without recorded replies, such
            criteria are skipped.
        recorded_judge: a file of recorded judges' replies, in which the judged model is
            ``submission`` and the id ``TASK/CRITERION``.
        submitter: the submitter.
        attempt: its registered attempt.
        profile: the name of a profile, the path of a custom one, or a profile.
        home: the data folder; default ``~/.local/share/benchmaker``.
        store: the store's address, if it is not in the data folder.
        environ: the variables with the secrets of the receivers in ``notices.yaml``;
            without them notices wait, see ``benchmaker notices``.
        clock: returns seconds since 1970.

    Returns: Only the submission's row, ranked among all of its task.

    Raises:
        SpecError: the path holds no session or several; an unknown task, or its folder is missing
            for verification.
        PrerequisiteError: the isolation required by the task is unavailable.
        TranscriptError, StoreError: as in :func:`evaluate`.
    """
    place = Home.of(home, store)
    order = EvaluationOptions(
        profile=profile_of(place, profile),
        place=place,
        environ=environ,
        clock=clock,
    )
    receivers = order.receivers()
    with order.place.open_store() as opened:
        task_id, folder = named_task(opened, str(task))
    _refuse_unverifiable(task_id, folder, workspace)
    wanted = WantedJury(
        judges=judges, recorded=recorded_judge, environ=environ, home=order.place.home
    )
    _refuse_judges_without_workspace(wanted, workspace)
    given: dict[str, Any] = {
        "task": task_id,
        "task_is_chosen": True,
        "submitter": submitter,
        "home": order.place.home,
        "store": store,
        "clock": clock,
    }
    read = _one_of(import_logs(path, **given, dry_run=True), Path(path))
    _refuse_another_task(read, task_id, Path(path))
    verify = partial(
        verify_workspace,
        isolation=isolation,
        unsafe_local=unsafe_local,
        wanted=wanted,
        executor=executor,
    )
    with order.place.open_store() as opened:
        with record_attempt_result(opened, attempt, read) if attempt is not None else nullcontext():
            imported = import_logs(path, **given)
        one = _one_of(imported, Path(path))
        if workspace is not None and folder is not None:
            verified = verify(opened, folder, Path(workspace), submission=one)
            opened.agentic.add_verification(asyncio.run(verified))
        return _evaluate_own(opened, order, one, imported, receivers)


def _evaluate_own(
    opened: Store,
    order: "EvaluationOptions",
    own: Submission,
    imported: Imported,
    receivers: Sequence[Receiver],
) -> Evaluated:
    """Settle the boards with a submission that was just stored, and return its row."""
    rows: list[EvaluatedRow] = []
    settled = evaluate_submissions(
        opened, order, [opened.submission(own.id)], rows.extend, None, ids=[own.id]
    )
    notices = _deliver(opened, receivers)
    completed = with_pending_criteria(opened, rows)
    graded = Graded.from_store(opened, opened.submission(own.id))
    return Evaluated(order.profile.id, completed, settled, imported, notices, graded)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationOptions:
    """Options of evaluating a batch, and the data folder."""

    profile: AgenticProfile
    place: Home
    environ: Mapping[str, str] | None = None
    clock: Callable[[], float] = time.time

    def receivers(self) -> tuple[Receiver, ...]:
        """Return the receivers of notices; empty without the variables of their secrets."""
        return () if self.environ is None else receivers_of(self.place.home, self.environ)


def batch(
    order: EvaluationOptions,
    path: Path | None,
    *,
    on_task: OnTask,
    on_step: StepCallback | None,
    task: str | None = None,
    submitter: str | None = None,
    source: str = "",
) -> Evaluated:
    """Evaluate a batch, passing on the rows of each task as soon as they are ready."""
    receivers = order.receivers()
    with tune_interpreter():
        imported = None if path is None else _import(order, path, task, submitter, source)
        with order.place.open_store() as opened:
            completing = _RowCompleter(opened, on_task)
            settled = evaluate_submissions(
                opened, order, _submissions(opened, imported), completing.take, on_step
            )
            completing.end()
            notices = _deliver(opened, receivers)
    return Evaluated(order.profile.id, (), settled, imported, notices)


def _import(
    order: EvaluationOptions, path: Path, task: str | None, submitter: str | None, source: str
) -> Imported:
    place = order.place
    task_id = None
    if task is not None:
        folder = find_folder(task)
        task_id = folder.task.id if folder else task
        if folder is not None:
            with place.open_store() as opened:
                opened.agentic.put_task(stored_form(folder))
    return import_logs(
        path,
        task=task_id,
        submitter=submitter,
        source=source,
        home=place.home,
        store=place.url,
        clock=order.clock,
    )


def _submissions(store: Store, imported: Imported | None) -> Iterator[Submission]:
    """The imported submissions as they are stored, or all that are stored."""
    if imported is None:
        yield from store.submissions()
        return
    ids = list(dict.fromkeys(one.id for one in imported.submissions))
    for at in range(0, len(ids), _AT_ONCE):
        yield from store.agentic.submissions_of(ids[at : at + _AT_ONCE])


def evaluate_submissions(
    store: Store,
    order: EvaluationOptions,
    submissions: Iterable[Submission],
    on_task: OnTask | None,
    on_step: StepCallback | None,
    *,
    pricer: Pricer | None = None,
    ids: Collection[str] | None = None,
) -> SettlingResult:
    """Run all steps from figures to ranks, which are looked up only for ``on_task``.

    With ``ids`` it receives the rows of these submissions alone, otherwise of all in their tasks.
    """
    with evaluation_lock(store) as renew:

        def tell(step: str, done: int) -> None:
            renew()
            if on_step is not None:
                on_step(step, done)

        settled, without = evaluate_locked(
            store, order, submissions, on_task, tell, pricer=pricer, ids=ids
        )
    if without and on_task is not None:
        on_task(tuple(without_task(one) for one in without))
    return settled


def evaluate_locked(
    store: Store,
    order: EvaluationOptions,
    submissions: Iterable[Submission],
    on_task: OnTask | None,
    on_step: StepCallback,
    *,
    pricer: Pricer | None = None,
    ids: Collection[str] | None = None,
) -> tuple[SettlingResult, list[Submission]]:
    """The same while the store is locked; also returns the submissions that name no task."""
    pricer = pricer or Pricer(Prices(order.place.home), now=order.clock())
    keep_profile(store, order.profile)
    pipeline = Pipeline(store, order.profile, pricer, on_step)
    taken = pipeline.take(submissions)
    settled = pipeline.settle(taken.tasks)
    pipeline.flag(taken.tasks)
    now_us = int(order.clock() * 1e6)
    maker = settle_boards_of_tasks(store, order.profile, taken.tasks, now_us=now_us)
    if on_task is not None:
        for rows in pipeline.rows(taken.tasks, ids):
            on_task(rows)
    if taken.tasks:
        settle_all_boards(store, order.profile, taken.tasks, now_us=now_us, maker=maker)
    return settled, taken.without


@dataclass(slots=True)
class _RowCompleter:
    """Passes on the rows of tasks, completed together with those of a few others."""

    store: Store
    on_task: OnTask
    _tasks: list[tuple[EvaluatedRow, ...]] = field(default_factory=list)

    def take(self, rows: tuple[EvaluatedRow, ...]) -> None:
        """Add the rows of a task."""
        self._tasks.append(rows)
        if sum(map(len, self._tasks)) >= _AT_ONCE:
            self.end()

    def end(self) -> None:
        """Pass on those that wait."""
        made = iter(with_pending_criteria(self.store, list(chain.from_iterable(self._tasks))))
        for rows in self._tasks:
            self.on_task(tuple(islice(made, len(rows))))
        self._tasks = []


def with_pending_criteria(store: Store, rows: Sequence[EvaluatedRow]) -> tuple[EvaluatedRow, ...]:
    """The rows with the criteria that wait for an answer."""
    waiting: dict[str, str] = {}
    for at in range(0, len(rows), _AT_ONCE):
        ids = [row.submission_id for row in rows[at : at + _AT_ONCE]]
        found = store.agentic.newest_verifications(ids)
        waiting |= {name: one.pending_reason for name, one in found.items()}
    return tuple(
        replace(row, waiting=waiting[row.submission_id]) if row.submission_id in waiting else row
        for row in rows
    )


def _deliver(store: Store, receivers: Sequence[Receiver]) -> DeliveryResult | None:
    return asyncio.run(deliver(store, receivers)) if receivers else None


def profile_of(place: Home, given: str | Path | AgenticProfile) -> AgenticProfile:
    """Return the profile itself, or the one in a file or with a name known to the store."""
    if isinstance(given, AgenticProfile):
        return given
    if str(given) in BUILT_IN or is_there(given):
        return load_profile(given)
    with place.open_store() as store:
        return profile_named(store, str(given))


def _refuse_unverifiable(
    task_id: str, folder: TaskFolder | None, workspace: str | Path | None
) -> None:
    if workspace is None:
        return
    if folder is None:
        raise SpecError(
            f"verification needs the folder of task {task_id!r}, which was not found.",
            hint="Give the folder with task.yaml as the task.",
        )
    if not Path(workspace).exists():
        raise SpecError(f"no folder or archive {str(workspace)!r} to verify.")


def _refuse_judges_without_workspace(wanted: WantedJury, workspace: str | Path | None) -> None:
    if wanted.is_named and workspace is None:
        raise SpecError("a judge needs a workspace, but none is given.", hint="Give --workspace.")


def _refuse_another_task(read: Submission, task_id: str, path: Path) -> None:
    named = read.task.id if read.task else None
    if named != task_id:
        raise SpecError(
            f"the row is for task {named!r}, not {task_id!r}.",
            where=str(path),
            hint=f"Use its own task: --task {named}",
        )


def _one_of(imported: Imported, path: Path) -> Submission:
    if imported.copied and not imported.submissions:
        original = imported.copied[0]
        raise SpecError(
            f"the session was taken for a copy of {original}, which counts all of its answers and "
            "tool calls.",
            where=str(path),
            hint=(
                f"To replace that session, delete it first: benchmaker delete {original}. If this "
                "is other work, give its answers and tool calls ids of their own."
            ),
        )
    if len(imported.submissions) != 1:
        n = len(imported.submissions)
        what = f"the path has {n:,} sessions" if n else "the path has no session"
        raise SpecError(
            f"{what}; exactly one is needed.",
            where=str(path),
            hint="For several sessions, use: benchmaker evaluate PATH --task TASK",
        )
    return imported.submissions[0]
