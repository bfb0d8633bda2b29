"""A person's blind verdict on two generated pages."""

from enum import StrEnum
from typing import Literal, TypeAlias

import msgspec

from benchmaker.record.battle import Battle, BattleSource, Verdict


class VoteOutcome(StrEnum):
    """The better page; "both bad" is not a tie."""

    A = "a"
    B = "b"
    TIE = "tie"
    BOTH_BAD = "both_bad"


VoteCategory: TypeAlias = Literal["visual", "function", "code"]
"""A part of a page on which a vote may give a verdict of its own."""

VOTE_CATEGORIES: tuple[VoteCategory, ...] = ("visual", "function", "code")


class Vote(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One verdict on the pages of ``model_a`` and ``model_b`` for one prompt of one run.

    ``model_a`` sorts before ``model_b``; ``left`` is the model drawn for the left side, as *Answer
    A*. ``outcome`` refers to the models, not of the sides. ``viewports_seen`` are widths in CSS
    pixels, ``ms_on_page`` the time between both pages being shown and the verdict, None if unknown.
    ``visual``, ``function`` and ``code`` are verdicts on these categories, None without one.
    ``at`` and ``undone_at`` are UTC, ISO 8601; a withdrawn vote is kept.
    """

    id: str
    run_id: str
    case_id: str
    model_a: str
    model_b: str
    left: str
    outcome: VoteOutcome
    actor: str = "local"
    ms_on_page: int | None = None
    viewports_seen: tuple[int, ...] = ()
    probe_version: str = ""
    at: str = ""
    undone_at: str | None = None
    visual: VoteOutcome | None = None
    function: VoteOutcome | None = None
    code: VoteOutcome | None = None

    def in_category(self, category: VoteCategory) -> "Vote | None":
        """Return the vote with the verdict on a category as its outcome; None without one."""
        outcome: VoteOutcome | None = getattr(self, category)
        return None if outcome is None else msgspec.structs.replace(self, outcome=outcome)

    @property
    def counts(self) -> bool:
        """True if it was not withdrawn."""
        return self.undone_at is None

    @property
    def picked_left(self) -> bool | None:
        """True if the left page won; None if neither did."""
        winner = self.winner
        return None if winner is None else winner == self.left

    @property
    def winner(self) -> str | None:
        """The winning model; None if neither won."""
        match self.outcome:
            case VoteOutcome.A:
                return self.model_a
            case VoteOutcome.B:
                return self.model_b
            case VoteOutcome.TIE | VoteOutcome.BOTH_BAD:
                return None

    def battle(self, prompt: str | None = None) -> Battle | None:
        """The verdict for the rating kernel; None where both were bad, or it was taken back.

        ``prompt`` is the same for votes on the same prompt; by default run and case. Runs have
        cases of the same id with different prompts, so the case alone is not enough.
        """
        if not self.counts or self.outcome is VoteOutcome.BOTH_BAD:
            return None
        return Battle(
            a=self.model_a,
            b=self.model_b,
            outcome=Verdict(self.outcome.value),
            source=BattleSource.VOTE,
            case_id=f"{self.run_id}/{self.case_id}" if prompt is None else prompt,
            actor=self.actor,
            at=self.at,
            run_id=self.run_id,
        )
