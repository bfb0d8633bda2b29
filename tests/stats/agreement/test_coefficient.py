import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.stats.agreement import cohen_kappa, krippendorff_alpha
from benchmaker.stats.agreement.coefficient import standard_error
from benchmaker.stats.means.means import weighted_mean
from tests.draws import draws

careful = settings(deadline=None, max_examples=draws(20, 50))
VALUES = st.lists(st.integers(0, 9), min_size=3, max_size=30).filter(lambda x: len(set(x)) > 1)


@careful
@given(VALUES)
def test_for_a_mean_it_is_the_standard_error(values):
    away = (np.array(values) - np.mean(values)) / len(values)
    assert standard_error(away, None).se == pytest.approx(weighted_mean(values).se, rel=1e-9)


@careful
@given(VALUES, st.randoms(use_true_random=False))
def test_for_a_mean_of_clusters_it_is_the_robust_error(values, random):
    names = [random.choice("abcd") for _ in values]
    away = (np.array(values) - np.mean(values)) / len(values)
    got, want = standard_error(away, names), weighted_mean(values, clusters=names)
    if want.se is not None and want.se > 1e-9:
        assert got.se == pytest.approx(want.se, rel=1e-9)
        assert got.groups == want.clusters


def test_what_has_no_error_says_why():
    assert standard_error(np.array([0.0]), None).reason == "1 unit, at least 2 are needed"
    assert standard_error(np.array([0.1, -0.1]), "aa").reason == "1 cluster, at least 2 are needed"
    assert standard_error(np.zeros(5), None).reason == "the units do not vary"
    assert standard_error(np.array([0.1, -0.1]), None).warnings == ("only 2 units",)


def test_clusters_need_a_name_each():
    with pytest.raises(SpecError):
        standard_error(np.array([0.1, -0.1]), ["a"])
    with pytest.raises(SpecError):
        standard_error(np.array([0.1, -0.1]), ["a", math.nan])


@careful
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12),
    st.sampled_from([0.5, 0.95, 0.999]),
)
def test_no_interval_leaves_the_scale(rows, level):
    found = [
        krippendorff_alpha(rows, scale="interval", level=level),
        cohen_kappa(*zip(*rows, strict=True), level=level),
    ]
    for one in (each for each in found if each.interval is not None):
        assert -1.0 <= one.low <= one.value <= one.high <= 1.0


def test_raters_who_differ_once_in_ten_units_agree_perfectly_at_most():
    found = krippendorff_alpha([[n % 5, n % 5] for n in range(9)] + [[4, 3]], scale="interval")

    assert found.value + 2.0 * found.se > 1.0
    assert found.high == 1.0
