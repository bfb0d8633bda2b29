"""The check that stands for one that was left out."""

from functools import partial

from benchmaker.scoring.no_verdict import NoVerdict
from benchmaker.testing import Example, ScorerContract, a_case, a_trial


class TestNoVerdict(ScorerContract):
    scorer = partial(NoVerdict, reason="the Ruby function is not run")
    examples = (Example("42", expected="42", score=None), Example("", score=None))


def test_the_reason_is_that_of_the_suite():
    made = NoVerdict(reason="the Ruby function is not run").score(a_case(), a_trial(text="42"))
    assert made.score is None
    assert "the Ruby function is not run" in str(made.detail) + made.notes
