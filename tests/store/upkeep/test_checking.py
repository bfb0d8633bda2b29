import pytest

from benchmaker.errors import Corrupt
from benchmaker.store import Store
from benchmaker.store.database.address import parse_address
from benchmaker.store.database.schema import REVISIONS
from benchmaker.store.upkeep.checking import check_store
from tests.store.filled import add_run, all_trials, put
from tests.store.whole import kept_store

pytestmark = pytest.mark.postgresql("reads every table")


def test_a_whole_store_has_a_hash_that_each_change_changes(address):
    hashes = []
    with Store.open(address) as store:
        add_run(store)
        for changed in (lambda: None, lambda: put(store, *all_trials(3)), store.vacuum):
            changed()
            checked = check_store(parse_address(address))
            assert checked.is_ok
            assert checked.is_newest
            hashes.append(checked.hash)
        assert checked.rows == store.check().counts
    assert hashes[0] != hashes[1] == hashes[2]


def test_a_store_of_any_revision_is_checked_as_it_is(path):
    kept_store("0004", path)
    checked = check_store(parse_address(path))
    assert checked.is_ok
    assert not checked.is_newest
    assert (checked.revision, checked.newest) == ("0004", REVISIONS[-1])
    assert check_store(parse_address(path)) == checked


def test_numbers_that_would_be_given_twice_are_found(address):
    with Store.open(address) as store:
        add_run(store)
        with store.database.write() as connection:
            if store.database.is_sqlite:
                connection.exec_driver_sql("UPDATE sqlite_sequence SET seq = 0 WHERE name = 'runs'")
            else:
                connection.exec_driver_sql("SELECT setval('runs_seq_seq', 1, false)")
    checked = check_store(parse_address(address))
    assert checked.problems == ("runs: the next row number is already in use",)


@pytest.mark.parametrize("kept", [0.5, 0.9])
def test_a_file_that_was_cut_is_told(path, kept):
    filled(path)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * kept)])
    with pytest.raises(Corrupt, match="damaged"):
        check_store(parse_address(path))


def test_a_page_that_was_overwritten_is_told(path):
    filled(path)
    whole = bytearray(path.read_bytes())
    at = whole.index(b"case-150")
    whole[at - 2_000 : at] = b"\xde" * 2_000
    path.write_bytes(whole)
    checked = check_store(parse_address(path))
    assert not checked.is_ok


def filled(path):
    with Store.open(path) as store:
        add_run(store, cases=300)
        put(store, *all_trials(300))
