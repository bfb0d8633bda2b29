"""Plain shares: the average win rate over opponents, and points counted."""

from dataclasses import dataclass

import numpy as np

from benchmaker.errors import SpecError
from benchmaker.stats.means.bounded import ends_within
from benchmaker.stats.ratings.battles import BattleCounts, Battles
from benchmaker.stats.ratings.bradley_terry import quantile
from benchmaker.stats.ratings.rating import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class WinRates:
    """Each model's win rate, averaged over its opponents, ties as half wins.

    ``se``, ``low`` and ``high`` are NaN, and the model named in ``warnings``, if an opponent was
    met only once or all results against each opponent are equal. The rate depends on the opponents
    met; ``bradley_terry`` adjusts for that.
    """

    names: tuple[str, ...]
    rate: Floats
    se: Floats
    low: Floats
    high: Floats
    opponents: Ints
    n_battles: Ints
    n: int
    n_eff: float
    level: float
    method: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class PointTotals:
    """Points for wins and ties added up; models with more battles have more of them."""

    names: tuple[str, ...]
    points: Floats
    n_battles: Ints
    n: int
    method: str
    warnings: tuple[str, ...] = ("points grow with the number of battles",)


def win_rate(data: Battles | BattleCounts, *, level: float = 0.95) -> WinRates:
    """The mean over opponents of (wins + ties / 2) / battles.

    Its variance is Σ s²_j/n_j / k² over the k opponents, with s²_j the sample variance of the
    results against j (weights as n_j = (Σw)²/Σw²). The interval is Wilson's for the number of
    battles that matches this variance; it stays between 0 and 1.
    """
    if not 0.0 < level < 1.0:
        raise SpecError(f"The confidence level {level!r} is not between 0 and 1.")
    counts = data.counts() if isinstance(data, Battles) else data
    total = counts.win + counts.win.T + counts.tie
    met = total > 0
    share = _divide(counts.win + counts.tie / 2, total)
    opponents = met.sum(axis=1)
    rate = np.where(opponents > 0, _divide(share.sum(axis=1), opponents), np.nan)
    variance = _variance(counts, share, total)
    se = np.sqrt(_divide(np.where(met, variance, 0.0).sum(axis=1), opponents.astype(float) ** 2))
    unsure = np.where(met, ~np.isfinite(variance), False).any(axis=1) | (se == 0)
    se = np.where(unsure, np.nan, se)
    low, high = _ends(rate, se, counts.n_battles, quantile(0.5 + level / 2, None))
    return WinRates(
        names=counts.names,
        rate=rate,
        se=se,
        low=low,
        high=high,
        opponents=opponents,
        n_battles=counts.n_battles,
        n=counts.n,
        n_eff=counts.n_eff,
        level=level,
        method="win rate averaged over opponents, ties as half wins, variance-matched Wilson",
        warnings=_uncertainty_warnings(counts, unsure.tolist()),
    )


def count_points(
    data: Battles | BattleCounts, *, win: float = 1.0, tie: float = 0.5
) -> PointTotals:
    """``win`` points for each battle won and ``tie`` for each tie."""
    counts = data.counts() if isinstance(data, Battles) else data
    return PointTotals(
        names=counts.names,
        points=win * counts.win.sum(axis=1) + tie * counts.tie.sum(axis=1),
        n_battles=counts.n_battles,
        n=counts.n,
        method=f"counting: {win:g} for a win, {tie:g} for a tie",
    )


def _ends(rate: Floats, se: Floats, battles: Ints, quantile: float) -> tuple[Floats, Floats]:
    """Return both ends of each interval, NaN without a standard error."""
    ends = np.full((len(rate), 2), np.nan)
    for i in np.flatnonzero(np.isfinite(se)).tolist():
        ends[i] = ends_within(float(rate[i]), float(se[i]), float(battles[i]), quantile)
    return ends[:, 0], ends[:, 1]


def _variance(counts: BattleCounts, share: Floats, total: Floats) -> Floats:
    """Of each pair's share: Σw²(y - share)² / (Σw)² · n/(n - 1); NaN after a single battle."""
    squares = counts.win_squares * (1 - share) ** 2 + counts.win_squares.T * share**2
    squares = squares + counts.tie_squares * (0.5 - share) ** 2
    n = counts.met.astype(np.float64)
    small = np.divide(n, n - 1, out=np.full_like(n, np.nan), where=n > 1)
    return _divide(squares, total**2) * small


def _divide(top: Floats, bottom: Floats | Ints) -> Floats:
    """The ratio, 0 where there is nothing below."""
    return np.divide(top, bottom, out=np.zeros(np.shape(top)), where=np.asarray(bottom) > 0)


def _uncertainty_warnings(counts: BattleCounts, unsure: list[bool]) -> tuple[str, ...]:
    names = [name for name, one in zip(counts.names, unsure, strict=True) if one]
    if not names:
        return ()
    why = "an opponent met only once, or results all alike"
    return (f"no interval for {', '.join(names)}: {why}",)
