import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from scipy import stats as oracle

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.agreement.recalibration import fit_isotonic, fit_linear, leave_one_out
from tests.draws import draws

careful = settings(deadline=None, max_examples=draws(20, 60))

VALUES = st.integers(0, 10).map(float)
WEIGHTS = st.sampled_from([0.5, 1.0, 2.0, 3.5])
ROWS = st.lists(st.tuples(VALUES, VALUES, WEIGHTS), min_size=2, max_size=25).filter(
    lambda rows: len({x for x, _, _ in rows}) > 1
)


def split(rows):
    return tuple(list(column) for column in zip(*rows, strict=True))


def slow_isotonic(x, y, w):
    """max over starts of min over ends of the weighted mean (the min-max formula)."""
    places = sorted(set(x))
    sums = [
        (
            sum(b * c for a, b, c in zip(x, y, w, strict=True) if a == place),
            sum(c for a, c in zip(x, w, strict=True) if a == place),
        )
        for place in places
    ]

    def mean(i, j):
        return sum(s for s, _ in sums[i : j + 1]) / sum(c for _, c in sums[i : j + 1])

    n = len(places)
    levels = [max(min(mean(i, j) for j in range(k, n)) for i in range(k + 1)) for k in range(n)]
    return places, levels


@careful
@given(ROWS)
def test_isotonic_agrees_with_the_min_max_formula(rows):
    x, y, w = split(rows)
    places, levels = slow_isotonic(x, y, w)
    got = fit_isotonic(x, y, weights=w).predict(places)
    assert got.values == pytest.approx(levels, rel=1e-9, abs=1e-12)
    assert got.beyond == ()


@careful
@given(ROWS)
def test_isotonic_agrees_with_scipy(rows):
    x, y, w = split(rows)
    order = np.argsort(x, kind="stable")
    if len(set(x)) == len(x):
        want = optimize.isotonic_regression(np.array(y)[order], weights=np.array(w)[order]).x
        got = fit_isotonic(x, y, weights=w).predict(np.array(x)[order])
        assert got.values == pytest.approx(want.tolist(), rel=1e-9, abs=1e-12)


@careful
@given(ROWS, st.lists(st.floats(-5, 15), min_size=2, max_size=10))
def test_isotonic_rises_and_stays_within_its_levels(rows, where):
    x, y, w = split(rows)
    got = fit_isotonic(x, y, weights=w).predict(sorted(where)).values
    assert all(a <= b + 1e-12 for a, b in itertools.pairwise(got))
    assert min(y) - 1e-12 <= min(got)
    assert max(got) <= max(y) + 1e-12


@careful
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_nothing(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    (x, y, w), (x2, y2, w2) = split(rows), split(shuffled)
    for fit in (fit_linear, fit_isotonic):
        one, two = fit(x, y, weights=w), fit(x2, y2, weights=w2)
        assert two.predict(x).values == pytest.approx(one.predict(x).values, rel=1e-12, abs=1e-12)


@careful
@given(ROWS)
def test_a_falling_map_mirrors_a_rising_one(rows):
    x, y, w = split(rows)
    down = fit_isotonic(x, y, weights=w, increasing=False).predict(x).values
    up = fit_isotonic(x, [-b for b in y], weights=w).predict(x).values
    assert down == pytest.approx([-level for level in up], abs=1e-12)


def test_isotonic_keeps_the_ends_of_a_level():
    found = fit_isotonic([1, 2, 3, 4, 5], [1.0, 3.0, 2.0, 2.5, 4.0])
    assert (found.knots, found.levels) == ((1, 2, 4, 5), (1, 2.5, 2.5, 4))
    assert found.predict([1.5, 3.0]).values == (1.75, 2.5)


def test_beyond_its_ground_isotonic_keeps_its_ends_and_says_so():
    got = fit_isotonic([1, 2, 3], [0.1, 0.5, 0.9]).predict([0.0, 2.0, 7.0])
    assert got.values == (0.1, 0.5, 0.9)
    assert got.beyond == (1, 3)
    assert "2 of 3 values lie outside what the map was learnt from" in got.warnings


@careful
@given(ROWS)
def test_linear_equals_scipy(rows):
    x, y, _ = split(rows)
    found, want = fit_linear(x, y), oracle.linregress(x, y)
    assert (found.slope, found.intercept) == pytest.approx((want.slope, want.intercept), abs=1e-10)
    if found.slope_interval is not None and found.residual_sd > 1e-6:
        half = oracle.t.ppf(0.975, len(x) - 2) * want.stderr
        assert found.slope_interval == pytest.approx(
            (want.slope - half, want.slope + half), rel=1e-7, abs=1e-9
        )


@careful
@given(ROWS)
def test_weights_of_two_are_rows_twice(rows):
    x, y, _ = split(rows)
    twice = [1.0 + (i % 2) for i in range(len(x))]
    doubled = [i for i in range(len(x)) for _ in range(1 + i % 2)]
    for fit in (fit_linear, fit_isotonic):
        one = fit(x, y, weights=twice).predict(x).values
        two = fit([x[i] for i in doubled], [y[i] for i in doubled]).predict(x).values
        assert one == pytest.approx(two, rel=1e-9, abs=1e-9)


def test_the_line_goes_on_beyond_its_ground_unclipped_and_says_so():
    got = fit_linear([0.2, 0.5, 0.8], [0.1, 0.5, 0.9]).predict([0.0, 0.5, 1.0], bounds=(0.0, 1.0))
    assert got.values == pytest.approx((-1 / 6, 0.5, 7 / 6))
    assert (got.beyond, got.off_scale) == ((1, 3), (1, 3))
    assert "2 of 3 results lie outside the scale" in got.warnings


def test_few_rows_are_warned_of():
    rows = list(range(60))
    assert fit_linear(rows[:49], rows[:49]).warnings == (
        "only 49 rows; below 50 a line may do harm",
    )
    assert fit_linear(rows, rows).warnings == ()
    assert "below 200 isotonic regression" in fit_isotonic(rows, rows).warnings[0]


def test_an_exact_line_has_no_error_to_weigh():
    found = fit_linear([1, 2, 3], [2, 4, 6])
    assert (found.slope_interval, found.residual_sd) == (None, None)
    assert found.reason


def test_leaving_one_out_is_the_hat_matrix_for_a_line():
    generator = np.random.Generator(np.random.PCG64(4))
    x = generator.normal(size=30)
    y = 0.5 * x + generator.normal(size=30)
    design = np.column_stack([np.ones(30), x])
    hat = design @ np.linalg.inv(design.T @ design) @ design.T
    misses = np.abs((y - hat @ y) / (1 - hat.diagonal()))
    found = leave_one_out(fit_linear, x, y)
    assert found.mapped == pytest.approx(misses.mean(), rel=1e-9)
    assert found.raw == pytest.approx(np.abs(x - y).mean(), rel=1e-12)
    assert (found.n, found.beyond) == (30, 2)


def test_leaving_one_out_shows_that_few_rows_make_isotonic_worse_than_nothing():
    generator = np.random.Generator(np.random.PCG64(9))
    x = generator.uniform(0, 1, size=8)
    found = leave_one_out(fit_isotonic, x, x + generator.normal(0, 0.3, size=8))
    assert found.mapped > found.raw


@pytest.mark.parametrize("fit", [fit_linear, fit_isotonic])
def test_what_does_not_fit_is_named(fit):
    with pytest.raises(NotEnoughData):
        fit([], [])
    with pytest.raises(NotEnoughData):
        fit([1, 1, 1], [1, 2, 3])
    with pytest.raises(SpecError, match="row 2 is nan"):
        fit([1, math.nan], [1, 2])
    with pytest.raises(SpecError, match="weight in row 1 is 0"):
        fit([1, 2], [1, 2], weights=[0, 1])
    with pytest.raises(SpecError, match="row 1 is inf"):
        fit([1, 2], [1, 2]).predict([math.inf])
    with pytest.raises(NotEnoughData):
        leave_one_out(fit, [1, 2], [1, 2])
