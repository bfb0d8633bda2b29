import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.agreement import concordance
from benchmaker.stats.agreement.correlation import pearson
from tests.draws import draws

careful = settings(deadline=None, max_examples=draws(20, 50))

# Peak flow of 17 people by two meters, first readings (Bland & Altman 1986, The Lancet 327).
WRIGHT = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
MINI = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]

ROWS = st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=4, max_size=30)


def split(rows):
    one, two = [float(a) for a, _ in rows], [float(b) for _, b in rows]
    assume(len(set(one)) > 1 and len(set(two)) > 1)
    return one, two


def lin_2000(x, y, z=1.959963984540054):
    """Lin 1989 with the variance of 2000, as printed (it divides by r)."""
    n = len(x)
    mx, my = sum(x) / n, sum(y) / n
    sx2, sy2 = sum((a - mx) ** 2 for a in x) / n, sum((b - my) ** 2 for b in y) / n
    sxy = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True)) / n
    rc, r = 2 * sxy / (sx2 + sy2 + (mx - my) ** 2), sxy / math.sqrt(sx2 * sy2)
    u2 = (mx - my) ** 2 / math.sqrt(sx2 * sy2)
    variance = (
        (1 - r**2) * rc**2 / ((1 - rc**2) * r**2)
        + 2 * rc**3 * (1 - rc) * u2 / (r * (1 - rc**2) ** 2)
        - rc**4 * u2**2 / (2 * r**2 * (1 - rc**2) ** 2)
    ) / (n - 2)
    half = z * math.sqrt(max(variance, 0))
    return rc, math.tanh(math.atanh(rc) - half), math.tanh(math.atanh(rc) + half)


def test_peak_flow_of_bland_and_altman():
    # Stata's concord on the same pairs: rho_c .943, C_b .999.
    found = concordance(WRIGHT, MINI)
    assert round(found.value, 4) == 0.9427
    assert round(found.accuracy, 4) == 0.9994
    assert [round(end, 4) for end in found.interval] == [0.8505, 0.9787]


def test_four_points_in_whole_numbers():
    # x = 0 2 4 6, y = 1 2 5 8: 2·7.5/(5 + 7.5 + 1) with sums over n, worked by hand.
    assert concordance([0, 2, 4, 6], [1, 2, 5, 8]).value == pytest.approx(2 * 6 / (5 + 7.5 + 1))


@careful
@given(ROWS)
def test_agrees_with_the_printed_formula(rows):
    one, two = split(rows)
    found = concordance(one, two)
    assume(0.01 < abs(found.value) < 0.999)
    assert (found.value, *found.interval) == pytest.approx(lin_2000(one, two), rel=1e-8, abs=1e-10)


@careful
@given(ROWS)
def test_is_symmetric_never_above_pearson_and_blind_to_order(rows):
    one, two = split(rows)
    found, turned = concordance(one, two), concordance(two[::-1], one[::-1])
    assert turned.value == pytest.approx(found.value, rel=1e-12, abs=1e-12)
    assert abs(found.value) <= abs(pearson(one, two).value) + 1e-12
    assert found.value == pytest.approx(found.correlation * found.accuracy, rel=1e-9, abs=1e-12)


@careful
@given(ROWS, st.integers(-5, 5))
def test_moving_both_sides_alike_changes_nothing(rows, shift):
    one, two = split(rows)
    moved = concordance([a + shift for a in one], [b + shift for b in two])
    assert moved.value == pytest.approx(concordance(one, two).value, rel=1e-9, abs=1e-12)


def test_the_interval_covers_the_truth():
    """Normal pairs with r = .8, equal spread, shifted by .5: .8 · 2/(2 + .25)."""
    generator = np.random.Generator(np.random.PCG64(8))
    truth, hits, tries = 0.8 * 2 / 2.25, 0, draws(200, 600)
    for _ in range(tries):
        x = generator.normal(size=60)
        y = 0.8 * x + 0.6 * generator.normal(size=60) + 0.5
        low, high = concordance(x, y).interval
        hits += low <= truth <= high
    assert hits / tries == pytest.approx(0.95, abs=0.02 * math.sqrt(600 / tries))


def test_no_correlation_still_has_an_interval():
    found = concordance([1.0, 1.0, -1.0, -1.0], [1.0, -1.0, 1.0, -1.0])
    assert found.value == 0.0
    assert found.low < 0 < found.high


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1, 1, 1], [1, 1, 1], "both sides are constant"),
        ([1, 1, 1], [1, 2, 3], "one side is constant"),
    ],
)
def test_a_constant_side_leaves_it_undefined(x, y, reason):
    found = concordance(x, y)
    assert (found.value, found.interval) == (None, None)
    assert reason in found.reason


def test_exact_agreement_has_no_interval():
    found = concordance([1, 2, 3], [1, 2, 3])
    assert (found.value, found.interval) == (1.0, None)
    assert "exactly" in found.reason


def test_what_does_not_fit_is_named():
    with pytest.raises(NotEnoughData):
        concordance([1, 2], [1, 2])
    with pytest.raises(SpecError, match="row 2 is nan"):
        concordance([1, 2, 3], [1, math.nan, 3])
    with pytest.raises(SpecError, match="2 values on one side and 3"):
        concordance([1, 2], [1, 2, 3])
