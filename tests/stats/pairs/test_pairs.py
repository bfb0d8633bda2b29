import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.pairs.max_t import max_t
from benchmaker.stats.pairs.multiple_comparisons import (
    benjamini_hochberg,
    benjamini_yekutieli,
    holm,
)
from benchmaker.stats.pairs.pair import head_to_head
from benchmaker.stats.pairs.pairs import all_pairs


def table(items=60, systems=4, seed=0, step=0.3):
    rng = np.random.default_rng(seed)
    return rng.normal(0, 1, (items, systems)) + step * np.arange(systems)


def test_systems_stand_best_first_and_the_first_pair_is_the_best_against_the_next():
    got = all_pairs(table(step=1.0), names=["w", "x", "y", "z"])
    assert got.names == ("z", "y", "x", "w")
    assert list(got.means) == sorted(got.means, reverse=True)
    assert (got.pairs[0].a, got.pairs[0].b) == ("z", "y")
    assert all(one.pair.paired.diff >= 0 for one in got.pairs)


def test_every_pair_is_its_head_to_head():
    scores = table()
    got = all_pairs(scores)
    for one in got.pairs:
        want = head_to_head(scores[:, int(one.a) - 1], scores[:, int(one.b) - 1])
        assert one.pair == want
        assert (one.p_value, one.low, one.high) == (want.p_value, want.low, want.high)


@pytest.mark.parametrize(
    ("correction", "correct"),
    [("holm", holm), ("bh", benjamini_hochberg), ("by", benjamini_yekutieli), (None, tuple)],
)
def test_p_values_are_adjusted_over_all_pairs(correction, correct):
    got = all_pairs(table(), correction=correction)
    want = correct([one.p_value for one in got.pairs])
    assert [one.p_adjusted for one in got.pairs] == pytest.approx(want)


def test_max_t_brings_its_p_values_and_simultaneous_intervals():
    scores = table(items=20)
    got = all_pairs(scores, correction="max_t")
    want = max_t(scores[:, [int(name) - 1 for name in got.names]])
    assert tuple(one.p_adjusted for one in got.pairs) == want.p_adjusted
    assert tuple((one.low, one.high) for one in got.pairs) == tuple(
        zip(want.low, want.high, strict=True)
    )
    assert {one.pair.test for one in got.pairs} == {"t"}
    assert all(one.low < one.pair.low for one in got.pairs)


@given(st.integers(0, 1000), st.sampled_from(["holm", "bh", "by", None]))
def test_two_share_a_letter_exactly_when_they_are_not_apart(seed, correction):
    got = all_pairs(table(items=16, systems=5, seed=seed, step=0.5), correction=correction)
    letters = dict(zip(got.names, got.letters, strict=True))
    for a, b in combinations(got.names, 2):
        one = got.pair(b, a)
        assert one.is_apart == (one.p_adjusted < 0.05)
        assert bool(set(letters[a]) & set(letters[b])) != one.is_apart


def test_a_pair_that_ties_everywhere_has_no_p_and_is_none_of_the_tests():
    scores = table(systems=3)
    scores[:, 1] = scores[:, 0]
    got = all_pairs(scores)
    tied = got.pair("1", "2")
    assert (tied.p_value, tied.p_adjusted, tied.is_apart) == (None, None, False)
    other = got.pair("1", "3")
    assert other.p_adjusted == pytest.approx(min(1.0, 2 * other.p_value))


def test_ties_are_ordered_by_name():
    assert all_pairs([[0.5, 0.5], [1.0, 1.0]], names=["b", "a"]).names == ("a", "b")


def test_too_few_sign_patterns_for_so_many_pairs_are_warned_of():
    got = all_pairs(table(items=7, systems=5, step=9))
    assert got.warnings[0].startswith(
        "too few cases for a significant difference in any of the 10 pairs"
    )
    assert not any(one.is_apart for one in got.pairs)
    assert not all_pairs(table(items=9, systems=5)).warnings


@pytest.mark.parametrize(
    ("scores", "more", "error", "words"),
    [
        ([[1.0], [0.5]], {}, NotEnoughData, "at least 2 systems"),
        ([[1.0, 0.5]], {"names": ["a", "a"]}, SpecError, "'a' occurs twice"),
        ([[1.0, 0.5]], {"names": ["a"]}, SpecError, "2 columns and 1 names"),
        ([[1.0, math.inf]], {}, SpecError, "row 1, column 2"),
        ([[1.0, 0.5]], {"weights": [0]}, NotEnoughData, "positive weight"),
        ([[1, 0]], {"correction": "max_t", "test": "sign_flip"}, SpecError, "max-T adjusts"),
    ],
)
def test_what_cannot_be_compared_is_refused(scores, more, error, words):
    with pytest.raises(error, match=words):
        all_pairs(scores, **more)


def test_a_pair_of_unknown_names_is_refused():
    with pytest.raises(SpecError, match="no pair of '1' and 'x'"):
        all_pairs(table()).pair("1", "x")


def test_one_item_compares_nothing_and_says_why():
    got = all_pairs([[0.5, 0.25]])
    assert got.pairs[0].pair.reason == "1 difference, at least 2 are needed"
    assert got.letters == ("a", "a")
