"""Moderation: submissions by non-admins of a moderated team wait for a decision."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from benchmaker.arenas.agentic.evaluation.evaluate import EvaluationOptions, evaluate_locked
from benchmaker.arenas.agentic.evaluation.pipeline import evaluation_lock
from benchmaker.arenas.agentic.evaluation.profiles import with_boards
from benchmaker.arenas.agentic.submissions.deletion import settle_without
from benchmaker.arenas.agentic.submissions.evaluator_process import existing_submissions
from benchmaker.errors import Conflict, SpecError
from benchmaker.record.submissions.evaluation import Moderation, ModerationState
from benchmaker.record.submissions.submission import Submission
from benchmaker.store import Store
from benchmaker.store.agentic.moderation import (
    PendingSubmission,
    refuse_changed,
)
from benchmaker.store.home import Home

WAITS = "waits for a moderator"
"""The text shown in place of its scores."""


@dataclass(frozen=True, slots=True)
class ModerationRow:
    """A moderated submission, and its state; None for a deleted one."""

    step: Moderation
    submission: Submission | None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: a row of a table, out of two records."""
        step, it = self.step, self.submission
        is_decided = step.state is not ModerationState.WAITING
        return {
            "submission_id": step.submission_id,
            "number": step.number,
            "task_id": it.task.id if it and it.task else None,
            "system": it.system.name if it else "",
            "state": str(step.state),
            "by": step.by,
            "note": step.note,
            "actor": step.actor if is_decided else None,
            "decided_at": step.created_at if is_decided else None,
            "handed_in_at": it.created_at if it else None,
            "figures": _figures(it) if it else {},
        }


def _figures(it: Submission) -> dict[str, Any]:
    return {
        "success": it.outcome.success,
        "total_tokens": it.total_tokens,
        "tool_calls": it.tool_calls,
        "iterations": it.iterations,
        "wall_s": it.time.wall_s,
        "cost_usd": it.cost.usd,
        "evidence_level": str(it.evidence_level),
    }


@dataclass(frozen=True, slots=True)
class Moderated:
    """A decision, and the profiles under which the task came to rest after it."""

    step: Moderation
    settled: tuple[str, ...] = ()


def moderation_rows(
    store: Store, state: ModerationState | None = ModerationState.WAITING
) -> Iterator[ModerationRow]:
    """Yield waiting submissions, oldest first; or accepted or rejected ones; or all."""
    for step in store.agentic.moderation(state=state):
        yield ModerationRow(step, _submission_of(store, step))


def _submission_of(store: Store, step: Moderation) -> Submission | None:
    if (waiting := store.agentic.find_pending(step.submission_id)) is not None:
        return waiting.submission
    return next(existing_submissions(store, [step.submission_id]), None)


def moderate(
    submission: str,
    state: ModerationState | str,
    *,
    note: str = "",
    actor: str = "local",
    number: int = 0,
    home: str | Path | None = None,
    store: str | None = None,
    clock: Callable[[], float] = time.time,
) -> Moderated:
    """Accept or reject a submission waiting for a moderator; its task then settles again.

    Args:
        submission: its id, or a prefix of it.
        state: ``accepted`` or ``rejected``.
        note: the reason; required for a rejection.
        actor: the moderator.
        number: the reviewed row, so that nothing is accepted unseen; 0 for any waiting row.
        home: the data folder.
        store: the store's address, if it is not in the data folder.
        clock: returns seconds since 1970.

    Raises:
        SpecError: unknown among moderated submissions, or a rejection without a reason.
        Conflict: it is already accepted, another row was submitted meanwhile, or another process
            evaluates.
    """
    wanted = ModerationState(state)
    note = note.strip()
    if wanted is ModerationState.WAITING:
        raise SpecError("a decision must be accepted or rejected.")
    if wanted is ModerationState.REJECTED and not note:
        raise SpecError("a rejection needs a reason.", hint="Add a note for the submitter.")
    place = Home.of(home, store)
    with place.open_store() as opened, evaluation_lock(opened) as renew:
        name = find_moderated(opened, submission)
        step = Moderation(submission_id=name, number=number, state=wanted, note=note, actor=actor)
        if wanted is ModerationState.ACCEPTED:
            return _accept(opened, place, step, clock, renew)
        return _reject(opened, step, clock, renew)


def find_moderated(store: Store, text: str) -> str:
    """Return the id of a moderated submission: in full, or by a prefix.

    Raises:
        SpecError: unknown or ambiguous prefix.
    """
    known = [one.submission_id for one in store.agentic.moderation()]
    alike = [text] if text in known else [one for one in known if one.startswith(text)]
    if len(alike) != 1:
        what = f"{text!r} may be any of {', '.join(alike[:5])}" if alike else f"no {text!r} waits"
        raise SpecError(f"{what}.", hint="List waiting submissions with: benchmaker moderate list")
    return alike[0]


def _accept(
    store: Store,
    place: Home,
    step: Moderation,
    clock: Callable[[], float],
    renew: Callable[[], None],
) -> Moderated:
    waiting = store.agentic.find_pending(step.submission_id)
    if waiting is None:
        raise Conflict(f"{step.submission_id} already counts.", hint="No decision is needed.")
    refuse_changed(waiting.step, step)
    _count(store, waiting)
    made = store.agentic.moderate(replace(step, number=waiting.step.number))
    store.agentic.drop_pending(waiting.step.number)
    settled = []
    for profile in with_boards(store):
        order = EvaluationOptions(profile=profile, place=place, clock=clock)
        evaluate_locked(
            store,
            order,
            existing_submissions(store, [step.submission_id]),
            None,
            lambda *_: renew(),
        )
        settled.append(profile.id)
    return Moderated(made, tuple(settled))


def _count(store: Store, waiting: PendingSubmission) -> None:
    """Put it as a submission like any other; the same again changes nothing."""
    parts = store.agentic.pending_parts(waiting.step.number)
    store.put_submission(waiting.submission, parts)


def _reject(
    store: Store, step: Moderation, clock: Callable[[], float], renew: Callable[[], None]
) -> Moderated:
    before = store.agentic.metrics_of(step.submission_id)
    made = store.agentic.moderate(step)
    if before is None or store.agentic.metrics_of(step.submission_id) is not None:
        return Moderated(made)
    now_us = int(clock() * 1e6)
    work = settle_without(store, before.task_id, before.category, now_us=now_us, renew=renew)
    return Moderated(made, tuple(work.settled))
