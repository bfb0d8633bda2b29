import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle
from statsmodels.regression.linear_model import OLS

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats import Mean, weighted_mean
from tests.draws import draws

SCORES = st.floats(0, 1).map(lambda x: round(x, 4))
WEIGHTS = st.floats(0.01, 100).map(lambda x: round(x, 3))
ROWS = st.lists(st.tuples(SCORES, WEIGHTS), min_size=2, max_size=30)


def slow(values, weights, level=0.95):
    """The same figures in exact fractions, straight from the formulas."""
    x = [Fraction(v) for v in values]
    w = [Fraction(v) for v in weights]
    n, total = len(x), sum(w)
    m = sum(a * b for a, b in zip(w, x, strict=True)) / total
    var = sum(a * (b - m) ** 2 for a, b in zip(w, x, strict=True))
    var *= Fraction(n, n - 1) / total
    se2 = Fraction(n, n - 1) * sum((a * (b - m)) ** 2 for a, b in zip(w, x, strict=True))
    se = math.sqrt(se2) / float(total)
    half = oracle.t.ppf(0.5 + level / 2, n - 1) * se
    return float(m), math.sqrt(var), se, float(m) - half, float(m) + half


def figures(mean: Mean):
    return mean.mean, mean.sd, mean.se, mean.low, mean.high


def split(rows):
    return [x for x, _ in rows], [w for _, w in rows]


@given(ROWS, st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_agrees_with_the_slow_road_in_exact_fractions(rows, level):
    values, weights = split(rows)
    got = weighted_mean(values, weights, level=level)
    if len(set(values)) == 1:
        assert got.interval is None
    else:
        assert figures(got) == pytest.approx(slow(values, weights, level), rel=1e-9, abs=1e-12)


@given(st.lists(SCORES, min_size=2, max_size=40).filter(lambda x: len(set(x)) > 1))
def test_equal_weights_give_what_scipy_gives(values):
    got = weighted_mean(values)
    low, high = oracle.t.interval(0.95, len(values) - 1, np.mean(values), oracle.sem(values))
    assert (got.low, got.high) == pytest.approx((low, high), rel=1e-9, abs=1e-12)
    assert got.sd == pytest.approx(np.std(values, ddof=1), rel=1e-9)


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_no_digit(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert weighted_mean(*split(rows)) == weighted_mean(*split(shuffled))


@given(ROWS, st.integers(-20, 20))
def test_doubling_all_weights_changes_only_their_sum(rows, power):
    values, weights = split(rows)
    scaled = weighted_mean(values, [w * 2.0**power for w in weights])
    plain = weighted_mean(values, weights)
    assert figures(scaled) == figures(plain)
    assert scaled.n_eff == plain.n_eff
    assert scaled.total_weight == pytest.approx(plain.total_weight * 2.0**power)


@given(ROWS)
def test_the_mean_lies_between_the_smallest_and_the_largest_value(rows):
    got = weighted_mean(*split(rows))
    assert got.minimum <= got.mean <= got.maximum


@given(ROWS, st.floats(-5, 5), st.floats(0.1, 10))
def test_moving_and_stretching_the_values_moves_and_stretches_the_figures(rows, shift, factor):
    values, weights = split(rows)
    plain = weighted_mean(values, weights)
    moved = weighted_mean([shift + factor * x for x in values], weights)
    assert moved.mean == pytest.approx(shift + factor * plain.mean, abs=1e-9)
    if plain.se is not None and moved.se is not None:
        assert moved.se == pytest.approx(factor * plain.se, rel=1e-6, abs=1e-9)


@given(ROWS, SCORES)
def test_a_value_of_weight_zero_counts_in_nothing(rows, extra):
    values, weights = split(rows)
    assert weighted_mean([*values, extra], [*weights, 0.0]) == weighted_mean(values, weights)


def test_weight_two_moves_the_mean_like_a_second_copy_but_is_no_second_value():
    heavy = weighted_mean([0.0, 1.0, 0.4], [2, 1, 1])
    twice = weighted_mean([0.0, 0.0, 1.0, 0.4])
    assert heavy.mean == pytest.approx(twice.mean)
    assert (heavy.n, twice.n) == (3, 4)
    assert heavy.n_eff == pytest.approx(16 / 6)
    assert heavy.high - heavy.low > twice.high - twice.low


def test_the_interval_is_not_clipped_to_the_scale():
    low, high = weighted_mean([0.9, 1.0, 1.0]).require_interval()
    assert high > 1
    assert low < 0.9


def test_a_hand_computed_weighted_example():
    got = weighted_mean([1, 0, 1], [1, 1, 2])
    assert got.mean == 0.75
    assert got.sd == pytest.approx(math.sqrt(3 / 2 * 0.75 / 4))
    assert got.se == pytest.approx(math.sqrt(1.5 * (0.0625 + 0.5625 + 0.25)) / 4)
    assert (got.df, got.n, got.total_weight) == (2, 3, 4.0)
    assert got.method == "weighted ratio mean, Student's t"


def test_one_value_has_no_interval_and_says_why():
    got = weighted_mean([0.5])
    assert (got.mean, got.sd, got.interval) == (0.5, None, None)
    assert got.reason == "1 value, at least 2 are needed"


def test_equal_values_have_no_interval_and_require_interval_raises():
    got = weighted_mean([0.1] * 3, [1, 2, 3])
    assert (got.mean, got.sd, got.se) == (0.1, 0.0, None)
    with pytest.raises(NotEnoughData, match="all 3 values are equal"):
        got.require_interval()


def test_one_overwhelming_weight_leaves_no_interval():
    assert weighted_mean([0.0, 1.0], [1.0, 1e-30]).reason == "one value holds all the weight"


@pytest.mark.parametrize(("values", "weights"), [([], None), ([1.0, 2.0], [0, 0])])
def test_nothing_to_average_is_not_enough_data(values, weights):
    with pytest.raises(NotEnoughData) as caught:
        weighted_mean(values, weights)
    assert (caught.value.needed, caught.value.got) == (1, 0)


@pytest.mark.parametrize(
    ("values", "weights", "words"),
    [
        ([0.5, math.nan], None, "value in row 2 is nan"),
        ([0.5, 1.0, math.inf], None, "value in row 3 is inf"),
        ([0.5, 1.0], [1, -2], "weight in row 2 is -2"),
        ([0.5, 1.0], [math.nan, 1], "weight in row 1 is nan"),
        ([0.5, 1.0], [1], "2 values and 1 weights"),
        ([[0.5], [1.0]], None, "2 dimensions"),
        ([0.5, 1.0], [1e308, 1.7e308], "too large"),
    ],
)
def test_what_cannot_be_used_is_refused_by_its_row(values, weights, words):
    with pytest.raises(SpecError, match=words):
        weighted_mean(values, weights)


@pytest.mark.parametrize("level", [0, 1, 95, math.nan])
def test_a_level_outside_zero_to_one_is_refused(level):
    with pytest.raises(SpecError, match="confidence level"):
        weighted_mean([0.0, 1.0], level=level)


def test_few_values_carry_a_warning():
    assert weighted_mean([0.0, 0.5, 1.0]).warnings == ("only 3 values",)
    assert weighted_mean([0.0, 0.5, 1.0, 0.2, 0.3]).warnings == ()


@given(ROWS, st.sampled_from([-600, -300, 300, 500]))
def test_a_power_of_two_stretches_the_figures_and_changes_no_digit(rows, power):
    values, weights = split(rows)
    plain = weighted_mean(values, weights)
    stretched = weighted_mean([math.ldexp(x, power) for x in values], weights)
    assert [figure and math.ldexp(figure, -power) for figure in figures(stretched)] == list(
        figures(plain)
    )


CLUSTERED = st.lists(st.tuples(SCORES, WEIGHTS, st.integers(0, 5)), min_size=2, max_size=30)


def slow_clustered(values, weights, clusters):
    """CR1 in exact fractions: mean, and the squared standard error."""
    x, w = [Fraction(v) for v in values], [Fraction(v) for v in weights]
    total = sum(w)
    m = sum(a * b for a, b in zip(w, x, strict=True)) / total
    sums = {}
    for a, b, g in zip(w, x, clusters, strict=True):
        sums[g] = sums.get(g, 0) + a * (b - m)
    groups = len(sums)
    return m, Fraction(groups, groups - 1) * sum(s * s for s in sums.values()) / total**2


@given(CLUSTERED)
def test_clusters_agree_with_the_slow_road_in_exact_fractions(rows):
    values, weights, clusters = ([row[place] for row in rows] for place in range(3))
    got = weighted_mean(values, weights, clusters=clusters)
    if got.se is None:
        return
    mean, variance = slow_clustered(values, weights, clusters)
    assert got.mean == pytest.approx(float(mean))
    assert got.se == pytest.approx(math.sqrt(variance), rel=1e-6, abs=1e-12)
    assert (got.df, got.clusters) == (len(set(clusters)) - 1, len(set(clusters)))
    half = oracle.t.ppf(0.975, got.df) * got.se
    assert got.interval == pytest.approx((got.mean - half, got.mean + half), rel=1e-9, abs=1e-12)


def test_clusters_agree_with_statsmodels():
    rng = np.random.default_rng(1)
    values, clusters = rng.random(60), np.repeat(np.arange(12), 5)
    fit = OLS(values, np.ones(60)).fit()
    errors = fit.get_robustcov_results("cluster", groups=clusters, use_correction=False)
    want = errors.bse[0] * math.sqrt(12 / 11)  # their own correction has (n-1)/(n-k) besides
    assert weighted_mean(values, clusters=clusters).se == pytest.approx(want, rel=1e-10)


@given(st.lists(SCORES, min_size=2, max_size=30))
def test_a_cluster_for_each_value_changes_no_digit(values):
    each = weighted_mean(values, clusters=[f"case {row}" for row in range(len(values))])
    assert figures(each) == figures(weighted_mean(values))


@given(CLUSTERED, st.randoms(use_true_random=False))
def test_the_order_of_clustered_rows_changes_no_digit(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    one, other = (
        weighted_mean([r[0] for r in some], [r[1] for r in some], clusters=[r[2] for r in some])
        for some in (rows, shuffled)
    )
    assert one == other


def test_copies_in_one_cluster_are_worth_one_value():
    values = [0.1, 0.9, 0.4, 0.6, 0.2]
    copied = weighted_mean(np.repeat(values, 4), clusters=np.repeat(list("abcde"), 4))
    once = weighted_mean(values)
    assert (copied.se, copied.interval) == (
        pytest.approx(once.se),
        pytest.approx(once.interval),
    )
    assert (copied.n, copied.clusters, copied.df) == (20, 5, 4)
    assert copied.method == "mean, Student's t, clustered (CR1)"
    assert copied.n_eff == pytest.approx(5 * (4 / 5) * (20 / 19))  # n/(n-1) of both errors


def test_few_clusters_carry_a_warning():
    values = np.linspace(0, 1, 40)
    assert weighted_mean(values, clusters=np.arange(40) % 19).warnings == ("only 19 clusters",)
    assert weighted_mean(values, clusters=np.arange(40) % 20).warnings == ()


def test_one_cluster_has_no_interval_and_says_why():
    got = weighted_mean([0.0, 0.5, 1.0], clusters=["a", "a", "a"])
    assert (got.se, got.interval, got.reason) == (None, None, "1 cluster, at least 2 are needed")
    alone = weighted_mean([0.0, 0.5, 1.0], [1, 1, 0], clusters=["a", "a", "b"])
    assert (alone.clusters, alone.interval) == (1, None)


def test_clusters_of_equal_means_have_no_interval_and_say_why():
    got = weighted_mean([0.1, 0.3, 0.3, 0.1, 0.2, 0.2], clusters=[1, 1, 2, 2, 3, 3])
    assert (got.se, got.reason) == (None, "the means of all 3 clusters are equal")


@pytest.mark.parametrize(
    ("clusters", "words"),
    [
        (["a"], "2 values and 1 clusters"),
        (["a", None], "cluster in row 2 is None"),
        ([math.nan, 1.0], "cluster in row 1 is nan"),
    ],
)
def test_clusters_that_cannot_be_used_are_refused(clusters, words):
    with pytest.raises(SpecError, match=words):
        weighted_mean([0.0, 1.0], clusters=clusters)


def test_the_clustered_interval_covers_the_truth_and_the_plain_one_does_not():
    rng = np.random.default_rng(9)
    clusters, hits = np.repeat(np.arange(25), 6), np.zeros(2)
    tries = draws(400, 1500)
    for _ in range(tries):
        values = 0.5 + rng.normal(0, 0.2, 25)[clusters] + rng.normal(0, 0.2, 150)
        both = weighted_mean(values, clusters=clusters), weighted_mean(values)
        hits += [mean.low <= 0.5 <= mean.high for mean in both]
    assert hits[0] / tries == pytest.approx(0.95, abs=0.015 * math.sqrt(1500 / tries))
    assert hits[1] / tries < 0.8


def test_the_interval_covers_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(7)
    weights = rng.choice([1.0, 2.0, 5.0], 40)
    hits, tries = 0, draws(500, 2000)
    for _ in range(tries):
        low, high = weighted_mean(rng.normal(0.6, 0.2, 40), weights).require_interval()
        hits += low <= 0.6 <= high
    assert hits / tries == pytest.approx(0.9475, abs=0.0175 * math.sqrt(2000 / tries))


@given(st.lists(st.tuples(SCORES, st.floats(0.001, 1000)), min_size=2, max_size=30))
def test_no_weight_takes_the_standard_deviation_off_the_scale(rows):
    values, weights = zip(*rows, strict=True)
    n = len(values)
    assert weighted_mean(values, weights).sd <= 0.5 * math.sqrt(n / (n - 1)) * (1 + 1e-9)


def test_one_heavy_value_has_the_spread_of_the_weighted_values():
    got = weighted_mean([0.0] + [1.0] * 19, [1000] + [1] * 19)
    assert got.sd == pytest.approx(math.sqrt(20 / 19 * 19_000 / 1019**2))
