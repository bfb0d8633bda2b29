"""Sample size, detectable difference and power of a comparison."""

import math
from dataclasses import dataclass
from typing import Literal

from benchmaker.errors import SpecError
from benchmaker.stats.power.components import Components
from benchmaker.stats.power.detection import FEWEST, PowerMethod, power_method

MOST = 1e15
"""Number of cases beyond which a float no longer represents whole numbers exactly."""

_TOO_MANY = "an unrealistic number of cases"


@dataclass(frozen=True, slots=True)
class Power:
    """A planned comparison: n, delta and power, two of them given, with the assumptions.

    ``n`` is the number of cases before it is rounded up, ``cases`` after. ``delta`` is in the unit
    of the scores. ``alpha_each`` is the error rate of one test.
    """

    n: float
    delta: float
    power: float
    sd_d: float
    alpha: float
    alpha_each: float
    tests: int
    runs: int
    method: str
    solved: Literal["n", "delta", "power"]
    warnings: tuple[str, ...] = ()

    @property
    def cases(self) -> int:
        """The number of cases, a whole one."""
        return math.ceil(self.n)


@dataclass(frozen=True, slots=True)
class AdditionalCases:
    """The number of additional cases for a significant difference; None with a reason."""

    more: int | None
    needed: int | None
    n: int
    delta: float
    sd_d: float
    power: float
    alpha: float
    tests: int
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()


def power(
    *,
    n: float | None = None,
    delta: float | None = None,
    power: float | None = None,
    sd_d: float | None = None,
    components: Components | None = None,
    runs: int = 1,
    alpha: float = 0.05,
    tests: int = 1,
    method: PowerMethod = "normal",
) -> Power:
    """Calculate the missing one of n, delta and power, for two systems on the same cases.

    ``normal``: n = (z + z_power)² · sd_d² / delta² with the normal quantiles z at 1 - alpha/2 and
    z_power at the power (Miller 2024, Adding Error Bars to Evals, section 5). ``t``: the power of
    the paired two-sided t test by the noncentral t distribution with n - 1 degrees of freedom and
    noncentrality √n · delta / sd_d (Cohen 1988, Statistical Power Analysis for the Behavioral
    Sciences, chapter 2); a case or two more.

    Args:
        n: number of cases, each sent to both systems; at least 2.
        delta: the difference between the two means to detect, in the unit of the
            scores; its sign does not matter.
        power: the chance to find it, between alpha and 1.
        sd_d: standard deviation over cases of the difference; or
        components: its variance components from a pilot, for ``runs`` runs.
        runs: runs of each case by each system; read with ``components`` alone.
        alpha: the chance of a false finding, over all tests together.
        tests: number of pairs tested; each gets alpha / tests (Bonferroni).
        method: ``normal`` or ``t``.

    Raises:
        SpecError: not exactly one of the three is missing, one is out of its range, or the result
            is more than 10¹⁵ cases.

    >>> power(delta=0.1, power=0.8, sd_d=0.5).cases
    197
    >>> round(power(n=100, power=0.8, sd_d=0.5).delta, 3)
    0.14
    """
    each = _alpha_each(alpha, tests)
    _check(n, delta, power, each)
    sd, warnings = _spread(sd_d, components, runs)
    law = power_method(method, each)
    solved: Literal["n", "delta", "power"]
    if n is None and delta is not None and power is not None:
        n, solved = law.size(abs(delta) / sd, power), "n"
        if n > MOST:
            raise SpecError(f"delta = {delta!r} needs {_TOO_MANY}.", hint="Give a larger delta.")
    elif delta is None and n is not None and power is not None:
        delta, solved = law.effect(n, power) * sd, "delta"
    elif power is None and n is not None and delta is not None:
        power, solved = law.power(n, abs(delta) / sd), "power"
    else:
        raise SpecError("Give two of n, delta and power; the third is calculated.")
    return Power(
        n=n,
        delta=delta,
        power=power,
        sd_d=sd,
        alpha=alpha,
        alpha_each=each,
        tests=tests,
        runs=runs,
        method=law.name,
        solved=solved,
        warnings=warnings,
    )


def n_more(
    delta: float,
    sd_d: float,
    n: int,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    tests: int = 1,
    method: PowerMethod = "t",
) -> AdditionalCases:
    """Return the number of additional cases for a significant difference of ``delta``.

    The observed difference is taken as the true one; if that is smaller, more cases are needed.
    For a clustered comparison give ``sd_d`` = se · √n, which includes the design effect.

    Args:
        delta: the observed difference between the means.
        sd_d: standard deviation over cases of the difference.
        n: cases so far.
        power: the chance to find such a difference.
        alpha: the chance of a false finding, over all tests together.
        tests: number of pairs tested.
        method: as in :func:`power`.

    Raises:
        SpecError: an argument out of its range.

    >>> n_more(0.05, 0.5, 200).more
    587
    """
    if n < 0 or n != int(n):
        raise SpecError(f"n = {n!r} is no count of cases.")
    law = power_method(method, _alpha_each(alpha, tests))
    _check(None, None, power, law.alpha)
    reason = _why_none(delta, sd_d)
    size = math.nan if reason else law.size(abs(delta) / sd_d, power)
    if size > MOST:
        reason = f"the difference is so small that it needs {_TOO_MANY}"
    needed = None if reason else math.ceil(size)
    return AdditionalCases(
        more=None if needed is None else max(needed - int(n), 0),
        needed=needed,
        n=int(n),
        delta=delta,
        sd_d=sd_d,
        power=power,
        alpha=alpha,
        tests=tests,
        method=law.name,
        reason=reason,
        warnings=() if reason else ("assumes that the true difference equals the observed one",),
    )


def _why_none(delta: float, sd_d: float) -> str:
    if not (math.isfinite(delta) and math.isfinite(sd_d) and sd_d >= 0.0):
        raise SpecError(f"delta = {delta!r} and sd_d = {sd_d!r}; finite numbers are needed.")
    if delta == 0.0:
        return "the means are equal, so no number of cases shows a difference"
    return "the difference is the same on every case" if sd_d == 0.0 else ""


def _alpha_each(alpha: float, tests: int) -> float:
    if not 0.0 < alpha < 1.0:
        raise SpecError(f"alpha = {alpha!r} is not between 0 and 1.")
    if tests < 1 or tests != int(tests):
        raise SpecError(f"tests = {tests!r} is no count of at least 1.")
    return alpha / tests


def _check(n: float | None, delta: float | None, power_: float | None, alpha: float) -> None:
    if n is not None and not (math.isfinite(n) and n >= FEWEST):
        raise SpecError(f"n = {n!r}; a comparison needs at least 2 cases.")
    if delta is not None and not (math.isfinite(delta) and delta != 0.0):
        raise SpecError(f"delta = {delta!r}; give a difference other than 0.")
    if power_ is not None and not alpha < power_ < 1.0:
        raise SpecError(f"power = {power_!r} is not between alpha = {alpha:g} and 1.")


def _spread(
    sd_d: float | None, components: Components | None, runs: int
) -> tuple[float, tuple[str, ...]]:
    if (sd_d is None) == (components is None):
        raise SpecError("Give either sd_d or components.")
    if runs < 1 or runs != int(runs):
        raise SpecError(f"runs = {runs!r} is no count of at least 1.")
    if components is not None:
        sd_d = components.sd_d(runs)
    if sd_d is None or not (math.isfinite(sd_d) and sd_d > 0.0):
        raise SpecError(f"sd_d = {sd_d!r}; the difference has to vary over the cases.")
    return sd_d, () if components is None else components.warnings
