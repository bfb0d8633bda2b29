"""The interval of attempts that share tasks, against a plain computation and by simulation."""

import math
from collections import Counter
from itertools import combinations_with_replacement
from statistics import fmean, variance

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import betabinom, binom
from scipy.stats import t as student

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.means.bounded import bounded_mean
from benchmaker.stats.means.means import weighted_mean
from benchmaker.stats.means.solved_attempts import mean_of_attempts

ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 7)), min_size=1, max_size=40)
COUNTS = st.integers(2, 6).flatmap(
    lambda made: st.tuples(
        st.lists(st.integers(0, made), min_size=2, max_size=8).filter(
            lambda won: 0 < sum(won) < made * len(won)
        ),
        st.just(made),
    )
)
RATES = (0.2, 0.5, 0.9)
TASKS, ATTEMPTS, DRAWS = 6, 5, 10_000


def columns(won, made):
    """Verdicts and tasks of some solved of so many attempts at each task."""
    solved = [float(at < it) for it in won for at in range(made)]
    return solved, [task for task in range(len(won)) for _ in range(made)]


def mean_of(rows):
    return mean_of_attempts(*zip(*rows, strict=True))


def ends_of_counts(won, made, level=0.95):
    """The interval by its formula, of equal numbers of attempts that vary."""
    k, n = len(won), len(won) * made
    p = sum(won) / n
    effect = variance(won) / made / (n / (n - 1) * p * (1 - p))
    effect = max(((k - 1) * effect + 2) / (k + 1), 0.5)
    z, size = student.ppf(0.5 + level / 2, k + 3), n / effect
    middle = (p + z * z / (2 * size)) / (1 + z * z / size)
    half = z / (1 + z * z / size) * math.sqrt(p * (1 - p) / size + (z / (2 * size)) ** 2)
    return middle - half, middle + half


@given(COUNTS, st.sampled_from([0.8, 0.95, 0.99]))
def test_equals_the_plain_formula(counts, level):
    won, made = counts
    got = mean_of_attempts(*columns(won, made), level=level)
    assert got.mean == pytest.approx(fmean(won) / made)
    assert got.interval == pytest.approx(ends_of_counts(won, made, level), abs=1e-9)


@given(ROWS, st.randoms())
def test_neither_order_nor_names_of_tasks_change_a_digit(rows, random):
    renamed = [(solved, f"task {task}") for solved, task in rows]
    random.shuffle(renamed)
    assert mean_of(rows) == mean_of(renamed)


@given(ROWS)
def test_counting_the_unsolved_mirrors_the_interval(rows):
    got, other = mean_of(rows), mean_of([(1 - solved, task) for solved, task in rows])
    assert got.interval == pytest.approx((1 - other.high, 1 - other.low), abs=1e-9)


@given(ROWS)
def test_the_interval_stays_within_0_and_1_around_the_mean(rows):
    got = mean_of(rows)
    assert -1e-12 <= got.low <= got.mean <= got.high <= 1 + 1e-12
    assert got.low < got.high
    assert got.n_eff <= 2 * got.n


@given(ROWS)
def test_mean_and_error_are_those_of_the_weighted_mean(rows):
    solved, tasks = zip(*rows, strict=True)
    got, plain = mean_of(rows), weighted_mean(solved, clusters=tasks)
    assert (got.mean, got.se, got.n, got.clusters) == (
        plain.mean,
        plain.se,
        plain.n,
        plain.clusters,
    )


@given(ROWS.filter(lambda rows: len({solved for solved, _ in rows}) == 2))
def test_equal_weights_change_nothing(rows):
    solved, tasks = zip(*rows, strict=True)
    weighted = mean_of_attempts(solved, tasks, [4.0] * len(rows))
    assert weighted.interval == pytest.approx(mean_of(rows).interval)


@pytest.mark.parametrize("verdict", [0, 1])
def test_attempts_that_do_not_vary_count_as_one_value_per_task(verdict):
    widths = []
    for tasks in range(1, 9):
        got = mean_of_attempts(*columns([5 * verdict] * tasks, 5))
        assert got.interval == pytest.approx(bounded_mean([verdict] * tasks).interval)
        widths.append(got.high - got.low)
    assert widths == sorted(widths, reverse=True)


@given(st.lists(st.integers(0, 1), min_size=1, max_size=30))
def test_one_attempt_at_each_task_gets_wilsons_interval(solved):
    got = mean_of_attempts(solved, range(len(solved)))
    assert got.interval == pytest.approx(bounded_mean(solved).interval)


def test_one_task_is_one_value():
    got = mean_of_attempts([1, 1, 0, 0, 0], ["a"] * 5)
    assert got.interval == pytest.approx(bounded_mean([0.4]).interval)


def test_alike_attempts_make_the_interval_wider():
    alike, mixed = ([5, 5, 5, 0, 0, 0], [2, 3, 2, 3, 2, 3])
    wide, narrow = (mean_of_attempts(*columns(won, 5)) for won in (alike, mixed))
    assert wide.n_eff < 30 < narrow.n_eff
    assert "means of all 2 clusters are equal" in mean_of_attempts(*columns([1, 1], 2)).warnings[-1]


def test_unusable_verdicts_and_no_attempts_are_refused():
    with pytest.raises(SpecError, match=r"row 2 is 0\.5; a verdict is 0 or 1"):
        mean_of_attempts([1, 0.5], ["a", "a"])
    with pytest.raises(NotEnoughData):
        mean_of_attempts([], [])


@pytest.fixture(scope="module")
def intervals():
    """The interval of all numbers of solved attempts by task, regardless of the tasks' order."""
    every = combinations_with_replacement(range(ATTEMPTS + 1), TASKS)
    return {won: mean_of_attempts(*columns(won, ATTEMPTS)).interval for won in every}


def chance(won, shares):
    """The probability of these numbers in any order, if each has the probability of its share."""
    orders = math.factorial(TASKS)
    for times in Counter(won).values():
        orders //= math.factorial(times)
    return orders * math.prod(shares[it] for it in won)


def coverage(intervals, rate, total):
    """The exact share of series whose interval contains the rate."""
    law = betabinom(ATTEMPTS, total * rate, total * (1 - rate)) if total else binom(ATTEMPTS, rate)
    shares = law.pmf(range(ATTEMPTS + 1))
    holds = (won for won, (low, high) in intervals.items() if low <= rate <= high)
    return math.fsum(chance(won, shares) for won in holds)


@pytest.mark.long
@pytest.mark.parametrize(
    ("total", "least"), [(None, 0.93), (8, 0.93), (4, 0.93), (2, 0.91)], ids=str
)
def test_the_interval_holds_in_93_to_97_of_100_series(intervals, total, least):
    rows = [coverage(intervals, rate, total) for rate in RATES]
    assert all(least <= share <= 0.975 for share in rows), rows
    assert 0.93 <= fmean(rows) <= 0.97


@pytest.mark.long
def test_series_drawn_at_random_agree_with_the_exact_coverage(intervals):
    random, rate = np.random.default_rng(30), 0.5
    won = np.sort(random.binomial(ATTEMPTS, random.beta(1, 1, (DRAWS, TASKS))))
    ends = np.array([intervals[tuple(row)] for row in won.tolist()])
    share = np.mean((ends[:, 0] <= rate) & (rate <= ends[:, 1]))
    assert share == pytest.approx(coverage(intervals, rate, 2), abs=0.01)
