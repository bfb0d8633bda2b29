"""The votes of each pair of models as a grid: a row and a column for each model."""

from collections.abc import Iterator
from typing import NamedTuple

from benchmaker.analysis.ratings.head_to_head import HeadToHead
from benchmaker.analysis.ratings.vote_ratings import Standings
from benchmaker.record.counts import count


class PairCell(NamedTuple):
    """The votes of the row's model against the column's: wins and losses, then all other figures.

    Both are empty for a model and itself.
    """

    score: str
    rest: str


class PairRow(NamedTuple):
    """A model with its cells, in the order of the columns."""

    model: str
    cells: tuple[PairCell, ...]


def pair_grid(made: Standings) -> tuple[PairRow, ...]:
    """Return a row for each model with votes, in the order of the standings; empty without any."""
    models = [one.model for one in made.models if one.votes]
    found = {frozenset((it.model_a, it.model_b)): it for it in made.pairs}
    return tuple(PairRow(row, tuple(_cells(row, models, found))) for row in models)


def _cells(
    row: str, models: list[str], found: dict[frozenset[str], HeadToHead]
) -> Iterator[PairCell]:
    for column in models:
        votes = found.get(frozenset((row, column)))
        if row == column:
            yield PairCell("", "")
        elif votes is None:
            yield PairCell("no votes", "")
        else:
            yield _cell(votes, row)


def _cell(votes: HeadToHead, row: str) -> PairCell:
    wins, losses = votes.seen_from(row)
    others = [
        *([count(votes.ties, "tie")] if votes.ties else []),
        *([f"{votes.both_bad:,} both bad"] if votes.both_bad else []),
        f"n = {votes.n:,}",
    ]
    return PairCell(f"{wins:,}–{losses:,}", ", ".join(others))
