"""Submissions handed in from many threads, evaluated together, and taken up after a kill."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock, patch

import msgspec
import pytest
from sqlalchemy import update

from benchmaker.arenas.agentic.evaluation.pipeline import evaluation_lock
from benchmaker.arenas.agentic.submissions.queue import IntakeQueue
from benchmaker.errors import StoreError, TranscriptError
from benchmaker.spec.tasks.agentic_profile import BUILT_IN, OPENING
from benchmaker.store import Store
from benchmaker.store.database.tables import submissions
from tests.arenas.agentic.handed import a_submission, many, the_id
from tests.databases import direct_transaction
from tests.waiting import until

CLASSIC = BUILT_IN["classic"]
WAIT_S = 300


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "benchmaker.db") as opened:
        yield opened


@pytest.fixture
def desk(store, tmp_path):
    made = IntakeQueue(lambda: store, tmp_path)
    yield made
    made.leave()


def a_file(folder, *submissions, name="rows.jsonl"):
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in submissions))
    return path


def until_idle(store):
    """Wait until nothing is left to be evaluated."""
    over = threading.Event()
    for _ in range(WAIT_S * 20):
        if not store.pending_slots.marks():
            return
        over.wait(0.05)
    raise AssertionError("it is not evaluated")


def evaluated(store, profile=CLASSIC):
    return {one.submission_id for one in store.agentic.evaluations(profile.id)}


def test_one_that_waits_gets_its_evaluation(desk, store, tmp_path):
    handed = desk.submit(a_file(tmp_path / "in", a_submission(1)), profile=CLASSIC)

    assert handed.found.kept == {the_id(1): "new"}
    [row] = handed.rows(WAIT_S)
    assert (row.submission_id, row.task_id, row.rank) == (the_id(1), "t", 1)
    until_idle(store)


def test_it_is_stored_when_it_returns(desk, store, tmp_path):
    desk.stop_soon()

    handed = desk.submit(a_file(tmp_path / "in", a_submission(1)), profile=CLASSIC)

    assert store.submission(the_id(1)).id == the_id(1)
    assert handed.rows(0) == ()
    assert store.pending_slots.marks()


def test_the_same_from_another_file_changes_nothing(desk, store, tmp_path):
    for folder in ("one", "two"):
        handed = desk.submit(a_file(tmp_path / folder, a_submission(1)), profile=CLASSIC)

    assert handed.found.kept == {the_id(1): "unchanged"}
    assert store.submission(the_id(1)).revision == 1
    assert [it.path for it in store.submission(the_id(1)).sources] == ["rows.jsonl"]


def test_many_threads_lose_and_double_nothing(desk, store, tmp_path):
    given = many(40)

    def hand_in(one):
        path = a_file(tmp_path / f"in-{one.id}", one)
        return desk.submit(path, profile=CLASSIC).found.kept[one.id]

    with ThreadPoolExecutor(8) as pool:
        kept = list(pool.map(hand_in, given + given[:10]))

    until_idle(store)
    assert kept.count("new") == 40
    assert evaluated(store) == {one.id for one in given}
    assert len(store.pending_messages(100)) == 40  # one notice each


def test_what_a_killed_one_left_is_taken_up(store, tmp_path):
    killed = IntakeQueue(lambda: store, tmp_path)
    killed.stop_soon()
    killed.submit(a_file(tmp_path / "in", *many(3)), profile=CLASSIC)
    store.release_lease(killed._place)
    assert evaluated(store) == set()

    after = IntakeQueue(lambda: store, tmp_path)
    after.look_back()
    until(lambda: evaluated(store, BUILT_IN[OPENING]) == {one.id for one in many(3)})
    after.leave()


def test_what_a_living_one_holds_is_left_to_it(store, tmp_path):
    place = store.pending_slots.acquire(ttl_s=60)
    store.pending_slots.mark(place)
    desk = IntakeQueue(lambda: store, tmp_path)

    desk.look_back()
    handed = desk.submit(a_file(tmp_path / "in", a_submission(1)), profile=CLASSIC)

    assert handed.rows(WAIT_S)
    desk.leave()
    assert list(store.pending_slots.marks()) == [place.name]


def test_one_that_can_not_be_read_does_not_hinder_others(desk, store, tmp_path):
    desk._wake = lambda: None
    handed = desk.submit(a_file(tmp_path / "in", *many(3)), profile=CLASSIC)
    with direct_transaction(store) as connection:
        own = submissions.c.id == the_id(1)
        connection.execute(update(submissions).where(own).values(body="{"))

    desk._work()

    assert {row.submission_id for row in handed.rows(0)} == {the_id(0), the_id(2)}
    assert not store.pending_slots.marks()


def test_what_comes_while_the_store_is_away_is_evaluated_later(store, tmp_path):
    asked = []

    def opened():
        asked.append(threading.current_thread().name)
        if asked.count("benchmaker-desk") == 1 and asked[-1] == "benchmaker-desk":
            raise StoreError("it is away.")
        return store

    desk = IntakeQueue(opened, tmp_path)
    handed = desk.submit(a_file(tmp_path / "in", a_submission(1)), profile=CLASSIC)

    assert [row.submission_id for row in handed.rows(WAIT_S)] == [the_id(1)]
    assert asked.count("benchmaker-desk") > 1
    until_idle(store)
    desk.leave()


def test_few_wait_and_the_others_are_told_at_once(desk, tmp_path):
    desk._wake = lambda: None
    handed = [
        desk.submit(a_file(tmp_path / str(n), a_submission(n)), profile=CLASSIC) for n in range(8)
    ]

    assert [one.batch is not None for one in handed] == [True] * 4 + [False] * 4


def test_a_file_without_a_session_leaves_nothing(desk, store, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("hello")

    with pytest.raises(TranscriptError):
        desk.submit(path, profile=CLASSIC)
    assert desk.submit(a_file(tmp_path / "in", a_submission(1)), profile=CLASSIC).rows(WAIT_S)
    until_idle(store)


def test_one_that_was_deleted_meanwhile_is_passed_over(desk, store, tmp_path):
    desk._wake = lambda: None
    handed = desk.submit(a_file(tmp_path / "in", *many(2)), profile=CLASSIC)
    store.delete_submission(the_id(0))
    desk._work()

    assert [row.submission_id for row in handed.rows(0)] == [the_id(1)]


@pytest.fixture
def slow(store, tmp_path):
    """A desk whose evaluations take long, so that another process makes them."""
    made = IntakeQueue(lambda: store, tmp_path, address=tmp_path / "benchmaker.db")
    made._took_s = 60.0
    yield made
    made.leave()


def test_what_takes_long_is_evaluated_by_another_process(slow, tmp_path):
    handed = slow.submit(a_file(tmp_path / "in", *many(3)), profile=CLASSIC)

    rows = handed.rows(WAIT_S)

    assert [row.submission_id for row in rows] == [one.id for one in many(3)]
    assert slow._aside._process.poll() is None
    again = slow.submit(a_file(tmp_path / "in", a_submission(7)), profile=CLASSIC)
    assert again.rows(WAIT_S)[0].task_id == "t"
    slow.leave()
    assert slow._aside._process is None


def test_what_many_wait_for_is_evaluated_by_another_process_at_once(slow, store, tmp_path):
    slow._took_s = 0.0
    slow.submit(a_file(tmp_path / "in", *many(21)), profile=CLASSIC)

    until_idle(store)
    assert evaluated(store) == {one.id for one in many(21)}
    assert slow._aside._process is not None


def test_a_process_that_is_killed_is_followed_by_another(slow, store, tmp_path):
    slow.submit(a_file(tmp_path / "in", a_submission(1)), profile=CLASSIC).rows(WAIT_S)
    slow._aside._process.kill()

    handed = slow.submit(a_file(tmp_path / "in", a_submission(2)), profile=CLASSIC)

    assert handed.rows(WAIT_S)[0].submission_id == the_id(2)
    until_idle(store)


def test_a_lease_that_a_full_store_kept_does_not_stop_the_other_process(slow, store, tmp_path):
    refused = Mock(side_effect=StoreError("the disk is full."))
    with patch.object(Store, "release_lease", refused), evaluation_lock(store):
        pass

    handed = slow.submit(a_file(tmp_path / "in", a_submission(1)), profile=CLASSIC)

    assert handed.rows(WAIT_S)[0].submission_id == the_id(1)
    refused.assert_called_once()


@pytest.mark.sqlite("its file is opened to hide a table")
def test_a_process_that_failed_for_now_is_ended_with_its_leases(slow, store, tmp_path):
    slow.submit(a_file(tmp_path / "in", a_submission(1)), profile=CLASSIC).rows(WAIT_S)
    until_idle(store)
    with sqlite3.connect(tmp_path / "benchmaker.db") as other:
        other.execute("ALTER TABLE leases RENAME TO elsewhere")
    with pytest.raises(StoreError):
        slow._aside.evaluate(CLASSIC, [the_id(1)], is_awaited=True)
    with sqlite3.connect(tmp_path / "benchmaker.db") as other:
        other.execute("ALTER TABLE elsewhere RENAME TO leases")

    assert slow._aside._process is None
    assert slow._aside.evaluate(CLASSIC, [the_id(1)], is_awaited=True)


def test_another_process_tells_what_can_not_be_read(slow, store, tmp_path):
    slow._wake = lambda: None
    handed = slow.submit(a_file(tmp_path / "in", *many(2)), profile=CLASSIC)
    with direct_transaction(store) as connection:
        own = submissions.c.id == the_id(1)
        connection.execute(update(submissions).where(own).values(body="{"))

    slow._work()

    assert [row.submission_id for row in handed.rows(0)] == [the_id(0)]
