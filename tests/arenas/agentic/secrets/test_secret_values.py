import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.arenas.agentic.secrets.kinds import bits, is_made_up, is_secret_value


@given(st.text(min_size=1))
def test_entropy_lies_between_none_and_that_of_different_characters(text):
    assert -1e-9 <= bits(text) <= math.log2(len(text)) + 1e-9


@given(st.text(min_size=1), st.randoms())
def test_entropy_does_not_depend_on_order_or_repetition(text, rng):
    mixed = list(text * 2)
    rng.shuffle(mixed)
    assert bits("".join(mixed)) == pytest.approx(bits(text))


@pytest.mark.parametrize("value", ["${X}", "$TOKEN", "{token}", "%s", "%(pw)s", "****", "xxxx"])
def test_a_reference_is_no_value(value):
    assert not is_secret_value(value)


@pytest.mark.parametrize("value", ["hunter2", "$ecret", "a", "x1"])
def test_what_is_written_out_is_a_value(value):
    assert is_secret_value(value)


@pytest.mark.parametrize("value", ["aaaaaaa1", "12345678", "user_name_2", "sha256", "some_value"])
def test_words_and_repetitions_are_not_made_up(value):
    assert not is_made_up(value, "", 0)


def test_what_is_called_is_code():
    assert not is_made_up("aB3dE6gH9j", "aB3dE6gH9j(1)", 10)


def test_words_count_where_they_may():
    assert is_made_up("correcthorse", "", 0, may_be_words=True)
    assert not is_made_up("settings.password", "", 0, may_be_words=True)
