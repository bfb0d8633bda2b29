"""Compare the fit of two models of ties."""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np

from benchmaker.stats.ratings.battles import BattleCounts, Battles
from benchmaker.stats.ratings.bradley_terry import select_comparable
from benchmaker.stats.ratings.likelihood import Fit, Likelihood, fit
from benchmaker.stats.ratings.ties import MODELS

_NO_SPREAD = 1e-12


@dataclass(frozen=True, slots=True)
class TieComparison:
    """The log-likelihoods of two models with one tie parameter each, and Vuong's test.

    ``log_ratio`` is Davidson's log-likelihood minus Rao and Kupper's; ``z`` and ``p_value`` are
    None, with a ``reason``, if both agree on every battle. ``better`` is None if there is no
    significant difference at ``level``. Half wins are not a probability model of ties and are not
    compared.
    """

    davidson: float
    rao_kupper: float
    nu: float
    kappa: float
    log_ratio: float
    z: float | None
    p_value: float | None
    better: Literal["davidson", "rao_kupper"] | None
    n: int
    n_eff: float
    level: float
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()


def compare_ties(data: Battles | BattleCounts, *, level: float = 0.95) -> TieComparison:
    """Davidson against Rao and Kupper on the same battles.

    Neither contains the other, so that the ratio of likelihoods has no χ² distribution: Vuong's z
    is the sum of the battles' log ratios over its standard error, normal when both fit equally
    well. Battles are taken as independent.

    Raises:
        DisconnectedBattles, NotEnoughData, NotConverged: as ``bradley_terry``.

    Source: Vuong 1989, Econometrica 57.
    """
    counts = data.counts() if isinstance(data, Battles) else data
    table, group, _ = select_comparable(counts, "error", 0.0)
    one = fit(Likelihood(table, MODELS["davidson"], 0.0, group))
    two = fit(Likelihood(table, MODELS["rao_kupper"], 0.0, group))
    ratio, error = one.value - two.value, _error(table, one, two)
    z = ratio / error if error > _NO_SPREAD * max(1.0, abs(one.value)) else None
    p_value = None if z is None else 2 * NormalDist().cdf(-abs(z))
    is_significant = p_value is not None and p_value < 1 - level
    return TieComparison(
        davidson=one.value,
        rao_kupper=two.value,
        nu=float(np.exp(one.at[-1])),
        kappa=float(np.exp(two.at[-1])),
        log_ratio=ratio,
        z=z,
        p_value=p_value,
        better=None if not is_significant else "davidson" if ratio > 0 else "rao_kupper",
        n=table.n,
        n_eff=table.n_eff,
        level=level,
        method="ratio of likelihoods with Vuong's test, independent battles",
        reason="" if z is not None else "both models say the same of every battle",
    )


def _error(counts: BattleCounts, one: Fit, two: Fit) -> float:
    """√(n/(n-1)·Σw²(l - mean)²) over battles with log ratio l."""
    won = one.outlook.win.log_p - two.outlook.win.log_p
    tied = one.outlook.tie.log_p - two.outlook.tie.log_p
    weight = counts.win.sum() + counts.tie.sum() / 2
    mean = ((counts.win * won).sum() + (counts.tie * tied).sum() / 2) / weight
    squares = (counts.win_squares * (won - mean) ** 2).sum()
    squares += (counts.tie_squares * (tied - mean) ** 2).sum() / 2
    return float(np.sqrt(squares * counts.n / (counts.n - 1)))
