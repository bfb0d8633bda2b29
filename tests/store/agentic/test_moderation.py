"""What waits for a moderator, on both databases."""

import pytest

from benchmaker.errors import Conflict, StoreError
from benchmaker.record.submissions.evaluation import Moderation, ModerationState
from benchmaker.record.submissions.submission import Submission, System
from benchmaker.store.agentic.moderation import (
    ModerationStore,
)
from benchmaker.store.agentic.submissions import NewSubmission, PutStatus

WAITING, ACCEPTED, REJECTED = ModerationState
ID = "codex \x00 1"


def a_submission(calls=1, **more):
    given = {"system": System(harness="Codex"), "importer": "codex", "source_sha256": "a" * 64}
    return Submission(id=ID, **(given | {"llm_calls": calls} | more))


def wait(store, calls=1, by="max", **more):
    return store.agentic.put_pending(
        NewSubmission(a_submission(calls, **more), {"events": [b"x"]}), by=by
    )


def decide(store, state, number=0, note="because"):
    step = Moderation(submission_id=ID, state=state, number=number, note=note, actor="ada")
    return store.agentic.moderate(step)


def accept(store):
    """As the arena does it: first it is put, then the word is kept."""
    waiting = store.agentic.find_pending(ID)
    store.put_submission(waiting.submission, store.agentic.pending_parts(waiting.step.number))
    made = decide(store, ACCEPTED)
    store.agentic.drop_pending(waiting.step.number)
    return made


def counting(store):
    return [(it.id, it.revision, it.llm_calls) for it in store.submissions()]


def test_what_waits_is_found_by_nothing_that_reads_submissions(store):
    assert wait(store) is WAITING
    assert counting(store) == []
    assert store.submission_pages.page().rows == ()
    assert store.submission_pages.row_of(ID) is None
    assert list(store.trace(ID, "events")) == list(store.trace_parts("events")) == []
    with pytest.raises(StoreError, match="no submission"):
        store.submission(ID)


@pytest.mark.postgresql("no other test has its statements")
def test_it_is_kept_with_its_trace_and_who_handed_it_in(store):
    wait(store)
    step, submission = store.agentic.find_pending(ID)
    assert (step.by, step.actor, step.state, step.submission_id) == ("max", "max", WAITING, ID)
    assert submission.llm_calls == 1
    assert submission.revision < 0
    assert store.agentic.find_pending(number=step.number).submission == submission
    assert list(store.agentic.pending_trace(step.number, "events")) == [b"x"]
    assert store.agentic.count_pending() == 1
    assert store.agentic.find_pending(number=step.number + 1) is None


def test_accepted_it_counts_like_any_other(store):
    wait(store)
    assert accept(store).by == "max"
    assert counting(store) == [(ID, 1, 1)]
    assert list(store.trace(ID, "events")) == [b"x"]
    assert store.agentic.count_pending() == 0
    assert store.agentic.find_pending(ID) is None


def test_the_same_again_changes_nothing_wherever_it_stands(store):
    assert [wait(store), wait(store, created_at="2026-01-01T00:00:00.000Z")] == [WAITING, WAITING]
    assert len(store.agentic.moderation_steps(ID)) == 1
    decide(store, REJECTED)
    assert wait(store) is REJECTED
    accept(store)
    assert wait(store) is None
    assert [str(it.state) for it in store.agentic.moderation_steps(ID)] == [
        "waiting", "rejected", "accepted",
    ]  # fmt: skip


def test_a_revision_of_what_counts_waits_and_what_counts_stays(store):
    wait(store)
    accept(store)
    assert wait(store, 2) is WAITING
    assert counting(store) == [(ID, 1, 1)]
    assert list(store.trace(ID, "events")) == [b"x"]
    accept(store)
    assert counting(store) == [(ID, 2, 2)]
    assert store.submission(ID, revision=1).llm_calls == 1


def test_a_revision_that_is_rejected_takes_nothing_away(store):
    store.put_submission(a_submission())
    wait(store, 2)
    decide(store, REJECTED)
    assert counting(store) == [(ID, 1, 1)]
    assert wait(store, 3) is WAITING
    assert counting(store) == [(ID, 1, 1)]


@pytest.mark.postgresql("no other test has its statements")
def test_what_was_accepted_can_be_rejected_and_accepted_again(store):
    wait(store)
    accept(store)
    wait(store, 2)
    accept(store)
    decide(store, REJECTED)
    assert counting(store) == []
    assert store.agentic.find_pending(ID).submission.llm_calls == 2
    accept(store)
    assert counting(store) == [(ID, 1, 2)]
    assert list(store.trace(ID, "events")) == [b"x"]


def test_nothing_is_decided_about_what_was_not_looked_at(store):
    wait(store)
    seen = store.agentic.find_pending(ID).step.number
    wait(store, 2)
    with pytest.raises(Conflict, match="was resubmitted"):
        decide(store, REJECTED, number=seen)
    assert store.agentic.find_pending(ID).step.state is WAITING


@pytest.mark.postgresql("no other test has its statements")
def test_what_comes_while_another_is_accepted_goes_on_waiting(store):
    wait(store)
    step, submission = store.agentic.find_pending(ID)
    store.put_submission(submission)
    wait(store, 2)
    decide(store, ACCEPTED, number=step.number)
    assert counting(store) == [(ID, 1, 1)]
    assert store.agentic.find_pending(ID).submission.llm_calls == 2
    states = [it.state for it in store.agentic.moderation_steps(ID)]
    assert states == [WAITING, WAITING, ACCEPTED]
    assert store.agentic.count_pending() == 1


def test_what_never_waited_is_nothing_to_decide(store):
    store.put_submission(a_submission())
    with pytest.raises(Conflict, match="not subject to moderation"):
        decide(store, REJECTED)


def test_others_hand_in_and_price_anew_as_if_nothing_waited(store):
    wait(store)
    assert store.put_submission(a_submission(5), {"events": [b"y"]}) is PutStatus.NEW
    assert store.put_submission(a_submission(6)) is PutStatus.REVISED
    assert counting(store) == [(ID, 2, 6)]
    assert store.agentic.find_pending(ID).submission.llm_calls == 1


def test_an_id_can_not_be_claimed_from_what_another_importer_has_read(store):
    store.put_submission(a_submission())
    claimed = NewSubmission(a_submission(9, importer="submission"), None, is_claimed=True)
    assert ModerationStore(store.database).put_pending(claimed, by="max") is None
    assert store.agentic.find_pending(ID) is None


def test_reviews_of_flags_and_moderation_are_apart(store):
    from benchmaker.record.submissions.evaluation import Flag, Review, ReviewState  # noqa: PLC0415  here alone

    wait(store)
    accept(store)
    store.agentic.add_flags([Flag(submission_id=ID, kind="odd", source="r/1", evidence="e")])
    store.agentic.decide(Review(submission_id=ID, state=ReviewState.CLEARED))
    assert [it.state for it in store.agentic.reviews()] == [ReviewState.CLEARED]
    assert [it.state for it in store.agentic.moderation()] == [ACCEPTED]
    assert store.agentic.moderation(state=WAITING) == ()


@pytest.mark.postgresql("no other test has its statements")
def test_deleting_takes_what_waits_along(store):
    wait(store)
    store.delete_submission(ID)
    assert store.agentic.find_pending(ID) is None
    assert store.agentic.moderation() == ()
    assert store.agentic.count_pending() == 0
