import math

import numpy as np
import pytest
from hypothesis import given
from scipy import stats as oracle

from benchmaker.errors import SpecError
from benchmaker.stats.ratings import count_points, counts, win_rate
from tests.stats.ratings.drawn import ROWS, columns, drawn


@given(ROWS)
def test_the_rate_is_the_mean_over_opponents(rows):
    got = win_rate(counts(*columns(rows)))

    for name, rate in zip(got.names, got.rate, strict=True):
        won = {}
        for a, b, outcome in rows:
            if name in (a, b):
                share = {"a": 1, "b": 0, "tie": 0.5}[outcome]
                won.setdefault(b if name == a else a, []).append(share if name == a else 1 - share)
        assert rate == pytest.approx(math.fsum(np.mean(own) for own in won.values()) / len(won))


def test_against_one_opponent_the_error_is_that_of_a_mean():
    results = [1] * 7 + [0.5] * 4 + [0] * 2
    got = win_rate(counts(["x"] * 13, ["y"] * 13, results))

    assert got.se[0] == pytest.approx(oracle.sem(results))
    assert got.rate.sum() == pytest.approx(1)


def test_an_opponent_met_once_leaves_no_interval_and_says_so():
    got = win_rate(counts(["x", "x", "x", "x"], ["y", "y", "y", "z"], [1, 0, 1, 1]))

    assert np.isnan(got.se[[0, 2]]).all()
    assert np.isfinite(got.se[1])
    assert got.warnings[0].startswith("no interval for x, z")


def test_who_met_nobody_has_no_rate():
    got = win_rate(counts(["x", "x"], ["y", "y"], [1, 0], names=["x", "y", "z"]))

    assert np.isnan(got.rate[2])
    assert got.opponents.tolist() == [1, 1, 0]
    assert "z" in got.warnings[0]


def test_points_are_counted_as_asked():
    some = drawn(1)
    got = count_points(some, win=3, tie=1)

    table = some.counts()
    assert got.points.tolist() == (3 * table.win.sum(axis=1) + table.tie.sum(axis=1)).tolist()
    assert got.warnings


def test_a_level_outside_0_to_1_is_an_error():
    with pytest.raises(SpecError):
        win_rate(drawn(1), level=0)


@pytest.mark.parametrize("lost", [1, 3, 12])
def test_intervals_stay_within_the_scale_and_mirror_each_other(lost):
    """Wilson's interval by its formula, with the number of battles that has the same variance."""
    made = win_rate(
        counts(["x"] * (24 - lost) + ["y"] * lost, ["y"] * (24 - lost) + ["x"] * lost, "a" * 24)
    )

    z, rate, n = 1.959964, 1 - lost / 24, 23
    middle = (rate + z**2 / 2 / n) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * ((rate * (1 - rate) + z**2 / 4 / n) / n) ** 0.5
    at = made.names.index("x")
    assert (made.low[at], made.high[at]) == pytest.approx((middle - half, middle + half))
    assert made.low[1 - at] == pytest.approx(1 - made.high[at])
    assert 0 < made.low.min() < made.high.max() < 1
