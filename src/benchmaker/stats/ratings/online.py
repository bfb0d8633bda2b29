"""Elo: ratings that follow the battles one by one."""

from dataclasses import dataclass

import numpy as np

from benchmaker.errors import SpecError
from benchmaker.stats.ratings.battles import Battles
from benchmaker.stats.ratings.codes import WON
from benchmaker.stats.ratings.rating import Floats, Ints

ORDER_MATTERS = "the order of the battles changes these ratings"


@dataclass(frozen=True, slots=True, eq=False)
class EloRatings:
    """Ratings after the last battle, in points, in the order of ``names``.

    They depend on the order (``is_order_dependent``) and carry no interval; ``bradley_terry``
    gives one.
    """

    names: tuple[str, ...]
    score: Floats
    n_battles: Ints
    n: int
    method: str
    is_order_dependent: bool = True
    warnings: tuple[str, ...] = ()


def elo(
    battles: Battles, *, k: float = 4.0, scale: float = 400.0, initial: float = 1000.0
) -> EloRatings:
    """Return Elo ratings: after each battle R += k·w·(S - E), E = 1 / (1 + 10^((R_b - R_a)/scale)).

    Args:
        battles: in the order in which they were fought.
        k: the step size; a win between equals moves both by k/2 points.
        scale: points for odds of ten to one.
        initial: where everybody starts.

    Raises:
        SpecError: k or scale that are not positive numbers.

    Source: Elo 1978, The Rating of Chessplayers, Past and Present.
    """
    if not (0 < k < np.inf and 0 < scale < np.inf and np.isfinite(initial)):
        raise SpecError(f"Elo can't run with k={k!r}, scale={scale!r}, initial={initial!r}.")
    rating = [float(initial)] * len(battles.names)
    weights = [1.0] * len(battles) if battles.weight is None else battles.weight.tolist()
    rows = zip(
        battles.a.tolist(), battles.b.tolist(), battles.outcome.tolist(), weights, strict=True
    )
    for a, b, outcome, weight in rows:
        expected = _expected_score((rating[b] - rating[a]) / scale)
        change = k * weight * (outcome / WON - expected)
        rating[a] += change
        rating[b] -= change
    counts = battles.counts()
    return EloRatings(
        names=battles.names,
        score=np.array(rating),
        n_battles=counts.n_battles,
        n=counts.n,
        method=f"Elo, k = {k:g}, in the order given",
        warnings=(ORDER_MATTERS,),
    )


def _expected_score(tens: float) -> float:
    return 1 / (1 + 10.0**tens) if tens < 300 else 0.0  # noqa: PLR2004  beyond it 10^x overflows
