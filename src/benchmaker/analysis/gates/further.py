"""The further cases or runs that would decide a gate."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from benchmaker.analysis.comparison.results import ComparedPair
from benchmaker.analysis.gates.gate_results import Further
from benchmaker.analysis.gates.sides import RUN, PairedSetup
from benchmaker.record.baselines.run_baseline import BaselineScores
from benchmaker.stats.differences import Differences, kish
from benchmaker.stats.pairs.mcnemar import tango
from benchmaker.stats.power.power import n_more
from benchmaker.stats.quantiles import z_quantile

DECIDED = "the gate is decided"
MISSING = "score the missing cases first: benchmaker resume RUN --retry-failed"
NOT_IN_RUN = "run the missing model first"
AT_LIMIT = "the observed difference is exactly the largest allowed drop"
UNREALISTIC = "the observed difference is too close to the largest allowed drop"
UNKNOWN_SPREAD = "the spread of the differences is unknown"
ONE_RUN = "the cases ran once, so the spread between runs is unknown"
SAME_RUNS = "repeated runs gave the same scores"
CASES_DOMINATE = (
    "the spread between cases dominates: repeating these cases cannot replace further cases"
)

_POWER = 0.8
_MOST = 10_000_000


@dataclass(frozen=True, slots=True)
class _Undecided:
    """A model of which the gate is undecided: ``distance`` is that of ``diff`` from ``-max_drop``.

    ``spread`` is the standard deviation of the differences, with what clusters and weights cost;
    None if it is unknown. ``level`` is that of the interval that decides.
    """

    setup: PairedSetup
    rows: Differences
    spread: float | None
    diff: float
    max_drop: float
    level: float

    @property
    def distance(self) -> float:
        return abs(self.diff + self.max_drop)

    @property
    def n(self) -> int:
        return len(self.rows.d)


def further(
    setup: PairedSetup, pair: ComparedPair, rows: Differences, *, max_drop: float, tests: int
) -> Further:
    """Return the cases or the runs that would decide a model of which the gate is undecided.

    The distance of the observed difference from ``-max_drop`` is taken as the true one, to be found
    with a power of 80% at the level of the pair.

    Args:
        setup: the scores of both sides.
        pair: their comparison.
        rows: run − baseline in each case.
        max_drop: the largest allowed drop, from 0 to 1.
        tests: the number of models that the error rate is divided by.
    """
    diff = pair.diff if pair.model_a == RUN else -pair.diff
    level = 1 - (1 - pair.level) / tests
    open_model = _Undecided(setup, rows, _spread(pair, rows), diff, max_drop, level)
    if math.isclose(open_model.distance, 0.0, abs_tol=1e-12):
        return Further(None, AT_LIMIT, None, AT_LIMIT)
    if open_model.spread is None:
        return Further(None, UNKNOWN_SPREAD, None, UNKNOWN_SPREAD)
    return Further(
        *_more_cases(open_model, open_model.spread), *_more_runs(open_model, open_model.spread)
    )


def _spread(pair: ComparedPair, rows: Differences) -> float | None:
    if pair.se is not None and pair.sd is not None:
        return pair.se * math.sqrt(pair.n)
    return 0.0 if rows.is_constant else pair.sd


def _more_cases(one: _Undecided, spread: float) -> tuple[int | None, str]:
    needed = one.n + 1
    if spread > 0:
        found = n_more(one.distance, spread, one.n, power=_POWER, alpha=1 - one.level)
        if found.needed is None or found.needed > _MOST:
            return None, UNREALISTIC
        needed = max(needed, found.needed)
    if one.rows.is_binary or not one.rows.d.any():
        by_shares = _needed_by_shares(one)
        if by_shares is None:
            return None, UNREALISTIC
        needed = max(needed, by_shares)
    return needed - one.n, ""


def _needed_by_shares(one: _Undecided) -> int | None:
    """The least number of cases with these shares whose score interval excludes the limit."""
    rows, limit = one.rows, -one.max_drop
    wins, losses = (float((np.sign(rows.d) == side).mean()) for side in (1, -1))
    cost = one.n / min(kish(rows.weight), kish(rows.by_cluster()[1]))

    def decides(cases: int) -> bool:
        size = cases / cost
        low, high = tango(wins * size, losses * size, size, level=one.level)
        return low > limit or high < limit

    if not decides(_MOST):
        return None
    low, high = one.n, _MOST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if decides(middle) else (middle, high)
    return high


def _more_runs(one: _Undecided, spread: float) -> tuple[int | None, str]:
    """The further runs after which the spread left would decide, over the same cases.

    The variance of the differences has a part between cases, and one between runs that falls with
    their number K: σ²/K. With the quantiles z of the level and of the power, n cases decide
    if it is at most n δ² / (z_level + z_power)².
    """
    within = variance_between_runs(one.setup)
    if within is None:
        return None, ONE_RUN
    if within == 0:
        return None, SAME_RUNS
    runs = _runs(one.setup.after, one.setup.metric)
    between = max(spread**2 - within / runs, 0.0)
    quantiles = z_quantile(one.level) + z_quantile(2 * _POWER - 1)
    allowed = one.n * (one.distance / quantiles) ** 2
    if allowed <= between:
        return None, CASES_DOMINATE
    return max(1, math.ceil(within / (allowed - between) - runs)), ""


def variance_between_runs(setup: PairedSetup) -> float | None:
    """Return the variance of a case's scores between runs, pooled; None if no case ran twice."""
    squares, df = 0.0, 0
    for scores in (*setup.after, *setup.before):
        values = np.array(_values(scores, setup.metric))
        if len(values) > 1:
            squares += float(((values - values.mean()) ** 2).sum())
            df += len(values) - 1
    return squares / df if df else None


def _runs(side: Iterable[BaselineScores], metric: str) -> float:
    """The harmonic mean of the number of answers to a case."""
    counts = [len(_values(scores, metric)) for scores in side]
    return len(counts) / math.fsum(1 / count for count in counts)


def _values(scores: BaselineScores, metric: str) -> list[float]:
    return [value for one in scores.answers if (value := one.value(metric)) is not None]
