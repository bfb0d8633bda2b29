import pytest
from msgspec.structs import replace
from sqlalchemy import func, select

from benchmaker.errors import StoreError
from benchmaker.record.submissions.evaluation import Flag, Verification
from benchmaker.record.submissions.submission import System
from benchmaker.store import Message
from benchmaker.store.database.agentic_tables import metric_chunks
from benchmaker.store.database.column_types import metadata
from tests.store.agentic.test_agentic import evaluation, row, snapshot
from tests.store.agentic.test_submissions import a_submission

GONE, STAYS = "s1 é\x00", "s2 é\x00"


def counts(store):
    """The rows of every table that can hold something of a submission."""
    with store.database.read() as connection:
        return {
            table.name: connection.scalar(select(func.count()).select_from(table))
            for table in metadata.sorted_tables
            if table is not metric_chunks
        }


def say_all_of(store, number, submission_id):
    """A row about this submission in every table."""
    store.put_submission(a_submission(submission_id), {"events": [b"one", b"two"]})
    revised = a_submission(submission_id, llm_calls=1, system=System(harness="Other"))
    store.put_submission(revised)
    rooms = store.agentic
    rooms.put_metrics([row(number)])
    results = {"task_id": "t", "task_digest": "d", "isolation": "none", "results": ()}
    rooms.add_verification(Verification(id=f"v-{number}", submission_id=submission_id, **results))
    made = [evaluation(number, snapshot=one) for one in ("h1", "h2")]
    for one in (replace(it, submission_id=submission_id) for it in made):
        notice = Message("evaluated", f"notice {submission_id}")
        rooms.settle(snapshot(one.snapshot), [one], announce=[notice])
    rooms.add_flags([Flag(submission_id=submission_id, kind="odd", source="rules/1", evidence="")])


@pytest.mark.postgresql("no other test has its statements")
def test_everything_that_was_said_of_a_submission_goes_with_it(store):
    say_all_of(store, 2, STAYS)
    before = counts(store)
    say_all_of(store, 1, GONE)

    removed = store.delete_submission(GONE, notices=[f"notice {GONE}"])

    assert dict(removed) == {
        "revisions": 2,
        "traces": 2,
        "figures": 1,
        "evaluations": 1,
        "verifications": 1,
        "flags": 1,
        "reviews": 1,
        "notices": 1,
    }
    assert counts(store) == before
    rooms = store.agentic
    assert [it.submission_id for it in rooms.metrics()] == [STAYS]
    assert rooms.metrics_of(GONE) is None
    assert rooms.evaluation(GONE, "robust/1") is None
    assert rooms.flags(GONE) == rooms.verifications(GONE) == ()
    assert rooms.verification(STAYS) is not None
    assert [it.message.dedupe_key for it in store.pending_messages()] == [f"notice {STAYS}"]


def test_its_figures_leave_the_columns(store):
    for number, name in ((1, GONE), (2, STAYS)):
        say_all_of(store, number, name)
    assert sum(map(len, store.agentic.metric_columns())) == 2

    store.delete_submission(GONE)

    assert [list(part.ids) for part in store.agentic.metric_columns()] == [[STAYS]]


def test_baselines_frozen_with_it_and_delivered_notices_stay(store):
    say_all_of(store, 1, GONE)
    (waiting,) = store.pending_messages()
    store.mark_delivered(waiting.seq)

    removed = store.delete_submission(GONE, notices=[f"notice {GONE}"])

    assert removed["notices"] == 0
    assert [it.hash for it in store.agentic.snapshots("robust/1", "t")] == ["h1", "h2"]
    assert not store.put_message(Message("evaluated", f"notice {GONE}"))


def test_what_is_not_there_is_not_deleted(store):
    say_all_of(store, 2, STAYS)
    before = counts(store)
    with pytest.raises(StoreError, match="no submission 's1"):
        store.delete_submission(GONE)
    assert counts(store) == before


def test_a_submission_of_which_nothing_was_said_goes_alone(store):
    store.put_submission(a_submission())
    removed = store.delete_submission("codex-1")
    assert {name for name, n in removed.items() if n} == {"revisions"}
