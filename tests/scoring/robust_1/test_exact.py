import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.record import Extraction
from benchmaker.scoring.robust_1.exact import Exact
from benchmaker.spec import Family
from benchmaker.testing import a_case, a_trial

TEXT = st.text(alphabet="abAB .ßé", max_size=12)
ROBUST = Family.ROBUST


def scored(reply, expected, family=Family.ROBUST, **parameters):
    scorer = Exact(family=family, **parameters)
    return scorer.score(a_case(expected=expected), a_trial(text=reply))


def classic(reply, expected):
    return scored(reply, expected).score


def slow_levenshtein(a, b):
    """Second road: the textbook table."""
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        above, row = row, [i]
        for j, right in enumerate(b, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (left != right)))
    return row[-1]


def slow_ladder(reply, expected):
    """Second road: the document's table, read aloud."""
    r, e = reply.strip(), expected.strip()
    if not e or r == e:
        return 1.0
    if r.casefold() == e.casefold():
        return 0.95
    if e in r:
        return max(0.60, 0.95 - 0.35 * (1 - len(e) / len(r)))
    r_folded, e_folded = r.casefold(), e.casefold()
    if e_folded in r_folded:
        return max(0.55, 0.90 - 0.35 * (1 - len(e_folded) / len(r_folded)))
    longer = max(len(r), len(e))
    distance = slow_levenshtein(r, e)
    s = 1 - distance / longer
    if 2 * (longer - distance) > longer:
        return 0.7 * s
    return 0.4 * s if 5 * (longer - distance) > longer else 0.0


@given(text=TEXT, more=TEXT)
def test_robust_ignores_what_normalising_evens_out(text, more):
    again = f'  "{text.upper()}".'
    if text.strip(" .") and text.upper().casefold() == text.casefold():
        plain, dressed = (scored(it, text, ROBUST, extract="none").score for it in (text, again))
        assert plain == 1.0
        assert dressed >= scored(f"{text}{more}xyz", text, ROBUST, extract="none").score


def test_nothing_expected_is_counted_as_auto_pass():
    for family in Family:
        assert scored("x", None, family).flags == ("auto_pass",)


@pytest.mark.parametrize(
    ("reply", "expected", "score", "rule"),
    [
        ("So the answer is Paris.", "Paris", 1.0, "answer_is"),
        ('{"answer": "PARIS"}', "paris", 1.0, "json"),
        ("```\nParis\n```", "Paris", 1.0, "whole"),
        ("e\u0301", "é", 1.0, "whole"),
        ("none of them", "no", 0.0, "whole"),
        ("no, none", "no", 0.95 - 0.35 * (1 - 2 / 8), "whole"),
    ],
)
def test_robust_takes_the_answer_out_and_evens_it(reply, expected, score, rule):
    result = scored(reply, expected, ROBUST)
    assert result.score == pytest.approx(score)
    assert result.extraction.rule == rule


def test_case_counts_where_the_list_leaves_it():
    assert scored("PARIS", "Paris", ROBUST, normalise=["spaces"]).score == 0.95
    assert scored("is PARIS", "Paris", ROBUST, normalise=[]).score == 0.90 - 0.35 * (1 - 5 / 8)


def test_a_quoted_empty_text_is_an_expectation():
    assert scored('{"answer": ""}', "''", ROBUST).score == 1.0
    assert scored('{"answer": "x"}', "''", ROBUST).score == 0.0


def test_a_named_rule_that_finds_nothing_scores_0_with_a_flag():
    result = scored("Paris", "Paris", ROBUST, extract="json")
    assert result.score == 0.0
    assert result.flags == ("nothing_extracted",)
    assert result.extraction == Extraction(rule="nothing", text="")


def test_the_expected_text_can_be_taken_out_of_a_longer_one():
    long = "Reasons.\nA: Paris"
    result = scored("The answer is Paris", long, ROBUST, extract_expected="answer_is")
    assert result.score == 1.0


def test_an_expected_text_that_nothing_is_found_in_is_a_fault_of_the_suite():
    scorer = Exact(family=ROBUST, extract_expected="json")
    assert "found nothing in 'Paris'" in scorer.check(a_case(expected="Paris"))[0]
    assert scorer.check(a_case(expected=None)) == []
    assert scorer.check(a_case(expected='{"answer": 1}')) == []


def test_a_pattern_is_awaited():
    scorer = Exact(family=ROBUST, extract="/<b>(.*?)</b>/")
    waiting = scorer.score(a_case(expected="x"), a_trial(text="so <b>x</b>"))
    score = asyncio.run(_awaited(waiting))
    assert score.score == 1.0
    assert score.extraction.text == "x"


async def _awaited(waiting):
    return await waiting


@pytest.mark.parametrize(
    "wrong", [{"extract": "jsn"}, {"normalise": ["casefol"]}, {"extract_expected": "jsn"}]
)
def test_a_name_that_does_not_exist_is_refused_at_once(wrong):
    with pytest.raises(SpecError):
        Exact(**wrong)


def test_long_texts_of_unlike_length_are_not_measured():
    score = scored("a" * 1_000_000, "b" * 1_000)
    assert score.score == 0.0
    assert "distance" not in score.detail


def test_texts_too_long_for_edit_distance_are_unscored():
    score = scored("a" * 200_000, "b" * 200_000)
    assert score.score is None
    assert "too long" in score.notes
    assert Exact().explain(score)[-1] == score.notes


def test_what_was_taken_and_evened_is_explained():
    lines = Exact().explain(scored("The answer is PARIS.", "Paris", ROBUST))
    assert lines[:2] == [
        "scored: 'PARIS.', extracted by answer_is",
        "normalised: 'paris', expected 'paris'",
    ]
