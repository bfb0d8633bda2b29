import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.scoring.words import contains_words, is_boundary

ASCII = st.text(alphabet="abAB01_ -!(\n", max_size=30)


@given(text=ASCII, part=st.text(alphabet="abAB01_ -!(", min_size=1, max_size=5))
def test_it_agrees_with_a_regular_expression(text, part):
    before = r"(?<!\w)" if re.match(r"\w", part) else ""
    after = r"(?!\w)" if re.search(r"\w\Z", part) else ""
    assert contains_words(text, part) == bool(re.search(before + re.escape(part) + after, text))


@given(words=st.lists(st.text(alphabet="äßéxyz", min_size=1), min_size=1))
def test_every_word_of_a_text_is_found_in_it(words):
    assert all(contains_words(", ".join(words), word) for word in words)


@given(text=st.text(max_size=20), at=st.integers(-2, 30))
def test_the_ends_of_a_text_are_boundaries(text, at):
    if at <= 0 or at >= len(text):
        assert is_boundary(text, at)


@pytest.mark.parametrize(
    ("text", "part", "found"),
    [
        ("none of it", "no", False),
        ("no, none", "no", True),
        ("Paris's cafés", "Paris", True),
        ("3.5 metres", "5", False),
        ("3.5 metres", "3", False),
        ("it is 5.", "5", True),
        ("costs $5!", "$5", True),
        ("答えは東京です", "東京", True),
        ("naïveté", "naïvet", False),
        ("हिन्दी", "हिन", False),
        ("x_1", "x", False),
        ("anything", "", False),
    ],
)
def test_words_are_found_whole(text, part, found):
    assert contains_words(text, part) is found


def test_many_false_starts_take_linear_time():
    assert not contains_words("a" * 100_000, "a")
