import math

import pytest

from benchmaker.errors import SpecError
from benchmaker.stats.paired_columns import align


def test_both_columns_come_back_as_numbers():
    one, two = align([1, 2], (0.5, True))
    assert (one.tolist(), two.tolist()) == ([1.0, 2.0], [0.5, 1.0])


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([1, 2], [1], "2 labels on one side and 1 on the other"),
        ([1, math.nan], [1, 2], "The label in row 2 is nan"),
        ([1, 2], [math.inf, 2], "The second label in row 1 is inf"),
        ([[1], [2]], [1, 2], "2 dimensions"),
    ],
)
def test_what_does_not_line_up_is_named(first, second, message):
    with pytest.raises(SpecError, match=message):
        align(first, second, noun="label")
