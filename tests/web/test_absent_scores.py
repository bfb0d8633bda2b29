"""A missing score of an evaluation has one word, wherever it is shown."""

import pytest

from benchmaker.analysis.composite.result import Reason
from benchmaker.record.submissions.evaluation import Evaluation
from benchmaker.web.agentic.terms import score_words


def evaluation(**given):
    return Evaluation("s1", "t1", "a", "robust/1", "1", "hash", **given)


@pytest.mark.parametrize("part", ["efficiency", "speed", "cost"])
def test_what_failed_its_required_criteria_has_parts_that_are_not_applicable(part):
    failed = evaluation(overall_score=20.0, correctness_score=40.0, reason=Reason.FAILED.value)
    assert score_words(failed, part) == "not applicable"
    assert score_words(failed, "overall") == "20.0"


def test_other_missing_scores_are_not_scored():
    assert score_words(evaluation(reason=Reason.UNVERIFIED.value), "overall") == "not scored"
