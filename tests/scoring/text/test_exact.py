import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

import benchmaker
from benchmaker.errors import SpecError
from benchmaker.record import Extraction
from benchmaker.scoring.text.exact import Exact
from benchmaker.spec import Family
from benchmaker.testing import a_case, a_trial

TEXT = st.text(alphabet="abAB .ßé", max_size=12)
ROBUST = Family.ROBUST


def scored(reply, expected, family=Family.CLASSIC, **parameters):
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


@given(reply=TEXT, expected=TEXT)
def test_classic_equals_a_slow_reading_of_the_table(reply, expected):
    assert classic(reply, expected) == slow_ladder(reply, expected)


@given(reply=st.text(max_size=30), expected=st.text(max_size=30))
@pytest.mark.parametrize("family", Family)
def test_any_two_texts_get_a_score_in_0_to_1_and_an_explanation_with_it(family, reply, expected):
    score = scored(reply, expected, family)
    assert 0 <= score.score <= 1
    assert 0 <= score.confidence <= 1
    assert all(isinstance(line, str) for line in Exact().explain(score))


@given(text=TEXT, more=TEXT)
def test_robust_ignores_what_normalising_evens_out(text, more):
    again = f'  "{text.upper()}".'
    if text.strip(" .") and text.upper().casefold() == text.casefold():
        plain, dressed = (scored(it, text, ROBUST, extract="none").score for it in (text, again))
        assert plain == 1.0
        assert dressed >= scored(f"{text}{more}xyz", text, ROBUST, extract="none").score


@given(a=TEXT, b=TEXT)
def test_similarity_is_symmetric(a, b):
    left, right = scored(a, b), scored(b, a)
    likeness = {"similar", "somewhat_similar", "different"}
    if {left.detail["rung"], right.detail["rung"]} <= likeness:
        assert left.score == right.score


@given(expected=st.text(alphabet="abc", min_size=1, max_size=8), extra=st.integers(1, 60))
def test_more_text_around_the_expected_never_scores_more(expected, extra):
    near, far = (classic(f"{expected}{'#' * n}", expected) for n in (extra, extra + 1))
    assert 0.60 <= far <= near < 0.95


@given(expected=st.text(alphabet="abcdef", min_size=10, max_size=20), wrong=st.integers(0, 9))
def test_more_wrong_letters_never_score_more(expected, wrong):
    spoilt = [f"{'#' * n}{expected[n:]}" for n in (wrong, wrong + 1)]
    assert classic(spoilt[0], expected) >= classic(spoilt[1], expected)


@pytest.mark.parametrize(
    ("reply", "expected", "score", "confidence"),
    [
        ("Paris", "Paris", 1.0, 1.0),
        (" Paris\n", "Paris", 1.0, 1.0),
        ("PARIS", "Paris", 0.95, 1.0),
        ("It is 4200", "42", 0.67, 0.9),
        ("IT IS ABXX", "ab", 0.62, 0.85),
        ("kitten", "sitting", 0.4, 0.8 * 4 / 7),
        ("abcdefghij", "abcdeVWXYZ", 0.2, 0.3),
        ("abcdefghij", "abVWXYZUTS", 0.0, 1.0),
        ("abcd", "abXX", 0.2, 0.3),
        ("abcdef", "abcdXX", 0.7 * 4 / 6, 0.8 * 4 / 6),
        ("", "Paris", 0.0, 1.0),
        ("anything", None, 1.0, 1.0),
        ("anything", "  ", 1.0, 1.0),
        ("straße", "STRASSE", 0.95, 1.0),
        ("😀😀😀😀😀😀😀😀ab", "ab", 0.67, 0.9),
    ],
)
def test_the_published_ladder(reply, expected, score, confidence):
    result = scored(reply, expected)
    assert result.score == pytest.approx(score, abs=1e-12)
    assert result.confidence == pytest.approx(confidence)


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
        ("The capital is Paris.", "Paris", 1.0, "statement"),
        ("Not Paris, it is Rome.", "Paris", 0.0, "statement"),
        ("Paris or Rome", "Paris", 0.0, "statement"),
        ("none of them", "no", 0.0, "statement"),
    ],
)
def test_robust_takes_the_answer_out_and_evens_it(reply, expected, score, rule):
    result = scored(reply, expected, ROBUST)
    assert result.score == pytest.approx(score)
    assert result.extraction.rule == rule


def test_classic_scores_the_whole_reply_and_ignores_the_robust_parameters():
    result = scored("So the answer is Paris.", "Paris", extract="json", normalise=())
    assert result.score == pytest.approx(0.95 - 0.35 * (1 - 5 / 23))
    assert result.extraction is None


def test_case_counts_where_the_list_leaves_it():
    assert scored("PARIS", "Paris", ROBUST, normalise=["spaces"]).score == 0.0
    assert scored("It is PARIS.", "Paris", ROBUST, normalise=["spaces"]).score == 0.0


def test_grades_ask_for_the_ladder_in_robust():
    def graded(reply, expected, **parameters):
        return scored(reply, expected, ROBUST, grades=True, **parameters).score

    assert graded("PARIS", "Paris", normalise=["spaces"]) == 0.95
    assert graded("is PARIS", "Paris", normalise=[]) == 0.90 - 0.35 * (1 - 5 / 8)
    assert graded("kitten", "sitting") == pytest.approx(0.4)
    assert graded("Quitos", "Quito") == pytest.approx(0.7 * 5 / 6)
    assert graded("Quito City", "Quito") == pytest.approx(0.95 - 0.35 * (1 - 5 / 10))
    assert graded("They live in Quito City.", "Quito") > 0.5
    assert graded("Not Paris.", "Paris") == 0.0
    assert graded("Paris or Rome", "Paris") == 0.0


@pytest.mark.parametrize("family", Family)
def test_of_several_expected_texts_the_best_counts(family):
    case = a_case(expected=["Rome", "Paris"])
    score = Exact(family=family).score(case, a_trial(text="Paris"))
    assert (score.score, score.expected) == (1.0, "Paris")
    assert Exact(family=family).score(case, a_trial(text="XXXX")).score == 0.0


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
    assert scorer.check(a_case(expected='{"answer": 1}')) == []
    assert Exact(extract_expected="json").check(a_case(expected="Paris")) == []


@pytest.mark.parametrize("family", Family)
def test_a_case_that_expects_nothing_is_a_fault_unless_that_is_meant(family):
    nothing = a_case(expected=None)
    assert "auto_pass: true" in Exact(family=family).check(nothing)[0]
    assert Exact(family=family, auto_pass=True).check(nothing) == []


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


@pytest.mark.parametrize(
    ("reply", "expected", "line"),
    [
        ("x", None, "nothing is expected: 1, counted as auto-pass"),
        ("a", "a", "the answer equals the expected text: 1"),
        ("A", "a", "the answer equals the expected text except for case: 0.95"),
        ("It is 4200", "42", "x = 1 − 2/10 = 0.8; max(0.60, 0.95 − 0.35·0.8) = 0.67"),
        ("IT IS ABXX", "ab", "x = 1 − 2/10 = 0.8; max(0.55, 0.90 − 0.35·0.8) = 0.62"),
        ("abcdefgxyz", "abcdefgXYZ"[:7] + "###",
         "s = 1 − levenshtein/longer length = 1 − 3/10 = 0.7; above 0.5: 0.7·0.7 = 0.49"),
        ("abcd", "abXX",
         "s = 1 − levenshtein/longer length = 1 − 2/4 = 0.5; above 0.2, up to 0.5: 0.4·0.5 = 0.2"),
        ("abcd", "wxyz", "s = 1 − levenshtein/longer length = 1 − 4/4 = 0; not above 0.2: 0"),
        ("abcdefghij", "z", "by the lengths, s is at most 1/10 = 0.1; not above 0.2: 0"),
    ],
)  # fmt: skip
def test_the_arithmetic_is_explained(reply, expected, line):
    assert Exact().explain(scored(reply, expected))[-1] == line


def test_what_was_taken_and_evened_is_explained():
    right = Exact().explain(scored("The answer is PARIS.", "Paris", ROBUST))
    assert right == [
        "scored: 'Paris', extracted by answer_is",
        "the answer equals the expected text: 1",
    ]
    graded = scored("The answer is PARIX.", "Paris", ROBUST, grades=True)
    assert Exact().explain(graded)[:2] == [
        "scored: 'PARIX.', extracted by answer_is",
        "normalised: 'parix', expected 'paris'",
    ]


@pytest.mark.parametrize(
    "reply",
    [
        "(B)",
        "(B).",
        "B)",
        "B) Paris",
        "(B) Paris",
        "**(B)**",
        "[B]",
        "The correct answer is (B).",
        "The answer is B) Paris",
    ],
)
def test_brackets_and_the_text_of_an_option_cost_nothing(reply):
    assert benchmaker.score("exact", reply, "B", profile="robust").score == 1


@pytest.mark.parametrize(
    "reply",
    [
        "(A)",
        "A) Paris",
        "(B) or (C)",
        "B) is wrong",
        "(B) Paris is wrong",
        "(not B)",
        "The answer is not (B).",
        "The answer is (B) or (C).",
    ],
)
def test_brackets_around_another_answer_are_no_help(reply):
    assert benchmaker.score("exact", reply, "B", profile="robust").score == 0


def test_what_a_reply_mutters_first_is_no_answer():
    assert benchmaker.score("exact", "Hmm. Lima.", "Lima", profile="robust").score == 1
    assert benchmaker.score("exact", "Hmm. Cusco.", "Lima", profile="robust").score == 0


@pytest.mark.parametrize(
    "reply",
    [
        "Q: What is the capital of Peru? A: {}",
        "What is the capital of Peru? A: {}",
        "Ans. {}",
        "Ans: {}",
        "ANS: **{}**",
        "It lies on the coast.\n\nAns. {}",
        "The incorrect one is {}.",
        "{}; it lies on the coast.",
        "{}. (Many would name Arequipa.)",
    ],
)
def test_a_short_label_or_a_remark_costs_nothing(reply):
    for city in ("Lima", "Cusco"):
        score = benchmaker.score("exact", reply.format(city), "Lima", profile="robust")
        assert score.score == (city == "Lima"), city


@pytest.mark.parametrize(
    "reply",
    [
        "Lima; Quito",
        "Quito; Lima",
        "Lima | Quito",
        "Answer: Lima; Quito",
        "Lima; Quito; Bogotá",
        "Quito, hands down; Lima comes second.",
        "Quito it is. (Lima only looks like it.)",
        "Which is it? A: Lima B: Quito",
        "A lot of readers say Lima, yet it is Quito.",
    ],
)
def test_one_of_several_names_is_no_answer(reply):
    assert benchmaker.score("exact", reply, "Lima", profile="robust").score == 0


@pytest.mark.parametrize("reply", ["increase; decrease", "decrease | increase"])
def test_one_of_several_words_is_no_answer(reply):
    assert benchmaker.score("exact", reply, "increase", profile="robust").score == 0
