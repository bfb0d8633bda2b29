"""A comparison of two models, with its winner."""

from enum import StrEnum

import msgspec


class Verdict(StrEnum):
    """The winning side."""

    A = "a"
    B = "b"
    TIE = "tie"


class BattleSource(StrEnum):
    """The source of a verdict: a person, a judge model, or the scores of a suite."""

    VOTE = "vote"
    JUDGE = "judge"
    SUITE = "suite"


class Battle(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One verdict on two models' answers to the same question.

    ``a`` and ``b`` are models (or systems); ``case_id`` is the case of a suite or the prompt that
    both answered. ``actor`` is the source of the verdict: a voter, a judge's model, a scorer;
    battles of one actor, and of one case, may be correlated. ``at`` is UTC, ISO 8601. ``weight`` is
    at least 0; a battle of weight 0 is ignored.
    """

    a: str
    b: str
    outcome: Verdict
    source: BattleSource
    case_id: str | None = None
    category: str | None = None
    actor: str = "local"
    at: str = ""
    weight: float = 1.0
    run_id: str | None = None
    notes: str = ""
    flags: tuple[str, ...] = ()

    @property
    def winner(self) -> str | None:
        """The model that won; None for a tie."""
        match self.outcome:
            case Verdict.A:
                return self.a
            case Verdict.B:
                return self.b
            case Verdict.TIE:
                return None
