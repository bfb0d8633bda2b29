import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.web.results.word_diff import LARGEST, Piece, word_diff

TEXTS = st.text(alphabet="ab \n.<é\U0001f600\u0301", max_size=60)


@given(TEXTS, TEXTS)
def test_both_texts_can_be_read_out_of_the_pieces(before, after):
    pieces = word_diff(before, after)

    assert "".join(one.text for one in pieces if one.kind != "del") == after
    assert "".join(one.text for one in pieces if one.kind != "ins") == before


@given(TEXTS)
def test_the_same_text_has_no_change(text):
    assert all(one.kind == "same" for one in word_diff(text, text))


def test_words_are_compared_and_phrases_stay_together():
    assert word_diff("the cat sat", "the dog ran") == (
        Piece("same", "the "),
        Piece("del", "cat sat"),
        Piece("ins", "dog ran"),
    )


def test_too_long_a_text_is_not_compared():
    assert word_diff("a" * (LARGEST + 1), "a") is None


@pytest.mark.parametrize("alphabet", ["ab ", "a.", "ab \n", "!?\n"])
def test_hostile_texts_take_no_quadratic_time(alphabet):
    draw = random.Random(1)  # noqa: S311  for a test
    before, after = ("".join(draw.choices(alphabet, k=LARGEST)) for _ in range(2))
    began = time.process_time()
    word_diff(before, after)

    assert time.process_time() - began < 5
