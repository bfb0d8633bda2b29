import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln

from benchmaker.stats.pairs.effects import d_av, d_z, hedges, p_superior
from tests.draws import draws


@given(st.floats(1.5, 5000))
def test_hedges_factor_is_its_gamma_ratio(df):
    want = math.exp(gammaln(df / 2) - gammaln((df - 1) / 2)) / math.sqrt(df / 2)
    assert hedges(df) == pytest.approx(want, rel=1e-11)


@pytest.mark.parametrize(("df", "factor"), [(2, 0.5642), (10, 0.9227), (50, 0.9849)])
def test_hedges_factor_is_the_published_one(df, factor):  # Hedges 1981, table 1
    assert hedges(df) == pytest.approx(factor, abs=5e-5)


def test_hedges_factor_is_smooth_where_the_series_takes_over():
    before, after = hedges(200 - 1e-9), hedges(200)
    assert before == pytest.approx(after, abs=1e-12)


def test_there_is_no_factor_up_to_one_degree_of_freedom():
    assert hedges(1) is None
    assert d_z([0.1, 0.4]) is None


def test_d_z_takes_the_bias_out():
    rng = np.random.default_rng(5)
    found = [d_z(rng.normal(0.5, 1, 8)) for _ in range(draws(1000, 4000))]
    assert np.mean(found) == pytest.approx(0.5, abs=3 * np.std(found) / math.sqrt(len(found)))


def test_d_z_and_d_av_by_hand():
    a, b = np.array([1, 0.5, 0.8, 0.1]), np.array([0.6, 0.5, 0.9, 0.0])
    d = a - b
    assert d_z(d) == pytest.approx(hedges(3) * d.mean() / d.std(ddof=1))
    root = math.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
    assert d_av(a, b) == pytest.approx(hedges(6) * d.mean() / root)


def test_without_spread_there_is_no_standardised_difference():
    assert d_z([0.1 + 0.2, 0.3, 0.3]) is None
    assert d_av([1.0] * 3, [0.5] * 3) is None


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20))
def test_p_superior_is_the_share_of_better_items_and_half_the_ties(pairs):
    a, b = zip(*pairs, strict=True)
    want = sum(1.0 if x > y else 0.5 if x == y else 0.0 for x, y in pairs) / len(pairs)
    assert p_superior(a, b) == pytest.approx(want)
