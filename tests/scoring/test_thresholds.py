"""Scores and figures exactly on a threshold reach it, and those of the next fraction do not."""

import asyncio
from fractions import Fraction
from itertools import pairwise

import pytest

from benchmaker.record import Completion
from benchmaker.scoring.checks.checks import Checks
from benchmaker.scoring.checks.overlap import F1, Rouge1, Rouge2, RougeL
from benchmaker.scoring.checks.text_checks import Levenshtein
from benchmaker.scoring.text.numeric import Numeric
from benchmaker.scoring.thresholds import reaches
from benchmaker.spec import CheckSpec
from benchmaker.testing import a_case, a_trial

MOST = 24
"""Words and characters of the longest texts."""


def passes(kind, trial, **parameters):
    """The verdict of a check on a trial."""
    check = CheckSpec.model_validate({"type": kind, **parameters})
    made = asyncio.run(Checks((check,)).score(a_case(expected="?"), trial))
    return made.detail["passed"]


def words(first, last):
    return " ".join(f"w{n}" for n in range(first, last))


def overlaps(extra):
    """Each pair of texts by the F1 of the counts of shared, own and expected items.

    ``extra`` is 1 where pairs of words are counted, of which a text has one less than words.
    """
    found = {}
    for own in range(1, MOST + 1 - extra):
        for other in range(1, MOST + 1 - extra):
            for shared in range(1, min(own, other) + 1):
                answer = words(0, shared + extra), words(100, 100 + own - shared)
                expected = words(0, shared + extra), words(200, 200 + other - shared)
                pair = " ".join(answer).strip(), " ".join(expected).strip()
                found.setdefault(Fraction(2 * shared, own + other), []).append(pair)
    return found


def edits():
    """Each pair of texts by the share of equal characters."""
    found = {}
    for longer in range(1, MOST + 1):
        for changed in range(longer + 1):
            pair = "a" * (longer - changed) + "b" * changed, "a" * longer
            found.setdefault(Fraction(longer - changed, longer), []).append(pair)
    return found


KINDS = [
    ("f1", F1, overlaps(0)),
    ("rouge_1", Rouge1, overlaps(0)),
    ("rouge_2", Rouge2, overlaps(1)),
    ("rouge_l", RougeL, overlaps(0)),
    ("levenshtein", Levenshtein, edits()),
]


@pytest.mark.parametrize(("kind", "scorer", "found"), KINDS)
def test_each_share_of_short_texts_reaches_its_own_threshold_alone(kind, scorer, found):
    case = a_case()
    for low, high in pairwise([*sorted(found), Fraction(2)]):
        for answer, expected in found[low]:
            score = scorer(value=(expected,)).score(case, a_trial(text=answer)).score
            assert reaches(score, float(low)), (kind, answer, expected)
            assert not reaches(score, float(high)), (kind, answer, expected)


@pytest.mark.parametrize(("kind", "scorer", "found"), KINDS)
def test_each_share_passes_as_a_check_and_fails_with_not(kind, scorer, found):  # noqa: ARG001
    for low, high in pairwise([*sorted(found), Fraction(2)]):
        answer, expected = found[low][-1]
        trial = a_trial(text=answer)
        for is_negated in (False, True):
            given = {"value": expected, "not": is_negated}
            assert passes(kind, trial, **given, threshold=float(low)) is not is_negated
            if high <= 1:
                assert passes(kind, trial, **given, threshold=float(high)) is is_negated


@pytest.mark.parametrize(
    ("kind", "completion", "most"),
    [
        ("cost", Completion(text="?", cost_usd=0.1 + 0.2), 0.3),
        ("latency", Completion(text="?", latency_s=1.1 + 2.2), 3.3),
    ],
)
def test_a_sum_on_its_limit_is_within_it(kind, completion, most):
    trial = a_trial(completion=completion)
    assert passes(kind, trial, max=most) is True
    assert passes(kind, trial, max=most, **{"not": True}) is False
    assert passes(kind, trial, max=most - 1e-6) is False


@pytest.mark.parametrize("threshold", [None, 1.0])
def test_full_marks_are_full_up_to_rounding(threshold, tmp_path):
    file = tmp_path / "tenths.py"
    file.write_text("def add(output, case): return 0.7 + 0.1 + 0.1 + 0.1")
    assert 0.7 + 0.1 + 0.1 + 0.1 < 1
    given = {"value": f"{file}:add", "threshold": threshold}
    assert passes("python", a_trial(text="?"), **given) is True


@pytest.mark.parametrize(
    ("shares", "threshold"), [((0.1, 0.7), 0.4), ((0.8, 0.3, 0.7), 0.6), ((0.9, 0.9, 0.3), 0.7)]
)
def test_a_weighted_share_on_its_threshold_reaches_it(shares, threshold):
    """Each share is the similarity of ten characters."""
    checks = tuple(
        CheckSpec.model_validate({"type": "levenshtein", "value": "a" * round(10 * it) + "b" * n})
        for it in shares
        for n in [10 - round(10 * it)]
    )
    score = asyncio.run(Checks(checks, threshold=threshold).score(a_case(), a_trial(text="a" * 10)))
    assert score.detail["passed"] is True


@pytest.mark.parametrize(("expected", "answer"), [("100.3", "100.1"), ("0.3", "0.1"), ("7", "6.8")])
def test_a_number_at_the_end_of_an_absolute_tolerance_is_within_it(expected, answer):
    near, far = Numeric(absolute=0.2), Numeric(absolute=0.19)
    case, trial = a_case(expected=expected), a_trial(text=answer)
    assert near.score(case, trial).notes == "within the absolute tolerance"
    assert far.score(case, trial).notes != "within the absolute tolerance"
