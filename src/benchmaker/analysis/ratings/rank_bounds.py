"""Rank intervals that claim no more than the comparison of the same scores."""

from collections.abc import Sequence
from dataclasses import replace

from benchmaker.analysis.comparison.pairing import CaseTable
from benchmaker.analysis.comparison.pairs import ComparisonSettings, compare_pairs
from benchmaker.analysis.ratings.ranking import RankedModel
from benchmaker.stats.student import alpha

NO_CHANCE = (
    "rank probabilities are omitted: their standard errors are smaller than the paired comparison "
    "of the same scores supports"
)
"""The text shown if that rule removes the chances."""

_DRAWS = 9_999
_LACKING = "the paired comparison does not support a rank probability"


def within_comparison(
    lines: Sequence[RankedModel], table: CaseTable, *, top: int, level: float, seed: int
) -> tuple[RankedModel, ...]:
    """Widen each rank interval to include all models without a significant difference.

    A model whose rating has no interval has the ranks of the comparison alone.

    Standard errors of ratings are asymptotic. With few cases, or a few heavy ones, they are
    unreliable; the tests of the comparison do not need them, so they decide, with or without
    weights and groups. Chances of ranks use the same standard errors: if these decide that a model
    is among the first ``top`` and the verdicts do not, no model has a chance.

    Args:
        lines: models with rank intervals, on one scale.
        table: the scores they were rated by.
        top: the number of first ranks for the chances.
        level: level of the verdicts.
        seed: seed of the sign flips.
    """
    found = [one.model for one in lines if len(table.cases_of(one.model))]
    made = compare_pairs(
        table.select_models(found), ComparisonSettings("holm", None, level, _DRAWS, seed)
    )
    ahead = [(one.model_a, one.model_b) for one in made.pairs if one.verdict == "ahead"]
    carried = [_rank_bounds(one.model, ahead, len(lines)) for one in lines]
    pairs = tuple(zip(lines, carried, strict=True))
    wide = tuple(_widen(line, ends) for line, ends in pairs)
    is_surer = any(_is_surer(line, ends, top, level) for line, ends in pairs)
    return tuple(map(_without_chance, wide)) if is_surer else wide


def _rank_bounds(model: str, ahead: Sequence[tuple[str, str]], models: int) -> tuple[int, int]:
    """The ranks between which a model lies by the verdicts alone."""
    above = sum(lower == model for _, lower in ahead)
    below = sum(higher == model for higher, _ in ahead)
    return 1 + above, models - below


def _widen(line: RankedModel, carried: tuple[int, int]) -> RankedModel:
    if line.best is None or line.worst is None:
        return line
    if line.low is None:
        return replace(line, best=carried[0], worst=carried[1])
    return replace(line, best=min(line.best, carried[0]), worst=max(line.worst, carried[1]))


def _is_surer(line: RankedModel, carried: tuple[int, int], top: int, level: float) -> bool:
    """True if the ratings decide on which side of ``top`` a model is, and the verdicts do not."""
    best, worst = carried
    is_out = line.best is not None and line.best > top
    is_in = line.worst is not None and line.worst <= top
    is_likely = line.p_top is not None and line.p_top > 1 - alpha(level) / 2
    return (is_out and best <= top) or ((is_in or is_likely) and worst > top)


def _without_chance(line: RankedModel) -> RankedModel:
    return replace(line, p_top=None, reason=line.reason or _LACKING)
