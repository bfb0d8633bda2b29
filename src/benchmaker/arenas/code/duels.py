"""The order of pairs for a voter, and the sides of their pages."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

from benchmaker.record.vote import VoteOutcome

Pick: TypeAlias = Literal["left", "right", "tie", "both_bad"]
"""The choice of a voter, who does not know which model made which page."""

PICKS: tuple[Pick, ...] = ("left", "right", "tie", "both_bad")


@dataclass(frozen=True, slots=True)
class Duel:
    """Two models' pages for one prompt of one run, as one voter sees them.

    ``model_a`` sorts before ``model_b``; ``left`` is one of them.
    """

    run_id: str
    case_id: str
    model_a: str
    model_b: str
    left: str

    @property
    def right(self) -> str:
        """The model on the other side."""
        return self.model_b if self.left == self.model_a else self.model_a

    def outcome(self, pick: Pick) -> VoteOutcome:
        """Return the outcome of a pick in terms of the models."""
        match pick:
            case "left" | "right":
                winner = self.left if pick == "left" else self.right
                return VoteOutcome.A if winner == self.model_a else VoteOutcome.B
            case "tie":
                return VoteOutcome.TIE
            case "both_bad":
                return VoteOutcome.BOTH_BAD


def duels(run_id: str, pages: Mapping[str, Sequence[str]], *, voter: str) -> tuple[Duel, ...]:
    """Return every pair of models that answered the same prompt, in this voter's own order.

    Order and sides are drawn by a hash of run, prompt, pair and voter: the same voter always sees
    the same order, another one sees a different one, and positions do not reveal the models.

    Args:
        run_id: the id of the run.
        pages: the models with a page, by prompt.
        voter: the voter.
    """
    made = [
        draw_pair(run_id, case_id, pair, voter=voter)
        for case_id, models in pages.items()
        for pair in combinations(sorted(models), 2)
    ]
    return tuple(sorted(made, key=lambda it: _draw("order", it, voter)))


def draw_pair(run_id: str, case_id: str, pair: tuple[str, str], *, voter: str) -> Duel:
    """One pair with its sides drawn."""
    a, b = sorted(pair)
    plain = Duel(run_id, case_id, a, b, left=a)
    is_a_left = _draw("side", plain, voter)[0] % 2 == 0
    return plain if is_a_left else Duel(run_id, case_id, a, b, left=b)


def _draw(purpose: str, duel: Duel, voter: str) -> bytes:
    digest = hashlib.sha256()
    parts = (purpose, voter, duel.run_id, duel.case_id, duel.model_a, duel.model_b)
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.digest()
