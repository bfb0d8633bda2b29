import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from benchmaker.errors import Conflict
from benchmaker.record.submissions.evaluation import (
    BaselineSnapshot,
    Evaluation,
    Flag,
    Review,
    ReviewState,
    Verification,
    input_hash,
)
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.record.submissions.submission import CriterionResult
from benchmaker.store import Message
from benchmaker.store.agentic import metric_chunks
from benchmaker.store.agentic.boards import StoredBoard
from benchmaker.store.agentic.evaluations import SnapshotUpdate
from benchmaker.store.agentic.tasks import StoredTask

WEIGHTS = {"efficiency": 0.35, "speed": 0.25, "cost": 0.2, "correctness": 0.2}


def row(number: int, task: str = "t", **figures) -> tuple[Metrics, str]:
    made = Metrics(submission_id=f"s{number} é\x00", task_id=task, system="a · b", **figures)
    return made, input_hash(made, WEIGHTS)


def evaluation(number: int, snapshot: str = "h1", **values) -> Evaluation:
    fixed = {"task_id": "t", "system": "a", "profile": "robust/1", "input_hash": f"i{number}"}
    return Evaluation(submission_id=f"s{number}", snapshot=snapshot, **{**fixed, **values})


def snapshot(digest: str = "h1", n: int = 5) -> BaselineSnapshot:
    return BaselineSnapshot(
        profile="robust/1", task_id="t", hash=digest, number=0, n=n, body={"n": n}
    )


@pytest.mark.postgresql("no other test has its statements")
def test_the_newest_task_of_an_id_counts_and_an_older_one_may_come_back(store):
    rooms = store.agentic
    one = StoredTask("t", "d1", {"prompt": "é\x00"}, category="debugging")
    two = StoredTask("t", "d2", {"prompt": "b"})

    assert rooms.put_task(one)
    assert rooms.put_task(two)
    assert not rooms.put_task(two)
    assert rooms.task("t").digest == "d2"
    assert rooms.task("t", digest="d1").body == {"prompt": "é\x00"}

    assert rooms.put_task(one)
    assert [it.digest for it in rooms.tasks()] == ["d1"]
    assert rooms.task("other") is None
    assert rooms.tasks_of(["t", "other"]) == {"t": rooms.task("t")}


def test_the_last_verification_counts_and_the_others_stay(store):
    rooms = store.agentic
    for number, result in enumerate(("fail", "pass")):
        rooms.add_verification(
            Verification(
                id=f"v{number}",
                submission_id="s",
                task_id="t",
                task_digest="d",
                isolation="namespace",
                results=(CriterionResult(id="c", result=result),),
            )
        )

    assert rooms.verification("s").id == "v1"
    assert [it.id for it in rooms.verifications("s")] == ["v1", "v0"]
    assert rooms.verification("nobody") is None


@pytest.mark.postgresql("no other test has its statements")
def test_figures_tell_which_tasks_they_change(store):
    rooms = store.agentic

    assert rooms.put_metrics([row(1), row(2, "u")]) == {"t", "u"}
    assert rooms.put_metrics([row(1), row(2, "u")]) == set()
    assert rooms.put_metrics([row(1, cost=2.0)]) == {"t"}
    assert rooms.put_metrics([row(1, "u", cost=2.0)]) == {"t", "u"}

    assert [it.submission_id for it in rooms.metrics()] == ["s1 é\x00", "s2 é\x00"]
    assert [it.cost for it in rooms.metrics("u")] == [2.0, None]
    assert rooms.metric_tasks() == ("u",)


def test_more_figures_than_a_page_come_back_in_order(store):
    store.agentic.put_metrics(row(number) for number in range(4_100))

    numbers = [int(it.submission_id[1:-3]) for it in store.agentic.metrics()]

    assert numbers == list(range(4_100))


@pytest.mark.postgresql("no other test has its statements")
def test_a_snapshot_that_returns_keeps_its_number(store):
    rooms = store.agentic
    for digest in ("h1", "h2", "h1"):
        rooms.settle(snapshot(digest), [])

    assert rooms.snapshot("robust/1", "t").number == 1
    assert [it.hash for it in rooms.snapshots("robust/1", "t")] == ["h1", "h2"]
    assert rooms.snapshot("robust/1", "t").body == {"n": 5}


@pytest.mark.postgresql("no other test has its statements")
def test_an_evaluation_is_kept_once_and_the_first_stays_the_arrival(store):
    rooms = store.agentic
    news = Message(topic="evaluated", dedupe_key="s1")

    assert rooms.settle(snapshot(), [evaluation(1, overall_score=50.0)], announce=[news]) == 1
    assert rooms.settle(snapshot(), [evaluation(1, overall_score=99.0)], announce=[news]) == 0
    assert rooms.settle(snapshot("h2"), [evaluation(1, "h2", overall_score=60.0)]) == 0

    assert rooms.evaluation("s1", "robust/1").overall_score == 50.0
    assert rooms.evaluation("s1", "classic/1") is None
    assert [it.overall_score for it in rooms.evaluations("robust/1", task_id="t")] == [50.0]
    assert rooms.find_evaluated("robust/1", ["s1", "s2"]) == {"s1"}
    assert rooms.snapshot_hashes("robust/1", ["t", "u"]) == {"t": "h2"}
    assert len(store.pending_messages()) == 1


@pytest.mark.postgresql("no other test has its statements")
def test_a_flag_opens_a_review_and_a_decision_is_a_further_step(store):
    rooms = store.agentic
    flag = Flag(submission_id="s", kind="clock_backwards", source="rules/1", evidence="line 4")

    assert len(rooms.add_flags([flag, flag])) == 1
    assert rooms.reviews(state=ReviewState.OPEN)[0].flags == ("clock_backwards",)

    rooms.decide(Review(submission_id="s", state=ReviewState.QUARANTINED, note="yes", actor="ada"))
    assert rooms.quarantined_submissions() == {"s"}
    assert rooms.add_flags([flag]) == ()
    assert rooms.quarantined_submissions() == {"s"}

    other = Flag(submission_id="s", kind="all_skipped", source="rules/1", evidence="3 of 3")
    rooms.add_flags([other])
    assert rooms.reviews()[0].state is ReviewState.OPEN
    assert rooms.reviews()[0].flags == ("clock_backwards", "all_skipped")
    assert [it.kind for it in rooms.flags("s")] == ["clock_backwards", "all_skipped"]


def test_nothing_is_decided_where_nothing_was_flagged(store):
    with pytest.raises(Conflict, match="'s' has no flags"):
        store.agentic.decide(Review(submission_id="s", state=ReviewState.CLEARED))


@pytest.mark.postgresql("no other test has its statements")
def test_a_board_is_written_only_when_it_changed(store):
    rooms = store.agentic
    one, two = ({"rows": [number]} for number in (1, 2))

    assert rooms.put_boards([StoredBoard("robust/1", "overall", one)]) == 1
    assert rooms.put_boards([StoredBoard("robust/1", "overall", one)]) == 0
    assert rooms.put_boards([StoredBoard("robust/1", "overall", two)]) == 1
    assert rooms.put_boards([StoredBoard("robust/1", "overall", one)]) == 1
    assert rooms.board("robust/1", "overall") == one
    assert rooms.board("robust/1", "task:t") is None


@given(st.lists(st.sampled_from(["pass", "fail", "error", "skipped"]), max_size=6))
def test_a_verdict_needs_the_required_criterion_and_no_error(results):
    """What was not required may wait; it then counts in nothing."""
    made = Verification(
        id="v",
        submission_id="s",
        task_id="t",
        task_digest="d",
        isolation="none",
        results=tuple(
            CriterionResult(id=str(i), result=it, required=i == 0) for i, it in enumerate(results)
        ),
    )
    answered = [it for it in results if it in {"pass", "fail"}]
    settled = bool(answered) and "error" not in results and results[0] != "skipped"
    assert made.is_settled == settled
    assert (made.share is None) == (made.success is None) == (not settled)
    if settled:
        assert made.share == answered.count("pass") / len(answered)
        assert made.success == made.required_passed == (results[0] == "pass")


@pytest.mark.postgresql("no other test has its statements")
def test_the_hashes_of_kept_figures_are_found_by_submission(store):
    rooms = store.agentic
    kept = [row(1), row(2)]
    rooms.put_metrics(kept)
    ids = [one.submission_id for one, _ in kept]
    assert rooms.metric_digests([*ids, "other"]) == {
        one.submission_id: digest for one, digest in kept
    }
    assert rooms.metrics_of(ids[0]) == kept[0][0]
    assert rooms.metrics_of("other") is None
    assert rooms.metric_digests([]) == {}


@pytest.mark.postgresql("no other test has its statements")
def test_the_newest_verifications_of_several_are_found_at_once(store):
    rooms = store.agentic
    for number, submission in enumerate(("a\x00", "a\x00", "b")):
        rooms.add_verification(
            Verification(
                id=f"v{number}",
                submission_id=submission,
                task_id="t",
                task_digest="d",
                isolation="none",
            )
        )
    found = rooms.newest_verifications(["a\x00", "b", "c"])
    assert {name: one.id for name, one in found.items()} == {"a\x00": "v1", "b": "v2"}


@pytest.mark.postgresql("no other test has its statements")
def test_the_profiles_that_a_task_was_evaluated_under_are_known(store):
    rooms = store.agentic
    rooms.settle(snapshot("h1"), [evaluation(1)])
    rooms.settle(snapshot("h2"), [])
    assert rooms.profiles("t") == ("robust/1",)
    assert rooms.profiles("u") == ()


@pytest.mark.postgresql("no other test has its statements")
def test_the_figures_of_tasks_are_read_as_columns_out_of_rows_or_of_chunks(store, monkeypatch):
    rooms = store.agentic
    rooms.put_metrics(
        (Metrics(submission_id=f"s{n}", task_id="uv"[n % 2], system="a"), "") for n in range(60)
    )

    few = sorted(it.submission_id for it in rooms.task_columns(["u"]).rows())
    monkeypatch.setattr(metric_chunks, "_MOST_ROWS", 0)
    many = sorted(it.submission_id for it in rooms.task_columns(["u"]).rows())

    assert few == many == sorted(it.submission_id for it in rooms.metrics("u"))
    assert rooms.size_of_task("u") == 30


@pytest.mark.postgresql("no other test has its statements")
def test_arrivals_are_what_has_no_evaluation_under_the_profile(store):
    rooms = store.agentic
    rooms.put_metrics((Metrics(submission_id=f"s{n}", task_id="t", system="a"), "") for n in (1, 2))
    rooms.settle(snapshot(), [evaluation(1)])

    def waiting(profile, *tasks):
        return [it.submission_id for page in rooms.arrivals(profile, tasks) for it in page]

    assert waiting("robust/1", "t", "u") == ["s2"]
    assert waiting("classic/1", "t") == ["s1", "s2"]
    assert waiting("robust/1", "u") == []


def test_several_snapshots_of_one_task_are_numbered_in_their_order(store):
    rooms = store.agentic
    rooms.settle_all([SnapshotUpdate(snapshot(digest)) for digest in ("h1", "h2", "h1", "h3")])

    assert rooms.snapshot("robust/1", "t").hash == "h3"
    found = rooms.snapshots("robust/1", "t")
    assert [(it.hash, it.number) for it in found] == [("h1", 1), ("h2", 2), ("h3", 3)]


def test_snapshots_of_many_tasks_are_stored_and_found_at_once(store):
    rooms = store.agentic
    names = [f"t{number} é\x00" for number in range(1_100)]
    for digest in ("h1", "h2"):
        made = (replace(snapshot(f"{digest}-{at}"), task_id=it) for at, it in enumerate(names))
        rooms.settle_all([SnapshotUpdate(it) for it in made])

    found = rooms.newest_snapshots("robust/1", [*names, "unknown"])
    assert [found[name].hash for name in names] == [f"h2-{at}" for at in range(len(names))]
    assert {it.number for it in found.values()} == {2}
