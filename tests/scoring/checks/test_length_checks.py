"""Bounds of words and sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.scoring.checks.length_checks import SentenceCount, WordCount, count_sentences
from benchmaker.testing import Example, ScorerContract, a_case, a_trial

WORDS = st.lists(st.sampled_from(["one", "two", "Three", "4"]), min_size=1, max_size=5)
SENTENCES = st.lists(WORDS.map(" ".join), min_size=1, max_size=5)


@pytest.mark.parametrize("kind", [WordCount, SentenceCount])
def test_bounds_are_needed_and_consistent(kind):
    assert kind(min=1).faults() == kind(max=0).faults() == kind(min=2, max=2).faults() == []
    assert "neither min nor max" in kind().faults()[0].message
    assert [it.path for it in kind(min=-1, max=-2).faults()] == [("min",), ("max",), ("min",)]
    assert "min 3 is more than max 2" in kind(min=3, max=2).faults()[0].message


@given(
    SENTENCES, st.sampled_from([".", "!", "?", "...", '."']), st.sampled_from([" ", "\n", "\n\n"])
)
def test_sentences_are_counted_as_they_were_joined(sentences, end, between):
    text = between.join(f"{it} end{end}" for it in sentences)
    assert count_sentences(text) == len(sentences)


@given(SENTENCES)
def test_items_of_a_list_are_sentences(items):
    assert count_sentences("\n".join(f"- {it}" for it in items)) == len(items)


@given(WORDS, st.sampled_from([" ", "\n", "\t ", "\u00a0"]), st.integers(0, 6))
def test_words_are_counted_whatever_stands_between_them(words, between, bound):
    trial = a_trial(text=f" {between.join(words)} ")
    assert WordCount(max=bound).score(a_case(), trial).score == float(len(words) <= bound)
    assert WordCount(min=bound).score(a_case(), trial).score == float(len(words) >= bound)


def test_the_count_is_explained():
    score = WordCount(min=1, max=2).score(a_case(), a_trial(text="one two three"))
    assert WordCount().explain(score) == ["3 words, 1 to 2: 0"]
    score = SentenceCount(min=1, max=1).score(a_case(), a_trial(text="One."))
    assert SentenceCount().explain(score) == ["1 sentence, exactly 1: 1"]


class TestWordCount(ScorerContract):
    examples = (Example("one two", score=1.0),)

    @staticmethod
    def scorer():
        return WordCount(min=1, max=3)


class TestSentenceCount(ScorerContract):
    examples = (Example("One. Two.", score=1.0), Example("One. Two. Three. Four.", score=0.0))

    @staticmethod
    def scorer():
        return SentenceCount(min=1, max=3)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One\n\nTwo", 2),
        ("One\r\n\r\nTwo", 2),
        ("One\r\n \r\nTwo.\r\nThree.", 3),
        ("One\r\rTwo", 2),
        ("One\u2029\u2029Two", 2),
        ("- one\r\n- two", 2),
        ("a line\r\nthat goes on", 1),
        ("# Title\nA text.", 2),
        ("# Title\r\nA text.", 2),
        ("A text\n## Title", 2),
        ("# A\n## B\n### C", 3),
        ("Title\n=====\nA text.", 2),
        ("Title\n-----\nA text.", 2),
        ("one\n***\ntwo", 2),
        ("C# is a language", 1),
        ("#hashtag and\nmore words", 1),
    ],
)
def test_paragraphs_and_headings_end_a_sentence_whatever_ends_their_lines(text, count):
    assert count_sentences(text) == count
