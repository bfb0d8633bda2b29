import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.scoring.extract import (
    amount,
    anchors,
    candidates,
    discourse,
    doubts,
    number_words,
    options,
    phrases,
    restated,
    result,
)
from benchmaker.scoring.extract.cues import AnyCase, Cue
from benchmaker.scoring.extract.reading import read_figure

MODULES = (
    amount, anchors, candidates, discourse, doubts, number_words, options, phrases, restated,
    result,
)  # fmt: skip
CUES = [
    pytest.param(value, id=f"{module.__name__.rpartition('.')[2]}.{name}")
    for module in (
        amount,
        anchors,
        candidates,
        discourse,
        doubts,
        number_words,
        options,
        phrases,
        restated,
        result,
    )
    for name, value in vars(module).items()
    if isinstance(value, Cue)
]


@pytest.mark.parametrize("cue", CUES)
@given(data=st.data())
def test_a_stem_stands_wherever_the_pattern_matches(cue, data):
    text = data.draw(st.from_regex(cue.pattern))
    assert cue.may_hold(text)


STEMS = st.text("abc é-", min_size=1).filter(str.strip)


@given(text=st.text("abcABC é-.\n") | st.text(), stems=st.lists(STEMS, min_size=1, max_size=9))
def test_stems_that_contain_others_need_no_search(text, stems):
    cue = Cue("", tuple(stems))
    assert cue.may_hold(text) == any(stem in text.lower() for stem in stems)


PLACES = [
    pytest.param(value, id=name)
    for name, value in vars(result).items()
    if isinstance(value, AnyCase)
]


@pytest.mark.parametrize("pattern", PLACES)
@given(
    words=st.lists(
        st.sampled_from(("IS", "is", "hasn't", "Gets", "5", "=", "→", "é", "est's", "Ha"))
    )
)
def test_lower_case_finds_the_places_of_any_case(pattern, words):
    text = " ".join(words)
    for each in (text, text.encode("ascii", "replace").decode()):
        plain = re.compile(pattern.pattern, re.IGNORECASE).finditer(each)
        found = pattern.finditer(each, 0, len(each))
        assert [it.span() for it in found] == [it.span() for it in plain]


def count_cue_tests(reply: str) -> int:
    """The number of cue tests for a numeric answer: a measure of the time without a clock."""
    tested = 0

    def count(frame, event, _argument):
        nonlocal tested
        tested += event == "call" and frame.f_code is Cue.may_hold.__code__

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        read_figure(reply)
    finally:
        sys.setprofile(before)
    return tested


def prose(size: int) -> str:
    return "the sum was found before " * (size // 25)


def test_an_answer_mark_needs_few_cues():
    assert count_cue_tests(f"{prose(1_000)} So the answer is 42.") <= 6


def test_further_numbers_of_a_sentence_need_at_most_one_cue_each():
    few = count_cue_tests(f"the sums are {' and then '.join('3' * 4)} eggs")
    many = count_cue_tests(f"the sums are {' and then '.join('3' * 12)} eggs")
    assert many - few <= 8


@pytest.mark.parametrize(
    ("scorer", "unused"),
    [
        ("exact", {"reading", "amount", "statement", "claims", "letter", "verdict"}),
        ("numeric", {"statement", "claims", "letter", "verdict"}),
    ],
)
def test_a_scorer_loads_only_the_readers_of_its_kind(scorer, unused):
    program = f"import benchmaker.scoring.text.{scorer}, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    loaded = {it.rpartition(".")[2] for it in done.stdout.split() if ".scoring.extract." in it}
    assert not loaded & unused
