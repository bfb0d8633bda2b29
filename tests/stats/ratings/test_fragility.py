from itertools import combinations, permutations

import numpy as np
import pytest

from benchmaker.errors import SpecError
from benchmaker.stats.ratings import battles, bradley_terry, fewest_to_flip
from tests.stats.ratings.drawn import drawn


def without(some, rows):
    return some.take(~np.isin(np.arange(len(some)), rows))


def test_the_set_found_flips_and_one_less_does_not():
    some = drawn(3, models=5, n=1_500, spread=0.4)
    got = fewest_to_flip(some)

    names = [row.name for row in bradley_terry(without(some, got.rows)).rows()]
    assert bradley_terry(some).rows()[0].name == got.leader
    assert names[0] == got.follower != got.leader
    assert got.n_removed == len(got.rows) == round(got.share * 1_500)
    for row in got.rows:
        rest = without(some, [other for other in got.rows if other != row])
        assert bradley_terry(rest).rows()[0].name == got.leader


def test_between_two_models_the_fewest_are_the_surplus_of_wins():
    some = battles(["x"] * 100, ["y"] * 100, [1] * 53 + [0] * 47)

    got = fewest_to_flip(some)

    assert (got.leader, got.follower, got.n_removed) == ("x", "y", 7)
    assert set(got.rows) <= set(range(53))
    assert not got.is_fragile


def test_a_lead_that_hangs_on_few_of_many_battles_is_fragile():
    some = battles(["x"] * 2_000, ["y"] * 2_000, [1] * 1_001 + [0] * 999)

    got = fewest_to_flip(some)

    assert got.n_removed == 3
    assert got.is_fragile


def test_whole_voters_are_removed_when_asked():
    some = battles(["x"] * 100, ["y"] * 100, ([1] * 9 + [0]) * 2 + [0, 1] * 39 + [0, 0])
    voters = [i // 10 for i in range(100)]

    got = fewest_to_flip(some, clusters=voters)

    assert set(got.labels) == {0, 1}
    assert (got.follower, got.n_removed) == ("y", 20)


def test_a_clear_lead_is_not_flipped_within_the_limit():
    some = battles(["x"] * 100, ["y"] * 100, [1] * 90 + [0] * 10)

    got = fewest_to_flip(some, limit=0.2)

    assert (got.follower, got.rows, got.share, got.is_fragile) == (None, (), None, False)
    assert got.reason == "none among the first 20% of battles in order"


def test_rows_of_weight_zero_are_never_chosen():
    some = battles(
        ["x"] * 40,
        ["y"] * 40,
        [1] * 22 + [0] * 18,
        weight=[0.0 if i < 2 else 1.0 for i in range(40)],
    )
    got = fewest_to_flip(some)

    assert got.n_removed == 3
    assert not set(got.rows) & {0, 1}


@pytest.mark.parametrize("named", list(permutations("abc")), ids="".join)
def test_whoever_would_only_draw_level_does_not_come_first(named):
    """Without the nine cases that ``top`` alone passes, it is level with ``near``: no flip."""
    top, near, far = named
    passed = {top: range(28), near: range(3, 22), far: range(9, 26)}
    met = [(one, two, case) for one, two in combinations(named, 2) for case in range(30)]
    won = [(1 + (case in passed[one]) - (case in passed[two])) / 2 for one, two, case in met]
    some = battles([row[0] for row in met], [row[1] for row in met], won)

    got = fewest_to_flip(some, clusters=[row[2] for row in met])

    assert (got.leader, got.follower) == (top, None)


@pytest.mark.parametrize("wrong", [{"rivals": 0}, {"limit": 0}])
def test_arguments_that_cannot_be_used_are_errors(wrong):
    with pytest.raises(SpecError):
        fewest_to_flip(drawn(1), **wrong)
