"""The chance to detect an effect with a number of cases, and its inverse."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from benchmaker.errors import NotConverged, SpecError

PowerMethod: TypeAlias = Literal["normal", "t"]

FEWEST = 2.0


@dataclass(frozen=True, slots=True)
class NormalPower:
    """Power by the normal approximation; effects are differences over sd_d."""

    alpha: float
    name: str = "paired comparison, normal approximation"

    def power(self, n: float, effect: float) -> float:
        """The chance to find ``effect`` with ``n`` cases."""
        from scipy.special import ndtr, ndtri  # noqa: PLC0415  loads for a third of a second

        return float(ndtr(effect * math.sqrt(n) + ndtri(self.alpha / 2)))

    def size(self, effect: float, power: float) -> float:
        """Return the number of cases, unrounded; at least 2, and infinite if none suffices."""
        once = self._quantile_sum(power) / effect if effect else math.inf
        return max(once * once, FEWEST)

    def effect(self, n: float, power: float) -> float:
        """The effect that ``n`` cases find with this chance."""
        return self._quantile_sum(power) / math.sqrt(n)

    def _quantile_sum(self, power: float) -> float:
        """The normal quantiles at 1 - alpha/2 and at the power, together."""
        from scipy.special import ndtri  # noqa: PLC0415  loads for a third of a second

        return float(ndtri(power) - ndtri(self.alpha / 2))


@dataclass(frozen=True, slots=True)
class StudentPower:
    """Power of the two-sided paired t test; effects are differences over sd_d."""

    alpha: float
    name: str = "paired comparison, noncentral t"

    def power(self, n: float, effect: float) -> float:
        """The chance to find ``effect`` with ``n`` cases."""
        from scipy.special import stdtrit  # noqa: PLC0415  loads for a third of a second

        df, away = n - 1.0, effect * math.sqrt(n)
        edge = -float(stdtrit(df, self.alpha / 2))
        return 1.0 - _noncentral_t_cdf(edge, df, away) + _noncentral_t_cdf(-edge, df, away)

    def size(self, effect: float, power: float) -> float:
        """Return the number of cases, unrounded, by bisection; at least 2."""
        if self.power(FEWEST, effect) >= power:
            return FEWEST
        return _root(lambda n: self.power(n, effect) >= power, FEWEST, 2.0 * FEWEST)

    def effect(self, n: float, power: float) -> float:
        """The effect that ``n`` cases find with this chance, by bisection."""
        start = NormalPower(self.alpha).effect(n, power)
        return _root(lambda effect: self.power(n, effect) >= power, 0.0, start)


def power_method(method: PowerMethod, alpha: float) -> NormalPower | StudentPower:
    """The method by its name; ``alpha`` is two-sided."""
    match method:
        case "normal":
            return NormalPower(alpha)
        case "t":
            return StudentPower(alpha)
        case _:
            raise SpecError(f"Unknown method {method!r}; take normal or t.")


def _noncentral_t_cdf(edge: float, df: float, away: float) -> float:
    """P(T ≤ edge) of the noncentral t; far below ``away`` scipy says NaN, which is 0 here."""
    from scipy.special import nctdtr  # noqa: PLC0415  loads for a third of a second

    chance = float(nctdtr(df, away, edge))
    if math.isnan(chance) and edge >= away:
        message = f"The noncentral t distribution ({df:g}, {away:g}) could not be evaluated."
        raise NotConverged(message, hint="Use method='normal'.")
    return 0.0 if math.isnan(chance) else chance


def _root(is_enough: Callable[[float], bool], low: float, high: float) -> float:
    """Return the point above ``low`` where ``is_enough`` turns true, starting from ``high``."""
    while not is_enough(high):
        low, high = high, high * 2.0
    while low < (middle := (low + high) / 2.0) < high:
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
