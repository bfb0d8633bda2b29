"""The interval for the verdict on a pair: it excludes 0 exactly when the verdict does."""

from collections.abc import Callable
from typing import TypeAlias

Ends: TypeAlias = tuple[float | None, float | None]

EndsAt: TypeAlias = Callable[[float], Ends]
"""The ends of a pair's interval at a confidence level, by the test that decides the pair."""

_WIDEST = (-1.0, 1.0)


def level_of(p_value: float | None, p_adjusted: float | None, level: float) -> float:
    """1 - alpha · p / p_adjusted, never below the level: there interval and verdict agree.

    A pair differs where p_adjusted < alpha, that is p < alpha · p / p_adjusted: the test that the
    interval of this level inverts.

    >>> round(level_of(0.01, 0.03, 0.95), 6), level_of(0.2, 0.2, 0.95), level_of(None, None, 0.95)
    (0.983333, 0.95, 0.95)
    """
    if not p_value or not p_adjusted or p_adjusted <= p_value:
        return level
    return 1.0 - (1.0 - level) * p_value / p_adjusted


def interval_at(ends: Ends, ends_at: EndsAt, level: float) -> Ends:
    """Return the ends at the level, within the possible differences of scores from 0 to 1.

    If the test has an interval, ``ends``, but rejects no shift at this level, it covers all
    differences.
    """
    if ends[0] is None or ends[1] is None:
        return None, None
    low, high = ends_at(level)
    if low is None or high is None:
        return _WIDEST
    return within_differences((low, high))


def within_differences(ends: Ends) -> Ends:
    """Clip the ends to the possible differences of scores from 0 to 1."""
    low, high = ends
    if low is None or high is None:
        return ends
    return max(low, _WIDEST[0]), min(high, _WIDEST[1])
