"""Reviews of flagged submissions: the ones that wait, their flags, and the decisions."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from benchmaker.arenas.agentic.evaluation.pipeline import Pipeline, evaluation_lock
from benchmaker.arenas.agentic.evaluation.profiles import profiles_by_id, settle_all_boards
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.arenas.agentic.submissions.evaluator_process import existing_submissions
from benchmaker.documents import OMITTED, Document, listed
from benchmaker.errors import SpecError
from benchmaker.providers.prices.costs import Prices
from benchmaker.record.submissions.evaluation import Flag, Review, ReviewState
from benchmaker.spec.tasks.agentic_profile import BUILT_IN, OPENING, AgenticProfile
from benchmaker.store import Store
from benchmaker.store.home import Home

BOARD = "board:"
"""The prefix of a review of a board rather than a submission."""


@dataclass(frozen=True, slots=True)
class ReviewRow(Document):
    """A flagged submission: the state of its review, and every flag with its evidence."""

    submission_id: str
    task_id: str | None
    system: str
    review: Annotated[Review, OMITTED]
    flags: tuple[Flag, ...]

    @property
    @listed(after="system")
    def state(self) -> ReviewState:
        """The state of the review."""
        return self.review.state

    @property
    @listed(after="state")
    def note(self) -> str:
        """The reason of the decision."""
        return self.review.note

    @property
    @listed(after="note")
    def actor(self) -> str:
        """The reviewer."""
        return self.review.actor

    @property
    @listed(after="actor")
    def decided_at(self) -> str | None:
        """When it was decided; None while it is open."""
        return None if self.review.state == ReviewState.OPEN else self.review.created_at


@dataclass(frozen=True, slots=True)
class ReviewDecision:
    """A decision, and the result of settling.

    ``settled`` names the profiles under which the task settled, ``left`` the custom ones under
    which it did not: evaluate under them once more.
    """

    review: Review
    settled: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def reviews(
    *,
    state: ReviewState | str | None = None,
    home: str | Path | None = None,
    store: str | None = None,
) -> tuple[ReviewRow, ...]:
    """The flagged submissions, the longest waiting first.

    Args:
        state: ``open``, ``cleared`` or ``quarantined``; all without.
        home: the data folder.
        store: the store's address, where it is not in the data folder.
    """
    with Home.of(home, store).open_store() as opened:
        return review_rows(opened, None if state is None else ReviewState(state))


def review_rows(store: Store, state: ReviewState | None) -> tuple[ReviewRow, ...]:
    """The same from an open store."""
    rooms = store.agentic
    flags: dict[str, list[Flag]] = {}
    for flag in rooms.flags():
        flags.setdefault(flag.submission_id, []).append(flag)
    return tuple(
        _row(store, one, tuple(flags.get(one.submission_id, ())))
        for one in rooms.reviews(state=state)
    )


def decide_submission_review(
    submission: str,
    state: ReviewState | str,
    *,
    note: str = "",
    actor: str = "local",
    profile: AgenticProfile | None = None,
    home: str | Path | None = None,
    store: str | None = None,
    clock: Callable[[], float] = time.time,
) -> ReviewDecision:
    """Decide on a flagged submission; its task then settles again.

    A quarantined submission leaves the baseline and has no rank; it stays listed. A repeated
    decision is another step, and the earlier ones are kept.

    Args:
        submission: its id, or a prefix of it.
        state: ``cleared`` or ``quarantined``.
        note: the reason.
        actor: the reviewer.
        profile: a custom profile, under which the task also settles.
        home: the data folder.
        store: the store's address, if it is not in the data folder.
        clock: returns seconds since 1970.

    Raises:
        SpecError: unknown submission.
        Conflict: it has no flags, or another process evaluates.
    """
    wanted = ReviewState(state)
    if wanted is ReviewState.OPEN:
        raise SpecError("a decision must be cleared or quarantined.")
    place = Home.of(home, store)
    with place.open_store() as opened, evaluation_lock(opened):
        rooms = opened.agentic
        is_board = submission.startswith(BOARD)
        name = submission if is_board else opened.find_submission(submission)
        review = rooms.decide(Review(submission_id=name, state=wanted, note=note, actor=actor))
        before = rooms.metrics_of(name)
        documents = profiles_by_id(opened) | ({profile.id: profile} if profile else {})
        known = rooms.profiles(before.task_id) if before else ()
        prices = Prices(place.home)
        for one in (documents[it] for it in known if it in documents):
            pipeline = Pipeline(opened, one, Pricer(prices, now=clock()))
            pipeline.settle(pipeline.take(existing_submissions(opened, [name])).tasks)
        if before is not None:
            now_us = int(clock() * 1e6)
            settle_all_boards(opened, BUILT_IN[OPENING], [before.task_id], now_us=now_us)
    return ReviewDecision(
        review,
        tuple(one for one in known if one in documents),
        tuple(one for one in known if one not in documents),
    )


def _row(store: Store, review: Review, flags: tuple[Flag, ...]) -> ReviewRow:
    row = store.agentic.metrics_of(review.submission_id)
    return ReviewRow(
        review.submission_id,
        row.task_id if row else None,
        row.system if row else "",
        review,
        flags,
    )
