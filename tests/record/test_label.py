import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from benchmaker.record.label import Label, blind_id

texts = st.tuples(*[st.text(max_size=4)] * 4)


def a_label(**fields):
    defaults = {"run_id": "r", "case_id": "c", "blind_id": "0" * 12, "source": "random"}
    return Label(**{**defaults, "score": 0.5, **fields})


@given(texts, texts)
def test_only_the_same_answer_has_the_same_blind_id(one, two):
    assert (blind_id(*one) == blind_id(*two)) == (one == two)


def test_half_a_surrogate_pair_has_a_blind_id():
    assert blind_id("r", "m", "c", "\ud800") != blind_id("r", "m", "c", "\ud801")


def test_a_label_says_the_same_whatever_its_version_and_time():
    first = a_label()
    assert first.says_as(replace(first, version=7, created_at="later"))
    assert not first.says_as(replace(first, note="on second thoughts"))
    assert not first.says_as(replace(first, source="targeted"))


@pytest.mark.parametrize(("score", "known", "missed"), [(0.75, 1.0, 0.25), (0.5, None, None)])
def test_a_trap_knows_how_far_it_was_missed(score, known, missed):
    assert a_label(score=score, known=known).missed_by == missed


def test_a_label_that_was_taken_back_has_no_score():
    assert a_label(score=None).is_withdrawn
    assert a_label(score=None, known=1.0).missed_by is None
