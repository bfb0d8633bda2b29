"""Exact limits for decisions: against scipy's, by enumeration, and by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, t

from benchmaker.stats.means.bounded import bounded_mean, cases_to_decide, exact_mean


def answers(right, wrong):
    return [1.0] * right + [0.0] * wrong


@given(right=st.integers(0, 40), wrong=st.integers(0, 40))
def test_limits_of_right_and_wrong_answers_are_the_binomial_tests(right, wrong):
    if not right + wrong:
        return
    found = exact_mean(answers(right, wrong)).require_interval()
    known = binomtest(right, right + wrong).proportion_ci(0.95, method="exact")
    assert found == pytest.approx((known.low, known.high), abs=1e-9)


@pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("n", [5, 20, 100])
def test_a_limit_is_passed_by_chance_in_one_of_forty_at_most(n, share):
    """Over all outcomes: the gate passes a model that is just below in 2.5 % at most."""
    wrong = 0.0
    for right in range(n + 1):
        low, high = exact_mean(answers(right, n - right)).require_interval()
        chance = binom.pmf(right, n, share)
        wrong += chance * (low > share)
        assert low <= right / n <= high
    assert wrong <= 0.025


def test_limits_of_weighted_answers_hold_in_95_of_100():
    draws = np.random.default_rng(20261123)
    weights, share, held = np.tile([1.0, 2.0, 4.0], 10), 0.8, 0
    for _ in range(600):
        low, high = exact_mean((draws.random(30) < share).astype(float), weights).require_interval()
        held += low <= share <= high
    assert held / 600 >= 0.95


def test_limits_of_groups_hold_in_95_of_100():
    draws = np.random.default_rng(7)
    clusters, held = np.repeat(np.arange(24), 3), 0
    for _ in range(400):
        right = np.repeat(draws.random(24) < 0.7, 3).astype(float)
        low, high = exact_mean(right, clusters=clusters.tolist()).require_interval()
        held += low <= 0.7 <= high
    assert held / 400 >= 0.95


def test_few_groups_that_agree_are_few_observations():
    alike = exact_mean([1.0] * 40, clusters=[n % 10 for n in range(40)])
    of_t = (t.ppf(0.975, 39) / t.ppf(0.975, 9)) ** 2
    assert alike.n_eff == pytest.approx(10 * of_t)
    assert alike.require_interval()[0] == pytest.approx(0.025 ** (1 / (10 * of_t)))
    two = exact_mean([1.0] * 40, clusters=[n % 2 for n in range(40)])
    assert two.require_interval()[0] < 0.01


@pytest.mark.parametrize("groups", [2, 5, 10, 40])
@pytest.mark.parametrize("right", [0, 20, 33, 40])
def test_exact_limits_of_groups_are_no_surer_than_those_of_tables(groups, right):
    values, clusters = answers(right, 40 - right), [n % groups for n in range(40)]
    exact = exact_mean(values, clusters=clusters).require_interval()
    usual = bounded_mean(values, clusters=clusters).require_interval()
    assert exact[0] <= usual[0] + 0.005
    assert exact[1] >= usual[1] - 0.005


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_limits_stay_in_scale_and_around_the_mean(values):
    mean = exact_mean(values)
    low, high = mean.require_interval()
    assert 0.0 <= low <= mean.mean + 1e-9
    assert mean.mean - 1e-9 <= high <= 1.0


def test_exact_limits_are_wider_than_wilsons():
    values = answers(17, 3)
    exact, usual = exact_mean(values).require_interval(), bounded_mean(values).require_interval()
    assert exact[0] < usual[0]
    assert exact[1] > usual[1]


@pytest.mark.parametrize(("right", "wrong", "threshold"), [(6, 0, 0.8), (17, 3, 0.8), (7, 3, 0.8)])
def test_the_number_of_cases_is_the_first_that_decides(right, wrong, threshold):
    needed = cases_to_decide(exact_mean(answers(right, wrong)), threshold)
    share = right / (right + wrong)

    def decides(n):
        from scipy.special import betaincinv  # noqa: PLC0415  beside the function under test

        hits, misses = share * n, (1 - share) * n
        low = betaincinv(hits, misses + 1, 0.025) if hits else 0.0
        high = betaincinv(hits + 1, misses, 0.975) if misses else 1.0
        return low >= threshold or high < threshold

    assert decides(needed)
    assert not any(decides(n) for n in range(right + wrong, needed))


def test_no_number_of_cases_tells_a_mean_from_itself():
    assert cases_to_decide(exact_mean(answers(8, 2)), 0.8) is None


def test_equal_grades_say_little_of_rare_zeros():
    share, n = 0.0113, 200  # of zeros, which a sample lacks with a chance of a tenth
    limit = exact_mean([0.6933] * n).require_interval()[0]
    assert (1 - share) ** n > 0.1
    assert limit < 0.6933 * (1 - share)
