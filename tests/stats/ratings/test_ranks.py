import dataclasses

import numpy as np
import pytest
from scipy import stats as oracle

from benchmaker.errors import SpecError
from benchmaker.stats.ratings import (
    battles,
    bradley_terry,
    counts,
    rank_intervals,
    rank_ub,
)
from benchmaker.stats.ratings.ranks import NO_ERROR, _new_draws, _standard_draws, _upper_quantile
from tests.stats.ratings.drawn import columns, connecting, drawn


@pytest.mark.parametrize("size", [1, 2, 19, 20, 21, 500, 2_000])
@pytest.mark.parametrize("level", [0.01, 0.5, 0.9, 0.95, 0.999])
def test_the_quantile_of_draws_is_that_of_numpy(size, level):
    values = np.random.Generator(np.random.PCG64(size)).standard_normal(size)
    assert _upper_quantile(values, level) == np.quantile(values, level, method="higher")


def slow_marginal(ratings, critical):
    """Best and worst rank of each model, one difference at a time."""
    m = len(ratings.names)
    result = []
    for i in range(m):
        above = below = 0
        for j in range(m):
            variance = ratings.cov[i, i] + ratings.cov[j, j] - 2 * ratings.cov[i, j]
            away = ratings.theta[j] - ratings.theta[i]
            above += i != j and away > critical * np.sqrt(variance)
            below += i != j and -away > critical * np.sqrt(variance)
        result.append((1 + above, m - below))
    return result


@pytest.mark.parametrize("clusters", [None, 40])
def test_marginal_intervals_come_from_single_differences(clusters):
    some = drawn(1, models=8, n=800)
    labels = None if clusters is None else [i % clusters for i in range(800)]
    ratings = bradley_terry(some, clusters=labels)
    got = rank_intervals(ratings, simultaneous=False)

    critical = oracle.norm.ppf(0.975) if clusters is None else oracle.t.ppf(0.975, clusters - 1)
    assert got.critical == pytest.approx(critical, abs=1e-10)
    assert list(zip(got.best, got.worst, strict=True)) == slow_marginal(ratings, critical)


def test_simultaneous_intervals_use_the_largest_difference():
    ratings = bradley_terry(drawn(1, models=8, n=800))
    got = rank_intervals(ratings)

    assert list(zip(got.best, got.worst, strict=True)) == slow_marginal(ratings, got.critical)
    single = rank_intervals(ratings, simultaneous=False)
    assert got.critical > single.critical
    assert (got.best <= single.best).all()
    assert (got.worst >= single.worst).all()


def test_the_largest_of_few_equal_differences_is_tukeys():
    m = 5
    ratings = bradley_terry(drawn(1, models=m))
    even = dataclasses.replace(ratings, cov=np.eye(m) - 1 / m)

    got = rank_intervals(even, draws=200_000, seed=3)

    tukey = oracle.studentized_range.ppf(0.95, m, np.inf) / np.sqrt(2)
    assert got.critical == pytest.approx(tukey, abs=0.02)


def test_with_clusters_the_largest_difference_is_students():
    m = 4
    ratings = bradley_terry(drawn(1, models=m), clusters=[i % 11 for i in range(300)])
    even = dataclasses.replace(ratings, cov=np.eye(m) - 1 / m)

    got = rank_intervals(even, draws=200_000, seed=3)

    tukey = oracle.studentized_range.ppf(0.95, m, 10) / np.sqrt(2)
    assert got.critical == pytest.approx(tukey, abs=0.04)


def test_chances_to_be_at_the_top_add_up():
    ratings = bradley_terry(drawn(2, models=6))

    for top in (1, 3, 6):
        assert rank_intervals(ratings, top=top).p_top.sum() == pytest.approx(top)


def test_the_chance_of_one_of_two_is_that_of_their_difference():
    ratings = bradley_terry(counts(["x"] * 40, ["y"] * 40, ["a"] * 23 + ["b"] * 17))
    gap, error = ratings.gap("x", "y")

    got = rank_intervals(ratings, draws=100_000)

    assert got.p_top[0] == pytest.approx(oracle.norm.cdf(gap / error), abs=0.005)


@pytest.mark.parametrize("top", [1, 2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_equal_models_have_equal_chances_whatever_the_weights(seed, top):
    rng = np.random.default_rng(seed)
    theta, root = rng.normal(size=4), rng.normal(size=(4, 4))
    twins = [0, 1, 2, 3, 1]  # the last is a copy of the second
    one = bradley_terry(drawn(1, models=5))
    ratings = dataclasses.replace(
        one, theta=theta[twins], cov=(root @ root.T)[np.ix_(twins, twins)]
    )
    chances = rank_intervals(ratings, top=top).p_top
    assert chances[1] == chances[4]
    assert chances.sum() == pytest.approx(top)


def test_the_same_seed_gives_the_same_digits_and_another_others():
    ratings = bradley_terry(drawn(2, models=6))

    assert rank_intervals(ratings, seed=1).critical == rank_intervals(ratings, seed=1).critical
    assert rank_intervals(ratings, seed=1).critical != rank_intervals(ratings, seed=2).critical


def test_fastchats_rank_counts_intervals_wholly_above():
    ratings = bradley_terry(drawn(3, models=7, n=900))

    slow = [1 + sum(low > high for low in ratings.low) for high in ratings.high]
    assert rank_ub(ratings).tolist() == slow


def test_ranks_count_within_groups_and_leave_out_who_stands_alone():
    rows = connecting(["a1", "a2", "a3"]) * 9 + connecting(["b1", "b2"]) * 9
    rows = [*rows, ("z", "a1", "a")]
    ratings = bradley_terry(battles(*columns(rows)), disconnected="components")

    got = rank_intervals(ratings)

    assert got.best.tolist() == [1] * 6
    assert got.worst.tolist() == [3, 3, 3, 2, 2, 1]
    assert got.p_top[:3].sum() == pytest.approx(1)
    assert got.rows()[-1].p_top is None
    assert rank_ub(ratings).tolist() == [1] * 6


def test_pairs_without_an_error_are_not_told_apart():
    rows = battles(["x"] * 20, ["y"] * 20, ["a", "b"] * 10)
    ratings = bradley_terry(rows, clusters=[i // 2 for i in range(20)])

    got = rank_intervals(ratings)

    assert got.worst.tolist() == [2, 2]
    assert "1 difference has no standard error and can't be significant" in got.warnings
    assert NO_ERROR in got.warnings
    assert np.isnan(got.p_top).all()


@pytest.mark.parametrize("voters", [2, 6, 30])
def test_voters_that_agree_exactly_make_no_rank_certain(voters):
    """Each prefers x in 4 of 6 votes: the variance between voters is 0 but for rounding."""
    number = 6 * voters
    rows = battles(["x"] * number, ["y"] * number, ["a", "a", "a", "a", "b", "b"] * voters)

    got = rank_intervals(bradley_terry(rows, clusters=[i // 6 for i in range(number)]))

    assert (got.best.tolist(), got.worst.tolist()) == ([1, 1], [2, 2])
    assert np.isnan(got.p_top).all()
    assert NO_ERROR in got.warnings


def test_twins_without_a_difference_share_their_chances():
    """x and z have the same results in every cluster, y differs from both."""
    rows = [
        (model, "y", "a" if (i * i) % 7 < 4 else "b", i) for i in range(30) for model in ("x", "z")
    ] + [("x", "z", "tie", i) for i in range(30)]
    *sides, label = columns(rows)
    ratings = bradley_terry(battles(*sides), clusters=label)

    got = rank_intervals(ratings)

    assert np.isnan(ratings.gap("x", "z")[1])
    assert got.p_top[0] == got.p_top[2] > got.p_top[1]
    assert got.p_top.sum() == pytest.approx(1)
    assert NO_ERROR not in got.warnings


def test_without_chances_the_intervals_are_the_same():
    ratings = bradley_terry(drawn(1, models=8, n=800))
    whole, bare = rank_intervals(ratings), rank_intervals(ratings, top=None)
    assert np.isnan(bare.p_top).all()
    assert bare.critical == whole.critical
    assert (bare.best == whole.best).all()
    assert (bare.worst == whole.worst).all()


@pytest.mark.parametrize("wrong", [{"level": 1.0}, {"top": 0}, {"top": 6}, {"draws": 0}])
def test_arguments_that_cannot_be_used_are_errors(wrong):
    with pytest.raises(SpecError):
        rank_intervals(bradley_terry(drawn(1)), **wrong)


def test_kept_draws_are_the_draws_of_their_seed():
    for df in (None, 7):
        for _ in range(2):
            kept, new = (list(make(6, df, 500, 3)) for make in (_standard_draws, _new_draws))
            for one, other in zip(kept, new, strict=True):
                assert np.array_equal(one.normal, other.normal)
                assert (one.spread is None) == (df is None)
                assert df is None or np.array_equal(one.spread, other.spread)
