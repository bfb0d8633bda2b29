import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.scoring.normalise import DEFAULT, NORMALISERS, normalise

TEXT = st.text(alphabet=st.sampled_from(" \t\n\r\"'`.aßAé\u0301“”x"), max_size=30)


@given(text=st.text())
def test_an_empty_list_changes_nothing(text):
    assert normalise(text, ()) == text


@given(text=TEXT)
@pytest.mark.parametrize("name", sorted(set(NORMALISERS) - {"final_stop", "fences"}))
def test_most_steps_change_nothing_the_second_time(name, text):
    once = normalise(text, (name,))
    assert normalise(once, (name,)) == once


@given(text=TEXT)
def test_every_step_alone_makes_nothing_longer_but_folding_and_escaping(text):
    for name in set(NORMALISERS) - {"casefold", "escape_line_breaks", "nfc"}:
        assert len(normalise(text, (name,))) <= len(text)


@given(text=st.text())
def test_composed_and_decomposed_unicode_become_equal(text):
    forms = {normalise(unicodedata.normalize(form, text), ("nfc",)) for form in ("NFC", "NFD")}
    assert len(forms) == 1


@given(text=st.text())
def test_upper_and_lower_case_become_equal(text):
    folded = normalise(text, ("casefold",))
    assert normalise(folded.casefold(), ("casefold",)) == folded


@given(text=TEXT, ends=st.sampled_from(["\r", "\r\n"]))
def test_line_ends_become_equal(text, ends):
    plain = text.replace("\r", "")
    assert normalise(plain.replace("\n", ends), ("line_ends",)) == plain


@given(text=TEXT)
def test_spaces_alone_strip(text):
    assert normalise(text, ("spaces",)) == " ".join(text.split())
    kept = normalise(f" {text.strip('`')} x ", ("nfc", "outer_quotes", "final_stop"))
    assert kept.startswith(" ")
    assert kept.endswith(" x ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (' "Paris". ', "paris"),
        ("```\nParis\n```", "paris"),
        ("```text\nParis.\n```", "paris"),
        ("```python x = 1 ```", "x = 1"),
        ("`Paris`", "paris"),
        ("“Paris”", "paris"),
        ("'\"Paris'\"", "paris"),
        ('" Paris "', "paris"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("a  b\n\nc", "a b c"),
        ("''", ""),
    ],
)
def test_the_default_list(text, expected):
    assert normalise(text) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("outer_quotes", "\"'x'\"", "x"),
        ("outer_quotes", "\"x'", "x"),
        ("outer_quotes", "' x '", " x "),
        ("outer_quotes", "`x`", "`x`"),
        ("outer_quotes", "it's", "it's"),
        ("final_stop", "so..", "so."),
        ("final_stop", "はい。", "はい"),
        ("fences", "```x = 1```", "x = 1"),
        ("fences", "see ```x```", "see ```x```"),
        ("escape_line_breaks", "a\nb", r"a\nb"),
        ("nfc", "e\u0301", "é"),
    ],
)
def test_a_step_alone(name, text, expected):
    assert normalise(text, (name,)) == expected


def test_escaping_is_not_in_the_default_list():
    assert "escape_line_breaks" not in DEFAULT
    assert set(DEFAULT) | {"escape_line_breaks"} == set(NORMALISERS)


def test_an_unknown_step_is_refused_with_the_nearest():
    with pytest.raises(SpecError, match=r"unknown step 'casefol'.*Did you mean 'casefold'"):
        normalise("x", ("casefol",))


@pytest.mark.parametrize(
    "text", ["'" * 200_000, '" ' * 100_000, "`" * 200_000, "```" + " " * 200_000]
)
def test_hostile_wrappings_take_linear_time(text):
    normalise(text)


WRAPPING = ("spaces", "outer_quotes", "fences")
PLAIN = st.text(alphabet=st.sampled_from("aB3 ,;:!?.()%$/+-'é\n"), max_size=8)


def by_all_steps(text, names):
    for name in names:
        text = NORMALISERS[name](text)
    if text.strip("' \n") != text:
        for name in WRAPPING:
            text = NORMALISERS[name](text) if name in names else text
    return text


@given(text=PLAIN, names=st.lists(st.sampled_from(sorted(NORMALISERS)), unique=True))
def test_the_short_way_of_plain_texts_ends_where_all_steps_do(text, names):
    assert normalise(text, names) == by_all_steps(text, names)
    assert normalise(text) == by_all_steps(text, DEFAULT)
