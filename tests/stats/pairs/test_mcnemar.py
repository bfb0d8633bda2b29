import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle
from scipy.optimize import minimize_scalar
from statsmodels.stats.contingency_tables import mcnemar as from_statsmodels

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.pairs.mcnemar import mcnemar
from benchmaker.stats.quantiles import z_quantile
from tests.draws import draws

COUNTS = st.integers(0, 60)


@given(COUNTS, COUNTS)
def test_exact_p_is_the_binomial_one(n10, n01):
    got = mcnemar(n10, n01, mid_p=False)
    if n10 + n01 == 0:
        assert (got.p_value, got.reason) == (None, "no difference in any case")
        return
    want = oracle.binomtest(n10, n10 + n01).pvalue
    assert got.p_value == got.p_exact == pytest.approx(want, rel=1e-10)
    table = [[5, n10], [n01, 5]]
    assert got.p_exact == pytest.approx(from_statsmodels(table, exact=True).pvalue, rel=1e-10)


@given(COUNTS, COUNTS)
def test_mid_p_counts_the_observed_value_half(n10, n01):
    m, k = n10 + n01, min(n10, n01)
    if m == 0:
        return
    want = sum(2 * math.comb(m, i) for i in range(k)) / 2**m + math.comb(m, k) / 2**m
    assert mcnemar(n10, n01).p_value == pytest.approx(want, rel=1e-10)


@pytest.mark.parametrize("n10", [1010, 50_100])
def test_many_items_lose_no_digits(n10):
    n01 = n10 - 77
    m = n10 + n01
    want = 2 * oracle.binom.cdf(n01, m, 0.5) - oracle.binom.pmf(n01, m, 0.5)
    assert mcnemar(n10, n01).p_mid == pytest.approx(want, rel=1e-10)


def test_a_published_example():  # Fagerland, Lydersen and Laake 2013 and 2014: airway reactivity
    got = mcnemar(1, 7, n=21)
    assert (round(got.p_exact, 4), round(got.p_mid, 4)) == (0.0703, 0.0391)
    assert (round(got.low, 3), round(got.high, 3)) == (-0.517, -0.026)


def score(n10, n01, n, delta):
    """Tango's score with the nuisance share found by a search instead of its formula."""
    n_same = n - n10 - n01

    def away(q):
        p10, p01 = q + delta, q
        parts = ((n10, p10), (n01, p01), (n_same, 1 - p10 - p01))
        return -sum(k * math.log(max(p, 1e-300)) for k, p in parts if k)

    low, high = max(0.0, -delta), (1 - delta) / 2
    q = minimize_scalar(away, bounds=(low, high), method="bounded", options={"xatol": 1e-13}).x
    return (n10 - n01 - n * delta) / math.sqrt(n * (2 * q + delta * (1 - delta)))


@given(st.integers(0, 12), st.integers(0, 12), st.integers(1, 30))
def test_the_interval_ends_where_the_score_test_turns_significant(n10, n01, same):
    n = n10 + n01 + same
    got = mcnemar(n10, n01, n=n)
    assert -1 < got.low <= got.diff <= got.high < 1
    z = z_quantile(0.95)
    assert score(n10, n01, n, got.low) == pytest.approx(z, abs=2e-4)
    assert score(n10, n01, n, got.high) == pytest.approx(-z, abs=2e-4)


@given(COUNTS, COUNTS, st.integers(0, 20))
def test_the_other_way_round_everything_is_mirrored(n10, n01, same):
    n = n10 + n01 + same + 1
    one, other = mcnemar(n10, n01, n=n), mcnemar(n01, n10, n=n)
    assert other.p_value == one.p_value
    assert (other.low, other.high) == pytest.approx((-one.high, -one.low), abs=1e-12)


@pytest.mark.parametrize(("n10", "n01", "end"), [(6, 0, 1.0), (0, 6, -1.0)])
def test_when_all_items_differ_one_way_the_interval_reaches_the_end(n10, n01, end):
    got = mcnemar(n10, n01, n=6)
    assert end in (got.low, got.high)
    assert got.low < got.high


def test_no_difference_still_has_an_interval():
    got = mcnemar(0, 0, n=20)
    assert (got.p_value, got.diff) == (None, 0.0)
    assert got.high == pytest.approx(-got.low)
    assert got.high == pytest.approx(z_quantile(0.95) ** 2 / (20 + z_quantile(0.95) ** 2))


@pytest.mark.parametrize(
    ("n10", "n01", "n", "words"), [(-1, 2, None, "not -1"), (3, 4, 6, "only 6 in all")]
)
def test_counts_that_cannot_be_are_refused(n10, n01, n, words):
    with pytest.raises(SpecError, match=words):
        mcnemar(n10, n01, n=n)


def test_no_items_are_not_enough_data():
    with pytest.raises(NotEnoughData):
        mcnemar(0, 0, n=0)


def size(n, share, *, mid_p):
    """P(p < .05) at equal systems that differ in this share of items, summed exactly."""
    total = 0.0
    for m in range(1, n + 1):
        rejected = [k for k in range(m + 1) if mcnemar(k, m - k, mid_p=mid_p).p_value < 0.05]
        total += oracle.binom.pmf(m, n, share) * oracle.binom.pmf(rejected, m, 0.5).sum()
    return total


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_equal_systems_are_called_different_as_rarely_as_stated(share):
    assert size(50, share, mid_p=False) <= 0.05
    assert 0.03 <= size(50, share, mid_p=True) <= 0.055


def test_the_interval_covers_the_true_difference():
    rng = np.random.default_rng(11)
    hits, tries = 0, draws(300, 1000)
    for n10, n01, _ in rng.multinomial(30, (0.25, 0.1, 0.65), tries):
        got = mcnemar(int(n10), int(n01), n=30)
        hits += got.low <= 0.15 <= got.high
    assert hits / tries == pytest.approx(0.9525, abs=0.0225 * math.sqrt(1000 / tries))
