"""What a submission's criteria came to, and who says so."""

from benchmaker.arenas.agentic.verify.results import Graded, kind_words
from benchmaker.record.submissions.evaluation import Verification
from benchmaker.record.submissions.submission import CriterionResult, OutcomeOf
from tests.arenas.agentic.handed import a_submission

DONE = CriterionResult(id="done", result="pass", type="file_exists", required=True)
KIND = CriterionResult(id="kind", result="skipped", type="human_review", hidden=True)


def verified(*results):
    return Verification(
        id="v-1",
        submission_id="s",
        task_id="t",
        task_digest="d",
        isolation="namespace",
        results=results,
        finished_at="2026-11-20T10:15:30+00:00",
    )


def test_what_was_verified_goes_before_the_record():
    recorded = a_submission(1, outcome=OutcomeOf(criteria=(KIND,)))
    made = Graded.of(recorded, verified(DONE))
    assert made.criteria == (DONE,)
    assert made.words == ("verified in namespace, 2026-11-20 10:15 UTC",)


def test_without_a_verification_the_record_speaks():
    made = Graded.of(a_submission(1, outcome=OutcomeOf(criteria=(DONE,))), None)
    assert (made.words, made.to_dict()["verification"]) == (("from the record",), None)
    assert Graded.of(a_submission(1), None).words == ()


def test_what_waits_and_a_missing_verdict_are_said():
    assert Graded.of(a_submission(1), verified(DONE, KIND)).words[1:] == (
        "1 of 2 criteria waits for a person",
    )
    error = CriterionResult(id="lint", result="error", type="lint")
    assert Graded.of(a_submission(1), verified(DONE, error)).words[1:] == ("no verdict yet",)


def test_every_field_of_a_result_is_told():
    told = Graded.of(a_submission(1), verified(KIND)).to_dict()
    assert told["criteria"] == [
        {
            "id": "kind",
            "type": "human_review",
            "result": "skipped",
            "weight": 1.0,
            "required": False,
            "hidden": True,
            "evidence": "",
            "wall_s": None,
            "isolation": None,
        }
    ]
    assert told["verification"]["has_verdict"] is False


def test_a_kind_is_said_with_who_may_see_it_and_whether_it_decides():
    assert kind_words(DONE) == "file_exists, public, required"
    assert kind_words(KIND) == "human_review, hidden"
    assert kind_words(CriterionResult(id="x", result="pass")) == "public"
