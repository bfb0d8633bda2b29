"""McNemar's test for two systems that pass or fail the same items."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.columns import check_level
from benchmaker.stats.quantiles import z_quantile

_EXACT_TO = 2_000

NO_DIFFERENCE = "no difference in any case"
"""The reason for a missing p-value where no item differs."""


@dataclass(frozen=True, slots=True)
class McNemar:
    """Passes of a alone (``n10``) compared with passes of b alone (``n01``).

    ``p_value`` is ``p_mid`` or ``p_exact``, as requested. ``diff`` is the risk difference (n10 -
    n01)/n with Tango's score interval; it needs ``n``, the number of all items. They are None if
    unavailable; ``reason`` explains a missing p.
    """

    n10: int
    n01: int
    n: int | None
    p_value: float | None
    p_exact: float | None
    p_mid: float | None
    diff: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()


def mcnemar(
    n10: int, n01: int, *, n: int | None = None, mid_p: bool = True, level: float = 0.95
) -> McNemar:
    """Run the exact two-sided test of n10 = n01, with mid-p unless it is switched off.

    Of m = n10 + n01 items that only one side passes, n10 is binomial with share 1/2. The exact p is
    2 · P(X ≤ min(n10, n01)), at most 1; mid-p counts the observed value half. Mid-p is the default:
    the exact p is conservative, with an actual error rate far below the nominal one, while that of
    mid-p is close to it (Fagerland, Lydersen and Laake 2013, BMC Medical Research Methodology
    13:91).

    Args:
        n10: items that a passes and b fails.
        n01: items that b passes and a fails.
        n: all items, for the risk difference and its interval (Tango 1998, Statistics in Medicine
            17; recommended by Fagerland, Lydersen and Laake 2014, Statistics in Medicine 33).
        mid_p: whether ``p_value`` is the mid-p.
        level: of the interval, between 0 and 1.

    Raises:
        SpecError: a negative count, or fewer items than n10 + n01.
        NotEnoughData: n is 0.

    >>> got = mcnemar(1, 7, n=21)
    >>> round(got.p_exact, 4), round(got.p_mid, 4), round(got.diff, 4)
    (0.0703, 0.0391, -0.2857)
    """
    check_level(level)
    _check(n10, n01, n)
    exact, mid = (None, None) if n10 + n01 == 0 else _p_values(n10, n01)
    low, high = (None, None) if n is None else tango(n10, n01, n, level=level)
    kind = "mid-p" if mid_p else "exact"
    return McNemar(
        n10=n10,
        n01=n01,
        n=n,
        p_value=mid if mid_p else exact,
        p_exact=exact,
        p_mid=mid,
        diff=None if n is None else (n10 - n01) / n,
        low=low,
        high=high,
        level=level,
        method=f"McNemar's binomial test, {kind}" + ("" if n is None else "; Tango's interval"),
        reason="" if n10 + n01 else NO_DIFFERENCE,
    )


def tango(n10: float, n01: float, n: float, *, level: float) -> tuple[float, float]:
    """The score interval of (n10 - n01)/n: the differences whose score test is not significant.

    The score is (n10 - n01 - nΔ) / √(n(2q + Δ(1 - Δ))), q being the most likely share of n01 under
    Δ (Tango 1998). It never leaves [-1, 1]. The numbers may be effective ones.
    """
    z = z_quantile(level)
    at = (n10 - n01) / n

    def score(delta: float) -> float:
        return tango_score(n10, n01, n, delta)

    low = -1.0 if n01 == n else _root(lambda x: score(x) - z, -1.0, at)
    high = 1.0 if n10 == n else _root(lambda x: score(x) + z, at, 1.0)
    return low, high


def end_of_test(n10: int, n01: int, n: int, *, mid_p: bool, level: float) -> float:
    """Return the end of the difference's interval nearer to 0, by the binomial test itself.

    The interval contains the shares π of the m differing items that the test does not reject: the
    end is (2π - 1) · m/n, on the side of 0 that the test finds. Tango's interval is based on
    another test and may disagree if p is near 1 - level.
    """
    m, k = n10 + n01, max(n10, n01)
    tail = (1 - level) / 2

    def excess(share: float) -> float:
        return tail - _at_least(k, m, share, mid_p=mid_p)

    share = _root(excess, 0.0, 1.0) if m else 0.5
    end = (2 * share - 1) * m / n
    return end if n10 >= n01 else -end


def _at_least(k: int, m: int, share: float, *, mid_p: bool) -> float:
    """P(X ≥ k) of m items, P(X = k) counted half with mid-p."""
    from scipy.special import bdtrc  # noqa: PLC0415  loads for a third of a second

    above = float(bdtrc(k, m, share)) if k < m else 0.0
    through = float(bdtrc(k - 1, m, share)) if k > 0 else 1.0
    return (above + through) / 2 if mid_p else through


def _check(n10: int, n01: int, n: int | None) -> None:
    if n10 < 0 or n01 < 0:
        raise SpecError(f"Counts are at least 0, not {min(n10, n01)}.")
    if n is not None and n < n10 + n01:
        raise SpecError(f"{n10} and {n01} items differ, but there are only {n} in all.")
    if n == 0:
        raise NotEnoughData("There is no item.", needed=1, got=0)


def _p_values(n10: int, n01: int) -> tuple[float, float]:
    """Exact and mid-p."""
    from scipy.special import bdtr  # noqa: PLC0415  loads for a third of a second

    m, k = n10 + n01, min(n10, n01)
    tail = 2 * float(bdtr(k, m, 0.5))
    return min(tail, 1.0), min(tail - _share(k, m), 1.0)


def _share(k: int, m: int) -> float:
    """P(X = k) of m fair coins."""
    if m <= _EXACT_TO:
        return math.comb(m, k) / (1 << m)
    return math.exp(
        math.lgamma(m + 1) - math.lgamma(k + 1) - math.lgamma(m - k + 1) - m * math.log(2)
    )


def tango_score(n10: float, n01: float, n: float, delta: float) -> float:
    """Tango's score of the difference ``delta``; infinite where no spread is left."""
    a = 2 * n
    b = (2 * n - n10 + n01) * delta - n10 - n01
    c = -n01 * delta * (1 - delta)
    q = (math.sqrt(max(b * b - 4 * a * c, 0.0)) - b) / (2 * a)
    spread = n * (2 * q + delta * (1 - delta))
    away = n10 - n01 - n * delta
    return away / math.sqrt(spread) if spread > 0 else math.copysign(math.inf, away)


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Return the root of a falling function, by bisection to the last digit."""
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return middle
