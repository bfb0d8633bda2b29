import stat
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmaker.errors import Conflict, PrerequisiteError, StoreError
from benchmaker.record import RunState
from benchmaker.store import Store
from benchmaker.store.database.schema import REVISIONS
from tests.store.filled import a_suite, add_run

pytestmark = pytest.mark.postgresql("isolation, transactions")


def test_the_file_is_durable_and_checks_references(file_store):
    settings = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}
    with file_store.database.read() as connection:
        for name, value in settings.items():
            assert connection.exec_driver_sql(f"PRAGMA {name}").scalar() == value


def test_an_unsynced_write_waits_for_no_disk_and_the_next_write_does(file_store):
    database = file_store.database
    for begin, synchronous, pages in [(database.write_unsynced, 1, 0), (database.write, 2, 1000)]:
        with begin() as connection:
            read = connection.exec_driver_sql
            assert read("PRAGMA synchronous").scalar() == synchronous
            assert read("PRAGMA wal_autocheckpoint").scalar() == pages


def test_an_unsynced_write_on_a_server_waits_for_no_disk_and_the_next_write_does(new_database):
    address = new_database()
    address += f"{'&' if '?' in address else '?'}options=-c%20synchronous_commit%3Don"
    with Store.open(address) as store:
        for begin, setting in [
            (store.database.write_unsynced, "off"),
            (store.database.write, "on"),
        ]:
            with begin() as connection:
                shown = connection.exec_driver_sql("SHOW synchronous_commit").scalar()
                assert shown == setting


def test_an_unsynced_write_inside_a_transaction_is_part_of_it(store):
    begin = store.database
    with begin.write_transaction(), begin.write() as outer, begin.write_unsynced() as inner:
        assert inner is outer


def test_folder_and_file_are_for_their_owner_alone(tmp_path):
    path = tmp_path / "home" / "benchmaker.db"
    with Store.open(path) as store:
        store.put_suite(a_suite())
        modes = {item.name: mode(item) for item in (path.parent, *path.parent.iterdir())}
    assert modes.pop("home") == 0o700
    assert modes == dict.fromkeys(modes, 0o600)
    assert f"{path.name}-wal" in modes


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_folder_that_exists_keeps_its_mode(tmp_path):
    tmp_path.chmod(0o750)
    Store.open(tmp_path / "benchmaker.db").close()
    assert mode(tmp_path) == 0o750


@pytest.mark.parametrize("name", ["a b.db", "100%.db", "what?.db", "x#y.db", "ünï.db", "-.db"])
def test_any_file_name_will_do(tmp_path, name):
    for _ in range(2):
        with Store.open(tmp_path / name) as store:
            store.put_suite(a_suite())
    assert (tmp_path / name).is_file()


def test_a_closed_file_stands_alone(path):
    with Store.open(path) as store:
        store.put_suite(a_suite())
    assert [item.name for item in path.parent.iterdir()] == [path.name]


def test_what_one_stored_the_next_reads(address):
    with Store.open(address) as store:
        run = add_run(store)
    with Store.open(address) as store:
        assert store.run(run.id) == run


def test_several_may_open_a_new_store_at_once(blank):
    stores, errors = [], []
    barrier = threading.Barrier(5)

    def open_it():
        barrier.wait()
        try:
            stores.append(Store.open(blank))
        except StoreError as error:
            errors.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert {store.check().revision for store in stores} == {REVISIONS[-1]}
    for store in stores:
        store.close()


def test_a_store_opened_for_reading_is_not_written(address):
    with Store.open(address) as store:
        run = add_run(store)
    with Store.open(address, read_only=True) as store:
        assert store.run(run.id) == run
        for change in (
            lambda: store.set_run_state(run.id, RunState.FINISHED),
            lambda: store.put_suite(a_suite(9)),
            store.vacuum,
        ):
            with pytest.raises(StoreError, match="read-only"):
                change()
        assert store.check().is_ok


def test_reading_makes_no_store(path, blank):
    with pytest.raises(StoreError, match="no store"):
        Store.open(path, read_only=True)
    assert not path.exists()
    with pytest.raises(StoreError):
        Store.open(blank, read_only=True)


def test_time_comes_from_the_clock(path):
    moment = datetime(2025, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)
    with Store.open(path, clock=moment.timestamp) as store:
        store.put_suite(a_suite())
        assert store.find_suites()[0].created_at == "2025-01-02T03:04:05.678Z"


def test_without_its_driver_postgresql_asks_for_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(PrerequisiteError, match=r'pip install "benchmaker\[postgres\]"'):
        Store.open("postgresql://ann@db/runs")


def test_all_that_is_read_in_one_state_is_read_as_it_was_then(store):
    with store.database.read_snapshot():
        assert store.runs() == ()
        run = in_another_thread(lambda: add_run(store))
        assert store.runs() == ()
        with store.database.read_snapshot():
            assert store.runs() == ()
        assert in_another_thread(store.runs) == (run,)
        assert store.runs() == ()
    assert store.runs() == (run,)


def test_what_fails_in_one_state_ends_it(store):
    run = add_run(store)
    database = store.database
    with pytest.raises(StoreError), database.read_snapshot(), database.read() as connection:
        connection.exec_driver_sql("SELECT nothing FROM nowhere")
    assert store.runs() == (run,)


def test_a_change_of_several_writings_is_seen_by_others_at_its_end(store):
    with store.database.write_transaction():
        run = add_run(store)
        with store.database.write_transaction():
            other = add_run(store, "run-2")
        assert {it.id for it in store.runs()} == {run.id, other.id}
        assert in_another_thread(store.runs) == ()
    assert {it.id for it in in_another_thread(store.runs)} == {run.id, other.id}


def test_of_a_change_that_fails_nothing_is_kept_and_the_next_one_is(store):
    with pytest.raises(Conflict):
        twice_in_one_change(store)
    assert store.runs() == ()
    run = add_run(store)
    assert store.runs() == (run,)


def twice_in_one_change(store):
    """The second one is refused."""
    with store.database.write_transaction():
        add_run(store)
        add_run(store)


def test_a_change_inside_of_one_state_is_seen_there_until_it_ends(store):
    with store.database.read_snapshot():
        assert store.runs() == ()
        with store.database.write_transaction():
            run = add_run(store)
            assert store.runs() == (run,)
        assert store.runs() == ()
    assert store.runs() == (run,)


def in_another_thread(work):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def test_a_connection_in_use_when_the_store_is_closed_is_closed_after_that(address):
    store = Store.open(address)
    with store.database.read() as connection:
        assert connection.exec_driver_sql("SELECT 1").scalar() == 1
        own = connection.connection.driver_connection
        store.close()
        assert connection.exec_driver_sql("SELECT 1").scalar() == 1
    with pytest.raises(Exception, match="closed"):
        own.execute("SELECT 1")


def test_a_connection_begun_after_the_store_is_closed_is_closed_after_its_use(address):
    store = Store.open(address)
    store.close()
    for _ in range(2):
        with store.database.read() as connection:
            assert connection.exec_driver_sql("SELECT 1").scalar() == 1
            own = connection.connection.driver_connection
        with pytest.raises(Exception, match="closed"):
            own.execute("SELECT 1")
