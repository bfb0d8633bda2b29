import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.means.means import weighted_mean
from benchmaker.stats.pairs.welch import welch

SIDE = st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]), min_size=2, max_size=30)
VARIED = SIDE.filter(lambda x: len(set(x)) > 1)


@given(VARIED, VARIED)
def test_equal_weights_give_the_test_of_scipy(a, b):
    got, want = welch(a, b), oracle.ttest_ind(a, b, equal_var=False)
    interval = want.confidence_interval()
    assert (got.t, got.df, got.p_value) == pytest.approx(
        (want.statistic, want.df, want.pvalue), rel=1e-9
    )
    assert (got.low, got.high) == pytest.approx((interval.low, interval.high), abs=1e-9)


def test_weights_and_clusters_enter_by_the_standard_errors_of_the_sides():
    rng = np.random.default_rng(1)
    a, w, b = rng.random(30), rng.random(30), rng.random(20)
    g = rng.integers(0, 6, 20)
    got = welch(a, b, weights_a=w, clusters_b=g)
    one, other = weighted_mean(a, w), weighted_mean(b, clusters=g)
    assert got.se == pytest.approx(math.hypot(one.se, other.se))
    want = (one.se**2 + other.se**2) ** 2 / (one.se**4 / 29 + other.se**4 / 5)
    assert got.df == pytest.approx(want)
    assert (got.n_a, got.n_b, got.clusters_a, got.clusters_b) == (30, 20, 30, 6)


@given(VARIED, VARIED)
def test_the_other_way_round_everything_is_mirrored(a, b):
    one, other = welch(a, b), welch(b, a)
    assert (other.diff, other.p_value, other.df) == (-one.diff, one.p_value, one.df)
    assert (other.low, other.high) == (-one.high, -one.low)


def test_a_constant_side_adds_no_variance_and_is_warned_of():
    got = welch([1.0] * 4, [0.1, 0.5, 0.4, 0.3])
    assert got.se == pytest.approx(oracle.sem([0.1, 0.5, 0.4, 0.3]))
    assert got.df == 3
    assert "a: all 4 values are equal" in got.warnings


@pytest.mark.parametrize(
    ("a", "b", "more", "reason"),
    [
        ([1, 1], [0, 0], {}, "all values are equal on both sides"),
        ([1], [0, 0.5], {}, "a: 1 value, at least 2 are needed"),
        ([1, 0], [0, 0.5], {"clusters_b": [1, 1]}, "b: 1 cluster, at least 2 are needed"),
    ],
)
def test_what_the_data_cannot_carry_is_missing_with_a_reason(a, b, more, reason):
    got = welch(a, b, **more)
    assert (got.p_value, got.se, got.low, got.reason) == (None, None, None, reason)
    assert got.diff == pytest.approx(np.mean(a) - np.mean(b))


def test_what_cannot_be_used_is_refused():
    with pytest.raises(SpecError, match="row 1 is nan"):
        welch([math.nan, 1], [0, 1])
    with pytest.raises(NotEnoughData):
        welch([1, 0], [])
