import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.pairs.best import compare_with_best, non_inferiority
from benchmaker.stats.pairs.mcnemar import tango


def graded(seed, cases, columns):
    return np.random.default_rng(seed).random((cases, columns))


def test_many_graded_scores_get_the_one_sided_t_test():
    a, b = graded(1, 80, 2).T
    got = non_inferiority(a, b, margin=0.1)
    expected = stats.ttest_1samp(a - b, -0.1, alternative="greater")
    assert got.p_value == pytest.approx(expected.pvalue)
    assert got.low == pytest.approx(
        stats.ttest_1samp(a - b, 0, alternative="greater").confidence_interval(0.95).low
    )


def test_zeros_and_ones_get_tangos_score_test():
    a, b = (graded(2, 100, 2) < 0.7).astype(float).T
    got = non_inferiority(a, b, margin=0.1)
    wins, losses = int((a > b).sum()), int((a < b).sum())
    assert got.low == pytest.approx(tango(wins, losses, 100, level=0.9)[0])


@given(st.integers(0, 8), st.integers(10, 60), st.sampled_from([0.02, 0.05, 0.1, 0.3]))
def test_few_differing_cases_get_the_exact_bound_of_losses(losses, ties, margin):
    a = np.array([0.0] * losses + [1.0] * ties)
    got = non_inferiority(a, np.ones(len(a)), margin=margin)
    assert got.p_value == pytest.approx(stats.binom.cdf(losses, len(a), margin))
    upper = stats.beta.ppf(0.95, losses + 1, ties)
    assert got.low == pytest.approx(-upper)


@given(st.integers(0, 2**31), st.integers(12, 80), st.booleans(), st.sampled_from([0.05, 0.2]))
def test_the_bound_is_above_the_margin_exactly_when_the_p_value_is_small(
    seed, cases, is_binary, margin
):
    table = graded(seed, cases, 2)
    a, b = (table < 0.8).astype(float).T if is_binary else table.T
    got = non_inferiority(a, b, margin=margin)
    assert (got.low > -margin) == (got.p_value < 0.05)


def test_unequal_weights_of_few_cases_are_not_tested():
    got = non_inferiority([1.0, 0.0, 1.0], [1.0, 1.0, 1.0], margin=0.1, weights=[1, 2, 3])
    assert (got.p_value, got.low) == (None, None)
    assert got.reason == "with unequal weights, 50 cases are needed, 10 of which differ"


def test_groups_of_one_size_are_bounded_exactly():
    a, clusters = np.ones(120), np.repeat(np.arange(40), 3)
    got = non_inferiority(a, a, margin=0.1, clusters=clusters)
    assert got.p_value == pytest.approx(0.9**40)


@pytest.mark.parametrize("margin", [0, -0.1, 1, float("nan")])
def test_a_margin_out_of_range_is_refused(margin):
    with pytest.raises(SpecError, match="margin"):
        non_inferiority([1, 0], [0, 1], margin=margin)


def test_a_level_of_a_half_is_refused():
    with pytest.raises(SpecError, match="not above"):
        compare_with_best([[1, 0]], margin=0.1, level=0.5)


def test_one_system_is_too_few():
    with pytest.raises(NotEnoughData):
        compare_with_best([[1], [0]], margin=0.1)


def test_each_system_is_tested_against_its_strongest_rival():
    table = graded(3, 80, 4) + np.array([0, 0.1, 0.2, 0])
    table = table / 1.2
    got = compare_with_best(table, margin=0.1)
    for at, one in enumerate(got):
        others = [
            stats.ttest_1samp(table[:, at] - table[:, it], -0.1, alternative="greater").pvalue
            for it in range(4)
            if it != at
        ]
        assert one.p_value == pytest.approx(max(others))


def test_p_values_are_adjusted_by_holm_with_shaffers_first_factor():
    got = compare_with_best(graded(4, 80, 4), margin=0.1)
    p = sorted((one.p_value, one.p_adjusted) for one in got)
    steps = np.maximum.accumulate([p[0][0] * 3, p[1][0] * 3, p[2][0] * 2, p[3][0]])
    assert [adjusted for _, adjusted in p] == pytest.approx(np.minimum(steps, 1))


def test_two_systems_need_no_adjustment():
    got = compare_with_best(graded(5, 80, 2), margin=0.1)
    assert [one.p_adjusted for one in got] == pytest.approx([one.p_value for one in got])


@given(st.integers(0, 2**31), st.integers(2, 5), st.booleans())
def test_the_bound_lies_below_the_margin_exactly_within_it(seed, columns, is_binary):
    table = graded(seed, 70, columns)
    table = (table < 0.8).astype(float) if is_binary else table
    for one in compare_with_best(table, margin=0.15):
        assert one.is_within == (one.p_adjusted < 0.05)
        if one.p_adjusted < 0.999:
            assert (one.at_most < 0.15) == one.is_within


@given(st.integers(0, 2**31))
def test_the_order_of_columns_changes_nothing(seed):
    table = graded(seed, 60, 4)
    order = np.random.default_rng(seed).permutation(4)
    one, other = (
        compare_with_best(table, margin=0.1),
        compare_with_best(table[:, order], margin=0.1),
    )
    for place, at in enumerate(order):
        assert other[place].p_adjusted == pytest.approx(one[at].p_adjusted)
        assert other[place].behind == pytest.approx(one[at].behind)


@given(st.integers(0, 2**31))
def test_a_wider_margin_never_loses_a_system(seed):
    table = graded(seed, 60, 3)
    narrow, wide = (compare_with_best(table, margin=it) for it in (0.05, 0.15))
    assert all(
        later.is_within for first, later in zip(narrow, wide, strict=True) if first.is_within
    )


def test_the_best_has_a_negative_distance():
    table = np.column_stack([np.ones(60), np.zeros(60)])
    best, worst = compare_with_best(table, margin=0.1)
    assert (best.behind, worst.behind) == (-1.0, 1.0)
    assert (best.is_within, worst.is_within) == (True, False)


def test_bounds_stay_on_the_scale():
    a = np.r_[0.0, np.tile([0.5, 0.51], 30)]
    table = np.column_stack((a, np.r_[1.0, np.full(60, 0.505)]))
    weights = np.r_[1000.0, np.ones(60)]
    worse, _ = compare_with_best(table, margin=0.05, weights=weights)
    assert worse.at_most is not None
    assert worse.behind <= worse.at_most <= 1
    assert non_inferiority(*table.T, margin=0.05, weights=weights).low >= -1
