import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.stats.group_sums import group_sums

VALUES = st.lists(st.tuples(st.floats(-1e6, 1e6), st.integers(0, 3)), min_size=1, max_size=60)


@given(VALUES, st.randoms(use_true_random=False))
def test_sums_are_the_same_in_any_order(pairs, draw):
    other = list(pairs)
    draw.shuffle(other)
    sums = [
        group_sums(np.array([v for v, _ in rows]), np.array([g for _, g in rows]), 4).tolist()
        for rows in (pairs, other)
    ]
    assert sums[0] == sums[1]


@given(VALUES)
def test_sums_equal_exact_ones_up_to_the_last_digits_of_the_largest(pairs):
    found = group_sums(np.array([v for v, _ in pairs]), np.array([g for _, g in pairs]), 5)
    largest = max(abs(v) for v, _ in pairs)
    for group in range(5):
        exact = math.fsum(v for v, g in pairs if g == group)
        assert abs(found[group] - exact) <= 1e-15 * largest * len(pairs)


def test_nothing_sums_to_nothing():
    assert group_sums(np.array([]), np.array([], int), 2).tolist() == [0.0, 0.0]
    assert group_sums(np.zeros(3), np.array([0, 1, 1]), 2).tolist() == [0.0, 0.0]
