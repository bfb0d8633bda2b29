"""The state of a database as a text, on both databases."""

import sqlite3
from contextlib import closing

import pytest

from benchmaker.store.database.address import parse_address
from benchmaker.store.database.database import Database
from benchmaker.store.database.versions import Versions
from tests.store.agentic.test_submissions import a_submission
from tests.waiting import until_quiet


def twice(versions, between=lambda: None):
    """The state before and after something, which nobody else's change falls into if it can be."""

    def look():
        before = versions.current_state()
        between()
        return before, versions.current_state()

    return until_quiet(look, lambda found: found[0] == found[1])


def test_it_is_the_same_until_something_is_changed(store):
    versions = Versions(store.database)
    before, read = twice(versions, lambda: list(store.submissions()))
    assert read == before
    store.put_submission(a_submission())
    after, again = twice(versions)
    assert before != after == again
    store.delete_submission("codex-1")
    assert versions.current_state() not in {before, after}
    versions.close()


@pytest.mark.postgresql("no other test has its statements")
def test_two_that_look_agree_on_nothing(store):
    one, other = Versions(store.database), Versions(store.database)
    assert one.current_state() != other.current_state()
    before = one.current_state()
    one.close()
    assert one.current_state() != before
    one.close()
    other.close()


def twice_in(versions):
    """The state, and the one that is read without a wait."""
    return versions.current_state(), versions.current_state_at_once()


def test_the_state_at_once_is_the_same_state(store):
    versions = Versions(store.database)
    before, at_once = twice_in(versions)
    assert at_once == (before if store.database.is_sqlite else None)
    store.put_submission(a_submission())
    assert versions.current_state_at_once() != before
    versions.close()


@pytest.mark.sqlite("locks of a file")
def test_the_state_of_a_locked_file_is_not_waited_for(tmp_path):
    path = tmp_path / "locked.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("CREATE TABLE a (b)")
        versions = Versions(Database(parse_address(path)))
        assert versions.current_state_at_once() == versions.current_state()
        other.execute("BEGIN EXCLUSIVE")
        assert versions.current_state_at_once() is None
        other.execute("COMMIT")
        assert versions.current_state_at_once() is not None
        versions.close()
