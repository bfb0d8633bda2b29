import gc
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from benchmaker.errors import SpecError
from benchmaker.stats.pairs.multiple_comparisons import (
    adjust_p_values,
    benjamini_hochberg,
    benjamini_yekutieli,
    holm,
)

P = st.lists(st.floats(0, 1), min_size=1, max_size=40)
ALL = [(holm, "holm"), (benjamini_hochberg, "fdr_bh"), (benjamini_yekutieli, "fdr_by")]


@pytest.fixture(autouse=True, scope="module")
def little_garbage():
    """Statsmodels collects garbage at each call of Holm's: half a minute and more late in a run."""
    gc.collect()
    gc.freeze()


@pytest.mark.parametrize(("correct", "name"), ALL)
@given(p=P)
def test_it_is_what_statsmodels_gives(correct, name, p):
    want = multipletests(p, method=name)[1].tolist()
    assert correct(p) == pytest.approx(want, rel=1e-10)


@pytest.mark.parametrize(("correct", "name"), ALL)
@given(p=P, random=st.randoms(use_true_random=False))
def test_no_p_gets_smaller_and_order_stays(correct, name, p, random):
    got = correct(p)
    assert all(new >= old - 1e-15 for new, old in zip(got, p, strict=True)), name
    order = list(range(len(p)))
    random.shuffle(order)
    assert correct([p[i] for i in order]) == tuple(got[i] for i in order)


def test_a_worked_example():  # Holm 1979: m = 3
    assert holm([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.06, 0.06))


@pytest.mark.parametrize(("correct", "name"), ALL)
@given(p=st.lists(st.none() | st.floats(0, 1), max_size=20))
def test_a_missing_p_stays_missing_and_is_none_of_the_tests(correct, name, p):
    short = {"holm": "holm", "fdr_bh": "bh", "fdr_by": "by"}[name]
    got = adjust_p_values(p, short)
    assert [q is None for q in got] == [q is None for q in p]
    assert tuple(q for q in got if q is not None) == correct([q for q in p if q is not None])


def test_without_a_correction_p_values_stay_as_they_are():
    assert adjust_p_values([0.01, None], None) == (0.01, None)


def test_nothing_to_adjust_is_nothing():
    assert holm([]) == benjamini_hochberg([]) == benjamini_yekutieli([]) == ()


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
@pytest.mark.parametrize(("correct", "name"), ALL)
def test_what_is_no_p_value_is_named(correct, name, p):
    with pytest.raises(SpecError, match="row 2"):
        correct([0.5, p])
    assert name
