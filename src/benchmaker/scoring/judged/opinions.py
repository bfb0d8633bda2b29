"""The opinions of judges, out of their single judgments."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from benchmaker.scoring.judged.judgment_lines import HALF, OVERRULED
from benchmaker.scoring.judged.one_judgment import SingleJudgment
from benchmaker.scoring.judged.panel import Opinion

_ORDERS = 2


def opinions_of(singles: Sequence[SingleJudgment], *, pairs: bool) -> Iterator[Opinion]:
    """Yield each judge's opinion, out of its readable judgments; ``pairs`` have two orders."""
    for judge in dict.fromkeys(it.judge for it in singles):
        own = [it for it in singles if it.judge == judge]
        ends = [_pair_value(own, repeat) if pairs else _single_value(own, repeat)
                for repeat in sorted({it.repeat for it in own})]  # fmt: skip
        known = [end for end in ends if end is not None]
        if known:
            units = tuple(unit for unit, _ in known)
            yield Opinion(judge, units, sum(disagrees for _, disagrees in known))


def combine_orders(units: Sequence[float | None]) -> tuple[float, bool] | None:
    """Return the value of a pair judged in both orders, and True if they disagree.

    Orders that disagree are a tie. None if one of the judgments is missing.

    >>> combine_orders([1.0, 1.0]), combine_orders([1.0, 0.0]), combine_orders([1.0, None])
    ((1.0, False), (0.5, True), None)
    """
    if len(units) != _ORDERS or units[0] is None or units[1] is None:
        return None
    return (units[0], False) if units[0] == units[1] else (HALF, True)


def keep_last_judge(
    singles: Sequence[SingleJudgment], last: Sequence[SingleJudgment]
) -> list[SingleJudgment]:
    """In a cascade the last judge decides; those before it have no voice, and stay on record."""
    silent = (it for it in singles if it not in last)
    return [*(_silence(it) for it in silent), *last]


def _silence(one: SingleJudgment) -> SingleJudgment:
    return replace(one, unit=None, notes=(*one.notes, OVERRULED))


def _single_value(singles: Sequence[SingleJudgment], repeat: int) -> tuple[float, bool] | None:
    units = [it.unit for it in singles if it.repeat == repeat and it.unit is not None]
    return (units[0], False) if units else None


def _pair_value(singles: Sequence[SingleJudgment], repeat: int) -> tuple[float, bool] | None:
    return combine_orders([it.unit for it in singles if it.repeat == repeat])
