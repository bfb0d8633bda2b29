"""When a verification has a verdict, and what it says waits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.record.submissions.evaluation import Verification
from benchmaker.record.submissions.submission import CriterionResult


def a_result(name, result, *, weight=1.0, required=False, kind="file_exists"):
    return CriterionResult(id=name, result=result, weight=weight, required=required, type=kind)


def verified(*results):
    return Verification(
        id="v", submission_id="s", task_id="t", task_digest="d", isolation="none", results=results
    )


PASSED = a_result("done", "pass", required=True)
REVIEW = a_result("kind", "skipped", kind="human_review")
RUBRIC = a_result("clear", "skipped", kind="llm_rubric", weight=2.0)


def test_what_waits_leaves_the_verdict_to_what_was_answered():
    made = verified(PASSED, a_result("quick", "fail"), REVIEW, RUBRIC)
    assert made.is_settled
    assert (made.share, made.required_passed, made.success) == (0.5, True, True)


@pytest.mark.parametrize("waiting", [REVIEW, RUBRIC])
def test_a_required_one_that_waits_keeps_the_verdict_back(waiting):
    made = verified(
        PASSED, a_result("k", "skipped", kind=waiting.type, required=True), a_result("x", "fail")
    )
    assert (made.is_settled, made.share, made.success) == (False, None, None)
    assert made.required_passed is None


def test_an_error_keeps_the_verdict_back():
    made = verified(PASSED, a_result("lint", "error"))
    assert (made.is_settled, made.share, made.success) == (False, None, None)


@pytest.mark.parametrize(
    "results", [(), (REVIEW,), (REVIEW, RUBRIC), (a_result("a", "pass", weight=0.0), REVIEW)]
)
def test_nothing_answered_that_weighs_is_no_verdict(results):
    made = verified(*results)
    assert (made.is_settled, made.share, made.success) == (False, None, None)


def test_without_required_ones_it_is_solved_only_when_none_waits():
    passed, failed = a_result("a", "pass"), a_result("b", "fail")
    assert verified(passed, REVIEW).success is None
    assert verified(passed, REVIEW).share == 1.0
    assert verified(passed, failed, REVIEW).success is False
    assert verified(passed).success is True


def test_without_required_ones_all_of_them_are_required():
    passed, failed = a_result("a", "pass"), a_result("b", "fail")
    assert verified(passed, failed).required_passed is False
    assert verified(passed, failed, REVIEW).required_passed is False
    assert verified(passed, REVIEW).required_passed is True
    assert verified(PASSED, failed).required_passed is True


@pytest.mark.parametrize(
    ("waiting", "words"),
    [
        ((), ""),
        ((REVIEW,), "1 of 2 criteria waits for a person"),
        ((RUBRIC,), "1 of 2 criteria waits for a judge"),
        ((REVIEW, REVIEW), "2 of 3 criteria wait for a person"),
        ((REVIEW, RUBRIC, RUBRIC), "3 of 4 criteria wait: 2 for a judge, 1 for a person"),
        ((a_result("x", "skipped", kind="own:Kind"),), "1 of 2 criteria waits for an answer"),
        ((a_result("x", "skipped", kind="no_errors"),), "1 of 2 criteria waits for a record"),
    ],
)
def test_what_waits_is_said_in_words(waiting, words):
    assert verified(PASSED, *waiting).pending_reason == words


results = st.builds(
    a_result,
    st.just("x"),
    st.sampled_from(["pass", "fail", "skipped"]),
    weight=st.integers(0, 4).map(float),
    required=st.booleans(),
)


@given(st.lists(results, max_size=6))
def test_the_share_is_that_of_the_same_criteria_with_what_waits_left_out(criteria):
    made = verified(*criteria)
    answered = verified(*(one for one in criteria if one.result != "skipped"))
    if made.is_settled:
        assert made.share == answered.share
        assert made.required_passed == answered.required_passed


@given(st.lists(results, max_size=6))
def test_an_answer_never_takes_a_verdict_away(criteria):
    before = verified(*criteria)
    for at, one in enumerate(criteria):
        if before.is_settled and one.result == "skipped":
            passed = a_result(one.id, "pass", weight=one.weight, required=one.required)
            assert verified(*criteria[:at], passed, *criteria[at + 1 :]).is_settled
