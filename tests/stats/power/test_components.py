import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.means.hierarchy import two_level
from benchmaker.stats.power.components import Components
from benchmaker.stats.power.power import power


@given(st.floats(0, 1), st.floats(0, 1), st.floats(-1, 1), st.integers(1, 20))
def test_components_are_the_published_formula(item, run, rho, runs):
    want = 2 * (1 - rho) * item**2 + 2 * run**2 / runs
    assert Components.of(item, run, rho).sd_d(runs) ** 2 == pytest.approx(want, abs=1e-12)


def test_repeating_a_case_helps_against_the_noise_of_the_runs_alone():
    noisy = Components.of(0.3, 0.4, 0.8)
    once, often = (power(delta=0.05, power=0.8, components=noisy, runs=k) for k in (1, 10))
    assert often.n < once.n / 2
    assert often.runs == 10
    endless = power(delta=0.05, power=0.8, sd_d=math.sqrt(noisy.var_items))
    assert endless.n < often.n


def test_a_pilot_gives_back_the_components_it_was_drawn_from():
    rng = np.random.default_rng(3)
    cases, runs = 4000, 4
    shared = rng.normal(0, 0.3, cases)
    a, b = (shared + rng.normal(0, 0.1, cases) for _ in "ab")
    tables = [true[:, None] + rng.normal(0, 0.2, (cases, runs)) for true in (a, b)]
    items = np.repeat(np.arange(cases), runs)
    left, right = (two_level(items, table.ravel()) for table in tables)
    difference = tables[0].mean(axis=1) - tables[1].mean(axis=1)
    found = Components.of_pilot(left, right, difference.var(ddof=1))
    assert found.var_items == pytest.approx(0.02, rel=0.1)
    assert found.var_runs == pytest.approx(0.08, rel=0.05)
    assert found.sd_d(runs) == pytest.approx(difference.std(ddof=1), rel=1e-3)
    assert found.warnings == ()


def test_a_pilot_whose_cases_do_not_differ_says_so():
    one = two_level([1, 1, 2, 2], [0, 1, 1, 0])
    found = Components.of_pilot(one, one, 0.0)
    assert found.var_items == 0.0
    assert found.warnings == ("the variance of the cases came out as -0.5, taken as 0",)
    assert power(delta=0.1, power=0.8, components=found).warnings == found.warnings


def test_a_pilot_of_single_runs_has_no_components():
    single = two_level([1, 2, 3], [0, 1, 1])
    with pytest.raises(NotEnoughData, match="ran once"):
        Components.of_pilot(single, single, 0.2)


@pytest.mark.parametrize("given", [(-1.0, 0.0), (0.0, math.inf), (math.nan, 0.0)])
def test_a_variance_below_0_is_refused(given):
    with pytest.raises(SpecError, match="at least 0"):
        Components(*given)


def test_a_correlation_beyond_1_is_refused():
    with pytest.raises(SpecError, match="correlation"):
        Components.of(1.0, rho=1.5)
