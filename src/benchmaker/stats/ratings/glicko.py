"""Glicko-2: ratings over periods, with deviations that grow without battles."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from benchmaker.errors import NotConverged, SpecError
from benchmaker.stats.ratings.battles import Battles
from benchmaker.stats.ratings.bradley_terry import quantile
from benchmaker.stats.ratings.codes import WON, cluster_codes
from benchmaker.stats.ratings.rating import Floats, Ints

_POINTS = 173.7178
_MIDDLE = 1500.0
_TOLERANCE = 1e-6
_MOST_ROUNDS = 1_000
_ORDER_MATTERS = "the order of the periods changes these ratings"


@dataclass(frozen=True, slots=True)
class State:
    """A model's state: rating and deviation in points, volatility."""

    rating: float = _MIDDLE
    deviation: float = 350.0
    volatility: float = 0.06


@dataclass(frozen=True, slots=True, eq=False)
class Glicko:
    """Ratings after the last period, in points, in the order of ``names``.

    ``low`` and ``high`` are score ± z · deviation. They depend on the order of the periods.
    """

    names: tuple[str, ...]
    score: Floats
    deviation: Floats
    volatility: Floats
    low: Floats
    high: Floats
    n_battles: Ints
    n: int
    periods: int
    level: float
    method: str
    is_order_dependent: bool = True
    warnings: tuple[str, ...] = ()


def glicko2(
    battles: Battles,
    periods: Sequence[Hashable],
    *,
    tau: float = 0.5,
    start: Mapping[str, State] | None = None,
    level: float = 0.95,
) -> Glicko:
    """Compute Glicko-2 ratings; within a period the order of the battles does not matter.

    Args:
        battles: without weights; a battle counts once.
        periods: a label for each battle, rated in the order of the labels (numbers before text,
            so that ISO dates and numbers both work).
        tau: the rate of change of volatility, 0.3 to 1.2.
        start: states before the first period; 1500, 350, 0.06 for the others.
        level: of the intervals.

    Raises:
        SpecError: weights, tau that is not positive, a level outside 0 to 1.

    Source: Glickman 2013, "Example of the Glicko-2 system".
    """
    if battles.weight is not None:
        raise SpecError("Glicko-2 knows no weights; leave them out.")
    if not (0 < tau < np.inf and 0 < level < 1):
        raise SpecError(f"Glicko-2 can't run with tau={tau!r}, level={level!r}.")
    period = cluster_codes(periods, len(battles), None)
    states = [(start or {}).get(name, State()) for name in battles.names]
    number = int(period.max()) + 1
    order = np.argsort(period, kind="stable")
    ends = np.searchsorted(period[order], np.arange(number + 1))
    for begin, end in pairwise(ends):
        states = _next_states(states, battles, order[begin:end], tau)
    return _result(battles, states, number, level)


def _result(battles: Battles, states: Sequence[State], number: int, level: float) -> Glicko:
    counts = battles.counts()
    score = np.array([state.rating for state in states])
    deviation = np.array([state.deviation for state in states])
    half = quantile(0.5 + level / 2, None) * deviation
    return Glicko(
        names=battles.names,
        score=score,
        deviation=deviation,
        volatility=np.array([state.volatility for state in states]),
        low=score - half,
        high=score + half,
        n_battles=counts.n_battles,
        n=counts.n,
        periods=number,
        level=level,
        method=f"Glicko-2 over {number:,} periods",
        warnings=(_ORDER_MATTERS,),
    )


def _next_states(states: Sequence[State], battles: Battles, rows: Ints, tau: float) -> list[State]:
    """All states after one period; those who did not play become less sure."""
    results: list[list[tuple[State, float]]] = [[] for _ in states]
    for row in sorted(
        rows.tolist(), key=lambda i: (battles.a[i], battles.b[i], battles.outcome[i])
    ):
        a, b, share = int(battles.a[row]), int(battles.b[row]), battles.outcome[row] / WON
        results[a].append((states[b], float(share)))
        results[b].append((states[a], float(1 - share)))
    return [
        _update_state(state, own, tau) if own else _idle_state(state)
        for state, own in zip(states, results, strict=True)
    ]


def _idle_state(state: State) -> State:
    deviation = math.hypot(state.deviation, state.volatility * _POINTS)
    return State(state.rating, deviation, state.volatility)


def _update_state(state: State, results: Sequence[tuple[State, float]], tau: float) -> State:
    """Steps 3 to 8 of the paper; φ, μ, v and Δ are the paper's."""
    mu, phi = (state.rating - _MIDDLE) / _POINTS, state.deviation / _POINTS
    information, surprise = [], []
    for other, share in results:
        g = 1 / math.sqrt(1 + 3 * (other.deviation / _POINTS / math.pi) ** 2)
        expected = 1 / (1 + math.exp(-g * (mu - (other.rating - _MIDDLE) / _POINTS)))
        information.append(g * g * expected * (1 - expected))
        surprise.append(g * (share - expected))
    v, gain = 1 / math.fsum(information), math.fsum(surprise)
    volatility = _volatility(state.volatility, phi, v, v * gain, tau)
    before = phi**2 + volatility**2
    after = 1 / math.sqrt(1 / before + 1 / v)
    return State(_POINTS * (mu + after**2 * gain) + _MIDDLE, _POINTS * after, volatility)


def _volatility(sigma: float, phi: float, v: float, delta: float, tau: float) -> float:
    """Step 5: the Illinois variant of regula falsi."""
    a = math.log(sigma**2)

    def f(x: float) -> float:
        swell = math.exp(x)
        total = phi**2 + v + swell
        return swell * (delta**2 - total) / (2 * total**2) - (x - a) / tau**2

    low, high = a, math.log(delta**2 - phi**2 - v) if delta**2 > phi**2 + v else a - tau
    while delta**2 <= phi**2 + v and f(high) < 0:
        high -= tau
    f_low, f_high = f(low), f(high)
    for _ in range(_MOST_ROUNDS):
        if abs(high - low) <= _TOLERANCE:
            return math.exp(low / 2)
        there = low + (low - high) * f_low / (f_high - f_low)
        f_there = f(there)
        if f_there * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = there, f_there
    raise NotConverged(f"A volatility did not settle within {_MOST_ROUNDS:,} rounds.")
