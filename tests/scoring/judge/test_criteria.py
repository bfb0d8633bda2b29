import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.scoring.judge import CriterionMark, Expect, JudgeCriterion, Scale, weighted_mark

PARTS = st.lists(st.tuples(st.integers(0, 100), st.floats(0, 1)), min_size=1, max_size=8).filter(
    lambda parts: any(weight for weight, _ in parts)
)


def of(parts):
    criteria = [JudgeCriterion(str(at), weight=weight) for at, (weight, _) in enumerate(parts)]
    marks = [CriterionMark(str(at), 0, unit) for at, (_, unit) in enumerate(parts)]
    return marks, criteria


@given(parts=PARTS)
def test_the_sum_is_the_weighted_mean_in_exact_arithmetic(parts):
    exact = sum(weight * Fraction(unit) for weight, unit in parts) / sum(w for w, _ in parts)
    assert weighted_mark(*of(parts)) == pytest.approx(float(exact), abs=1e-12)


@given(parts=PARTS)
def test_the_order_of_marks_and_the_unit_of_weights_do_not_matter(parts):
    marks, criteria = of(parts)
    tripled = [JudgeCriterion(it.id, weight=it.weight * 3) for it in criteria]
    assert weighted_mark(marks[::-1], criteria) == weighted_mark(marks, criteria)
    assert weighted_mark(marks, tripled) == pytest.approx(weighted_mark(marks, criteria))


@given(unit=st.floats(0, 1), weights=st.lists(st.floats(0.001, 1e6), min_size=1, max_size=9))
def test_equal_marks_sum_to_themselves(unit, weights):
    assert weighted_mark(*of([(weight, unit) for weight in weights])) == pytest.approx(unit)


def test_the_published_criteria_of_code_weigh_40_30_20_10():
    criteria = [JudgeCriterion(str(weight), weight=weight) for weight in (40, 30, 20, 10)]
    marks = [
        CriterionMark(it.id, 0, unit) for it, unit in zip(criteria, (0.9, 0.8, 1, 0.5), strict=True)
    ]
    assert weighted_mark(marks, criteria) == pytest.approx(0.85)


@pytest.mark.parametrize("marks", [[], [CriterionMark("a", 1, 1)], [CriterionMark("a", 1, 1)] * 2])
def test_a_missing_or_doubled_mark_is_refused(marks):
    with pytest.raises(ValueError, match="exactly one mark"):
        weighted_mark(marks, [JudgeCriterion("a"), JudgeCriterion("b")])


def test_no_weight_at_all_is_refused():
    with pytest.raises(ValueError, match="no weight"):
        weighted_mark([CriterionMark("a", 1, 1)], [JudgeCriterion("a", weight=0)])


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": " "},
        {"id": "a", "weight": -1},
        {"id": "a", "weight": math.nan},
        {"id": "a", "levels": {1: ""}},
    ],
)
def test_a_criterion_that_is_none_is_refused(wrong):
    with pytest.raises(ValueError, match="criterion"):
        JudgeCriterion(**wrong)


def test_a_criterion_is_judged_on_its_levels_or_on_the_whole_scale():
    assert JudgeCriterion("a", levels={2: "", 0: "", 1: ""}).scale(Scale()) == Scale(0, 2)
    assert JudgeCriterion("a").scale(Scale(0, 100)) == Scale(0, 100)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"mode": "checklist"}, "needs criteria"),
        ({"criteria": (JudgeCriterion("a"), JudgeCriterion("a"))}, "two criteria"),
        ({"criteria": (JudgeCriterion("a", weight=0),)}, "no weight"),
    ],
)
def test_a_judgement_that_can_not_be_summed_is_refused(wrong, why):
    with pytest.raises(ValueError, match=why):
        Expect(**wrong)
