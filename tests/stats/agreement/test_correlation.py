import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as oracle

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.agreement.correlation import kendall, pearson, spearman
from tests.draws import draws

careful = settings(deadline=None, max_examples=draws(20, 60))

ALL = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
ORACLES = {
    "pearson": lambda x, y: oracle.pearsonr(x, y).statistic,
    "spearman": lambda x, y: oracle.spearmanr(x, y).statistic,
    "kendall": lambda x, y: oracle.kendalltau(x, y).statistic,
}
ROWS = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=3, max_size=40).filter(
    lambda rows: len({a for a, _ in rows}) > 1 and len({b for _, b in rows}) > 1
)


def split(rows):
    return [a for a, _ in rows], [b for _, b in rows]


@pytest.mark.parametrize("name", ALL)
@careful
@given(ROWS)
def test_equals_scipy(name, rows):
    x, y = split(rows)
    assert ALL[name](x, y).value == pytest.approx(ORACLES[name](x, y), abs=1e-10)


@careful
@given(ROWS, st.sampled_from([0.8, 0.95, 0.99]))
def test_fishers_interval_equals_scipy(rows, level):
    x, y = split(rows)
    found = pearson(x, y, level=level)
    if found.interval is not None and abs(found.value) < 0.999999:
        want = oracle.pearsonr(x, y).confidence_interval(level)
        assert found.interval == pytest.approx((want.low, want.high), abs=1e-9)


def test_bonett_and_wrights_interval_for_ranks():
    x, y = [1, 2, 3, 4, 5, 6, 7, 8], [2, 1, 4, 3, 7, 5, 8, 6]
    rho, tau = spearman(x, y), kendall(x, y)
    assert rho.value == pytest.approx(1 - 6 * 14 / (8 * 63))
    half = 1.959963984540054 * math.sqrt((1 + rho.value**2 / 2) / 5)
    assert rho.low == pytest.approx(math.tanh(math.atanh(rho.value) - half))
    half = 1.959963984540054 * math.sqrt(0.437 / 4)
    assert tau.high == pytest.approx(math.tanh(math.atanh(tau.value) + half))


def test_fishers_interval_of_r_9_at_8_24_and_80_rows():
    for n, want in ((8, (0.53, 0.98)), (24, (0.78, 0.96)), (80, (0.85, 0.93))):
        x = np.array([1.0, -1.0] * (n // 2))
        noise = np.array([1.0, 1.0, -1.0, -1.0] * (n // 4))
        found = pearson(x, 0.9 * x + math.sqrt(0.19) * noise)
        assert found.value == pytest.approx(0.9)
        assert tuple(round(end, 2) for end in found.interval) == want


@pytest.mark.parametrize("name", ALL)
@careful
@given(ROWS, st.randoms(use_true_random=False))
def test_is_symmetric_and_blind_to_the_order_of_rows(name, rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    x, y = split(rows)
    want = ALL[name](x, y).value
    assert ALL[name](y, x).value == pytest.approx(want, abs=1e-12)
    assert ALL[name](*split(shuffled)).value == pytest.approx(want, abs=1e-12)
    assert ALL[name](x, [-b for b in y]).value == pytest.approx(-want, abs=1e-12)


@careful
@given(ROWS)
def test_a_rising_map_changes_no_rank_correlation(rows):
    x, y = split(rows)
    for statistic in (spearman, kendall):
        assert statistic([a**3 for a in x], y).value == statistic(x, y).value


@careful
@given(ROWS, st.integers(-1000, 1000), st.integers(1, 100))
def test_a_shift_and_a_stretch_change_no_pearson(rows, shift, stretch):
    x, y = split(rows)
    got = pearson([shift + stretch * a for a in x], y).value
    assert got == pytest.approx(pearson(x, y).value, abs=1e-10)


def test_huge_and_tiny_numbers_do_not_overflow():
    assert pearson([1e300, 2e300, 4e300], [1e-300, 2e-300, 4e-300]).value == 1.0


@pytest.mark.parametrize("name", ALL)
def test_a_constant_side_leaves_it_undefined(name):
    found = ALL[name]([5, 5, 5, 5], [1, 2, 3, 4])
    assert (found.value, found.interval, found.reason) == (None, None, "one side is constant")


@pytest.mark.parametrize("name", ALL)
def test_a_perfect_run_has_a_value_and_no_interval(name):
    found = ALL[name]([1, 2, 3, 4, 5, 6], [2, 4, 6, 8, 10, 12])
    assert (found.value, found.interval) == (1.0, None)
    assert "exactly" in found.reason


def test_too_few_rows_for_an_interval_say_so():
    assert pearson([1, 2, 3], [1, 3, 2]).reason == "3 rows, an interval needs 4"
    assert kendall([1, 2, 3, 4], [1, 3, 2, 4]).reason == "4 rows, an interval needs 5"
    assert "only 3 rows" in pearson([1, 2, 3], [1, 3, 2]).warnings


@pytest.mark.parametrize("name", ALL)
def test_what_does_not_fit_is_named(name):
    with pytest.raises(NotEnoughData):
        ALL[name]([1, 2], [1, 2])
    with pytest.raises(SpecError, match="row 3 is nan"):
        ALL[name]([1, 2, math.nan], [1, 2, 3])
    with pytest.raises(SpecError, match="3 values on one side and 2"):
        ALL[name]([1, 2, 3], [1, 2])


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
def test_the_interval_covers_the_truth(name):
    """Normal pairs with r = .6; the rank correlations of that population are known."""
    truth = {
        "pearson": 0.6,
        "spearman": 6 / math.pi * math.asin(0.3),
        "kendall": 2 / math.pi * math.asin(0.6),
    }
    generator, hits = np.random.Generator(np.random.PCG64(1)), 0
    tries = draws(150, 500)
    for _ in range(tries):
        x = generator.normal(size=50)
        low, high = ALL[name](x, 0.6 * x + 0.8 * generator.normal(size=50)).interval
        hits += low <= truth[name] <= high
    assert hits / tries == pytest.approx(0.95, abs=0.03 * math.sqrt(500 / tries))
