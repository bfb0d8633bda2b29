import asyncio
from dataclasses import dataclass
from typing import ClassVar

import pytest

from benchmaker.engine.trials.scoring import NO_SCORER, CaseScoring, TrialScorer, score_trial
from benchmaker.errors import JudgeUnparsable, ScorerTimeout
from benchmaker.plugins import scorer
from benchmaker.record import FinishReason, Outcome, Score
from benchmaker.redact import Redactor
from benchmaker.spec import Policies, ScorerSpec, profile
from benchmaker.testing import a_case, a_completion, a_suite, a_trial

CLASSIC = profile("classic")


@scorer(version="7")
@dataclass(frozen=True, slots=True)
class Says:
    """Returns or raises what it was given."""

    what: object = None

    def score(self, _case, _trial):
        if isinstance(self.what, Exception):
            raise self.what
        return self.what


@scorer
@dataclass(frozen=True, slots=True)
class Later:
    """Full marks, after a moment."""

    asked: ClassVar[list] = []

    async def score(self, _case, trial):
        await asyncio.sleep(0)
        self.asked.append(trial.case_id)
        return Score.of(1.0)


def marked(trial, *, scorer=None, policies=None, case=None):
    judgement = CaseScoring(scorer or Says(Score.of(0.5)), ScorerSpec(id="says"), CLASSIC)
    return asyncio.run(
        score_trial(trial, case or a_case(), judgement, policies=policies or Policies())
    )


def unmarked(text="42", finish=FinishReason.STOP, **fields):
    return a_trial(completion=a_completion(text, finish=finish), outcome=Outcome.UNSCORED, **fields)


def test_an_answer_gets_its_first_score():
    trial = marked(unmarked())

    assert (trial.outcome, trial.score.score, trial.score_version) == (Outcome.SCORED, 0.5, 1)


def test_a_score_says_who_gave_it():
    score = marked(unmarked(), case=a_case(expected="41")).score

    assert (score.scorer, score.scorer_version) == ("says", "7")
    assert score.profile == "classic/1"
    assert score.expected == "41"


def test_a_scorer_may_take_its_time():
    assert marked(unmarked(), scorer=Later()).score.score == 1.0


@pytest.mark.parametrize("text", ["", " \n\t", "\u3000"])
def test_white_space_alone_is_empty_and_counts_as_zero(text):
    trial = marked(unmarked(text))

    assert (trial.outcome, trial.score.score) == (Outcome.EMPTY, 0.0)
    assert trial.score.flags == ("policy_zero",)
    assert "empty" in trial.score.notes


@pytest.mark.parametrize(
    ("finish", "outcome"),
    [(FinishReason.FILTER, Outcome.FILTERED), (FinishReason.REFUSAL, Outcome.REFUSED)],
)
@pytest.mark.parametrize("text", ["", "I can't help with that."])
def test_the_providers_word_counts_before_the_text(finish, outcome, text):
    trial = marked(unmarked(text, finish))

    assert (trial.outcome, trial.score.score) == (outcome, 0.0)


@pytest.mark.parametrize("outcome", [Outcome.REFUSED, Outcome.CONTEXT_OVERFLOW])
def test_what_the_model_did_without_an_answer_is_treated_by_policy(outcome):
    trial = a_trial(completion=None, outcome=outcome, error_type="Refused", error="no")
    kept = marked(trial)

    assert (kept.outcome, kept.score.score) == (outcome, 0.0)
    assert (kept.error_type, kept.error) == ("Refused", "no")


@pytest.mark.parametrize("name", ["empty", "filtered", "refused", "context_overflow"])
def test_left_out_means_unscored_with_the_reason(name):
    trial = a_trial(completion=None, outcome=Outcome(name))
    left = marked(trial, policies=Policies(**{name: "leave_out"}))

    assert left.outcome is Outcome(name)
    assert left.score.score is None
    assert "excluded" in left.score.notes


def test_a_truncated_answer_is_scored_on_what_is_there():
    trial = marked(unmarked("4", FinishReason.LENGTH))

    assert (trial.outcome, trial.score.score) == (Outcome.TRUNCATED, 0.5)


@pytest.mark.parametrize(("policy", "score"), [("zero", 0.0), ("leave_out", None)])
def test_truncated_answers_follow_the_policy(policy, score):
    trial = marked(unmarked("4", FinishReason.LENGTH), policies=Policies(truncated=policy))

    assert (trial.outcome, trial.score.score) == (Outcome.TRUNCATED, score)


def test_a_truncated_answer_with_nothing_there_is_treated_as_empty():
    trial = marked(unmarked("", FinishReason.LENGTH))

    assert (trial.outcome, trial.score.score) == (Outcome.TRUNCATED, 0.0)


@pytest.mark.parametrize(
    "outcome", [Outcome.TIMEOUT, Outcome.BAD_RESPONSE, Outcome.PROVIDER_ERROR, Outcome.CANCELLED]
)
def test_what_infrastructure_did_is_never_scored(outcome):
    trial = a_trial(completion=None, outcome=outcome, error_type="Timeout", error="late")

    assert marked(trial) == trial


def test_a_scorers_failure_is_kept_beside_the_answer():
    trial = marked(unmarked("42"), scorer=Says(KeyError("expected")))

    assert trial.outcome is Outcome.SCORER_ERROR
    assert trial.text == "42"
    assert (trial.error_type, trial.error) == ("KeyError", "'expected'")
    assert trial.score.score is None
    assert "KeyError" in trial.score.notes


@pytest.mark.parametrize("error", [ScorerTimeout("1 s"), JudgeUnparsable("no verdict")])
def test_a_scorer_that_says_it_can_not_tell_leaves_it_unscored(error):
    trial = marked(unmarked(), scorer=Says(error))

    assert trial.outcome is Outcome.UNSCORED
    assert trial.error_type == type(error).__name__


def test_no_score_is_unscored():
    trial = marked(unmarked(), scorer=Says(Score.unscored("nothing to compare")))

    assert (trial.outcome, trial.score.notes) == (Outcome.UNSCORED, "nothing to compare")
    assert trial.error is None


@pytest.mark.parametrize(
    "what",
    [
        None,
        1.0,
        Score(score=1.5),
        Score(score=-0.1),
        Score(score=float("nan")),
        Score(score=1.0, detail={"odd": object()}),
    ],
)
def test_what_is_no_score_is_the_scorers_error(what):
    trial = marked(unmarked(), scorer=Says(what))

    assert trial.outcome is Outcome.SCORER_ERROR
    assert trial.score.score is None


def test_half_a_surrogate_pair_in_the_detail_is_no_error():
    score = Score(score=1.0, detail={"match": "\ud800"})

    assert marked(unmarked(), scorer=Says(score)).outcome is Outcome.SCORED


def test_marking_anew_forgets_the_error_of_an_earlier_scorer():
    failed = marked(unmarked(), scorer=Says(ValueError("bad")))
    trial = marked(failed)

    assert (trial.outcome, trial.error_type, trial.error) == (Outcome.SCORED, None, None)
    assert trial.score_version == 2


def test_a_case_may_name_its_own_scorer():
    suite = a_suite(scorer=ScorerSpec(id="numeric"))
    marker = TrialScorer(suite, CLASSIC)

    assert marker.case_scoring(a_case()).spec.id == "numeric"
    assert marker.case_scoring(a_case(scorer=ScorerSpec(id="exact"))).spec.id == "exact"


def test_another_default_leaves_the_cases_own_scorers_alone():
    marker = TrialScorer(a_suite(), CLASSIC, scorer=ScorerSpec(id="boolean"))

    assert marker.case_scoring(a_case()).spec.id == "boolean"
    assert marker.case_scoring(a_case(scorer=ScorerSpec(id="exact"))).spec.id == "exact"


def test_a_key_in_a_scorers_error_is_taken_out():
    known, looks_so = "correct-horse-battery", "sk-proj-0123456789abcdefghij"
    scorer = Says(RuntimeError(f"401 for {known} and {looks_so}"))
    judgement = CaseScoring(scorer, ScorerSpec(id="says"), CLASSIC)
    redactor = Redactor([known])

    trial = asyncio.run(
        score_trial(unmarked(), a_case(), judgement, policies=Policies(), redactor=redactor)
    )

    assert trial.outcome is Outcome.SCORER_ERROR
    assert trial.error == "401 for [redacted] and [redacted]"
    assert "horse" not in trial.score.notes
    assert "sk-proj" not in trial.score.notes


def test_equal_scorers_are_built_once():
    marker = TrialScorer(a_suite(), CLASSIC)
    one, other = (a_case(scorer=ScorerSpec(id="numeric", tolerance=0.1)) for _ in range(2))

    assert marker.case_scoring(one).scorer is marker.case_scoring(other).scorer


def test_without_any_scorer_an_answer_is_unscored():
    marker = TrialScorer(a_suite(scorer=None), CLASSIC)
    trial = asyncio.run(marker.score(unmarked(), a_case()))

    assert (trial.outcome, trial.score.notes) == (Outcome.UNSCORED, NO_SCORER)


def test_a_cut_off_answer_that_its_scorer_does_not_score_is_unscored_for_that_reason():
    trial = marked(
        unmarked(finish=FinishReason.LENGTH), scorer=Says(Score.unscored("there is no judge"))
    )
    assert (trial.outcome, trial.score.notes) == (Outcome.UNSCORED, "there is no judge")
