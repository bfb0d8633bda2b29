"""Votes by pair of models, and the groups of models that they leave without a common scale."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmaker.documents import Document
from benchmaker.record.counts import count
from benchmaker.record.vote import Vote, VoteOutcome
from benchmaker.stats.ratings import Battles, components

_SHOWN_GROUPS = 6
_SHOWN_NAMES = 3


@dataclass(frozen=True, slots=True)
class HeadToHead(Document):
    """The votes on the pages of two models, by outcome; ``n`` counts all of them.

    ``model_a`` sorts before ``model_b``. "Both bad" is neither a tie nor a loss.
    """

    model_a: str
    model_b: str
    n: int
    wins_a: int
    wins_b: int
    ties: int
    both_bad: int

    def seen_from(self, model: str) -> tuple[int, int]:
        """Return the wins and the losses of one of the two models."""
        wins = (self.wins_a, self.wins_b)
        return wins if model == self.model_a else wins[::-1]


def head_to_head(votes: Iterable[Vote]) -> tuple[HeadToHead, ...]:
    """Return the votes of each pair with at least one, by name; withdrawn votes do not count."""
    found: dict[tuple[str, str], list[VoteOutcome]] = {}
    for vote in votes:
        if vote.counts:
            found.setdefault((vote.model_a, vote.model_b), []).append(vote.outcome)
    return tuple(
        HeadToHead(
            *pair,
            n=len(outcomes),
            wins_a=outcomes.count(VoteOutcome.A),
            wins_b=outcomes.count(VoteOutcome.B),
            ties=outcomes.count(VoteOutcome.TIE),
            both_bad=outcomes.count(VoteOutcome.BOTH_BAD),
        )
        for pair, outcomes in sorted(found.items())
    )


def one_sided_reason(battles: Battles, pairs: Sequence[HeadToHead]) -> str:
    """Return why votes give no finite ratings, and what to do; empty if they give some.

    Bradley-Terry's likelihood has a maximum only if every model can be reached from every other
    one through wins or ties (Ford 1957).
    """
    groups = components(battles.counts())
    match groups:
        case (_,):
            return ""
        case (one, other):
            return _between(one, other, pairs)
        case _:
            shown = "; ".join(f"[{_names(it)}]" for it in groups[:_SHOWN_GROUPS])
            more = len(groups) - _SHOWN_GROUPS
            rest = f" and {more} more" if more > 0 else ""
            return (
                f"the votes form {count(len(groups), 'group')} of models, {shown}{rest}. Between "
                "two groups one side won every vote, or there are none. Vote on more of their pairs"
            )


def _between(one: tuple[str, ...], other: tuple[str, ...], pairs: Sequence[HeadToHead]) -> str:
    """The reason for two groups, of which one won every vote, or which never met."""
    won = _wins(one, other, pairs)
    lost = _wins(other, one, pairs)
    if not won + lost:
        return f"no vote decides between {_names(one)} and {_names(other)}. Vote on their pairs"
    first, second = (one, other) if won else (other, one)
    votes = "the only vote" if won + lost == 1 else f"all {won + lost} votes"
    return (
        f"{_names(first)} won {votes} against {_names(second)}. A rating needs a tie, or a win of "
        "each side: vote on more of their pairs"
    )


def _wins(winners: tuple[str, ...], losers: tuple[str, ...], pairs: Sequence[HeadToHead]) -> int:
    """The number of votes that one group won against the other."""
    forward = (it.wins_a for it in pairs if it.model_a in winners and it.model_b in losers)
    backward = (it.wins_b for it in pairs if it.model_b in winners and it.model_a in losers)
    return sum(forward) + sum(backward)


def _names(names: tuple[str, ...]) -> str:
    more = len(names) - _SHOWN_NAMES
    shown = ", ".join(names[:_SHOWN_NAMES])
    return f"{shown} and {more} more" if more > 0 else shown
