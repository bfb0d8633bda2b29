"""Two one-sided tests: are two systems the same for practical purposes?"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from benchmaker.errors import SpecError
from benchmaker.stats.columns import check_level
from benchmaker.stats.differences import Clusters, Differences, paired_differences
from benchmaker.stats.pairs.effective_shares import EffectiveShares, effective_shares
from benchmaker.stats.pairs.paired import mean_difference
from benchmaker.stats.quantiles import t_quantile
from benchmaker.stats.student import alpha, upper_tail

LEAST_CLUSTERS = 50
LEAST_DIFFERING = 10


@dataclass(frozen=True, slots=True)
class Equivalence:
    """A test that |mean_a - mean_b| is below ``margin``.

    ``p_lower`` is the one-sided p of diff ≤ -margin, ``p_upper`` of diff ≥ margin, ``p_value`` the
    larger. ``low`` and ``high`` are the ends of the interval of level 2·level - 1 (90% for 0.95),
    which lies within the margin exactly when ``p_value`` < 1 - level. They are None if the data do
    not support them; ``reason`` explains why and ``is_equivalent`` is False.
    """

    diff: float
    margin: float
    se: float | None
    df: int | None
    low: float | None
    high: float | None
    p_lower: float | None
    p_upper: float | None
    p_value: float | None
    is_equivalent: bool
    n: int
    n_eff: float
    clusters: int
    level: float
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()


def tost(
    a: ArrayLike,
    b: ArrayLike,
    *,
    margin: float,
    weights: ArrayLike | None = None,
    clusters: Clusters | None = None,
    level: float = 0.95,
) -> Equivalence:
    """Run both one-sided paired t tests, against -margin and against margin.

    Unlike a non-significant difference, this shows equivalence (Schuirmann 1987, Journal of
    Pharmacokinetics and Biopharmaceutics 15). Means and errors are those of :func:`paired`.

    Args:
        a: one finite number per item.
        b: the other system's, in the same order of items.
        margin: the largest difference that does not matter, above 0, in the unit of the scores.
        weights: one per item, at least 0; None for equal ones.
        clusters: one label per item; None for independent items.
        level: 1 - the error rate of each one-sided test, above 0.5.

    Raises:
        SpecError: an unusable number, unequal lengths, a margin that is not above 0.
        NotEnoughData: no item of positive weight.
    """
    rows = paired_differences(a, b, weights=weights, clusters=clusters)
    return tost_rows(rows, margin=margin, level=level)


def tost_rows(rows: Differences, *, margin: float, level: float) -> Equivalence:
    """The same for rows that are checked already."""
    _check(margin, level)
    mean = mean_difference(rows, level)
    lower = upper = half = None
    if mean.se is not None:
        lower = upper_tail((mean.mean + margin) / mean.se, mean.df)
        upper = upper_tail((margin - mean.mean) / mean.se, mean.df)
        half = t_quantile(mean.df, 2 * level - 1) * mean.se
    p = None if lower is None or upper is None else max(lower, upper)
    return Equivalence(
        diff=mean.mean,
        margin=margin,
        se=mean.se,
        df=mean.df,
        low=None if half is None else mean.mean - half,
        high=None if half is None else mean.mean + half,
        p_lower=lower,
        p_upper=upper,
        p_value=p,
        is_equivalent=p is not None and p < alpha(level),
        n=mean.n,
        n_eff=mean.n_eff,
        clusters=rows.clusters,
        level=level,
        method="two one-sided paired t tests (TOST)",
        reason=mean.reason.replace("value", "difference"),
        warnings=tuple(warning.replace("values", "differences") for warning in mean.warnings),
    )


def choose_tost(rows: Differences, *, margin: float, level: float) -> Equivalence:
    """The equivalence test that suits the data.

    Scores of 0 and 1, unweighted and without clusters, get Tango's score test; others the two t
    tests, from 50 clusters on, of which 10 differ. Below that the result has no p, but a reason:
    the t tests would believe a handful of equal scores. For scores of 0 and 1 with weights or
    clusters, p is the larger one of the t tests and of Tango's by the effective number of items.
    """
    if rows.is_binary and not rows.is_weighted and not rows.is_clustered:
        return tost_binary(
            int((rows.d > 0).sum()),
            int((rows.d < 0).sum()),
            len(rows.d),
            margin=margin,
            level=level,
        )
    made = _widened(rows, tost_rows(rows, margin=margin, level=level))
    differing = int(np.count_nonzero(rows.by_cluster()[0]))
    if rows.clusters >= LEAST_CLUSTERS and differing >= LEAST_DIFFERING:
        return made
    noun = "clusters" if rows.is_clustered else "items"
    reason = (
        f"equivalence needs {LEAST_CLUSTERS} {noun}, {LEAST_DIFFERING} of which differ; "
        f"there are {rows.clusters} and {differing}"
    )
    return replace(
        made,
        low=None,
        high=None,
        p_lower=None,
        p_upper=None,
        p_value=None,
        is_equivalent=False,
        reason=made.reason or reason,
    )


def _widened(rows: Differences, made: Equivalence) -> Equivalence:
    """For scores of 0 and 1, the larger p of the t test and of Tango's, and the hull of both."""
    shares = effective_shares(rows) if rows.is_binary and made.margin < 1 else None
    if shares is None or made.low is None or made.high is None:
        return made
    score = _score_test(shares, made.margin, made.level)
    lower = max(made.p_lower or 0.0, score.p_lower)
    upper = max(made.p_upper or 0.0, score.p_upper)
    return replace(
        made,
        low=min(made.low, score.low),
        high=max(made.high, score.high),
        p_lower=lower,
        p_upper=upper,
        p_value=max(lower, upper),
        is_equivalent=max(lower, upper) < alpha(made.level),
        method=f"{made.method}, and Tango's score tests",
    )


class _ScoreTest(NamedTuple):
    p_lower: float
    p_upper: float
    low: float
    high: float


def _score_test(shares: EffectiveShares, margin: float, level: float) -> _ScoreTest:
    """Both one-sided score tests, and the interval of level 2·level - 1."""
    from scipy.special import ndtr  # noqa: PLC0415  loads for a third of a second

    lower, upper = float(ndtr(-shares.score(-margin))), float(ndtr(shares.score(margin)))
    return _ScoreTest(lower, upper, *shares.interval(2 * level - 1))


def tost_binary(n10: int, n01: int, n: int, *, margin: float, level: float = 0.95) -> Equivalence:
    """Both one-sided score tests of a risk difference against -margin and margin (Tango 1998).

    Args:
        n10: items that a passes and b fails.
        n01: items that b passes and a fails.
        n: all items.
        margin: the largest difference that does not matter, above 0 and below 1.
        level: 1 - the error rate of each one-sided test, above 0.5.

    Raises:
        SpecError: counts that can't be, or a margin or level out of range.
        NotEnoughData: n is 0.
    """
    _check(margin, level)
    if margin >= 1:
        raise SpecError(f"The margin of equivalence is {margin!r}; shares differ by 1 at most.")
    lower, upper, low, high = _score_test(EffectiveShares(n10, n01, n), margin, level)
    return Equivalence(
        diff=(n10 - n01) / n,
        margin=margin,
        se=None,
        df=None,
        low=low,
        high=high,
        p_lower=lower,
        p_upper=upper,
        p_value=max(lower, upper),
        is_equivalent=max(lower, upper) < alpha(level),
        n=n,
        n_eff=float(n),
        clusters=n,
        level=level,
        method="two one-sided score tests of the risk difference (Tango)",
    )


def _check(margin: float, level: float) -> None:
    check_level(level)
    if level <= 0.5:  # noqa: PLR2004  there, the interval of level 2·level - 1 ends
        raise SpecError(f"The confidence level {level!r} of two one-sided tests is not above 0.5.")
    if not (math.isfinite(margin) and margin > 0):
        raise SpecError(
            f"The margin of equivalence is {margin!r}.",
            hint="Give the largest difference that does not matter, above 0.",
        )
