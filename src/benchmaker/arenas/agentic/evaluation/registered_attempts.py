"""Attempts that are registered before the work, so that all of them count."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.sessions.importing import Put
from benchmaker.errors import Conflict, SpecError
from benchmaker.record.account import MAIN, RegisteredAttempt
from benchmaker.record.agent_trial import TrialKey
from benchmaker.record.submissions.submission import JOINT, LOCAL, Submission, System
from benchmaker.store import Store
from benchmaker.store.agentic.submissions import NewSubmission, PutStatus

MOST: Final = 100
"""Maximum number of attempts registered at once."""

_CLOCKS_S: Final = 300.0
"""So far the clocks of two machines may be apart."""


@dataclass(frozen=True, slots=True)
class AttemptStatus:
    """An attempt with its place among those of its system at its task.

    ``of`` counts them, ``without`` those of them that have no result. One has a result when its
    submission counts: it is there, and no moderator holds it back.
    """

    attempt: RegisteredAttempt
    of: int
    without: int
    has_result: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: the fields of the attempt, some under other names, and the rest."""
        it = self.attempt
        return {
            "attempt": it.id,
            "task_id": it.task_id,
            "system": it.system,
            "number": it.number,
            "of": self.of,
            "without_result": self.without,
            "by": it.by,
            "registered_at": it.made_at,
            "submission_id": it.submission_id,
            "has_result": self.has_result,
        }


def register(
    store: Store, task: str, system: System, *, count: int = 1, by: str = "local"
) -> tuple[RegisteredAttempt, ...]:
    """Register attempts of a system at a task; they are never deleted.

    Raises:
        SpecError: too many or none, or names that are invalid for submissions.
    """
    if not 1 <= count <= MOST:
        raise SpecError(f"can't register {count} attempts at once.", hint=f"1 to {MOST}.")
    refuse_invalid_names(system)
    ids = {
        store.accounts.register_attempt(MAIN, task, system=system.name, by=by) for _ in range(count)
    }
    return tuple(it for it in store.accounts.attempts(task, system.name) if it.id in ids)


def refuse_invalid_names(system: System) -> None:
    """Refuse names that are invalid for submissions.

    Raises:
        SpecError: an empty name, or one that contains the mark between names.
    """
    for name in (system.harness, system.model, system.effort):
        if name is not None and (not name.strip() or JOINT in name):
            raise SpecError(f"{name!r} is not a valid name of a tool, model or effort.")


def register_trial(store: Store, key: TrialKey, *, by: str = LOCAL) -> None:
    """Register the attempt of an agent trial, with the submission that it will have; once."""
    submission = key.submission_id
    accounts = store.accounts
    with store.write_transaction():
        known = accounts.attempts(key.task, key.system)
        if not any(it.submission_id == submission for it in known):
            made = accounts.register_attempt(MAIN, key.task, system=key.system, by=by)
            accounts.bind_attempt(made, submission)


def attempt_statuses(
    store: Store, *, task: str | None = None, system: str | None = None
) -> tuple[AttemptStatus, ...]:
    """Every attempt, or those at a task or of a system, the first first."""
    attempts = [
        it
        for it in store.agentic.attempts()
        if task in {None, it.task_id} and system in {None, it.system}
    ]
    counts = _counted_ids(store, (it.submission_id for it in attempts))
    of: dict[tuple[str, str], int] = {}
    without: dict[tuple[str, str], int] = {}
    for it in attempts:
        key = it.task_id, it.system
        of[key] = of.get(key, 0) + 1
        without[key] = without.get(key, 0) + (it.submission_id not in counts)
    return tuple(
        AttemptStatus(
            it,
            of[it.task_id, it.system],
            without[it.task_id, it.system],
            it.submission_id in counts,
        )
        for it in attempts
    )


def _counted_ids(store: Store, ids: Iterable[str | None]) -> set[str]:
    named = [one for one in ids if one is not None]
    return set(store.agentic.metric_digests(named))


def attempt_of(store: Store, submission: Submission) -> AttemptStatus | None:
    """The attempt that a submission is the result of, if any."""
    if submission.task is None:
        return None
    found = attempt_statuses(store, task=submission.task.id, system=submission.system.name)
    return next((it for it in found if it.attempt.submission_id == submission.id), None)


def refuse_wrong_result(store: Store, attempt_id: str, submission: Submission) -> None:
    """Refuse a submission that cannot be the result of an attempt.

    Raises:
        SpecError: unknown attempt, another system or task, or work that began before the
            registration.
        Conflict: it has another submission, or the submission another attempt.
    """
    attempts = store.agentic.attempts()
    found = next((it for it in attempts if it.id == attempt_id), None)
    if found is None:
        raise SpecError(
            f"there is no attempt {attempt_id!r}.",
            hint="Register one before the work: benchmaker attempt register TASK --harness H",
        )
    task = submission.task.id if submission.task else None
    if (found.task_id, found.system) != (task, submission.system.name):
        raise SpecError(
            f"attempt {attempt_id} is one of {found.system} at {found.task_id}, and this is "
            f"{submission.system.name} at {task or 'no task'}.",
            hint="Use an attempt of this system and task, or none.",
        )
    if found.submission_id not in {None, submission.id}:
        raise Conflict(
            f"attempt {attempt_id} already has a submission.",
            hint="Each attempt has one result. Use another attempt.",
        )
    if any(it.submission_id == submission.id and it.id != attempt_id for it in attempts):
        raise Conflict(
            f"{submission.id} already belongs to another attempt.",
            hint="Each attempt has one result.",
        )
    began = seconds(submission.started_at or submission.finished_at or "")
    made = seconds(found.made_at)
    if began is not None and made is not None and began < made - _CLOCKS_S:
        raise SpecError(
            f"the session started before attempt {attempt_id} was registered.",
            hint="Submit this session without an attempt. Next time, register the attempt first.",
        )


def bound_by(put: Put, attempt_id: str) -> Put:
    """Keeps a submission as the result of an attempt."""

    def put_with_result(store: Store, given: NewSubmission) -> PutStatus:
        with record_attempt_result(store, attempt_id, given.submission):
            return put(store, given)

    return put_with_result


@contextmanager
def record_attempt_result(store: Store, attempt_id: str, submission: Submission) -> Iterator[None]:
    """Store a submission as the only result of an attempt, within a context.

    If it is not stored, the attempt is free again; after a kill in between, only for the same
    submission.

    Raises:
        SpecError: as :func:`refuse_wrong_result`.
        Conflict: likewise, or another was submitted for it simultaneously.
    """
    refuse_wrong_result(store, attempt_id, submission)
    was_free = store.accounts.bind_attempt(attempt_id, submission.id)
    try:
        yield
    except BaseException:
        if was_free:
            store.accounts.free_attempt(attempt_id, submission.id)
        raise
