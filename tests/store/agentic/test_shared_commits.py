"""Submissions of many threads in one transaction, on both databases."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from sqlalchemy import event, update

from benchmaker.errors import Corrupt, StoreError
from benchmaker.record.submissions.submission import Submission, System
from benchmaker.store import Store
from benchmaker.store.agentic.shared_commits import SharedCommits
from benchmaker.store.agentic.submissions import NewSubmission, PutStatus
from benchmaker.store.database.tables import submissions
from tests.waiting import until

pytestmark = pytest.mark.postgresql("locks")

WAIT_S = 300


def given(name, **more):
    usual = {"system": System(harness="Codex"), "importer": "codex"}
    return NewSubmission(Submission(id=f"codex-{name}", **(usual | more)), {"events": [b"1", b"2"]})


@contextmanager
def locked(store):
    """Nobody else writes submissions inside."""
    with store.database.write() as connection:
        if not store.database.is_sqlite:
            connection.exec_driver_sql("LOCK TABLE submissions IN ACCESS EXCLUSIVE MODE")
        yield


def together(store, those):
    """What becomes of those that come while another one is being stored."""
    commits = SharedCommits()
    with ThreadPoolExecutor(len(those) + 1) as pool:
        with locked(store):
            first = pool.submit(commits.put, store.database, given("first"))
            until(lambda: commits._is_led and not commits._waiting, WAIT_S)
            made = [pool.submit(commits.put, store.database, one) for one in those]
            until(lambda: len(commits._waiting) == len(those), WAIT_S)
        assert first.result(WAIT_S) is PutStatus.NEW
        return [one.exception(WAIT_S) or one.result() for one in made]


def test_those_that_come_together_are_stored_by_one_transaction(store):
    those = [given(number) for number in range(7)]
    commits = []
    event.listen(store.database.engine, "commit", commits.append)

    made = together(store, those)

    assert made == [PutStatus.NEW] * 7
    assert len(commits) == 3  # the one that held the lock, the first, and all the others
    for one in those:
        assert store.submission(one.submission.id).revision == 1
        assert list(store.trace(one.submission.id, "events")) == [b"1", b"2"]


def test_what_comes_twice_at_once_is_stored_once_and_what_changed_is_revised(store):
    store.put_submission(given("old").submission)

    made = together(store, [given("a"), given("a"), given("old", llm_calls=3), given("old")])

    assert made[:2] in ([PutStatus.NEW, PutStatus.UNCHANGED], [PutStatus.UNCHANGED, PutStatus.NEW])
    revisions = {it.id: it.revision for it in store.submissions()}
    assert revisions["codex-a"] == 1
    assert revisions["codex-old"] in {2, 3}  # the old again first changes nothing


def test_one_that_is_damaged_hinders_no_other(store):
    store.put_submission(given("bad").submission)
    with store.database.write() as connection:
        bad = submissions.c.id == "codex-bad"
        connection.execute(update(submissions).where(bad).values(body="{"))

    made = together(store, [given("a"), given("bad", llm_calls=1), given("b")])

    assert isinstance(made[1], Corrupt)
    assert [made[0], made[2]] == [PutStatus.NEW, PutStatus.NEW]
    assert store.submission("codex-b").revision == 1


def test_a_trace_that_breaks_off_is_told_to_its_own_thread(store):
    def broken():
        yield b"one"
        raise ValueError("broken")

    commits = SharedCommits()
    with pytest.raises(ValueError, match="broken"):
        commits.put(store.database, given("a")._replace(parts={"events": broken()}))
    assert commits.put(store.database, given("a")) is PutStatus.NEW


def test_all_are_told_that_it_is_not_stored(path):
    commits = SharedCommits()
    with Store.open(path) as made:
        made.put_submission(given("a").submission)
    with Store.open(path, read_only=True) as store, ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(commits.put, store.database, given(n)) for n in range(20)]
        errors = [one.exception(WAIT_S) for one in waiting]
    assert all(isinstance(one, StoreError) for one in errors)


def test_many_threads_lose_and_double_nothing(store):
    commits = SharedCommits()
    with ThreadPoolExecutor(16) as pool:
        names = [n % 60 for n in range(120)]
        made = list(pool.map(lambda n: commits.put(store.database, given(n)), names))
    assert made.count(PutStatus.NEW) == 60
    assert made.count(PutStatus.UNCHANGED) == 60
    assert len(list(store.submissions())) == 60
