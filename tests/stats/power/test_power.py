import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import nct, norm, t
from statsmodels.stats.power import NormalIndPower, TTestPower, normal_sample_size_one_tail

from benchmaker.errors import SpecError
from benchmaker.stats.power.components import Components
from benchmaker.stats.power.power import MOST, n_more, power
from tests.draws import draws

EFFECTS = st.floats(0.05, 2.0)
POWERS = st.floats(0.3, 0.999)
ALPHAS = st.sampled_from([0.1, 0.05, 0.01, 0.001])
SIZES = st.integers(2, 5000)
METHODS = st.sampled_from(["normal", "t"])


@given(SIZES, EFFECTS, ALPHAS)
def test_the_power_of_the_t_test_equals_statsmodels(n, effect, alpha):
    got = power(n=n, delta=effect, sd_d=1.0, alpha=alpha, method="t").power
    want = TTestPower().power(effect, n, alpha)
    if math.isnan(want):  # where scipy's far tail gives up, the power is that of the near one
        assert effect * math.sqrt(n) > 5
    else:
        assert got == pytest.approx(want, abs=1e-10)


@settings(max_examples=draws(15, 25))
@given(st.floats(0.1, 1.0), st.floats(0.3, 0.95), ALPHAS)
def test_the_cases_of_the_t_test_equal_statsmodels(effect, chance, alpha):
    got = power(delta=effect, power=chance, sd_d=1.0, alpha=alpha, method="t")
    assert of_the_t_test(effect, got.n, alpha) == pytest.approx(chance, abs=1e-10)
    want = TTestPower().solve_power(effect, None, alpha, chance)
    if TTestPower().power(effect, want, alpha) == pytest.approx(chance, abs=1e-8):  # they found it
        assert got.n == pytest.approx(want, rel=1e-6)  # as near as their search goes


def of_the_t_test(effect, n, alpha):
    """The power as statsmodels has it; where scipy's far tail gives up, that of the near one."""
    want = TTestPower().power(effect, n, alpha)
    near = nct.sf(t.isf(alpha / 2, n - 1), n - 1, effect * math.sqrt(n))
    return near if math.isnan(want) else want


@given(EFFECTS, POWERS, ALPHAS)
def test_the_cases_by_the_normal_approximation_equal_statsmodels(effect, chance, alpha):
    got = power(delta=effect, power=chance, sd_d=1.0, alpha=alpha)
    want = normal_sample_size_one_tail(effect, chance, alpha / 2)
    assert got.n == pytest.approx(max(want, 2.0), rel=1e-10)
    formula = (norm.isf(alpha / 2) + norm.ppf(chance)) ** 2 / effect**2
    assert got.n == pytest.approx(max(formula, 2.0), rel=1e-10)


@given(SIZES, EFFECTS)
def test_the_normal_power_leaves_out_findings_on_the_wrong_side_alone(n, effect):
    got = power(n=n, delta=effect, sd_d=1.0).power
    both = NormalIndPower(ddof=0).power(effect, n, 0.05, ratio=0, alternative="two-sided")
    assert got == pytest.approx(both - norm.sf(norm.isf(0.025) + effect * math.sqrt(n)), abs=1e-10)


@given(st.floats(0.01, 3), POWERS, ALPHAS, METHODS, st.integers(1, 50))
def test_each_of_the_three_gives_back_the_others(delta, chance, alpha, method, tests):
    same = {"sd_d": 0.7, "alpha": alpha, "method": method, "tests": tests}
    cases = power(delta=delta, power=chance, **same)
    if cases.n == 2.0:
        return
    assert power(n=cases.n, delta=delta, **same).power == pytest.approx(chance, abs=1e-9)
    found = power(n=cases.n, power=chance, **same)
    assert found.delta == pytest.approx(delta, rel=1e-8)
    assert (cases.solved, found.solved) == ("n", "delta")


@given(SIZES, EFFECTS, METHODS)
def test_more_cases_larger_differences_and_fewer_tests_are_found_sooner(n, effect, method):
    def found(**changed):
        given = {"n": n, "delta": effect, "sd_d": 1.0, "method": method} | changed
        return power(**given).power

    assert found() <= found(n=n + 1) + 1e-12
    assert found() <= found(delta=effect * 1.1) + 1e-12
    assert found(tests=10) <= found() + 1e-12
    assert found(delta=-effect) == found()


def test_the_printed_detectable_differences():
    """Half a point of spread: .14 at 100 cases, .063 at 500, .044 at 1000."""
    for n, delta in ((100, 0.14), (500, 0.063), (1000, 0.044)):
        assert power(n=n, power=0.8, sd_d=0.5).delta == pytest.approx(delta, abs=5e-4)


def test_a_test_of_many_spends_its_part_of_alpha():
    many = power(delta=0.1, power=0.8, sd_d=0.5, tests=10)
    assert many.alpha_each == 0.005
    assert many.n == power(delta=0.1, power=0.8, sd_d=0.5, alpha=0.005).n


def test_the_t_test_takes_a_case_or_two_more():
    normal, t = (power(delta=0.3, power=0.8, sd_d=0.5, method=m) for m in ("normal", "t"))
    assert (normal.cases, t.cases) == (22, 24)
    assert (normal.method, t.method) == (
        "paired comparison, normal approximation",
        "paired comparison, noncentral t",
    )


def test_two_cases_are_the_fewest():
    assert power(delta=1e6, power=0.8, sd_d=1.0, method="t").n == 2.0


def test_the_simulated_power_of_the_t_test_is_the_computed_one():
    rng = np.random.default_rng(5)
    draws = rng.normal(0.5, 1.0, (20000, 20))
    t = draws.mean(axis=1) / draws.std(axis=1, ddof=1) * math.sqrt(20)
    simulated = np.mean(np.abs(t) > 2.093024)
    assert power(n=20, delta=0.5, sd_d=1.0, method="t").power == pytest.approx(simulated, abs=0.011)


def test_what_it_takes_to_tell_two_apart():
    got = n_more(0.05, 0.5, 200)
    assert got.needed == power(delta=0.05, power=0.8, sd_d=0.5, method="t").cases
    assert got.more == got.needed - 200
    assert got.warnings == ("assumes that the true difference equals the observed one",)
    assert n_more(-0.05, 0.5, 200).more == got.more
    assert n_more(0.05, 0.5, 5000).more == 0


@pytest.mark.parametrize(
    ("delta", "sd_d", "reason"),
    [
        (0.0, 0.5, "the means are equal, so no number of cases shows a difference"),
        (0.1, 0.0, "the same on every case"),
    ],
)
def test_where_no_number_of_cases_helps_there_is_a_reason(delta, sd_d, reason):
    got = n_more(delta, sd_d, 100)
    assert (got.more, got.needed) == (None, None)
    assert reason in got.reason


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"n": 10, "sd_d": 1}, "Give two of"),
        ({"n": 10, "delta": 1, "power": 0.8, "sd_d": 1}, "Give two of"),
        ({"n": 10, "delta": 1}, "either sd_d or components"),
        ({"n": 10, "delta": 1, "sd_d": 1, "components": Components(1.0)}, "either sd_d or"),
        ({"n": 1, "delta": 1, "sd_d": 1}, "at least 2 cases"),
        ({"n": 10, "delta": 0, "sd_d": 1}, "other than 0"),
        ({"n": 10, "delta": math.nan, "sd_d": 1}, "other than 0"),
        ({"n": 10, "power": 0.01, "sd_d": 1}, "between alpha"),
        ({"n": 10, "power": 1, "sd_d": 1}, "between alpha"),
        ({"n": 10, "delta": 1, "sd_d": 0}, "has to vary"),
        ({"n": 10, "delta": 1, "sd_d": 1, "alpha": 0}, "alpha"),
        ({"n": 10, "delta": 1, "sd_d": 1, "tests": 0}, "tests"),
        ({"n": 10, "delta": 1, "sd_d": 1, "runs": 0}, "runs"),
        ({"n": 10, "delta": 1, "sd_d": 1, "method": "z"}, "Unknown method 'z'"),
    ],
)
def test_what_can_not_be_planned_is_refused(given, words):
    with pytest.raises(SpecError, match=words):
        power(**given)


@pytest.mark.parametrize("given", [(0.1, math.nan, 5), (math.inf, 1, 5), (0.1, 1, -5)])
def test_more_cases_need_finite_numbers(given):
    with pytest.raises(SpecError):
        n_more(*given)


@given(st.floats(0, 1, exclude_min=True), st.floats(0, 100, exclude_min=True), POWERS, METHODS)
def test_a_number_of_cases_is_a_whole_one_or_refused(delta, sd_d, chance, method):
    more = n_more(delta, sd_d, 5, power=chance, method=method)
    try:
        found = power(delta=delta, sd_d=sd_d, power=chance, method=method)
    except SpecError:
        assert more.needed is None
    else:
        assert 2 <= found.cases == more.needed <= MOST


@pytest.mark.parametrize("delta", [5e-324, 1e-200, -1e-9])
@pytest.mark.parametrize("method", ["normal", "t"])
def test_a_difference_of_next_to_nothing_takes_more_cases_than_can_be_counted(delta, method):
    with pytest.raises(SpecError, match="an unrealistic number of cases"):
        power(delta=delta, sd_d=0.5, power=0.8, method=method)
    assert "needs an unrealistic number of cases" in n_more(delta, 0.5, 10, method=method).reason
