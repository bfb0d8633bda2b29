import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle
from statsmodels.stats.proportion import proportion_confint

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.means.proportions import proportion, wilson

COUNTS = st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
LEVELS = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])
METHODS = ["wilson", "clopper_pearson", "jeffreys", "beta", "wald"]
PUBLISHED = {"wilson": "wilson", "clopper_pearson": "beta", "jeffreys": "jeffreys"}


@given(COUNTS, LEVELS, st.sampled_from(sorted(PUBLISHED)))
def test_equals_statsmodels(counts, level, method):
    k, n = counts
    low, high = proportion_confint(k, n, 1 - level, PUBLISHED[method])
    assert proportion(k, n, level=level, method=method).interval == pytest.approx(
        (low, high), abs=1e-10
    )


@given(COUNTS, LEVELS)
def test_wald_is_the_normal_approximation_and_is_not_clipped(counts, level):
    k, n = counts
    got = proportion(k, n, level=level, method="wald")
    half = oracle.norm.isf((1 - level) / 2) * math.sqrt(k / n * (1 - k / n) / n)
    if 0 < k < n:
        assert got.interval == pytest.approx((k / n - half, k / n + half), abs=1e-12)
    else:
        assert got.interval is None
        assert got.reason == f"all {n} are alike, and Wald then has no width"


@given(COUNTS, LEVELS, st.floats(0.1, 20), st.floats(0.1, 20))
def test_the_beta_prior_gives_the_equal_tails_of_the_posterior(counts, level, a, b):
    k, n = counts
    got = proportion(k, n, level=level, method="beta", prior=(a, b))
    assert got.interval == pytest.approx(oracle.beta.interval(level, a + k, b + n - k), abs=1e-10)
    assert got.prior == (a, b)


@given(COUNTS, LEVELS, st.sampled_from(METHODS))
def test_counting_the_others_mirrors_the_interval(counts, level, method):
    k, n = counts
    one = proportion(k, n, level=level, method=method)
    other = proportion(n - k, n, level=level, method=method)
    if one.interval is None:
        assert other.interval is None
    else:
        assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low), abs=1e-12)


@given(COUNTS, st.sampled_from(METHODS[:4]))
def test_the_ends_stay_between_0_and_1_around_the_share(counts, method):
    k, n = counts
    got = proportion(k, n, method=method)
    assert 0.0 <= got.low < got.high <= 1.0
    if method in {"wilson", "clopper_pearson"}:
        assert got.low <= got.share <= got.high


@given(COUNTS, st.sampled_from(METHODS[:4]))
def test_a_higher_level_is_wider_and_a_larger_count_moves_up(counts, method):
    k, n = counts
    got, wide = (proportion(k, n, level=level, method=method) for level in (0.9, 0.99))
    assert wide.low <= got.low < got.high <= wide.high
    if k < n:
        more = proportion(k + 1, n, method=method)
        less = proportion(k, n, method=method)
        assert less.low < more.low or less.low == more.low == 0.0
        assert less.high < more.high


@given(st.floats(0, 1), st.floats(0.1, 1e6), st.floats(0.01, 10))
def test_wilsons_ends_are_where_the_score_test_turns(share, size, quantile):
    for end in wilson(share, size, quantile):
        assert 0.0 <= end <= 1.0
        error = quantile * math.sqrt(end * (1 - end) / size)
        assert abs(share - end) == pytest.approx(error, rel=1e-6, abs=1e-9)


@given(COUNTS, st.floats(0.2, 10), st.sampled_from(METHODS[:4]))
def test_a_design_effect_divides_the_number_of_observations(counts, effect, method):
    k, n = counts
    got = proportion(k, n, method=method, design_effect=effect)
    assert got.n_eff == n / effect
    plain = proportion(k, n, method=method)
    if effect >= 1:
        assert got.high - got.low >= plain.high - plain.low - 1e-12
    assert proportion(k, n, method=method, design_effect=1.0) == plain


def test_four_equal_copies_with_their_design_effect_are_the_original():
    once, copied = proportion(9, 10), proportion(36, 40, design_effect=4.0)
    assert copied.interval == pytest.approx(once.interval, abs=1e-15)


def test_the_ends_at_no_and_all_hits_are_exactly_0_and_1():
    for method in ("wilson", "clopper_pearson"):
        assert proportion(0, 7, method=method).low == 0.0
        assert proportion(7, 7, method=method).high == 1.0


def test_wilson_as_printed_by_brown_cai_and_dasgupta():
    got = proportion(0, 10)
    assert got.high == pytest.approx(1.959963984540054**2 / (10 + 1.959963984540054**2))
    assert (got.method, got.level, got.n_eff, got.prior) == ("Wilson", 0.95, 10.0, None)


@pytest.mark.parametrize("method", METHODS)
def test_the_exact_coverage_averaged_over_shares_is_what_the_page_says(method):
    """Exact binomial sums over p from .5 to .99 at n = 20; no simulation."""
    n, shares = 20, np.linspace(0.5, 0.99, 50)
    ends = [proportion(k, n, method=method).interval or (k / n, k / n) for k in range(n + 1)]
    low, high = np.array(ends).T
    covered = [
        oracle.binom.pmf(np.flatnonzero((low <= p) & (p <= high)), n, p).sum() for p in shares
    ]
    expected = {"wilson": 0.954, "clopper_pearson": 0.977, "jeffreys": 0.951, "wald": 0.86}
    if method in expected:
        assert np.mean(covered) == pytest.approx(expected[method], abs=0.006)
    else:
        assert 0.93 < np.mean(covered) < 0.97


@pytest.mark.parametrize(
    ("k", "n", "given", "words"),
    [
        (3, 2, {}, "not a count between 0 and n = 2"),
        (-1, 2, {}, "not a count"),
        (0.5, 2, {}, "not a count"),
        (1, 2.5, {}, "not a count"),
        (1, -2, {}, "not a count"),
        (1, 2, {"method": "wilsn"}, "Unknown method 'wilsn'"),
        (1, 2, {"method": "beta", "prior": (0, 1)}, "two positive numbers"),
        (1, 2, {"design_effect": 0.0}, "not above 0"),
        (1, 2, {"design_effect": math.nan}, "not above 0"),
        (1, 2, {"level": 95}, "confidence level"),
    ],
)
def test_what_makes_no_sense_is_refused(k, n, given, words):
    with pytest.raises(SpecError, match=words):
        proportion(k, n, **given)


def test_nothing_counted_is_not_enough_data():
    with pytest.raises(NotEnoughData):
        proportion(0, 0)


def test_few_values_and_an_end_outside_are_warned_of():
    assert proportion(1, 3).warnings == ("only 3 values",)
    assert proportion(9, 10, method="wald").warnings == ("an end lies outside 0 to 1",)
    assert proportion(9, 10).warnings == ()
