"""The state of a database as a text, on both databases."""

from benchmaker.store.versions import Versions
from tests.store.test_submissions import a_submission


def test_it_is_the_same_until_something_is_changed(store):
    versions = Versions(store.database)
    before = versions.now()
    list(store.submissions())
    assert versions.now() == before
    store.put_submission(a_submission())
    after = versions.now()
    assert after != before
    assert versions.now() == after
    store.delete_submission("codex-1")
    assert versions.now() not in {before, after}
    versions.close()


def test_two_that_look_agree_on_nothing(store):
    one, other = Versions(store.database), Versions(store.database)
    assert one.now() != other.now()
    before = one.now()
    one.close()
    assert one.now() != before
    one.close()
    other.close()
