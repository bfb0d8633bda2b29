"""Flags of submissions, the decisions on them, and what these change."""

import os
import shutil

import pytest

from benchmaker import evaluate
from benchmaker.arenas.agentic import decide_submission_review, reviews
from benchmaker.arenas.agentic.evaluation.explanation import explain_evaluation
from benchmaker.errors import Conflict, SpecError
from benchmaker.record.submissions.submission import TimeSpent, TokenUsage
from benchmaker.spec.tasks.agentic_profile import BUILT_IN
from benchmaker.store import Store
from tests.arenas.agentic.handed import a_submission, rest, the_id, write_submissions
from tests.on_postgresql import VARIABLE

STRANGE = the_id(99)


def evaluated(folder):
    """Eight submissions and a suspicious one, evaluated under both profiles."""
    strange = a_submission(
        99, usage=TokenUsage(), total_tokens=12, tool_calls=1, time=TimeSpent(wall_s=1.0)
    )
    given = [*(a_submission(number) for number in range(8)), strange]
    evaluate(write_submissions(folder / "given.jsonl", given), home=folder, profile="classic")
    evaluate(home=folder, profile="robust")
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder of evaluated submissions, for copies."""
    return evaluated(tmp_path_factory.mktemp("made"))


@pytest.fixture
def home(request, tmp_path):
    """A folder of evaluated submissions of one's own."""
    if VARIABLE in os.environ:  # what is in a database is not in the folder
        return evaluated(tmp_path)
    return shutil.copytree(request.getfixturevalue("made"), tmp_path, dirs_exist_ok=True)


def scores(home, profile="classic"):
    return {row.submission_id: row for row in evaluate(home=home, profile=profile).rows}


def test_a_flag_opens_a_review_with_its_evidence(home):
    (one,) = reviews(home=home)
    assert (one.submission_id, str(one.review.state), one.task_id) == (STRANGE, "open", "t")
    assert {"extremely_fast", "minimal_tool_usage"} <= {flag.kind for flag in one.flags}
    assert all(flag.evidence and flag.source for flag in one.flags)
    assert one.to_dict()["decided_at"] is None


def test_a_quarantined_submission_leaves_baseline_and_ranks_and_stays_listed(home):
    before = scores(home)
    made = decide_submission_review(STRANGE, "quarantined", note="too good", actor="ann", home=home)
    assert made.settled == ("classic/1", "robust/2")
    after = scores(home)
    assert set(after) == set(before)
    assert (before[STRANGE].rank, after[STRANGE].rank) == (1, None)
    assert after[STRANGE].review == "quarantined"
    assert after[the_id(1)].snapshot == before[the_id(1)].snapshot + 1
    assert sorted(row.rank for row in after.values() if row.rank) == list(range(1, 9))
    (one,) = reviews(state="quarantined", home=home)
    assert (one.review.note, one.review.actor) == ("too good", "ann")


def test_what_a_decision_leads_to_does_not_depend_on_when_it_was_made(home):
    decide_submission_review(STRANGE, "quarantined", home=home)
    decided = rest(home, "classic/1")
    decide_submission_review(STRANGE, "cleared", home=home)
    cleared = scores(home)
    assert cleared[STRANGE].rank == 1
    decide_submission_review(STRANGE, "quarantined", home=home)
    evaluate(home=home, profile="classic")
    assert rest(home, "classic/1") == decided


def test_a_decision_settles_under_ones_own_profile_which_is_kept(home):
    mine = BUILT_IN["robust"].model_copy(update={"name": "mine"})
    evaluate(home=home, profile=mine)
    for state, given in (("quarantined", None), ("cleared", mine)):
        made = decide_submission_review(STRANGE, state, home=home, profile=given)
        assert made.left == ()
        assert "mine/2" in made.settled


def test_only_what_is_flagged_can_be_decided(home):
    with pytest.raises(Conflict, match="has no flags"):
        decide_submission_review(the_id(1), "cleared", home=home)
    with pytest.raises(SpecError, match="cleared or quarantined"):
        decide_submission_review(STRANGE, "open", home=home)


@pytest.mark.parametrize("profile", ["classic", "robust"])
def test_an_evaluation_is_explained_and_computed_again_to_the_same_digits(home, profile):
    with Store.open(home / "benchmaker.db") as store:
        for number in range(8):
            made = explain_evaluation(store, the_id(number), BUILT_IN[profile])
            assert made.is_same
            assert made.composite.overall_score == made.evaluation.overall_score
            assert any(
                f"snapshot {made.snapshot.number} {made.baseline_source}" in it
                for it in made.lines()
            )
            assert made.lines()[-2 if len(made._arrival_lines()) else -1].startswith("Recomputed")


def test_an_explanation_wants_an_evaluation(home):
    mine = BUILT_IN["robust"].model_copy(update={"name": "mine"})
    with (
        Store.open(home / "benchmaker.db") as store,
        pytest.raises(SpecError, match=r"no evaluation of .* under mine/2"),
    ):
        explain_evaluation(store, the_id(1), mine)


def test_an_explanation_says_when_figures_have_changed_since(home):
    with Store.open(home / "benchmaker.db") as store:
        rooms = store.agentic
        row = rooms.metrics_of(the_id(1))
        rooms.put_metrics([(row.__class__(**{**as_dict(row), "seconds": 1.0}), "other")])
        made = explain_evaluation(store, the_id(1), BUILT_IN["classic"])
    assert made.is_same is None
    assert any("changed since" in line for line in made.lines())
    assert made.composite.overall_score == made.evaluation.overall_score


def as_dict(row):
    return {name: getattr(row, name) for name in row.__struct_fields__}
