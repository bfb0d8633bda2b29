import dataclasses
import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.pairs.effects import d_av, d_z, p_superior
from benchmaker.stats.pairs.paired import paired_t

SCORES = st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0])
PAIRS = st.lists(st.tuples(SCORES, SCORES), min_size=2, max_size=30)
ROWS = st.lists(
    st.tuples(SCORES, SCORES, st.floats(0.1, 9), st.sampled_from("abcd")), min_size=2, max_size=30
)


def varies(rows):
    return np.ptp([a - b for a, b, *_ in rows]) > 1e-9


def columns(rows):
    a, b, w, c = (list(column) for column in zip(*rows, strict=True))
    return a, b, {"weights": w, "clusters": c}


@given(PAIRS.filter(varies))
def test_equal_weights_without_clusters_give_the_paired_t_test(rows):
    a, b = (list(column) for column in zip(*rows, strict=True))
    got, want = paired_t(a, b), oracle.ttest_rel(a, b)
    interval = want.confidence_interval()
    assert (got.t, got.p_value) == pytest.approx((want.statistic, want.pvalue), rel=1e-9)
    assert (got.low, got.high) == pytest.approx((interval.low, interval.high), abs=1e-10)
    assert got.df == len(a) - 1


def test_weights_and_clusters_are_those_of_weighted_least_squares_with_clustered_errors():
    rng = np.random.default_rng(3)
    a, b, w = rng.random((3, 60))
    g = rng.integers(0, 9, 60)
    got = paired_t(a, b, weights=w, clusters=g)
    fit = sm.WLS(a - b, np.ones(60), weights=w).fit(
        cov_type="cluster", cov_kwds={"groups": g}, use_t=True
    )
    assert got.diff == pytest.approx(fit.params[0], rel=1e-10)
    assert got.se == pytest.approx(fit.bse[0], rel=1e-10)
    assert got.p_value == pytest.approx(fit.pvalues[0], rel=1e-10)
    assert (got.df, got.clusters, got.n) == (8, 9, 60)
    assert (got.low, got.high) == pytest.approx(tuple(fit.conf_int()[0]), rel=1e-10)


@given(ROWS)
def test_the_other_way_round_everything_is_mirrored(rows):
    a, b, more = columns(rows)
    one, other = paired_t(a, b, **more), paired_t(b, a, **more)
    assert other.diff == -one.diff
    assert other.p_value == one.p_value
    assert other.se == one.se
    assert (other.wins, other.losses, other.ties) == (one.losses, one.wins, one.ties)
    assert other.p_superior == pytest.approx(1 - one.p_superior)
    if one.low is not None:
        assert (other.low, other.high) == pytest.approx((-one.high, -one.low))


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_no_digit(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    a, b, more = columns(rows)
    x, y, others = columns(shuffled)
    assert dataclasses.asdict(paired_t(a, b, **more)) == dataclasses.asdict(
        paired_t(x, y, **others)
    )


@given(ROWS)
def test_a_cluster_of_copies_counts_once(rows):
    a, b, _ = columns(rows)
    twice = paired_t(a * 2, b * 2, clusters=[*range(len(a))] * 2)
    once = paired_t(a, b)
    assert twice.diff == pytest.approx(once.diff)
    if once.se is not None:
        assert twice.se == pytest.approx(once.se)


def test_effect_sizes_are_those_of_their_functions():
    a, b, w = [1, 0.5, 0.9, 0.2], [0.5, 0.5, 0.1, 0.3], [1, 2, 1, 1]
    got = paired_t(a, b, weights=w)
    assert got.d_z == pytest.approx(d_z(np.subtract(a, b), weights=w))
    assert got.d_av == pytest.approx(d_av(a, b, weights=w))
    assert got.p_superior == pytest.approx(p_superior(a, b, weights=w))
    assert got.p_superior_low < got.p_superior < got.p_superior_high


def test_the_share_of_better_items_stays_within_its_scale():
    got = paired_t([1.0] * 8, [0.0, 0.5] * 4)
    assert got.p_superior == got.p_superior_high == 1.0
    assert 0.5 < got.p_superior_low < 1.0


def test_equal_scores_have_no_p_and_say_why():
    got = paired_t([0.1] * 4, [0.1] * 4)
    assert (got.diff, got.ties, got.p_value, got.se, got.d_z) == (0.0, 4, None, None, None)
    assert got.reason == "all 4 differences are equal"


def test_differences_that_are_equal_up_to_rounding_do_not_vary():
    got = paired_t([0.3, 0.8, 0.9], [0.2, 0.7, 0.8])
    assert (got.p_value, got.d_z) == (None, None)
    assert got.diff == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"clusters": ["x"] * 3}, "1 cluster, at least 2 are needed"),
        ({"weights": [1, 0, 0]}, "1 difference, at least 2 are needed"),
        ({"weights": [1, 1e-30, 1e-30]}, "one difference holds all the weight"),
    ],
)
def test_what_the_data_cannot_carry_is_missing_with_a_reason(more, reason):
    got = paired_t([1, 0, 0.5], [0, 0.5, 0.5], **more)
    assert (got.p_value, got.low, got.se, got.reason) == (None, None, None, reason)


def test_few_clusters_and_few_items_that_differ_are_warned_of():
    few = paired_t([1, 0, 0.5, 1], [0, 0.5, 0.5, 1], clusters=[1, 1, 2, 3])
    assert "only 3 clusters" in few.warnings
    sparse = paired_t([1, 1, 0] + [1] * 60, [0, 0, 1] + [1] * 60)
    assert sparse.warnings == ("only 3 of 63 items differ",)


@pytest.mark.parametrize("level", [0.0, 1.0, math.nan])
def test_a_level_outside_0_and_1_is_refused(level):
    with pytest.raises(SpecError, match="not between 0 and 1"):
        paired_t([1, 0], [0, 0], level=level)


def test_nothing_to_compare_is_not_enough_data():
    with pytest.raises(NotEnoughData):
        paired_t([], [])
