import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.pairs.pooled import pooled_t
from tests.draws import draws

SIDE = st.lists(st.integers(0, 1000).map(lambda x: x / 1000), min_size=1, max_size=12)


@pytest.mark.filterwarnings("ignore:Precision loss:RuntimeWarning")  # of the oracle
@given(SIDE, SIDE)
def test_it_is_the_test_of_scipy(a, b):
    got = pooled_t(a, b)
    if len(set(a)) == len(set(b)) == 1:
        assert got.p_value is None
        return
    want = oracle.ttest_ind(a, b)
    interval = want.confidence_interval()
    assert (got.t, got.p_value) == pytest.approx((want.statistic, want.pvalue), rel=1e-9)
    assert (got.low, got.high) == pytest.approx((interval.low, interval.high), abs=1e-9)
    assert got.df == len(a) + len(b) - 2


def test_cohens_d_is_the_difference_over_the_pooled_deviation():
    a, b = [0.7, 0.8, 0.9], [0.5, 0.6, 0.55, 0.7]
    root = math.sqrt((2 * np.var(a, ddof=1) + 3 * np.var(b, ddof=1)) / 5)
    assert pooled_t(a, b).d == pytest.approx((np.mean(a) - np.mean(b)) / root)


def test_one_side_that_does_not_vary_is_borne():
    got = pooled_t([0.5, 0.5, 0.5], [0.6, 0.7])
    se = math.sqrt(0.005 / 3 * (1 / 3 + 1 / 2))
    assert got.t == pytest.approx(-0.15 / se)
    assert got.p_value == pytest.approx(2 * oracle.t.sf(0.15 / se, 3))


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ([0.3, 0.3], [0.9, 0.9], "all values are equal on both sides"),
        ([0.1 + 0.2, 0.3], [0.9, 0.9], "all values are equal on both sides"),
        ([0.3], [0.9], "1 value each, at least 3 in all are needed"),
    ],
)
def test_without_spread_there_is_no_p_and_it_says_why(a, b, reason):
    got = pooled_t(a, b)
    assert (got.t, got.p_value, got.d, got.low, got.reason) == (None, None, None, None, reason)


def test_what_cannot_be_used_is_refused():
    with pytest.raises(SpecError, match="row 2 is inf"):
        pooled_t([0.1, math.inf], [0.2, 0.3])
    with pytest.raises(NotEnoughData):
        pooled_t([], [0.2, 0.3])


@pytest.mark.parametrize("runs", [2, 3, 5, 10])
def test_equal_models_are_called_different_once_in_twenty_times(runs):
    rng = np.random.default_rng(runs)
    tries = draws(500, 2000)
    hits = sum(pooled_t(*rng.normal(0.8, 0.02, (2, runs))).p_value < 0.05 for _ in range(tries))
    assert hits / tries == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / tries))
