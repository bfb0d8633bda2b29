import math

import numpy as np
import pytest

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.differences import paired_differences


@pytest.mark.parametrize(
    ("a", "b", "more", "words"),
    [
        ([0.5, math.nan], [0, 1], {}, "score of a in row 2 is nan"),
        ([0.5, 1], [0, math.inf], {}, "score of b in row 2 is inf"),
        ([0.5], [0, 1], {}, "1 scores of a and 2 of b"),
        ([0.5, 1], [0, 1], {"weights": [1, -1]}, "weight in row 2 is -1"),
        ([0.5, 1], [0, 1], {"weights": [1]}, "2 items and 1 weights"),
        ([0.5, 1], [0, 1], {"clusters": ["x", None]}, "cluster in row 2 is None"),
        ([0.5, 1], [0, 1], {"clusters": ["x"]}, "2 values and 1 clusters"),
    ],
)
def test_rows_that_cannot_be_used_are_named(a, b, more, words):
    with pytest.raises(SpecError, match=words):
        paired_differences(a, b, **more)


@pytest.mark.parametrize("weights", [None, [0, 0]])
def test_no_item_of_positive_weight_is_not_enough_data(weights):
    items = [] if weights is None else [0.5, 1]
    with pytest.raises(NotEnoughData, match="no item of positive weight"):
        paired_differences(items, items, weights=weights)


def test_scores_that_are_equal_up_to_rounding_tie():
    rows = paired_differences([0.1 + 0.2, 0.5], [0.3, 0.4])
    assert rows.d[0] == 0.0
    assert rows.d[1] == pytest.approx(0.1)


def test_items_of_weight_zero_leave_with_their_clusters():
    rows = paired_differences([1, 0, 1], [0, 0, 0], weights=[1, 0, 1], clusters=["x", "y", "z"])
    assert (len(rows.d), rows.clusters, rows.is_clustered) == (2, 2, False)


def test_cluster_sums_are_those_of_a_plain_loop():
    rng = np.random.default_rng(1)
    a, b, w = rng.random((3, 40))
    labels = rng.integers(0, 7, 40)
    rows = paired_differences(a, b, weights=w, clusters=labels)
    sums, weights = rows.by_cluster()
    slow = {
        label: (sum((w * (a - b))[labels == label]), sum(w[labels == label]))
        for label in dict.fromkeys(labels.tolist())
    }
    assert sums == pytest.approx([one for one, _ in slow.values()])
    assert weights == pytest.approx([one for _, one in slow.values()])
