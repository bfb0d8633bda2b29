"""Votes: one per pair and person, rate-limited, final after a short time."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import uuid4

from benchmaker.arenas.code.duels import Duel, Pick
from benchmaker.errors import Conflict, SpecError
from benchmaker.record.vote import Vote, VoteCategory
from benchmaker.store import Store

UNDO_S = 10
"""Seconds after a vote in which it can be withdrawn, before its names have settled."""

MOST_A_MINUTE = 30
"""Maximum number of votes of a person per minute; nobody views pages faster."""

_GRACE_S = 5
_MINUTE_S = 60.0


def cast(
    store: Store,
    duel: Duel,
    pick: Pick,
    *,
    voter: str,
    ms_on_page: int | None = None,
    viewports_seen: tuple[int, ...] = (),
    probe_version: str = "",
    categories: Mapping[VoteCategory, Pick] | None = None,
) -> Vote:
    """Store a voter's verdict on two pages; durable on return.

    Args:
        store: the store of the run.
        duel: the pages, with their sides.
        pick: the better side, a tie, or "both bad".
        voter: the voter.
        ms_on_page: milliseconds between both pages being shown and the verdict.
        viewports_seen: the widths at which they were viewed, in CSS pixels.
        probe_version: version of the reports shown after the vote.
        categories: verdicts on single categories, beside that on the whole page.

    Raises:
        Conflict: this voter has a vote on the pair, or votes too fast.
        StoreError: unknown run.
    """
    _refuse_haste(store, voter)
    return store.votes.add(
        Vote(
            id=uuid4().hex,
            run_id=duel.run_id,
            case_id=duel.case_id,
            model_a=duel.model_a,
            model_b=duel.model_b,
            left=duel.left,
            outcome=duel.outcome(pick),
            actor=voter,
            ms_on_page=ms_on_page,
            viewports_seen=viewports_seen,
            probe_version=probe_version,
            **{name: duel.outcome(one) for name, one in (categories or {}).items()},
        ),
    )


def take_back(store: Store, vote: Vote, *, voter: str) -> Vote:
    """Withdraw a vote, within the time limit.

    Raises:
        SpecError: the vote is too old.
        StoreError: this voter has no such vote.
    """
    if seconds_since(vote.at, store.now_utc()) > UNDO_S + _GRACE_S:
        raise SpecError(
            f"a vote can be undone only within {UNDO_S} s.",
            hint="Names and figures have been revealed since, so the vote is final.",
        )
    return store.votes.undo(vote.id, actor=voter)


def current_vote(store: Store, duel: Duel, *, voter: str) -> Vote | None:
    """Return this voter's vote on the pair; None without one."""
    found = store.votes.read([duel.run_id], case_id=duel.case_id, actor=voter)
    pair = duel.model_a, duel.model_b
    return next((vote for vote in found if (vote.model_a, vote.model_b) == pair), None)


def seconds_since(at: str, now: str) -> float:
    """Seconds from one moment in ISO 8601 to another."""
    return (datetime.fromisoformat(now) - datetime.fromisoformat(at)).total_seconds()


def _refuse_haste(store: Store, voter: str) -> None:
    """Raise if the voter has voted too often, on the pages of any runs; withdrawn votes count."""
    minute_ago = datetime.fromisoformat(store.now_utc()) - timedelta(seconds=_MINUTE_S)
    late = store.votes.number_since(voter, minute_ago)
    if late >= MOST_A_MINUTE:
        raise Conflict(
            f"{late} votes within a minute, at most {MOST_A_MINUTE} are allowed.",
            hint="Wait a minute, then vote again.",
        )
