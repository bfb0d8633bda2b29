import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.weightstats import ttost_paired

from benchmaker.errors import SpecError
from benchmaker.stats.differences import paired_differences
from benchmaker.stats.pairs.equivalence import choose_tost, tost, tost_binary
from benchmaker.stats.pairs.mcnemar import mcnemar
from benchmaker.stats.pairs.paired import paired_t
from tests.draws import draws

SCORES = st.integers(0, 100).map(lambda x: x / 100)
PAIRS = st.lists(st.tuples(SCORES, SCORES), min_size=3, max_size=30).filter(
    lambda rows: len({round(a - b, 6) for a, b in rows}) > 1
)


@given(PAIRS, st.sampled_from([0.02, 0.1, 0.5]))
def test_both_tests_are_those_of_statsmodels(rows, margin):
    a, b = map(np.array, zip(*rows, strict=True))
    got = tost(a, b, margin=margin)
    p, lower, upper = ttost_paired(a, b, -margin, margin)
    assert got.p_value == pytest.approx(p, rel=1e-9, abs=1e-15)
    assert got.p_lower == pytest.approx(lower[1], rel=1e-9, abs=1e-15)
    assert got.p_upper == pytest.approx(upper[1], rel=1e-9, abs=1e-15)


@given(PAIRS, st.sampled_from([0.02, 0.1, 0.5]))
def test_equivalence_means_that_the_90_percent_interval_lies_within_the_margin(rows, margin):
    a, b = zip(*rows, strict=True)
    got = tost(a, b, margin=margin)
    inside = paired_t(a, b, level=0.9)
    assert (got.low, got.high) == pytest.approx((inside.low, inside.high))
    assert got.is_equivalent == (-margin < got.low and got.high < margin)


def test_clusters_make_it_harder_to_be_equivalent():
    rng = np.random.default_rng(0)
    g = np.repeat(np.arange(10), 10)
    a, b = rng.random(100), rng.random(100)
    a = a + rng.normal(0, 0.2, 10)[g]
    assert tost(a, b, margin=0.2, clusters=g).p_value > tost(a, b, margin=0.2).p_value


def test_equal_scores_are_not_shown_to_be_equivalent():
    got = tost([0.5] * 5, [0.5] * 5, margin=0.1)
    assert (got.p_value, got.is_equivalent) == (None, False)
    assert got.reason == "all 5 differences are equal"


@pytest.mark.parametrize("margin", [0, -0.1, math.nan, math.inf])
def test_a_margin_that_is_not_above_zero_is_refused(margin):
    with pytest.raises(SpecError, match="margin of equivalence"):
        tost([1, 0], [0, 0], margin=margin)


def test_a_level_up_to_one_half_is_refused():
    with pytest.raises(SpecError, match=r"not above 0\.5"):
        tost([1, 0], [0, 0], margin=0.1, level=0.5)


@given(st.integers(0, 9), st.integers(0, 9), st.integers(1, 60), st.sampled_from([0.05, 0.3]))
def test_passes_are_equivalent_when_tangos_90_percent_interval_lies_within(n10, n01, same, margin):
    n = n10 + n01 + same
    got = tost_binary(n10, n01, n, margin=margin)
    want = mcnemar(n10, n01, n=n, level=0.9)
    assert (got.low, got.high) == pytest.approx((want.low, want.high))
    assert got.is_equivalent == (-margin < got.low and got.high < margin)


@pytest.mark.parametrize("n", [30, 60])
def test_systems_that_differ_by_the_margin_are_rarely_called_equivalent(n):
    rng = np.random.default_rng(n)
    tries = draws(300, 1000)
    drawn = rng.multinomial(n, (0.25, 0.05, 0.7), tries)
    hits = sum(tost_binary(int(i), int(j), n, margin=0.2).is_equivalent for i, j, _ in drawn)
    assert hits / tries <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / tries)


def test_few_clusters_or_few_that_differ_are_not_called_equivalent():
    few = choose_tost(paired_differences([0.5] * 49, [0.49, *[0.5] * 48]), margin=0.2, level=0.95)
    assert (few.p_value, few.is_equivalent) == (None, False)
    assert few.reason == "equivalence needs 50 items, 10 of which differ; there are 49 and 1"
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 80))
    rows = paired_differences(a, b)
    assert choose_tost(rows, margin=0.2, level=0.95) == tost(a, b, margin=0.2)


def test_sixty_equal_passes_do_not_show_equivalence_within_two_points():
    rows = paired_differences([1.0] * 60, [1.0] * 60)
    assert choose_tost(rows, margin=0.02, level=0.95).p_value > 0.05
    assert choose_tost(rows, margin=0.05, level=0.95).is_equivalent


def test_a_margin_beyond_any_share_is_refused():
    with pytest.raises(SpecError, match="differ by 1 at most"):
        tost_binary(1, 2, 10, margin=1.0)
