"""One pair of systems, compared by the test that suits its data."""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from numpy.typing import ArrayLike

from benchmaker.errors import SpecError
from benchmaker.stats.columns import check_level
from benchmaker.stats.differences import Clusters, Differences, paired_differences
from benchmaker.stats.pairs.effective_shares import effective_shares
from benchmaker.stats.pairs.mcnemar import McNemar, end_of_test, mcnemar
from benchmaker.stats.pairs.paired import PairedT, paired_t_rows
from benchmaker.stats.pairs.permutation import sign_flip_rows
from benchmaker.stats.student import alpha

Test: TypeAlias = Literal["mcnemar_mid_p", "mcnemar_exact", "sign_flip", "t"]
"""The source of a p-value: McNemar's binomial with mid-p or without, sign flips, or t."""

FEW_CLUSTERS = 50
"""Below this many clusters signs are flipped; from here on Student's t holds."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The comparison of a and b on the same items; ``paired`` has means, effect sizes and t test.

    ``p_value``, ``low`` and ``high`` belong to ``test``: Tango's score interval with McNemar's
    test, the shifts that sign flips do not reject, or Student's t. If "auto" chose the test for
    scores of 0 and 1 with clusters or weights, the interval also covers Tango's, by the effective
    number of items. ``p_floor`` is the smallest p
    possible with this number of sign patterns, 0 for the other tests. Figures that the data cannot
    support are None, with a ``reason``.
    """

    paired: PairedT
    test: Test
    p_value: float | None
    low: float | None
    high: float | None
    p_floor: float
    level: float
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()


def head_to_head(
    a: ArrayLike,
    b: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    clusters: Clusters | None = None,
    test: Test | Literal["auto"] = "auto",
    level: float = 0.95,
    draws: int = 9_999,
    seed: int = 0,
) -> Pair:
    """Compare a and b by the test that suits the data, or by the named one.

    The rule of "auto": all scores 0 or 1, equal weights, no clusters → McNemar's binomial test with
    mid-p; else fewer than 50 clusters, or differences that do not vary → sign flips; else Student's
    t, paired and clustered. For scores of 0 and 1 with clusters or weights, the interval of sign
    flips or of t is widened to the hull with Tango's score interval, by the effective number of
    items: a few differing items are not distributed symmetrically, as both tests assume. The end
    between 0 and a significant difference remains that of the test, so that p and interval agree.

    Args:
        a: one finite number per item.
        b: the other system's, in the same order of items.
        weights: one per item, at least 0; None for equal ones.
        clusters: one label per item; None for independent items.
        test: the test; "auto" for the rule.
        level: of the interval, between 0 and 1.
        draws: number of sign patterns drawn if there are too many to enumerate.
        seed: seed of the draws.

    Raises:
        SpecError: an unusable number, unequal lengths, or McNemar's test for scores that are not 0
            or 1, weighted or clustered.
        NotEnoughData: no item of positive weight.
    """
    check_level(level)
    rows = paired_differences(a, b, weights=weights, clusters=clusters)
    return head_to_head_rows(rows, test=test, level=level, draws=draws, seed=seed)


def head_to_head_rows(
    rows: Differences, *, test: Test | Literal["auto"], level: float, draws: int, seed: int
) -> Pair:
    """The same for rows that are checked already."""
    figures = paired_t_rows(rows, level)
    if test == "auto":
        chosen = _choose_test(rows, figures)
        return _widen(rows, _by_test(rows, figures, chosen, level=level, draws=draws, seed=seed))
    return _by_test(rows, figures, test, level=level, draws=draws, seed=seed)


def _by_test(
    rows: Differences, figures: PairedT, test: Test, *, level: float, draws: int, seed: int
) -> Pair:
    match test:
        case "mcnemar_mid_p" | "mcnemar_exact" as chosen:
            return _by_mcnemar(rows, figures, chosen, level)
        case "sign_flip":
            return _by_sign_flip(rows, figures, level=level, draws=draws, seed=seed)
        case "t":
            return _by_t(figures)


def _widen(rows: Differences, made: Pair) -> Pair:
    """The pair whose interval also covers Tango's, for 0 and 1 with clusters or weights."""
    is_own = made.test not in ("sign_flip", "t") or not rows.is_binary
    if is_own or made.low is None or made.high is None:
        return made
    shares = effective_shares(rows)
    if shares is None:
        return made
    low, high = shares.interval(made.level)
    low, high = min(low, made.low), max(high, made.high)
    if made.p_value is not None and made.p_value < alpha(made.level):
        low, high = (made.low, high) if made.paired.diff > 0 else (low, made.high)
    return replace(made, low=low, high=high, method=f"{made.method}; hull with Tango's interval")


def _choose_test(rows: Differences, figures: PairedT) -> Test:
    if rows.is_binary and not rows.is_weighted and not rows.is_clustered:
        return "mcnemar_mid_p"
    few = rows.clusters < FEW_CLUSTERS or figures.se is None
    return "sign_flip" if few else "t"


def _by_mcnemar(
    rows: Differences,
    figures: PairedT,
    test: Literal["mcnemar_mid_p", "mcnemar_exact"],
    level: float,
) -> Pair:
    if not rows.is_binary or rows.is_weighted or rows.is_clustered:
        raise SpecError(
            "McNemar's test needs scores of 0 or 1, equal weights and no clusters.",
            hint='Leave the choice to test="auto".',
        )
    made = mcnemar(
        figures.wins, figures.losses, n=figures.n, mid_p=test == "mcnemar_mid_p", level=level
    )
    low, high = _consistent_interval(made, test)
    return Pair(
        paired=figures,
        test=test,
        p_value=made.p_value,
        low=low,
        high=high,
        p_floor=0.0,
        level=level,
        method=made.method,
        reason=made.reason,
    )


def _consistent_interval(made: McNemar, test: Test) -> tuple[float | None, float | None]:
    """Tango's interval; where test and interval disagree about 0, its nearer end is the test's."""
    low, high, n = made.low, made.high, made.n
    if low is None or high is None or n is None or made.p_value is None:
        return low, high
    if (not low <= 0 <= high) == (made.p_value < alpha(made.level)):
        return low, high
    end = end_of_test(made.n10, made.n01, n, mid_p=test == "mcnemar_mid_p", level=made.level)
    return (end, high) if made.n10 > made.n01 else (low, end)


def _by_sign_flip(
    rows: Differences, figures: PairedT, *, level: float, draws: int, seed: int
) -> Pair:
    made = sign_flip_rows(rows, level=level, draws=draws, seed=seed)
    return Pair(
        paired=figures,
        test="sign_flip",
        p_value=made.p_value,
        low=made.low,
        high=made.high,
        p_floor=1 / made.patterns,
        level=level,
        method=made.method,
        reason=made.reason,
        warnings=made.warnings,
    )


def _by_t(figures: PairedT) -> Pair:
    return Pair(
        paired=figures,
        test="t",
        p_value=figures.p_value,
        low=figures.low,
        high=figures.high,
        p_floor=0.0,
        level=figures.level,
        method=figures.method,
        reason=figures.reason,
        warnings=figures.warnings,
    )
