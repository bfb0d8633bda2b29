"""A chance-corrected coefficient, and its interval from the influence of every unit."""

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np

from benchmaker.errors import NotEnoughData
from benchmaker.stats.columns import Codes, Floats, check_level, cluster_codes
from benchmaker.stats.quantiles import t_quantile

FEW_CLUSTERS = 20


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient of agreement beyond chance, with its interval.

    ``observed`` and ``expected`` are the quantities compared by the method: shares of agreement for
    kappas and AC, mean squared distances (disagreement) for alpha. ``value`` is None if it is
    undefined for the data, ``se``, ``low`` and ``high`` if there is no interval, each with a
    ``reason``. ``n`` counts the units that at least two raters rated, ``ratings`` the ratings of
    those; ``n_eff`` is the number of independent units with the same ``se``. The interval is
    clipped to -1 and 1, the range of all these coefficients.
    """

    value: float | None
    se: float | None
    low: float | None
    high: float | None
    df: int
    observed: float | None
    expected: float | None
    n: int
    n_eff: float
    raters: int
    ratings: int
    clusters: int | None
    level: float
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends, or None."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def require_value(self) -> float:
        """The value; NotEnoughData with the reason where it is undefined."""
        if self.value is None:
            raise NotEnoughData(f"{self.method}: {self.reason}.", needed=2, got=1)
        return self.value


@dataclass(frozen=True, slots=True)
class StandardError:
    """The standard error of a sum of influences; None with a reason if undefined."""

    se: float | None
    df: int
    groups: int
    n_eff: float
    reason: str = ""
    warnings: tuple[str, ...] = ()


def standard_error(influences: Floats, clusters: Iterable[Hashable] | None) -> StandardError:
    """The standard error out of one influence per unit, SE² = G/(G-1) Σ_g (Σ_{i in g} u_i)².

    The infinitesimal jackknife (Efron 1982, The Jackknife, the Bootstrap and Other Resampling
    Plans, chapter 6) with the small-sample factor of cluster-robust errors; without clusters each
    unit is its own, and the formula is that of Gwet 2008 for kappas.
    """
    codes = cluster_codes(clusters, len(influences))
    sums = _sums(influences, codes)
    groups = len(sums)
    if groups < 2:  # noqa: PLR2004  a spread takes two
        noun = "unit" if clusters is None else "cluster"
        return StandardError(None, 0, groups, float(groups), f"1 {noun}, at least 2 are needed")
    se = math.sqrt(groups / (groups - 1) * math.fsum(sums * sums))
    if se == 0.0:
        return StandardError(
            None, groups - 1, groups, float(len(influences)), "the units do not vary"
        )
    n = len(influences)
    alone = math.sqrt(n / (n - 1) * math.fsum(influences * influences))
    noun = "units" if clusters is None else "clusters"
    few = (f"only {groups} {noun}",) if groups < FEW_CLUSTERS else ()
    return StandardError(se, groups - 1, groups, n * (alone / se) ** 2, warnings=few)


def coefficient(
    value: float,
    influences: Floats,
    *,
    clusters: Iterable[Hashable] | None,
    level: float,
    observed: float,
    expected: float,
    n: int,
    raters: int,
    ratings: int,
    method: str,
    warnings: tuple[str, ...] = (),
) -> Coefficient:
    """Return the coefficient with Student's t interval on (clusters - 1) degrees of freedom.

    The interval is clipped to -1 and 1, as irrCAC (Gwet 2014) does at 1: no coefficient lies
    beyond, so that coverage is unchanged.
    """
    check_level(level)
    around = standard_error(influences, clusters)
    half = None if around.se is None else t_quantile(around.df, level) * around.se
    return Coefficient(
        value=value,
        se=around.se,
        low=None if half is None else max(value - half, min(value, -1.0)),
        high=None if half is None else min(value + half, 1.0),
        df=around.df,
        observed=observed,
        expected=expected,
        n=n,
        n_eff=around.n_eff,
        raters=raters,
        ratings=ratings,
        clusters=None if clusters is None else around.groups,
        level=level,
        method=f"{method}, linearised variance, Student's t",
        reason=around.reason,
        warnings=warnings + around.warnings,
    )


def undefined_coefficient(
    reason: str, *, n: int, raters: int, ratings: int, level: float, method: str
) -> Coefficient:
    """Return the result if agreement by chance is complete."""
    return Coefficient(
        value=None,
        se=None,
        low=None,
        high=None,
        df=0,
        observed=None,
        expected=None,
        n=n,
        n_eff=float(n),
        raters=raters,
        ratings=ratings,
        clusters=None,
        level=check_level(level),
        method=method,
        reason=reason,
    )


def _sums(influences: Floats, codes: Codes) -> Floats:
    """Sums by cluster; sorted first, so that the order of the rows moves them little."""
    order = np.lexsort((influences, codes))
    return np.asarray(np.bincount(codes[order], weights=influences[order]), np.float64)
