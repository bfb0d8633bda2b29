import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.means.bounded import bounded_mean
from benchmaker.stats.means.pass_at_k import pass_at_k, pass_hat_k

TASK = st.integers(1, 300).flatmap(
    lambda n: st.tuples(st.integers(0, n), st.just(n), st.integers(1, n))
)


def product_form(c, n, k):
    """As printed beside equation 1 of Chen et al. 2021."""
    if n - c < k:
        return 1.0
    return 1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1))


@given(TASK)
def test_equals_the_published_product_form(task):
    c, n, k = task
    assert pass_at_k(c, n, k).mean == pytest.approx(product_form(c, n, k), abs=1e-12)


@given(TASK)
def test_is_the_exact_fraction_rounded_once(task):
    c, n, k = task
    every = math.comb(n, k)
    assert pass_at_k(c, n, k).mean == float(1 - Fraction(math.comb(n - c, k), every))
    assert pass_hat_k(c, n, k).mean == float(Fraction(math.comb(c, k), every))


@given(st.lists(st.booleans(), min_size=1, max_size=9), st.integers(1, 9))
def test_counts_the_draws_of_k_attempts_that_pass(attempts, k):
    if k > len(attempts):
        return
    draws = list(combinations(attempts, k))
    c, n = sum(attempts), len(attempts)
    assert pass_at_k(c, n, k).mean == pytest.approx(sum(map(any, draws)) / len(draws))
    assert pass_hat_k(c, n, k).mean == pytest.approx(sum(map(all, draws)) / len(draws))


@given(TASK)
def test_all_of_k_is_at_most_the_share_and_any_of_k_at_least(task):
    c, n, k = task
    assert pass_hat_k(c, n, k).mean <= c / n <= pass_at_k(c, n, k).mean
    assert pass_at_k(c, n, 1).mean == pass_hat_k(c, n, 1).mean == c / n


@given(TASK)
def test_failing_is_the_mirror_of_passing(task):
    c, n, k = task
    assert pass_hat_k(c, n, k).mean == pytest.approx(1 - pass_at_k(n - c, n, k).mean, abs=1e-15)


@given(st.lists(st.integers(0, 5), min_size=2, max_size=30), st.integers(1, 5), st.randoms())
def test_the_mean_over_tasks_and_its_interval_know_no_order(passed, k, random):
    got = pass_at_k(passed, 5, k)
    shuffled = list(passed)
    random.shuffle(shuffled)
    again = pass_at_k(shuffled, [5] * len(passed), k)
    assert (got.mean, got.se, got.interval) == (again.mean, again.se, again.interval)
    over = bounded_mean(got.tasks)
    assert (got.mean, got.se, got.interval, got.n) == (over.mean, over.se, over.interval, over.n)


def test_tasks_may_be_clustered():
    passed, clusters = [5, 4, 0, 1, 3, 0], ["a", "a", "b", "b", "c", "c"]
    got = pass_at_k(passed, 5, 2, clusters=clusters)
    assert got.clusters == 3
    assert got.se > pass_at_k(passed, 5, 2).se
    assert got.method == "pass@2, mean, variance-matched Wilson, clustered (CR1) over tasks"


def test_too_few_attempts_give_a_reason_and_no_number():
    got = pass_hat_k([1, 2, 3], [5, 2, 5], 3)
    assert (got.mean, got.se, got.interval) == (None, None, None)
    assert got.tasks == (0.0, None, 0.1)
    assert got.reason == "1 of 3 tasks have fewer than 3 attempts; the fewest is 2, in row 2"


@pytest.mark.parametrize(
    ("passed", "attempts", "k", "words"),
    [
        ([1, 3], [2, 2], 1, "In row 2 3 of 2 attempts passed"),
        ([1, -1], [2, 2], 1, "number passed in row 2 is -1"),
        ([0.5], [2], 1, "is 0.5, which is no count"),
        ([1], [math.nan], 1, "number of attempts in row 1 is nan"),
        ([1, 1, 1], [2, 2], 1, "3 numbers passed and 2 of attempts"),
        ([1], [2], 0, "k = 0"),
        ([1], [2], 1.5, "k = 1.5"),
    ],
)
def test_what_is_no_count_is_refused_by_its_row(passed, attempts, k, words):
    with pytest.raises(SpecError, match=words):
        pass_at_k(passed, attempts, k)


def test_no_task_is_not_enough_data():
    with pytest.raises(NotEnoughData):
        pass_at_k([], [], 1)
