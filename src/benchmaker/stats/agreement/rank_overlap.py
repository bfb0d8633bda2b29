"""Rank-biased overlap: top-weighted agreement of two rankings."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from benchmaker.errors import NotEnoughData, SpecError


@dataclass(frozen=True, slots=True)
class RankOverlap:
    """Between 0 and 1; ``p`` is the chance to look one rank further."""

    value: float
    p: float
    n: int
    method: str = "rank-biased overlap, extrapolated, ties share their depth"


def rank_biased_overlap(
    one: Mapping[Hashable, float], two: Mapping[Hashable, float], *, p: float = 0.9
) -> RankOverlap:
    """Rank-biased overlap of two rankings by falling score, extrapolated beyond their ends.

    RBO_ext of Webber, Moffat and Zobel 2010, A Similarity Measure for Indefinite Rankings, ACM TOIS
    28(4), equation 32; with ties the agreement at depth d is 2|S ∩ T|/(|S| + |T|), all items that
    are tied at d being in S and T (their section 6.1).

    Args:
        one: scores by item, the highest first.
        two: the same; items may be missing in either.
        p: between 0 and 1; with .9 the first ten ranks have 86% of the weight.

    Raises:
        SpecError: p is not between 0 and 1.
        NotEnoughData: a ranking is empty.

    >>> rank_biased_overlap({"a": 2, "b": 1}, {"a": 1, "b": 2}).value.__round__(6)
    0.9
    """
    if not 0.0 < p < 1.0:
        raise SpecError(f"p = {p!r} is not between 0 and 1.")
    if not one or not two:
        raise NotEnoughData("A ranking is empty.", needed=1, got=0)
    short, long = sorted((_depths(one), _depths(two)), key=len)
    s, last = len(short), len(long)
    common = [len(_items_up_to(short, d) & _items_up_to(long, d)) for d in range(1, last + 1)]
    total = sum(_agreement(short, long, d, common) * p**d for d in range(1, last + 1))
    at_s = _agreement(short, long, s, common) * s
    total += sum(at_s * (d - s) / (s * d) * p**d for d in range(s + 1, last + 1))
    beyond = ((common[-1] - common[s - 1]) / last + at_s / s) * p**last
    return RankOverlap(value=min((1 - p) / p * total + beyond, 1.0), p=p, n=last)


def _depths(scores: Mapping[Hashable, float]) -> Sequence[tuple[int, Hashable]]:
    """Every item with the depth at which it comes in: 1 + the items above it."""
    ordered = sorted(scores.values(), reverse=True)
    first: dict[float, int] = {}
    for place, score in enumerate(ordered, start=1):
        first.setdefault(score, place)
    return sorted(
        ((first[score], item) for item, score in scores.items()), key=lambda pair: pair[0]
    )


def _items_up_to(ranking: Sequence[tuple[int, Hashable]], depth: int) -> set[Hashable]:
    return {item for place, item in ranking if place <= depth}


def _agreement(
    short: Sequence[tuple[int, Hashable]],
    long: Sequence[tuple[int, Hashable]],
    depth: int,
    common: Sequence[int],
) -> float:
    """The share of common items at a depth; beyond the shorter list over the depth itself."""
    if depth > len(short):
        return common[depth - 1] / depth
    return (
        2 * common[depth - 1] / (len(_items_up_to(short, depth)) + len(_items_up_to(long, depth)))
    )
