import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle

from benchmaker.stats.quantiles import beta_quantile, f_quantile, t_quantile, z_quantile

LEVELS = st.floats(0.01, 0.9999)
FREEDOM = st.floats(1, 1e4)


@given(FREEDOM, FREEDOM, LEVELS)
def test_quantiles_equal_scipy(a, b, level):
    assert t_quantile(a, level) == pytest.approx(oracle.t.isf((1 - level) / 2, a), rel=1e-10)
    assert beta_quantile(a, b, level) == pytest.approx(oracle.beta.ppf(level, a, b), rel=1e-9)
    assert f_quantile(a, b, level) == pytest.approx(oracle.f.ppf(level, a, b), rel=1e-9)


@given(st.floats(1e-9, 1 - 1e-12))
def test_the_normal_quantile_equals_scipy_to_its_last_digits(level):
    got = z_quantile(level)
    assert got == pytest.approx(oracle.norm.isf((1 - level) / 2), rel=1e-14, abs=1e-15)


@pytest.mark.parametrize("level", [0.95, 0.99])
def test_at_the_usual_levels_no_digit_of_it_differs(level):
    assert z_quantile(level) == oracle.norm.isf((1 - level) / 2)


def test_means_of_passes_and_fails_load_no_scipy():
    program = (
        "import sys\n"
        "from benchmaker.stats import bounded_mean, proportion\n"
        "bounded_mean([0.0, 1.0] * 50), bounded_mean([0.0, 0.5, 1.0]), proportion(3, 4)\n"
        "assert 'scipy' not in sys.modules\n"
        "bounded_mean([0.1, 0.5, 0.9] * 50)\n"
        "assert 'scipy' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_beta_law_without_one_side_lies_at_its_end():
    assert (beta_quantile(0.0, 3.0, 0.025), beta_quantile(3.0, 0.0, 0.025)) == (0.0, 1.0)
