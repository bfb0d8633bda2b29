import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.stats.pairs.compact_letters import compact_letters


@st.composite
def displays(draw, most=9):
    count = draw(st.integers(0, most))
    pairs = list(combinations(range(count), 2))
    apart = draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    return count, apart


def letters_of(text):
    return set(re.findall(r"[A-Za-z]\d*", text))


def shares(letters, i, j):
    return bool(letters_of(letters[i]) & letters_of(letters[j]))


@given(displays(), st.randoms(use_true_random=False))
def test_two_share_a_letter_exactly_when_they_are_not_apart(display, random):
    count, apart = display
    given_pairs = [pair if random.random() < 0.5 else pair[::-1] for pair in apart]
    random.shuffle(given_pairs)
    letters = compact_letters(count, given_pairs)
    assert len(letters) == count
    assert all(letters)
    for pair in combinations(range(count), 2):
        assert shares(letters, *pair) == (pair not in apart)


@given(displays())
def test_no_letter_says_what_another_one_says(display):
    letters = compact_letters(*display)
    holders = {}
    for place, text in enumerate(letters):
        for letter in letters_of(text):
            holders.setdefault(letter, set()).add(place)
    for one, other in combinations(holders.values(), 2):
        assert not one <= other
        assert not other <= one


def test_a_published_display():  # Piepho 2004: means 1 to 4 in order, only the ends apart
    assert compact_letters(4, [(0, 2), (0, 3), (1, 3)]) == ("a", "ab", "bc", "c")


def test_the_first_has_the_first_letter_and_all_apart_have_one_each():
    assert compact_letters(3, combinations(range(3), 2)) == ("a", "b", "c")
    assert compact_letters(3, []) == ("a", "a", "a")
    assert compact_letters(0, []) == ()


def test_beyond_the_alphabet_letters_get_numbers():
    letters = compact_letters(60, combinations(range(60), 2))
    assert letters[25:28] == ("z", "A", "B")
    assert letters[51:53] == ("Z", "a1")


def test_pairs_without_any_order_still_end_soon():
    apart = {(i, j) for i, j in combinations(range(60), 2) if (i * 7 + j * 13) % 5 < 2}
    letters = compact_letters(60, apart)
    for pair in combinations(range(60), 2):
        assert shares(letters, *pair) == (pair not in apart)


@pytest.mark.parametrize("pair", [(1, 1), (0, 3), (-1, 0)])
def test_a_pair_of_places_there_are_not_is_refused(pair):
    with pytest.raises(SpecError, match="does not name two of 3"):
        compact_letters(3, [pair])
