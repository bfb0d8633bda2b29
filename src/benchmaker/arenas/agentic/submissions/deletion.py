"""Deletion of a submission with its dependent data; its task then settles without it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from benchmaker.arenas.agentic.evaluation.pipeline import WAIT_S, evaluation_lock, notice_key
from benchmaker.arenas.agentic.evaluation.profile import ProfileAtWork
from benchmaker.arenas.agentic.evaluation.profile_columns import own_weights
from benchmaker.arenas.agentic.evaluation.profiles import profiles_by_id, settle_boards
from benchmaker.arenas.agentic.settling.settling import settle_tasks
from benchmaker.arenas.agentic.settling.stored_boards import INDEX
from benchmaker.documents import FIRST, OMITTED, Document, listed
from benchmaker.spec.tasks.agentic_profile import AgenticProfile
from benchmaker.store import Store
from benchmaker.store.home import Home


@dataclass(frozen=True, slots=True)
class DeletedSubmission(Document):
    """The data deleted with a submission, and the tasks settled afterwards.

    ``removed`` counts rows by kind. ``settled`` names the profiles under which the tasks settled,
    ``left`` the unavailable ones: evaluate under them once more. ``boards`` counts the changed
    boards.
    """

    submission_id: Annotated[str, OMITTED]
    removed: Mapping[str, int]
    task_id: str | None = None
    settled: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    boards: int = 0

    @property
    @listed(after=FIRST)
    def deleted(self) -> tuple[str, ...]:
        """The ids of the deleted submissions."""
        return (self.submission_id,)


def delete_submission(
    submission: str,
    *,
    home: str | Path | None = None,
    store: str | None = None,
    clock: Callable[[], float] = time.time,
    wait_s: float = WAIT_S,
) -> DeletedSubmission:
    """Delete a submission, and settle its task without it.

    Its revisions, trace, figures, evaluations, verifications, flags, review and waiting notice go
    in one transaction. Frozen baselines that include it keep their numbers; the task then has a new
    one, and boards are made without it.

    Args:
        submission: its id, or a prefix of it.
        home: the data folder; default ``~/.local/share/benchmaker``.
        store: the store's address, if it is not in the data folder.
        clock: returns seconds since 1970.
        wait_s: maximum seconds to wait for another evaluating process.

    Raises:
        SpecError: unknown or ambiguous submission.
        Conflict: another process evaluates.
    """
    with Home.of(home, store).open_store() as opened:
        found = opened.find_submission(submission)
        return delete_and_settle(opened, found, now_us=int(clock() * 1e6), wait_s=wait_s)


def delete_and_settle(
    store: Store, submission_id: str, *, now_us: int | None = None, wait_s: float = WAIT_S
) -> DeletedSubmission:
    """The same in an open store, by the full id."""
    with evaluation_lock(store, wait_s=wait_s) as renew:
        rooms = store.agentic
        before = rooms.metrics_of(submission_id)
        removed = store.delete_submission(submission_id, notices=[notice_key(submission_id)])
        if before is None:
            return DeletedSubmission(submission_id, removed)
        work = settle_without(store, before.task_id, before.category, now_us=now_us, renew=renew)
        return DeletedSubmission(
            submission_id,
            removed,
            before.task_id,
            tuple(work.settled),
            tuple(work.left),
            work.boards,
        )


def settle_without(
    store: Store,
    task_id: str,
    category: str | None,
    *,
    now_us: int | None,
    renew: Callable[[], None],
) -> "TaskSettlement":
    """Let a task come to rest after one of its submissions counts no more."""
    work = TaskSettlement(store, now_us, renew)
    work.settle(task_id, category)
    return work


@dataclass(slots=True)
class TaskSettlement:
    """A task coming to rest under every profile that it was evaluated under."""

    store: Store
    now_us: int | None
    renew: Callable[[], None]
    settled: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    boards: int = 0

    def settle(self, task_id: str, category: str | None) -> None:
        """Let the task settle, and those that share its priors; then make the boards."""
        rooms = self.store.agentic
        own = own_weights(rooms.tasks())
        documents = profiles_by_id(self.store)
        tasks = {task_id, *rooms.tasks_of_category(category)}
        for profile in rooms.profiles(task_id):
            if profile not in documents:
                self.left.append(profile)
                continue
            at_work = ProfileAtWork(documents[profile], own)
            settle_tasks(self.store, at_work, tasks, on_progress=lambda _made: self.renew())
            self.settled.append(profile)
        for document in documents.values():
            self._write(document)

    def _write(self, document: AgenticProfile) -> None:
        if self.store.agentic.board(document.id, INDEX) is not None:
            self.boards += settle_boards(self.store, document, now_us=self.now_us)
            self.renew()
