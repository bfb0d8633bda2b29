"""What a check says of an answer agrees with its verdict, also with ``not``."""

import asyncio

import pytest

from benchmaker.scoring.checks.checks import Checks
from benchmaker.spec import CheckSpec
from benchmaker.testing import a_case, a_trial


def judged(text, *checks, **parameters):
    """The score of an answer, and the lines that explain it."""
    scorer = Checks(tuple(map(CheckSpec.model_validate, checks)), **parameters)
    score = asyncio.run(scorer.score(a_case(), a_trial(text=text)))
    return score, scorer.explain(score)


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("contains", "sorry", "found 'sorry'"),
        ("contains_any", ["no", "sorry"], "found 'no' and 1 more"),
        ("contains_all", ["sorry", "but"], "found 'sorry' and 1 more"),
        ("starts_with", "I am", "found 'I am'"),
    ],
)
def test_a_forbidden_text_is_named(kind, value, words):
    score, lines = judged("I am sorry, but no.", {"type": kind, "value": value, "not": True})
    assert score.notes == f"1 of 1 checks failed: not {kind} ({words})"
    assert "as expected" not in " ".join(lines)


def test_an_inverted_score_stands_beside_its_own_limit():
    check = {"type": "levenshtein", "value": "aaaa", "not": True, "threshold": 0.75}
    score, lines = judged("aabb", check)
    assert score.score == 1.0
    assert "(score 0.5, must be above 0.25, weight 1)" in lines[0]
    assert lines[-2] == "    not: 1 − 0.5 = 0.5"
    failed, lines = judged("aaab", check)
    assert failed.score == 0.0
    assert "(score 0.25, must be above 0.25, weight 1)" in lines[0]


def test_a_verdict_of_the_scorer_stands_beside_no_threshold():
    _, lines = judged("aabb", {"type": "levenshtein", "value": "aaaa", "max": 2})
    assert lines[0].startswith("✓ levenshtein 'aaaa', max=2 (score 0.5, weight 1)")
    _, lines = judged("aabb", {"type": "levenshtein", "value": "aaaa"})
    assert lines[0].startswith("✗ levenshtein 'aaaa' (score 0.5, threshold 0.75, weight 1)")


def test_an_undecided_check_keeps_its_not():
    unknown = {"type": "cost", "max": 1, "not": True}
    failed = {"type": "contains", "value": "a", "not": True}
    score, _ = judged("a", unknown, failed)
    assert (
        score.notes == "the check not cost is undecided: the cost is unknown; not contains failed"
    )
