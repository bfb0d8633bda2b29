"""Many submissions' workspaces verified as one batch, here or on a cluster."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmaker.arenas.agentic.evaluation.evaluate import (
    EvaluationOptions,
    evaluate_submissions,
    profile_of,
    with_pending_criteria,
)
from benchmaker.arenas.agentic.evaluation.rows import Evaluated, EvaluatedRow
from benchmaker.arenas.agentic.submissions.evaluator_process import existing_submissions
from benchmaker.arenas.agentic.verify.stored_tasks import named_task
from benchmaker.arenas.agentic.verify.transfer import Unsendable
from benchmaker.arenas.agentic.verify.unpacking import SUFFIXES
from benchmaker.arenas.agentic.verify.workers import (
    VerifyOptions,
    Work,
    WorkspaceVerifier,
    open_verifier,
)
from benchmaker.engine.executors.executor_names import worker_source_named
from benchmaker.engine.executors.workers import fan_out
from benchmaker.errors import SpecError
from benchmaker.record.submissions.evaluation import Verification
from benchmaker.record.submissions.submission import Submission
from benchmaker.sandbox import Isolation
from benchmaker.spec.tasks.agentic_profile import OPENING, AgenticProfile
from benchmaker.spec.tasks.task import TaskFolder
from benchmaker.store import Store
from benchmaker.store.home import Home

OnVerified = Callable[[Verification], object]
"""Called with each verification once it is stored."""


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of a batch.

    ``made`` are the verifications of this call, by submission, ``known`` the submissions that were
    verified before, ``refused`` has the reasons for the others. ``evaluated`` has the rows of all
    of them.
    """

    evaluated: Evaluated
    made: dict[str, Verification] = field(default_factory=dict)
    known: tuple[str, ...] = ()
    refused: dict[str, str] = field(default_factory=dict)


def verify_all(
    workspaces: str | Path | Mapping[str, str | Path],
    *,
    task: str | Path,
    again: bool = False,
    isolation: str | None = None,
    unsafe_local: bool = False,
    executor: str | None = None,
    profile: str | Path | AgenticProfile = OPENING,
    home: str | Path | None = None,
    store: str | None = None,
    on_verified: OnVerified | None = None,
    clock: Callable[[], float] = time.time,
) -> Verified:
    """Verify the workspaces of stored submissions to one task.

    Each verification is stored on arrival, only by this process. A submission already verified for
    exactly this task is skipped, so that an interrupted batch resumes.

    Args:
        workspaces: by the id of their submission, or a folder in which each folder or archive has
            the name of its submission.
        task: the folder of the task, or the id of a bundled one.
        again: verify again those verified before.
        isolation: the isolation level, if stricter than the task requires.
        unsafe_local: allow verification without isolation, if the task allows it.
        executor: the place of grading: ``local`` (this process, one after the other),
            ``ray``, or the address of a Ray cluster.
        profile: the profile to settle under.
        home: the data folder.
        store: the store's address, if it is not in the data folder.
        on_verified: called with each verification once it is stored.
        clock: returns seconds since 1970.

    Raises:
        SpecError: unknown task or submission, a submission to another task, or nothing to verify.
        PrerequisiteError: the isolation required by the task is unavailable at the place of
            grading; earlier verifications are kept.
    """
    place = Home.of(home, store)
    order = EvaluationOptions(profile=profile_of(place, profile), place=place, clock=clock)
    options = VerifyOptions(
        isolation=Isolation(isolation) if isolation else None, unsafe_local=unsafe_local
    )
    with place.open_store() as opened:
        folder = _folder(opened, task)
        named = {_find_id(opened, one): it for one, it in _workspaces_by_name(workspaces).items()}
        known = () if again else _already_verified(opened, folder, tuple(named))
        batch = _Batch(opened, on_verified)
        work = ((name, it) for name, it in named.items() if name not in known)
        asyncio.run(batch.work(work, folder, options, executor))
        rows: list[EvaluatedRow] = []
        settled = evaluate_submissions(
            opened, order, existing_submissions(opened, list(named)), rows.extend, None
        )
        own = with_pending_criteria(opened, [row for row in rows if row.submission_id in named])
    evaluated = Evaluated(order.profile.id, own, settled)
    return Verified(evaluated, batch.made, known, batch.refused)


class _Batch:
    """Verifies, and keeps what comes of it."""

    def __init__(self, store: Store, on_verified: OnVerified | None) -> None:
        self.made: dict[str, Verification] = {}
        self.refused: dict[str, str] = {}
        self._store = store
        self._on_verified = on_verified

    async def work(
        self,
        named: Iterator[tuple[str, Path]],
        task: TaskFolder,
        options: VerifyOptions,
        executor: str | None,
    ) -> None:
        async with worker_source_named(executor) as crew, open_verifier(crew, task, options) as by:
            items = ((name, Work(it, self._submission(name, task))) for name, it in named)
            await fan_out(_TolerantVerifier(by), items, self._keep)

    def _submission(self, name: str, task: TaskFolder) -> Submission:
        one = next(existing_submissions(self._store, [name]), None) or _waiting_submission(
            self._store, name
        )
        if one.task is not None and one.task.id != task.task.id:
            raise SpecError(f"{name} is a submission to {one.task.id!r}, not {task.task.id!r}.")
        return one

    def _keep(self, item: tuple[str, Work], made: Verification | Unsendable) -> None:
        name, _ = item
        if isinstance(made, Unsendable):
            self.refused[name] = str(made)
            return
        self._store.agentic.add_verification(made)
        self.made[name] = made
        if self._on_verified is not None:
            self._on_verified(made)


class _TolerantVerifier:
    """Verifies; one workspace that is too large to be sent does not keep the others back."""

    def __init__(self, by: WorkspaceVerifier) -> None:
        self._by = by
        self.at_once = by.at_once

    async def do(self, item: tuple[str, Work]) -> Verification | Unsendable:
        try:
            return await self._by.do(item[1])
        except Unsendable as exc:
            return exc


def _folder(store: Store, task: str | Path) -> TaskFolder:
    task_id, folder = named_task(store, str(task))
    if folder is None:
        raise SpecError(
            f"verification needs the folder of task {task_id!r}, which was not found.",
            hint="Give the folder with task.yaml as the task.",
        )
    return folder


def _find_id(store: Store, text: str) -> str:
    """The id that is meant, among those that wait for a moderator, too."""
    try:
        return store.find_submission(text)
    except SpecError:
        if store.agentic.find_pending(text) is None:
            raise
        return text


def _waiting_submission(store: Store, name: str) -> Submission:
    waiting = store.agentic.find_pending(name)
    return waiting.submission if waiting else store.submission(name)


def _workspaces_by_name(workspaces: str | Path | Mapping[str, str | Path]) -> dict[str, Path]:
    """Each workspace by what its submission is called."""
    if isinstance(workspaces, Mapping):
        return {name: Path(it) for name, it in workspaces.items()}
    folder = Path(workspaces)
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    named = {_strip_suffix(one): one for one in found if not one.name.startswith(".")}
    if not named:
        raise SpecError(
            "no workspace found.",
            where=str(folder),
            hint="Use a folder with one folder or archive per submission, named by its id.",
        )
    return named


def _strip_suffix(path: Path) -> str:
    ends = [end for end in SUFFIXES if path.name.lower().endswith(end)]
    return path.name[: -len(max(ends, key=len))] if ends and path.is_file() else path.name


def _already_verified(store: Store, task: TaskFolder, names: Sequence[str]) -> tuple[str, ...]:
    """Those whose newest verification is by this very task."""
    found = store.agentic.newest_verifications(names)
    return tuple(name for name in names if name in found and found[name].task_digest == task.digest)
