"""Intervals for a share: k of n."""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.columns import check_level
from benchmaker.stats.quantiles import beta_quantile, z_quantile

ShareMethod: TypeAlias = Literal["wilson", "clopper_pearson", "jeffreys", "beta", "wald"]
Ends: TypeAlias = tuple[float, float]

_NAMES = {
    "wilson": "Wilson",
    "clopper_pearson": "Clopper–Pearson",
    "jeffreys": "Jeffreys",
    "beta": "beta-binomial",
    "wald": "Wald",
}
_FEW = 5


@dataclass(frozen=True, slots=True)
class Proportion:
    """A share and its interval.

    ``n_eff`` is n over the design effect; the interval is that of ``share · n_eff`` of ``n_eff``.
    ``prior`` are the two parameters of the beta prior, None if the method has none. ``low`` and
    ``high`` are None if the method gives no width, with a ``reason``.
    """

    share: float
    k: int
    n: int
    n_eff: float
    low: float | None
    high: float | None
    level: float
    method: str
    prior: tuple[float, float] | None = None
    reason: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def interval(self) -> Ends | None:
        """Both ends, or None."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def proportion(
    k: int,
    n: int,
    *,
    level: float = 0.95,
    method: ShareMethod = "wilson",
    prior: tuple[float, float] = (1.0, 1.0),
    design_effect: float = 1.0,
) -> Proportion:
    """Return the share k/n with a two-sided interval.

    ``wilson`` inverts the score test (Wilson 1927); it covers close to the level even at small n
    and is the default. ``clopper_pearson`` inverts the exact binomial test and covers at least
    the level. ``jeffreys`` and ``beta`` are the equal tails of the beta posterior under the
    priors (½, ½) and ``prior``. ``wald`` is the normal approximation of text books; it covers 65%
    at n = 5 and exists for comparison (Brown, Cai and DasGupta 2001, Interval Estimation for a
    Binomial Proportion).

    Args:
        k: number of successes, 0 to n.
        n: number of observations, at least 1.
        level: of the interval, between 0 and 1.
        method: one of the above.
        prior: the parameters of the beta prior, both positive; read by ``beta`` alone.
        design_effect: the inflation of the variance by clusters or weights; n is divided by it.

    Raises:
        SpecError: k or n is not a count, an unknown method, a prior or design effect not above 0.
        NotEnoughData: n is 0.

    >>> some = proportion(9, 10)
    >>> [round(end, 4) for end in some.interval]
    [0.5958, 0.9821]
    """
    check_level(level)
    _check_counts(k, n)
    _check_choices(method, prior, design_effect)
    size = n / design_effect
    ends = _ends(k / n, (n - k) / n, size, level=level, method=method, prior=prior)
    reason = f"all {n} are alike, and {_NAMES[method]} then has no width" if ends is None else ""
    return Proportion(
        share=k / n,
        k=k,
        n=n,
        n_eff=size,
        low=None if ends is None else ends[0],
        high=None if ends is None else ends[1],
        level=level,
        method=_NAMES[method],
        prior={"jeffreys": (0.5, 0.5), "beta": prior}.get(method),
        reason=reason,
        warnings=_warnings(n, ends),
    )


def wilson(share: float, size: float, quantile: float, *, rest: float | None = None) -> Ends:
    """Return Wilson's interval in [0, 1], the ends where |share - μ| = quantile · √(μ(1-μ)/size).

    The ends are the roots of (1 + c)μ² - (2p + c)μ + p² = 0 with c = quantile²/size; each is
    computed in the form without cancellation.

    Args:
        share: p, between 0 and 1.
        size: the number of observations, effective and positive.
        quantile: of the normal or of Student's t distribution.
        rest: 1 - p, if it is known more precisely.
    """
    rest = 1.0 - share if rest is None else rest
    return _wilson_low(share, rest, quantile**2 / size), 1.0 - _wilson_low(
        rest, share, quantile**2 / size
    )


def _wilson_low(share: float, rest: float, c: float) -> float:
    upper = 2.0 * share + c + math.sqrt(c * c + 4.0 * c * share * rest)
    return 2.0 * share * share / upper


def _ends(
    share: float,
    rest: float,
    size: float,
    *,
    level: float,
    method: ShareMethod,
    prior: tuple[float, float],
) -> Ends | None:
    match method:
        case "wilson":
            return wilson(share, size, z_quantile(level), rest=rest)
        case "clopper_pearson":
            return clopper_pearson(share * size, rest * size, level)
        case "jeffreys":
            return _posterior_interval(share * size + 0.5, rest * size + 0.5, level)
        case "beta":
            return _posterior_interval(share * size + prior[0], rest * size + prior[1], level)
        case "wald":
            half = z_quantile(level) * math.sqrt(share * rest / size)
            return None if half == 0.0 else (share - half, share + half)


def clopper_pearson(hits: float, misses: float, level: float) -> Ends:
    """Return the exact interval (Clopper and Pearson 1934); counts may be fractions."""
    tail = (1.0 - level) / 2
    low = beta_quantile(hits, misses + 1.0, tail)
    return low, 1.0 - beta_quantile(misses, hits + 1.0, tail)


def _posterior_interval(a: float, b: float, level: float) -> Ends:
    tail = (1.0 - level) / 2
    return beta_quantile(a, b, tail), 1.0 - beta_quantile(b, a, tail)


def _check_counts(k: int, n: int) -> None:
    if n != int(n) or n < 0:
        raise SpecError(f"n = {n!r} is not a count.")
    if n == 0:
        raise NotEnoughData("There is nothing to take a share of.", needed=1, got=0)
    if k != int(k) or not 0 <= k <= n:
        raise SpecError(f"k = {k!r} is not a count between 0 and n = {n}.")


def _check_choices(method: str, prior: tuple[float, float], design_effect: float) -> None:
    if method not in _NAMES:
        raise SpecError(f"Unknown method {method!r}; take one of {', '.join(_NAMES)}.")
    if not (min(prior) > 0.0 and math.isfinite(sum(prior))):
        raise SpecError(f"The prior {prior!r} needs two positive numbers.")
    if not (design_effect > 0.0 and math.isfinite(design_effect)):
        raise SpecError(f"The design effect {design_effect!r} is not above 0.")


def _warnings(n: int, ends: Ends | None) -> tuple[str, ...]:
    said = [f"only {n} values"] if n < _FEW else []
    if ends is not None and not 0.0 <= ends[0] <= ends[1] <= 1.0:
        said.append("an end lies outside 0 to 1")
    return tuple(said)
