import pytest

from benchmaker.spec import Policies


def test_what_the_model_did_counts_as_0_unless_said_otherwise():
    policies = Policies()
    assert {policies.empty, policies.filtered, policies.refused, policies.context_overflow} == {
        "zero"
    }
    assert policies.truncated == "score"


def test_only_truncated_answers_can_be_scored_as_they_are():
    assert Policies(truncated="leave_out").truncated == "leave_out"
    with pytest.raises(ValueError, match="empty"):
        Policies(empty="score")
