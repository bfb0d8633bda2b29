import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle

from benchmaker.errors import NotEnoughData
from benchmaker.stats.theil_sen import theil_sen

POINTS = st.lists(st.tuples(st.integers(0, 30), st.integers(-20, 20)), min_size=12, max_size=40)


@given(POINTS, st.sampled_from([0.8, 0.9, 0.95]))
def test_slope_and_interval_equal_scipys(points, level):
    x, y = ([float(point[side]) for point in points] for side in (0, 1))
    x = [
        place + value / 100 for place, value in enumerate(x)
    ]  # scipy is rough with ties on both sides
    if len(set(y)) < 6:
        return
    found, expected = theil_sen(x, y, level=level), oracle.theilslopes(y, x, alpha=level)
    assert found.slope == pytest.approx(expected.slope)
    assert found.intercept == pytest.approx(expected.intercept)
    if found.low is not None:
        assert (found.low, found.high) == pytest.approx((expected.low_slope, expected.high_slope))


@given(POINTS, st.randoms(use_true_random=False))
def test_any_order_gives_the_same_line(points, draw):
    other = list(points)
    draw.shuffle(other)
    if len({x for x, _ in points}) > 1:
        lines = [theil_sen([x for x, _ in rows], [y for _, y in rows]) for rows in (points, other)]
        assert lines[0] == lines[1]


def test_too_few_points_have_no_trend():
    with pytest.raises(NotEnoughData, match="three points"):
        theil_sen([1, 2], [1, 2])
    with pytest.raises(NotEnoughData, match="one x"):
        theil_sen([1, 1, 1], [1, 2, 3])
    assert theil_sen([1, 2, 3], [1, 2, 3]).low is None
