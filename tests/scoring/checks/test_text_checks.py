"""Checks of text: their faults, their contract, and properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.scoring.build import build, faults
from benchmaker.scoring.check import load_checked
from benchmaker.scoring.checks.text_checks import (
    Contains,
    ContainsAll,
    ContainsAny,
    EndsWith,
    Equals,
    Levenshtein,
    StartsWith,
)
from benchmaker.spec import ScorerSpec, profile
from benchmaker.testing import Example, ScorerContract, a_case, a_trial

SEARCHES = [Contains, ContainsAny, ContainsAll, StartsWith, EndsWith]
TEXTS = st.text(alphabet="abcAB \n.é", max_size=8)


def score_of(check, text, **case):
    return check.score(a_case(**{"expected": None, **case}), a_trial(text=text)).score


def edits(one, other):
    """The table of Wagner and Fischer, the slow road."""
    row = list(range(len(other) + 1))
    for at, sign in enumerate(one, 1):
        previous, row[0] = row[0], at
        for column, it in enumerate(other, 1):
            previous, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, previous + (sign != it)),
            )
    return row[-1]


@pytest.mark.parametrize("kind", [*SEARCHES, Equals, Levenshtein])
def test_a_check_without_a_value_needs_an_expected_text(kind):
    assert "nothing to compare with" in kind().check(a_case(expected=None))[0]
    assert kind().check(a_case(expected="a")) == []
    with pytest.raises(SpecError, match="no value given"):
        kind().score(a_case(expected=None), a_trial(text="a"))


@pytest.mark.parametrize("kind", SEARCHES)
def test_an_empty_text_to_search_for_is_a_fault(kind):
    assert [it.path for it in kind(value=("a", "")).faults()] == [("value", 1)]
    assert "empty text" in kind().check(a_case(expected=["a", ""]))[0]
    assert kind(value=("a",)).check(a_case(expected="")) == []


@pytest.mark.parametrize("kind", ["contains", "contains_any", "starts_with", "levenshtein"])
def test_numbers_are_texts_as_written_in_json(kind):
    made = build(ScorerSpec(id=kind, value=[1, 2.5, True, "x"]), profile("robust"))
    assert made.value == ("1", "2.5", "true", "x")
    assert build(ScorerSpec(id=kind, value=7), profile("robust")).value == ("7",)


def test_a_mapping_is_no_text():
    found = faults(ScorerSpec(id="contains", value={"a": 1}), profile("robust"))
    assert "value must be a list" in found[0].message


@given(TEXTS, st.lists(TEXTS.filter(bool), min_size=1, max_size=3))
def test_all_implies_any_and_any_of_one_is_all_of_it(text, parts):
    every = score_of(ContainsAll(value=tuple(parts)), text)
    some = score_of(ContainsAny(value=tuple(parts)), text)
    assert every == min(float(part in text) for part in parts)
    assert some == max(float(part in text) for part in parts)


@given(TEXTS, TEXTS.filter(bool))
def test_the_ends_of_a_text_are_inside_it(text, part):
    for kind in (StartsWith, EndsWith):
        if score_of(kind(value=(part.strip() or part,)), text):
            assert score_of(Contains(value=(part.strip() or part,)), text)


@given(TEXTS, TEXTS)
def test_the_edits_are_those_of_the_table(one, other):
    score = Levenshtein(value=(other,)).score(a_case(), a_trial(text=one))
    number, longer = edits(one.strip(), other.strip()), max(len(one.strip()), len(other.strip()))
    assert score.detail["edits"] == number
    assert score.score == pytest.approx(1 - number / longer if longer else 1.0)


@given(TEXTS, TEXTS, st.integers(0, 9))
def test_a_text_passes_within_its_edits(one, other, most):
    score = Levenshtein(value=(other,), max=most).score(a_case(), a_trial(text=one))
    assert score.detail["passed"] is (edits(one.strip(), other.strip()) <= most)


def test_a_negative_number_of_edits_is_a_fault():
    assert Levenshtein(max=-1).faults()[0].path == ("max",)
    assert Levenshtein(max=0).faults() == []


def test_the_search_is_explained():
    score = ContainsAll(value=("a", "b")).score(a_case(), a_trial(text="a"))
    assert ContainsAll().explain(score) == ["found: 'a'", "absent: 'b'", "not found: 0"]
    score = Equals(value={"a": 1}).score(a_case(), a_trial(text='{"a": 2}'))
    assert Equals().explain(score) == [
        "answer '{\"a\": 2}', expected {'a': 1}",
        "another answer: 0",
    ]
    score = Levenshtein(value=("kitten",), max=2).score(a_case(), a_trial(text="sitting"))
    assert Levenshtein().explain(score) == [
        "3 edits from 'kitten'",
        "1 − 3/7 = 0.571429",
        "at most 2: no",
    ]


class TestContains(ScorerContract):
    scorer = Contains
    examples = (
        Example("It is 42.", expected="42", score=1.0),
        Example("None.", expected="42", score=0.0),
    )


class TestContainsAny(TestContains):
    scorer = ContainsAny


class TestContainsAll(TestContains):
    scorer = ContainsAll


class TestStartsWith(ScorerContract):
    scorer = StartsWith
    examples = (
        Example(" 42 it is", expected="42", score=1.0),
        Example("It is 42", expected="42", score=0.0),
    )


class TestEndsWith(ScorerContract):
    scorer = EndsWith
    examples = (
        Example("It is 42 ", expected="42", score=1.0),
        Example("42 it is", expected="42", score=0.0),
    )


class TestEquals(ScorerContract):
    scorer = Equals
    examples = (
        Example(" 42 ", expected="42", score=1.0),
        Example("It is 42", expected="42", score=0.0),
    )


class TestLevenshtein(ScorerContract):
    scorer = Levenshtein
    limit_s = 60.0
    examples = (
        Example("kitten", expected="kitten", score=1.0),
        Example("sitting", expected="kitten", score=1 - 3 / 7),
    )


BAD = """\
name: bad
cases:
  - {id: a, prompt: Q, scorer: {id: word_count}}
  - {id: b, prompt: Q, scorer: {id: contains, value: [x, ""]}}
  - {id: c, prompt: Q, scorer: {id: json_schema, value: {type: objekt}}}
  - {id: d, prompt: Q, scorer: {id: json_path, path: city}}
  - {id: e, prompt: Q, scorer: {id: python, value: "gone.py:f"}}
  - {id: f, prompt: Q, scorer: {id: language, value: english}}
  - {id: g, prompt: Q, scorer: {id: latency, max: -1}}
  - {id: h, prompt: Q, scorer: {id: levenshtein, value: x, max: -1}}
  - {id: i, prompt: Q, scorer: f1}
"""


def test_each_fault_in_a_suite_is_named_with_its_line(tmp_path):
    file = tmp_path / "suite.yaml"
    file.write_text(BAD)
    with pytest.raises(SpecError) as caught:
        load_checked(file)
    assert [(it.line, it.message.split(".")[0]) for it in caught.value.findings] == [
        (3, "neither min nor max is given"),
        (4, "an empty text is in every answer"),
        (5, "invalid JSON Schema: $"),
        (6, "invalid JSONPath 'city': it must start with $, as $"),
        (7, f"{tmp_path / 'gone'}"),
        (8, "'english' is no known ISO 639-1 code, such as en or pt-BR"),
        (9, "max must be at least 0, not -1"),
        (10, "max must be at least 0"),
        (11, "f1 has nothing to compare with"),
    ]
