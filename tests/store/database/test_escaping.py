import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.store.database.escaping import (
    escape,
    escape_all,
    escape_or_none,
    unescape,
    unescape_or_none,
)
from tests.store.strategies import texts


@given(texts | st.text(st.characters(codec=None)))
def test_any_text_comes_back_as_it_was(text):
    assert unescape(escape(text)) == text


@given(texts)
def test_stored_text_has_neither_nul_nor_half_a_pair(text):
    stored = escape(text)
    assert "\x00" not in stored
    stored.encode("utf-8")


@given(texts, texts)
def test_different_texts_are_stored_differently(one, other):
    assert (escape(one) == escape(other)) == (one == other)


@pytest.mark.parametrize("text", ["", "plain", "😀 é 漢", "\n\t\x1b[31m", "\u202e"])
def test_text_that_databases_take_is_stored_unchanged(text):
    assert escape(text) == text


def test_the_escape_is_the_stated_one():
    assert escape("a\x00b\ud800c\x1a") == "a\x1a0000b\x1ad800c\x1a\x1a"


def test_none_stays_none():
    assert escape_or_none(None) is None
    assert unescape_or_none(None) is None
    assert unescape_or_none(escape_or_none("\x00")) == "\x00"


@given(st.lists(st.none() | texts | st.text(st.characters(codec=None))))
def test_many_texts_are_escaped_as_each_by_itself(many):
    assert list(escape_all(many)) == [escape_or_none(one) for one in many]
