import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import NotEnoughData
from benchmaker.stats.means.sample import Sample

ROWS = st.lists(
    st.tuples(st.floats(0, 1), st.floats(0, 9), st.integers(0, 5)), min_size=1, max_size=40
).filter(lambda rows: any(weight > 1e-3 for _, weight, _ in rows))


def sample(rows):
    return Sample.of(*(list(column) for column in zip(*rows, strict=True)))


@given(ROWS)
def test_rows_of_weight_0_are_gone_and_clusters_have_no_gaps(rows):
    got = sample(rows)
    heavy = [row for row in rows if row[1] > 0]
    assert (got.n, got.clusters) == (len(heavy), len({cluster for *_, cluster in heavy}))
    assert set(got.cluster.tolist()) == set(range(got.clusters))
    assert got.units == got.clusters


@given(ROWS)
def test_residuals_sum_to_nothing_within_clusters_and_without(rows):
    values, weights, _ = (list(column) for column in zip(*rows, strict=True))
    for some in (sample(rows), Sample.of(values, weights)):
        assert abs(some.residuals().sum()) < 1e-12 * some.n
        assert len(some.residuals()) == some.units


@given(ROWS)
def test_effective_numbers_lie_between_one_and_all(rows):
    got = sample(rows)
    assert 1 - 1e-9 <= got.kish <= got.n + 1e-9
    assert 1 - 1e-9 <= got.kish_of_clusters <= got.clusters + 1e-9
    assert got.kish_of_clusters <= got.kish + 1e-9


def test_the_design_effect_of_equal_copies_is_nearly_their_number():
    x = np.repeat([0.1, 0.5, 0.7, 0.2], 3)
    got = Sample.of(x, None, np.repeat(range(4), 3))
    assert got.design_effect() == pytest.approx(3 * (4 / 3) / (12 / 11))
    assert Sample.of(x).design_effect() == 1.0


def test_nothing_of_weight_is_not_enough():
    with pytest.raises(NotEnoughData):
        Sample.of([1.0], [0.0])
