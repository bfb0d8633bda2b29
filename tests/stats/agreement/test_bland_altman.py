import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as oracle

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.agreement import bland_altman
from tests.draws import draws

careful = settings(deadline=None, max_examples=draws(20, 50))

# Peak flow of 17 people by two meters, first readings (Bland & Altman 1986, The Lancet 327).
WRIGHT = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
MINI = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]

ROWS = st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=3, max_size=30)


def test_peak_flow_of_bland_and_altman_1986():
    # The paper: bias -2.1, sd 38.8, limits -79.7 and 75.5 from the rounded sd, their intervals
    # -114.3 to -45.1 and 40.9 to 110.1, the bias's -22.0 to 17.8; here from unrounded figures.
    found = bland_altman(WRIGHT, MINI, multiplier=2, intervals="published")
    assert (round(found.bias, 4), round(found.sd, 4)) == (-2.1176, 38.7651)
    assert (round(found.lower, 4), round(found.upper, 4)) == (-79.6479, 75.4126)
    assert [round(end, 1) for end in found.bias_interval] == [-22.0, 17.8]
    assert found.lower_interval == pytest.approx((-114.3, -45.1), abs=0.2)
    assert found.upper_interval == pytest.approx((40.9, 110.1), abs=0.2)


def test_the_limits_are_at_1_96_by_default():
    found = bland_altman(WRIGHT, MINI)
    assert round(found.multiplier, 4) == 1.96
    assert found.upper == pytest.approx(found.bias + 1.959964 * found.sd)


@pytest.mark.parametrize("n", [3, 10, 40, 400, 3000])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_the_exact_interval_is_scipys_noncentral_t(n, level):
    x = np.random.Generator(np.random.PCG64(n)).normal(size=n)
    found = bland_altman(x, np.zeros(n), level=level)
    shift = oracle.norm.ppf(0.5 + level / 2) * math.sqrt(n)
    ends = oracle.nct.ppf([0.5 - level / 2, 0.5 + level / 2], n - 1, shift)
    want = found.bias + ends * found.sd / math.sqrt(n)
    assert found.upper_interval == pytest.approx(tuple(want), rel=1e-7)


def test_the_exact_interval_covers_the_limit():
    generator = np.random.Generator(np.random.PCG64(3))
    hits, tries = 0, draws(200, 600)
    for _ in range(tries):
        found = bland_altman(generator.normal(size=10), np.zeros(10))
        hits += found.lower_interval[0] <= -1.959964 <= found.lower_interval[1]
    assert hits / tries == pytest.approx(0.95, abs=0.02 * math.sqrt(600 / tries))


@careful
@given(ROWS)
def test_turning_the_sides_mirrors_everything(rows):
    one, two = [a for a, _ in rows], [b for _, b in rows]
    here, there = bland_altman(one, two), bland_altman(two[::-1], one[::-1])
    assert (there.bias, there.sd) == pytest.approx((-here.bias, here.sd))
    assert (there.lower, there.upper) == pytest.approx((-here.upper, -here.lower))
    if here.sd > 0:
        low, high = here.lower_interval
        assert there.upper_interval == pytest.approx((-high, -low))
        assert low < here.lower < high


def test_equal_differences_have_no_intervals():
    found = bland_altman([1, 2, 3], [2, 3, 4])
    assert (found.bias, found.sd, found.bias_interval, found.upper_interval) == (-1, 0, None, None)
    assert found.reason == "all 3 differences are equal"


def test_what_does_not_fit_is_named():
    with pytest.raises(NotEnoughData):
        bland_altman([1, 2], [1, 2])
    with pytest.raises(SpecError, match="row 1 is inf"):
        bland_altman([math.inf, 2, 3], [1, 2, 3])
    with pytest.raises(SpecError, match="multiplier"):
        bland_altman([1, 2, 3], [1, 2, 4], multiplier=0)
