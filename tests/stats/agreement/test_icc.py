import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats as oracle

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.agreement import icc, icc_forms
from tests.draws import draws

careful = settings(deadline=None, max_examples=draws(20, 50))

# Shrout & Fleiss 1979, Psychological Bulletin 86, 420-428, table 2: six targets, four judges.
JUDGES = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]

TABLES = st.tuples(st.integers(3, 8), st.integers(2, 4)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(0, 10), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


def slow(rows, level=0.95):
    """All six with their ends, from sums of squares, as McGraw & Wong 1996 (tables 4 and 7)."""
    n, k = len(rows), len(rows[0])
    grand = sum(map(sum, rows)) / (n * k)
    row = [sum(r) / k for r in rows]
    col = [sum(r[j] for r in rows) / n for j in range(k)]
    msr = k * sum((m - grand) ** 2 for m in row) / (n - 1)
    msc = n * sum((m - grand) ** 2 for m in col) / (k - 1)
    msw = sum((x - m) ** 2 for r, m in zip(rows, row, strict=True) for x in r) / (n * (k - 1))
    mse = (msw * n * (k - 1) - msc * (k - 1)) / ((n - 1) * (k - 1))

    def quantile(d1, d2):
        return oracle.f.ppf(0.5 + level / 2, d1, d2)

    def fixed(noise, df):
        low, high = msr / noise / quantile(n - 1, df), msr / noise * quantile(df, n - 1)
        return [(f - 1) / (f + k - 1) for f in (low, high)], [1 - 1 / f for f in (low, high)]

    two = (msr - mse) / (msr + (k - 1) * mse + k * (msc - mse) / n)
    a, b = k * two / (n * (1 - two)), 1 + k * two * (n - 1) / (n * (1 - two))
    v = (a * msc + b * mse) ** 2 / ((a * msc) ** 2 / (k - 1) + (b * mse) ** 2 / ((n - 1) * (k - 1)))
    fl, fu = quantile(n - 1, v), quantile(v, n - 1)
    low = n * (msr - fl * mse) / (fl * (k * msc + (k * n - k - n) * mse) + n * msr)
    high = n * (fu * msr - mse) / (k * msc + (k * n - k - n) * mse + n * fu * msr)
    one_way, two_way = fixed(msw, n * (k - 1)), fixed(mse, (n - 1) * (k - 1))
    return {
        "1,1": ((msr - msw) / (msr + (k - 1) * msw), *one_way[0]),
        "2,1": (two, low, high),
        "3,1": ((msr - mse) / (msr + (k - 1) * mse), *two_way[0]),
        "1,k": ((msr - msw) / msr, *one_way[1]),
        "2,k": (
            (msr - mse) / (msr + (msc - mse) / n),
            *(k * end / (1 + (k - 1) * end) for end in (low, high)),
        ),
        "3,k": ((msr - mse) / msr, *two_way[1]),
    }


@pytest.mark.parametrize(
    ("form", "want"),
    [
        ("1,1", 0.1657), ("2,1", 0.2898), ("3,1", 0.7148),
        ("1,k", 0.4428), ("2,k", 0.6201), ("3,k", 0.9093),
    ],
)  # fmt: skip
def test_shrout_and_fleiss_1979(form, want):
    # The paper prints .17 .29 .71 .44 .62 .91; four digits as psych::ICC and pingouin give them.
    assert round(icc(JUDGES, form).value, 4) == want


def test_shrout_and_fleiss_1979_intervals():
    # psych::ICC of the same table.
    ends = {found.form: [round(end, 2) for end in found.interval] for found in icc_forms(JUDGES)}
    assert ends == {
        "1,1": [-0.13, 0.72], "2,1": [0.02, 0.76], "3,1": [0.34, 0.95],
        "1,k": [-0.88, 0.91], "2,k": [0.07, 0.93], "3,k": [0.68, 0.99],
    }  # fmt: skip
    found = icc(JUDGES, "1,1")
    assert (round(found.f, 2), found.df1, found.df2, round(found.p_value, 3)) == (
        1.79,
        5,
        18,
        0.165,
    )


@careful
@given(TABLES, st.sampled_from([0.8, 0.95]))
def test_agrees_with_sums_of_squares_written_out(rows, level):
    found = icc(rows, "3,1")
    assume(found.f is not None and found.f > 0.6)
    with np.errstate(all="ignore"):
        wanted = slow(rows, level)
    for form, want in wanted.items():
        got = icc(rows, form, level=level)
        assert got.value == pytest.approx(want[0], rel=1e-7, abs=1e-9)
        if got.interval is None:
            assert got.reason
        elif np.isfinite(want[1:]).all():
            assert got.interval == pytest.approx(want[1:], rel=1e-6, abs=1e-8)


@careful
@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_of_targets_and_raters_changes_nothing(rows, random):
    order = list(range(len(rows[0])))
    random.shuffle(order)
    shuffled = [[row[k] for k in order] for row in rows]
    random.shuffle(shuffled)
    for one, two in zip(icc_forms(rows), icc_forms(shuffled), strict=True):
        assert (one.value is None) == (two.value is None)
        if one.value is not None:
            assert two.value == pytest.approx(one.value, rel=1e-11, abs=1e-11)


def test_means_of_raters_are_surer_than_one():
    assert icc(JUDGES, "2,k").value > icc(JUDGES, "2,1").value
    assert icc(JUDGES, "3,1").value > icc(JUDGES, "2,1").value > icc(JUDGES, "1,1").value


def test_large_values_lose_no_digits():
    shifted = [[1e9 + x for x in row] for row in JUDGES]
    assert icc(shifted, "2,1").value == pytest.approx(icc(JUDGES, "2,1").value, rel=1e-6)


def test_the_interval_covers_the_truth():
    generator = np.random.Generator(np.random.PCG64(4))
    hits, tries = {"1,1": 0, "2,1": 0}, draws(100, 400)
    for _ in range(tries):
        rows = generator.normal(0, 1, (25, 1)) + generator.normal(0, 1, (25, 3))
        for form in hits:
            found = icc(rows, form)
            hits[form] += found.low <= 0.5 <= found.high
    for hit in hits.values():
        assert hit / tries == pytest.approx(0.95, abs=0.03 * math.sqrt(400 / tries))


def test_equal_ratings_leave_it_undefined():
    for found in icc_forms([[3, 3], [3, 3], [3, 3]]):
        assert (found.value, found.interval, found.reason) == (None, None, "all ratings are equal")


def test_raters_apart_by_a_constant_have_no_interval():
    found = icc([[1, 2], [3, 4], [7, 8]], "3,1")
    assert (found.value, found.interval) == (1.0, None)
    assert "do not differ beyond a constant" in found.reason


def test_targets_that_do_not_differ_have_no_mean_form():
    rows = [[1, 3], [3, 1], [2, 2]]
    assert icc(rows, "1,1").value == pytest.approx(-1.0)
    found = icc(rows, "1,k")
    assert found.value is None
    assert "targets do not differ" in found.reason


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([], NotEnoughData, "no target"),
        ([[1, 2]], NotEnoughData, "two targets"),
        ([[1], [2]], NotEnoughData, "two raters"),
        ([[1, 2], [1, float("nan")]], SpecError, "row 2 is nan"),
        ([[1, 2], [1]], SpecError, "Row 2 has 1 ratings"),
    ],
)
def test_what_does_not_fit_is_named(rows, error, message):
    with pytest.raises(error, match=message):
        icc(rows)


def test_an_unknown_form_is_named():
    with pytest.raises(SpecError, match="Unknown form '4,1'"):
        icc(JUDGES, "4,1")
