"""Intervals that keep within their scale: by the equation they solve, and by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchmaker.stats.means.bounded import ends_within, within_scale
from benchmaker.stats.means.means import weighted_mean


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.sampled_from([(0, 1), (-1, 1)]))
def test_no_end_leaves_the_scale_and_the_mean_lies_between(values, scale):
    low, high = scale
    mean = within_scale(weighted_mean([low + (high - low) * it for it in values]), low, high)
    if mean.interval is None:
        assert mean.se is None
        return
    assert low <= mean.low <= mean.mean + 1e-9
    assert mean.mean - 1e-9 <= mean.high <= high


def test_the_ends_are_where_the_score_test_is_at_its_quantile():
    values = [0.85, 0.95, 0.98]
    mean = within_scale(weighted_mean(values))
    m, se, t = np.mean(values), stats.sem(values), stats.t.ppf(0.975, 2)
    for end in mean.require_interval():
        matched = se * np.sqrt(end * (1 - end) / (m * (1 - m)))
        assert abs(m - end) == pytest.approx(t * matched)


def test_amid_the_scale_it_is_students_interval():
    values = 0.5 + np.array([-0.003, 0.001, 0.002, -0.001, 0.0005])
    t = stats.t.interval(0.95, 4, values.mean(), stats.sem(values))
    assert within_scale(weighted_mean(values)).interval == pytest.approx(t, abs=1e-4)


def test_a_mean_at_the_end_has_the_width_of_its_size():
    assert ends_within(100.0, 0.0, 5, 1.96, 0.0, 100.0)[1] == 100.0
    assert ends_within(100.0, 0.0, 5, 1.96, 0.0, 100.0)[0] < 60


@pytest.mark.parametrize("n", [2, 3, 5, 10])
@pytest.mark.parametrize(("a", "b"), [(8, 2), (2, 2), (400, 30)])
def test_it_covers_about_95_of_100(n, a, b):
    draws, held = np.random.default_rng(n * 1000 + a), 0
    quantile = stats.t.ppf(0.975, n - 1)
    values = draws.beta(a, b, (1500, n))
    errors = values.std(axis=1, ddof=1) / np.sqrt(n)
    for mean, se in zip(values.mean(axis=1).tolist(), errors.tolist(), strict=True):
        low, high = ends_within(mean, se, n, quantile)
        held += low <= a / (a + b) <= high
    assert 0.93 <= held / 1500 <= 0.97
