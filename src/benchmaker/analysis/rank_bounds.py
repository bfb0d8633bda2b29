"""Rank intervals that claim no more than the comparison of the same scores."""

from collections.abc import Sequence
from dataclasses import replace

from benchmaker.analysis.duels import How, duels
from benchmaker.analysis.pairing import CaseTable
from benchmaker.analysis.ranking import RankedModel

WIDENED = (
    "cases have weights: ranks are apart only where the comparison tells models apart, while the "
    "intervals of scores count each case by its weight"
)
"""What is said where weights may make a few cases decide."""

_DRAWS = 9_999
_NO_CHANCE = "too few cases carry the weight for a chance to be on top"


def within_comparison(
    lines: Sequence[RankedModel], table: CaseTable, *, level: float, seed: int
) -> tuple[RankedModel, ...]:
    """The lines, each rank interval wide enough for all models that are not told apart from it.

    Where a few heavy cases carry the ratings, their standard errors rest on large numbers that are
    not there; sign flips of whole cases, which the comparison makes, do not. The chance to be on
    top rests on the same standard errors: where one had to be widened, none has it.

    Args:
        lines: models with rank intervals, on one scale.
        table: the scores that they were rated by.
        level: of the verdicts.
        seed: of the sign flips.
    """
    found = [one.model for one in lines if len(table.own(one.model))]
    made = duels(table.of(found), How("holm", None, level, _DRAWS, seed))
    ahead = [(one.model_a, one.model_b) for one in made.pairs if one.verdict == "ahead"]
    wide = tuple(_widened(one, ahead, len(lines)) for one in lines)
    return wide if wide == tuple(lines) else tuple(map(_without_chance, wide))


def _widened(line: RankedModel, ahead: Sequence[tuple[str, str]], models: int) -> RankedModel:
    if line.best is None or line.worst is None:
        return line
    above = sum(lower == line.model for _, lower in ahead)
    below = sum(higher == line.model for higher, _ in ahead)
    best, worst = min(line.best, 1 + above), max(line.worst, models - below)
    return replace(line, best=best, worst=worst)


def _without_chance(line: RankedModel) -> RankedModel:
    return replace(line, p_top=None, reason=line.reason or _NO_CHANCE)
