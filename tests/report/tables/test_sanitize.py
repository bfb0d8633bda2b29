import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.report.tables.sanitize import make_encodable, sanitise, truncate


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mred", "a␛[31mred"),
        ("bell\x07 null\x00 delete\x7f", "bell␇ null␀ delete␡"),
        ("two\nlines\tand a tab", "two lines and a tab"),
        ("evil\u202etxt", "evil[U+202E]txt"),
        ("c1\x9b31m", "c1[U+009B]31m"),
        ("\ud800", "\ufffd"),
        ("ordinary Ünïcödé 中文 🎈", "ordinary Ünïcödé 中文 🎈"),
        ("שלום\u200f", "שלום\u200f"),
    ],
)
def test_nothing_that_acts_is_left(text, shown):
    assert sanitise(text) == shown


def test_line_feeds_and_tabs_stay_where_lines_are_wanted():
    assert sanitise("a\n\tb\r\x1b", lines=True) == "a\n\tb␍␛"


@given(st.text())
def test_what_is_inert_stays_as_it_is(text):
    assert sanitise(sanitise(text)) == sanitise(text)


@given(st.text(), st.sampled_from(["ascii", "latin-1", "cp1252", "utf-8"]))
def test_every_encoding_gets_what_it_can_hold(text, encoding):
    make_encodable(sanitise(text), encoding).encode(encoding)


def test_typographic_signs_become_plain_ones():
    minus, dash = "\N{MINUS SIGN}", "\N{EN DASH}"
    assert make_encodable(f"{minus}2.3 a{dash}b … é", "ascii") == "-2.3 a-b ... \\xe9"


def test_long_texts_say_how_much_is_missing():
    assert truncate("abcdef", 5) == "abcde… (1 more character)"
    assert truncate("abc", 3) == "abc"
