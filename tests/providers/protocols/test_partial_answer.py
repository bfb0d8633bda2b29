import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.providers.protocols.partial_answer import PartialAnswer, read_live_usage
from benchmaker.record import FinishReason, Usage


@given(st.text(), st.lists(st.integers(0, 400)))
def test_characters_whose_halves_came_apart_are_joined(text, cuts):
    units = text.encode("utf-16-le", "surrogatepass")
    places = sorted({0, len(units), *(2 * (cut % (len(units) // 2 + 1)) for cut in cuts)})
    draft = PartialAnswer()
    draft.parts = [
        units[a:b].decode("utf-16-le", "surrogatepass") for a, b in itertools.pairwise(places)
    ]
    assert draft.text == text


def test_half_a_pair_alone_stays_as_it_is():
    draft = PartialAnswer()
    draft.parts = ["a\ud83d", "b"]
    assert draft.text == "a\ud83db"


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("stop", FinishReason.STOP),
        ("length", FinishReason.LENGTH),
        ("max_tokens", FinishReason.LENGTH),
        ("content_filter", FinishReason.FILTER),
        ("refusal", FinishReason.REFUSAL),
        ("pause_turn", FinishReason.UNKNOWN),
        (None, FinishReason.UNKNOWN),
    ],
)
def test_the_providers_word_is_read(word, reason):
    draft = PartialAnswer()
    draft.finish = word
    assert draft.reason() is reason


@pytest.mark.parametrize(
    ("usage", "flags"),
    [
        ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, ("usage_zero",)),
        ({"prompt_tokens": 5, "completion_tokens": 0}, ("usage_zero",)),
        ({"prompt_tokens": -1, "completion_tokens": 2}, ("usage_negative",)),
        ({"prompt_tokens": 10**40, "completion_tokens": 2}, ("usage_absurd",)),
        ({"prompt_tokens": "9", "completion_tokens": 2}, ("usage_not_a_number",)),
        ({"prompt_tokens": float("nan"), "completion_tokens": 2}, ("usage_not_a_number",)),
        ({"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 9}, ("usage_inconsistent",)),
        ("nine", ("usage_not_a_number",)),
    ],
)
def test_usage_that_cant_be_true_is_dropped_with_a_flag(usage, flags):
    assert read_live_usage(usage, has_text=True) == Usage(flags=flags)


def test_missing_usage_is_none():
    assert read_live_usage(None, has_text=True) is None
    assert read_live_usage({}, has_text=True) is None


def test_no_output_for_no_text_is_believed():
    usage = read_live_usage({"prompt_tokens": 5, "completion_tokens": 0}, has_text=False)
    assert usage == Usage(input_tokens=5, output_tokens=0)
