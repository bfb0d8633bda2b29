"""Filters of a check: the text that it reads instead of the answer."""

import asyncio

import pytest

from benchmaker.errors import SpecError
from benchmaker.scoring.check import load_checked
from benchmaker.scoring.checks.checks import Checks
from benchmaker.scoring.checks.filter_work import apply_filters
from benchmaker.spec import CheckSpec
from benchmaker.testing import a_case, a_trial

OPTION = {"option": r"answer is (\([A-D]\))", "choices": ["the Nile", "the Rhine"]}
EXAMPLES = [
    ([], " A ", " A "),
    (["trim", "lower"], " A ", "a"),
    (["upper"], "ß", "SS"),
    ([{"find": "[0-9]+"}], "12 or 34", "12"),
    ([{"find": "[0-9]+", "match": -1}], "12 or 34", "34"),
    ([{"find": "[0-9]+", "match": 2, "otherwise": "none"}], "12 or 34", "none"),
    ([{"find": "(x)|([0-9]+)"}], "is 7", "7"),
    ([{"find": "a( *)b", "otherwise": "none"}], "ab", ""),
    ([{"find": "(q)?(z)?", "otherwise": "none"}], "ab", "none"),
    ([{"replace": "[^0-9]"}], "2,746 people", "2746"),
    ([{"replace": "a", "with": r"\1", "count": 1}], "aa", r"\1a"),
    ([{"map": {"yes": "1"}, "otherwise": "0"}], "yes", "1"),
    ([{"map": {"yes": "1"}, "otherwise": "0"}], "no", "0"),
    (["json"], '{"a": [1, "é"]}', '{"a":[1,"é"]}'),
    ([{"path": ["a", 1]}], '{"a": [1, "é"]}', "é"),
    ([{"path": ["a"]}], '{"a": [1, 2.5]}', "[1,2.5]"),
    ([OPTION], "The answer is (B).", "(B)"),
    ([OPTION], "It must be the Rhine", "(B)"),
    ([OPTION], "I choose: A", "(A)"),
    ([{**OPTION, "otherwise": "[invalid]"}], "No idea", "[invalid]"),
    ([{**OPTION, "ignore_case": True, "ignore_punctuation": True}], "THE N.I.L.E", "(A)"),
    ([{**OPTION, "ignore": ["[*]"]}], "the *Rhine*", "(B)"),
]


def result_of(text, **check):
    spec = CheckSpec(**{"type": "equals", **check})
    return asyncio.run(Checks((spec,)).score(a_case(), a_trial(text=text)))


def test_the_text_after_each_kind_of_filter():
    found = [(filters, text, apply_filters(filters, text)) for filters, text, _ in EXAMPLES]
    assert found == EXAMPLES


def test_a_check_reads_the_filtered_text_and_shows_it():
    checks = Checks((CheckSpec(type="equals", value="42", filters=[{"find": "[0-9]+"}]),))
    score = asyncio.run(checks.score(a_case(), a_trial(text="It is 42.")))
    assert score.score == 1.0
    assert "    read: '42'" in checks.explain(score)


def test_the_filters_of_a_set_apply_to_its_checks_and_to_no_others():
    inner = [{"type": "equals", "value": "42"}, {"type": "levenshtein", "value": "43", "max": 1}]
    group = CheckSpec(type="set", checks=inner, filters=[{"find": "[0-9]+"}])
    checks = Checks((group, CheckSpec(type="contains", value="It")))
    assert asyncio.run(checks.score(a_case(), a_trial(text="It is 42."))).score == 1.0


@pytest.mark.parametrize("filters", [["json"], [{"path": ["b"]}], [{"find": "a"}, "json"]])
def test_an_answer_that_a_filter_cannot_read_is_unscored(filters):
    score = result_of("a", value="a", filters=filters)
    assert score.score is None
    assert "no JSON" in score.notes


@pytest.mark.long
def test_a_pattern_that_never_ends_leaves_the_answer_unscored():
    score = result_of("a" * 40, value="a", filters=[{"find": "(a|a)*b"}])
    assert score.score is None
    assert "the filters could not be applied" in score.notes


@pytest.mark.parametrize(
    "given",
    ["strip", {}, {"find": "a", "map": {}}, {"find": "a", "with": "b"}, {"finds": "a"}, 3],
)
def test_what_is_no_filter_is_refused(given):
    with pytest.raises(SpecError, match="filters"):
        CheckSpec(type="equals", value="a", filters=[given])


def test_an_invalid_pattern_is_a_fault_of_the_suite(tmp_path):
    path = tmp_path / "suite.yaml"
    check = "{type: equals, value: a, filters: [{find: '('}]}"
    path.write_text(f"cases:\n  - {{id: a, prompt: b, checks: [{check}]}}\n")
    with pytest.raises(SpecError, match="invalid regular expression"):
        load_checked(path)


def test_checks_that_read_different_texts_do_not_exclude_each_other(tmp_path):
    path = tmp_path / "suite.yaml"
    path.write_text(
        "cases:\n  - id: a\n    prompt: b\n    checks:\n"
        "      - {type: equals, value: a, filters: [lower]}\n"
        "      - {type: equals, value: A}\n"
    )
    assert load_checked(path).cases


def test_white_space_is_kept_on_request():
    assert result_of("a\n", value="a").score == 1.0
    assert result_of("a\n", value="a", keep_spaces=True).score == 0.0
    assert result_of(" a", type="starts_with", value="a", keep_spaces=True).score == 0.0
    assert result_of("a  ", type="levenshtein", value="a", max=1, keep_spaces=True).score == 0.0


def test_a_check_without_a_verdict_leaves_the_case_unscored():
    score = result_of("a", type="no_verdict", reason="Ruby is not run")
    assert score.score is None
    assert "Ruby is not run" in score.notes
