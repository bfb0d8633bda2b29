import math

import numpy as np
import pytest
from scipy.stats import binomtest

from benchmaker.stats.differences import paired_differences
from benchmaker.stats.pairs.pair import head_to_head_rows
from benchmaker.stats.power.pair_size import PairSize, flip_power, mcnemar_power, pair_size
from benchmaker.stats.power.power import n_more

GRADED = [0.5, 0.4, 0.3, -0.2, 0.6, 0.1, -0.4, 0.3, 0.5, 0.0]
TEN_CASES = {
    "graded": GRADED,
    "skewed": [0.1, 0.2, 0.1, 0.2, 0.1, 0.1, 0.2, 0.1, 0.2, -0.6],
    "nearly equal": [0.02, 0.03, 0.02, 0.03, 0.02, 0.03, 0.02, 0.03, 0.02, 0.03],
    "pass and fail": [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0],
    "all one way": [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}


def rows_of(d, clusters=None):
    d = np.array(d)
    return paired_differences(np.maximum(d, 0), np.maximum(-d, 0), clusters=clusters)


def size_of(d, *, alpha=0.05, clusters=None):
    rows = rows_of(d, clusters)
    test = head_to_head_rows(rows, test="auto", level=0.95, draws=999, seed=0).test
    planned = n_more(np.mean(d), np.std(d, ddof=1), len(d), alpha=alpha).needed
    return pair_size(rows, test=test, planned=planned, power=0.8, alpha=alpha).cases


def significant(d, alpha):
    """Whether the comparison itself finds the first side ahead."""
    made = head_to_head_rows(rows_of(d), test="auto", level=1 - alpha, draws=999, seed=1)
    return made.p_value is not None and made.p_value < alpha and np.sum(d) > 0


@pytest.mark.parametrize("d", TEN_CASES.values(), ids=TEN_CASES)
def test_with_the_number_that_is_named_the_comparison_has_the_power_that_is_stated(d):
    rng = np.random.default_rng(3)
    cases = size_of(d)
    found = [significant(rng.choice(d, cases), 0.05) for _ in range(400)]
    assert np.mean(found) > 0.74  # four in five, less three standard errors of 400 draws
    if cases > 6:  # with fewer, sign flips find nothing
        fewer = [significant(rng.choice(d, math.floor(cases * 0.8)), 0.05) for _ in range(400)]
        assert np.mean(fewer) < 0.8


def test_fewer_than_six_cases_are_never_enough_for_sign_flips():
    assert size_of(TEN_CASES["nearly equal"]) == 6
    assert size_of(TEN_CASES["nearly equal"], alpha=0.05 / 10) == 9


@pytest.mark.parametrize("tests", [6, 10, 105, 435])
def test_among_many_pairs_as_many_cases_are_named_as_can_be_significant(tests):
    alpha = 0.05 / tests
    rows = rows_of(TEN_CASES["nearly equal"])
    cases = pair_size(rows, test="sign_flip", planned=3, power=0.8, alpha=alpha).cases
    assert 2 ** (1 - cases) < alpha <= 2 ** (2 - cases)
    by_t = pair_size(rows, test="sign_flip", planned=40, power=0.8, alpha=alpha)
    assert by_t == PairSize(40, "t")


@pytest.mark.parametrize(
    ("cases", "wins", "losses"), [(10, 0.4, 0.1), (25, 0.3, 0.0), (60, 0.2, 0.1)]
)
def test_the_power_of_mcnemars_test_equals_the_sum_over_all_outcomes(cases, wins, losses):
    def mid_p(won, lost):
        differing, fewer = won + lost, min(won, lost)
        if not differing:
            return 1.0
        exact = binomtest(fewer, differing).pvalue
        return min(1.0, exact) - math.comb(differing, fewer) / 2**differing

    def chance(won, lost):
        ways = math.comb(cases, won) * math.comb(cases - won, lost)
        return ways * wins**won * losses**lost * (1 - wins - losses) ** (cases - won - lost)

    want = sum(
        chance(won, lost)
        for won in range(cases + 1)
        for lost in range(min(won, cases - won + 1))
        if mid_p(won, lost) < 0.05
    )
    assert mcnemar_power(cases, wins, losses, 0.05) == pytest.approx(want, abs=1e-9)


def test_more_clusters_find_more():
    powers = [flip_power(np.array(GRADED), clusters, 0.05) for clusters in (4, 8, 16, 32)]
    assert powers[0] == 0
    assert powers == sorted(powers)


def test_whole_clusters_are_counted():
    per_case, clusters = size_of(GRADED), [at for at in range(10) for _ in range(3)]
    assert size_of(np.repeat(GRADED, 3), clusters=clusters) == 3 * per_case


def test_the_side_that_is_called_first_does_not_matter():
    other = pair_size(
        rows_of([-d for d in GRADED]), test="sign_flip", planned=9, power=0.8, alpha=0.05
    )
    assert other == PairSize(size_of(GRADED), "sign_flip")


def test_where_students_t_decides_its_number_stands():
    rows = rows_of(GRADED * 6)
    assert pair_size(rows, test="t", planned=60, power=0.8, alpha=0.05) == PairSize(60, "t")
