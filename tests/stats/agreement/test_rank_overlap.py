import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.agreement.rank_overlap import rank_biased_overlap

ITEMS = st.permutations(range(8))
TIED = st.dictionaries(st.integers(0, 9), st.integers(0, 3), min_size=1)


def ranked(items):
    return {item: -place for place, item in enumerate(items)}


def to_the_end(one, two, p):
    """Two whole lists of the same items, deeper and deeper; the agreement stays 1 after the end."""
    total = 0.0
    for d in range(1, 2_000):
        agreement = len(set(one[:d]) & set(two[:d])) / min(d, len(one))
        total += (1 - p) * p ** (d - 1) * agreement
    return total


@given(ITEMS, ITEMS, st.floats(0.05, 0.95))
def test_it_equals_the_sum_to_any_depth(one, two, p):
    found = rank_biased_overlap(ranked(one), ranked(two), p=p)
    assert found.value == pytest.approx(to_the_end(one, two, p), abs=1e-9)


@given(TIED, TIED)
def test_it_is_symmetric_between_zero_and_one_and_one_of_itself(one, two):
    found = rank_biased_overlap(one, two).value
    assert 0 <= found <= 1
    assert rank_biased_overlap(one, one).value == pytest.approx(1)
    if len(one) == len(two):
        assert found == pytest.approx(rank_biased_overlap(two, one).value)


def test_lists_without_a_common_item_do_not_overlap():
    assert rank_biased_overlap({"a": 1}, {"b": 1, "c": 0}).value == 0


def test_the_published_equation_for_lists_of_different_length():
    p, x = 0.9, [1, 1, 2]  # a b | a c b
    by_hand = (1 - p) / p * (1 * p + 0.5 * p**2 + 2 / 3 * p**3 + 1 * (3 - 2) / (2 * 3) * p**3)
    by_hand += ((x[2] - x[1]) / 3 + x[1] / 2) * p**3
    assert rank_biased_overlap(ranked("ab"), ranked("acb"), p=p).value == pytest.approx(by_hand)


def test_everything_tied_agrees():
    assert rank_biased_overlap(
        dict.fromkeys("abc", 1), dict.fromkeys("abc", 5)
    ).value == pytest.approx(1)


def test_wrong_arguments_are_named():
    with pytest.raises(SpecError, match="not between 0 and 1"):
        rank_biased_overlap({"a": 1}, {"a": 1}, p=1.0)
    with pytest.raises(NotEnoughData):
        rank_biased_overlap({}, {"a": 1})
