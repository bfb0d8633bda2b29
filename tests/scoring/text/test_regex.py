import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.errors import ScorerError, ScorerTimeout, SpecError
from benchmaker.record import Score
from benchmaker.scoring.text.regex import Regex
from benchmaker.spec import Family
from benchmaker.testing import a_case, a_trial


def score(text, *, expected=None, **parameters) -> Score:
    scorer = Regex(**parameters)
    return asyncio.run(scorer.score(a_case(expected=expected), a_trial(text=text)))


@pytest.mark.parametrize("family", Family)
@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("42", "It is 42.", 1.0),
        ("42", "It is 43.", 0.0),
        ("/it IS/i", "So it is", 1.0),
        ("/^42$/m", "a\n42\nb", 1.0),
        ("^42$", "a\n42\nb", 0.0),
        ("^$", "", 1.0),
        ("x", "", 0.0),
    ],
)
def test_found_anywhere_is_full_marks(family, pattern, text, expected):
    got = score(text, pattern=pattern, family=family)
    assert (got.score, got.confidence) == (expected, 1.0)


@pytest.mark.parametrize("family", Family)
def test_the_expected_text_is_the_pattern_where_none_is_given(family):
    assert score("It is 42.", expected="/4[2]/", family=family).score == 1.0


def test_the_parameter_goes_before_the_expected_text():
    assert score("It is 42.", expected="never", pattern="42").score == 1.0


def test_the_whole_answer_is_searched_in_robust_too():
    text = 'First 17. {"answer": 42}'
    assert score(text, pattern="17", family=Family.ROBUST).score == 1.0
    assert score(text, pattern="17", family=Family.ROBUST).extraction is None


def test_robust_searches_what_is_extracted_where_a_rule_is_named():
    text = "17 apples. The answer is 42."
    kwargs = {"family": Family.ROBUST, "extract": "answer_is"}
    assert score(text, pattern="17", **kwargs).score == 0.0
    got = score(text, pattern="42", **kwargs)
    assert got.score == 1.0
    assert got.extraction.rule == "answer_is"


@pytest.mark.parametrize("rules", ["/is (.*)/", ("boxed", "/is (.*)/")])
def test_robust_extracts_by_a_pattern_with_a_group(rules):
    got = score("17, so it is 42", pattern="^42$", family=Family.ROBUST, extract=rules)
    assert got.score == 1.0
    assert got.extraction.text == "42"


def test_nothing_extracted_is_zero_with_a_flag():
    got = score("42", pattern="42", family=Family.ROBUST, extract="boxed")
    assert (got.score, got.flags) == (0.0, ("nothing_extracted",))
    assert Regex().explain(got) == [
        "pattern /42/",
        "searched nothing: 0 characters",
        "not found",
        "score = 0",
    ]


def test_robust_evens_out_before_searching_where_a_step_is_named():
    kwargs = {"pattern": "^paris$", "family": Family.ROBUST}
    assert score(" Paris ", **kwargs).score == 0.0
    assert score(" Paris ", normalise=("spaces", "casefold"), **kwargs).score == 1.0


def test_classic_ignores_extraction_and_normalising():
    kwargs = {"pattern": "^ 17", "extract": "answer_is", "normalise": ("spaces",)}
    assert score(" 17. The answer is 42", **kwargs).score == 1.0


def test_no_pattern_is_an_error_of_the_suite():
    with pytest.raises(SpecError, match="no pattern given"):
        score("42")


@pytest.mark.parametrize("pattern", ["a(", "//", "/a/q", "", "(" * 5_000])
def test_check_finds_a_bad_pattern_before_any_call(pattern):
    ((path, message),) = Regex(pattern).faults()
    assert path == ("pattern",)
    assert "pattern" in message or "regular expression" in message
    assert Regex(pattern).check(a_case()) == []
    with pytest.raises(SpecError):
        score("x", pattern=pattern)


@pytest.mark.parametrize("wrong", [{"extract": "boxd"}, {"normalise": ("space",)}])
def test_an_unknown_rule_or_step_is_refused_at_once(wrong):
    with pytest.raises(SpecError, match="Did you mean"):
        Regex("42", **wrong)


def test_patterns_among_the_rules_are_compiled_too():
    faults = Regex("4(", extract=["json", "/[/"]).faults()
    assert [path for path, _ in faults] == [("pattern",), ("extract", 1)]
    assert Regex("42", extract="/[0-9]/").faults() == []


def test_check_finds_a_missing_pattern():
    assert Regex().check(a_case(expected=None)) == [
        "no pattern given. Set the parameter pattern of the scorer, or expected of the case."
    ]


def test_check_is_silent_on_a_good_pattern():
    assert Regex().check(a_case(expected="/(?<a>4)2/gi")) == []


def test_an_evil_pattern_is_unscored_by_a_typed_error():
    with pytest.raises(ScorerTimeout):
        score("a" * 64 + "b", pattern="^(a+)+$")


def test_an_answer_beyond_a_megabyte_is_a_typed_error():
    with pytest.raises(ScorerError, match="1,000,000 bytes"):
        score("a" * 1_000_001, pattern="b")


def test_explain_shows_pattern_flags_match_and_groups():
    got = score("Dated 1969-07-20.", pattern=r"/(?<year>\d{4})-(\d\d)(x)?/gi")
    assert Regex().explain(got) == [
        r"pattern /(?<year>\d{4})-(\d\d)(x)?/i",
        "flag g has no effect: one match is enough",
        "searched the whole answer: 17 characters",
        "found at 6 to 13: '1969-07'",
        "group year: '1969'",
        "group 2: '07'",
        "group 3: None",
        "score = 1",
    ]


def test_explain_shows_what_was_not_found_and_where_it_was_searched():
    got = score("The answer is 42.", pattern="17", family=Family.ROBUST, extract="answer_is")
    assert Regex().explain(got) == [
        "pattern /17/",
        "searched text extracted by answer_is: 3 characters",
        "not found",
        "score = 0",
    ]


def test_explain_of_a_score_that_was_not_searched_for_gives_its_reason():
    assert Regex().explain(Score.unscored("timed out after 1 s.")) == ["timed out after 1 s."]


def test_what_is_kept_of_a_long_match_is_short():
    got = score("a" * 100_000, pattern="(a+)")
    assert len(got.detail["match"]) == len(got.detail["groups"]["1"]) == 201
    assert (got.detail["start"], got.detail["end"]) == (0, 100_000)


@given(before=st.text(max_size=20), after=st.text(max_size=20), word=st.text("abc", min_size=1))
@settings(deadline=None)
def test_surroundings_never_hide_a_plain_word(before, after, word):
    assert score(before + word + after, pattern=word).score == 1.0


@given(text=st.text(max_size=30), pattern=st.sampled_from(["a", r"\d", "^.", "(b|c)+"]))
@settings(deadline=None)
def test_both_families_agree_without_extraction(text, pattern):
    classic = score(text, pattern=pattern)
    robust = score(text, pattern=pattern, family=Family.ROBUST)
    assert classic == robust
