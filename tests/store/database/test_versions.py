"""The state of a database as a text, on both databases."""

import pytest

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
