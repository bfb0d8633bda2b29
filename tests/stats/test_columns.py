import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.stats.columns import (
    check_level,
    cluster_codes,
    count_distinct,
    encode_labels,
    finite_column,
    first_duplicate,
    median,
)

LABELS = st.lists(st.one_of(st.integers(0, 5), st.sampled_from("abc"), st.booleans()), max_size=30)


@given(LABELS)
def test_codes_tell_labels_apart_as_they_first_appear(labels):
    codes = encode_labels(labels, "label").tolist()
    assert [labels[row] == labels[other] for row in range(len(labels)) for other in range(row)] == [
        codes[row] == codes[other] for row in range(len(labels)) for other in range(row)
    ]
    first = list(dict.fromkeys(codes))
    assert first == list(range(len(first)))


def test_numpy_labels_and_generators_are_labels_too():
    assert encode_labels(np.array(["b", "a", "b"]), "label").tolist() == [0, 1, 0]
    assert encode_labels((row // 2 for row in range(4)), "label").tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("missing", [None, math.nan, np.datetime64("NaT")])
def test_a_missing_label_is_refused_by_its_row(missing):
    with pytest.raises(SpecError, match="cluster in row 2 is"):
        encode_labels(["a", missing], "cluster")


def test_without_clusters_each_row_is_its_own():
    assert cluster_codes(None, 3).tolist() == [0, 1, 2]
    with pytest.raises(SpecError, match="3 values and 2 clusters"):
        cluster_codes("ab", 3)


def test_a_column_is_finite_and_flat():
    assert finite_column([1, 2], "value").dtype == np.float64
    for bad, words in (([[1.0]], "2 dimensions"), ([1, math.inf], "value in row 2 is inf")):
        with pytest.raises(SpecError, match=words):
            finite_column(bad, "value")


def test_the_first_label_that_occurs_twice_is_named():
    assert first_duplicate(["a", "b", "a", "b"]) == "a"
    assert first_duplicate(["a", "b"]) is None


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, 95.0, math.nan])
def test_a_level_lies_strictly_between_0_and_1(level):
    assert check_level(0.95) == 0.95
    with pytest.raises(SpecError, match="confidence level"):
        check_level(level)


@given(st.lists(st.integers(-9, 9), max_size=30))
def test_distinct_codes_are_counted_once(codes):
    assert count_distinct(np.array(codes, dtype=np.int32)) == len(set(codes))


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=30))
def test_the_median_equals_the_standard_librarys_and_numpys(numbers):
    column = np.array(numbers)

    assert median(column) == statistics.median(numbers) == np.median(column)
