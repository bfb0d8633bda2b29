"""Broken disks, files and servers: the stated error, and a store that opens afterwards."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp

import pytest

from benchmaker.errors import Conflict, Corrupt, StoreError
from benchmaker.record import Completion
from benchmaker.store import Store, Writer, WriteStatus
from benchmaker.store.database import database
from tests.store.filled import a_trial, add_run, all_trials, put, put_all

NOBODY = 65534


def keys(store):
    return {(trial.case_id, trial.model) for trial in store.trials("run-1")}


def write_until_it_fails(store, error, match, *, cases):
    """Puts trials until the writer stops; returns the keys that were acknowledged."""
    durable = set()
    with pytest.raises(error, match=match):  # noqa: SIM117, PT012  the error comes at one of the puts
        with Writer(store, max_rows=20) as writer:
            for at in range(cases):
                trial = a_trial(at, completion=Completion(text="x" * 2_000))

                def note(result: WriteStatus, key=(trial.case_id, trial.model)):
                    assert result is WriteStatus.NEW
                    durable.add(key)

                writer.put(trial, on_durable=note)
            writer.flush()
    return durable


def test_a_full_disk_stops_the_writer_and_loses_nothing_acknowledged(path):
    with Store.open(path) as store:
        add_run(store, cases=1_000)
        with store.database.autocommit() as connection:
            used = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {used + 100}")
        durable = write_until_it_fails(
            store, StoreError, "the disk is full.*Free space", cases=1_000
        )
        assert 0 < len(durable) < 1_000
    with Store.open(path) as store:
        assert keys(store) == durable
        assert store.check().is_ok
        put(store, *(a_trial(at) for at in range(1_000)))
        assert store.count_trials("run-1") == 1_000


FULL = """
import resource, signal, sys
from benchmaker.errors import StoreError
from benchmaker.store import Store, Writer
from tests.store.filled import a_trial

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = Store.open(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
try:
    with Writer(store, max_rows=20) as writer:
        for at in range(3_000):
            writer.put(a_trial(at), on_durable=lambda _, at=at: print(at, flush=True))
except StoreError as error:
    print(error)
"""


def test_a_limit_on_the_size_of_files_is_a_stated_error(path):
    with Store.open(path) as store:
        add_run(store, cases=3_000)
    *acknowledged, error = python(FULL, path)
    assert "the disk" in error
    assert "All acknowledged data is stored" in error
    with Store.open(path) as store:
        assert [trial.position for trial in store.trials("run-1")] == list(map(int, acknowledged))
        assert store.check().is_ok
        put(store, *all_trials(3_000))
        assert store.count_trials("run-1") == 6_000


def python(code, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    return done.stdout.splitlines()


def test_a_locked_file_is_waited_for_and_then_a_conflict(path):
    with Store.open(path, busy_timeout_s=0.1) as store:
        add_run(store)
        blocker = sqlite3.connect(path, isolation_level=None)
        blocker.execute("BEGIN IMMEDIATE")
        with pytest.raises(Conflict, match=r"is locked.*Find what holds it"):
            put(store, a_trial())
        assert keys(store) == set()
        blocker.execute("ROLLBACK")
        blocker.close()
        put(store, a_trial())
        assert store.check().is_ok


def test_a_locked_server_is_waited_for_and_then_a_conflict(new_database, template):
    address = new_database(template)
    with Store.open(address, busy_timeout_s=0.1) as store, Store.open(address) as blocker:
        add_run(store)
        with blocker.database.write() as connection:
            connection.exec_driver_sql("LOCK TABLE counters")
            with pytest.raises(Conflict, match="is locked"):
                put(store, a_trial())
        put(store, a_trial())
        assert store.check().is_ok


@pytest.fixture
def filled(path):
    """A closed file with some pages of trials."""
    with Store.open(path) as store:
        add_run(store, cases=200)
        put(store, *all_trials(200))
    return path


@pytest.mark.parametrize("kept", [0.9, 0.5, 0.1])
def test_a_file_that_was_cut_is_corrupt(filled, kept):
    os.truncate(filled, int(filled.stat().st_size * kept))
    with pytest.raises(Corrupt, match=r"damaged|not a store"):
        use(filled)


def use(path):
    with Store.open(path) as store:
        list(store.trials("run-1"))


def test_a_file_cut_to_nothing_but_its_head_is_not_a_store(filled):
    os.truncate(filled, 50)
    with pytest.raises(Corrupt):
        use(filled)


@pytest.mark.parametrize("table", ["trials", "scores", "runs", "alembic_version"])
def test_an_overwritten_page_is_found(filled, table):
    with sqlite3.connect(filled) as connection:
        root = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        page = connection.execute(root, (table,)).fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    connection.close()
    with filled.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xde\xad" * (size // 2))
    with pytest.raises(Corrupt, match=r"damaged.*backup"):
        use(filled)
    if table != "alembic_version":
        with Store.open(filled) as store:
            assert not store.check().is_ok


def test_a_restored_copy_is_a_store_again(filled, tmp_path):
    shutil.copy(filled, tmp_path / "copy.db")
    os.truncate(filled, 5_000)
    with pytest.raises(Corrupt):
        use(filled)
    shutil.copy(tmp_path / "copy.db", filled)
    use(filled)


@pytest.mark.parametrize("text", ["not a database, but a text of some length. " * 20, "short"])
@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_that_is_not_a_database_is_refused_and_left_alone(path, text, read_only):
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Corrupt, match=r"not a Benchmaker store\. .*another path"):
        Store.open(path, read_only=read_only)
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("read_only", [True, False])
def test_a_folder_is_refused(tmp_path, read_only):
    with pytest.raises(StoreError, match=r"a folder, not a store.*benchmaker\.db"):
        Store.open(tmp_path, read_only=read_only)


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "home").touch()
    with pytest.raises(StoreError, match="can't be created"):
        Store.open(tmp_path / "home" / "benchmaker.db")


AS_NOBODY = f"""
import json, os, sys
from pathlib import Path
import benchmaker.store.store, benchmaker.store.writer, sqlalchemy.dialects.sqlite.pysqlite
from benchmaker.errors import StoreError
from benchmaker.store import Store
from tests.store.filled import a_trial, add_run, put

if os.geteuid() == 0:
    os.setgid({NOBODY})
    os.setuid({NOBODY})

def attempt(path, *, read_only):
    try:
        with Store.open(path, read_only=read_only) as store:
            if not read_only:
                put(store, a_trial(store.count_trials("run-1")))
            return store.count_trials("run-1")
    except StoreError as error:
        return str(error)

folder = Path(sys.argv[1])
path = folder / "benchmaker.db"
with Store.open(path) as store:
    add_run(store, cases=50)
said = {{}}
for name, item, mode in [("file", path, 0o400), ("secret", path, 0o000), ("folder", folder, 0o500)]:
    usual = item.stat().st_mode
    item.chmod(mode)
    said[name] = [attempt(path, read_only=True), attempt(path, read_only=False)]
    said[name + ", new"] = attempt(folder / (name + ".db"), read_only=False)
    item.chmod(usual)
    said[name + ", afterwards"] = attempt(path, read_only=False)
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def denied():
    """What a user who may not, is told; root may do anything, so a child steps down."""
    folder = Path(mkdtemp(prefix="benchmaker-"))
    if os.geteuid() == 0:
        shutil.chown(folder, NOBODY, NOBODY)
    yield json.loads(python(AS_NOBODY, folder)[-1])
    shutil.rmtree(folder)


def test_a_read_only_file_can_be_read_and_says_so_when_written(denied):
    read, written = denied["file"]
    assert read == 0
    assert_refused(written, "its file is read-only")
    assert denied["file, afterwards"] == 1


def test_a_read_only_folder_can_be_read_and_says_so_when_written(denied):
    read, written = denied["folder"]
    assert read == 2
    assert_refused(written, "can't be written")
    assert_refused(denied["folder, new"], "can't be created")
    assert denied["folder, afterwards"] == 3


def test_a_file_that_can_not_be_read_is_refused(denied):
    for said in denied["secret"]:
        assert_refused(said, "can't be")
    assert denied["secret, afterwards"] == 2


def assert_refused(said, what):
    assert what in said
    assert "--home" in said


def test_a_server_that_is_not_there_is_said_so(tmp_path):
    with pytest.raises(StoreError, match="unreachable") as refused:
        Store.open(f"postgresql://ann:secret@/runs?host={tmp_path}")
    assert "secret" not in str(refused.value)


def test_a_database_that_is_not_there_is_said_so(postgresql):
    with pytest.raises(StoreError, match="does not exist"):
        Store.open(postgresql.address("nothing_here"))


def test_a_connection_that_breaks_stops_nobody(new_database, template):
    with Store.open(new_database(template)) as store:
        add_run(store, cases=100)
        put(store, a_trial(0))
        with store.database.write() as connection:
            writer = Writer(store, max_delay_s=0.01)
            connection.exec_driver_sql("UPDATE counters SET value = value")
            writer.put(a_trial(1))  # waits for the row that this transaction has locked
            ask = (  # other tests wait in other databases of this server
                "SELECT pid FROM pg_stat_activity "
                "WHERE wait_event_type = 'Lock' AND datname = current_database()"
            )
            while not (waiting := connection.exec_driver_sql(ask).scalar()):
                connection.exec_driver_sql("SELECT pg_stat_clear_snapshot()")
            put_all(writer, [a_trial(2)])
            connection.exec_driver_sql("SELECT pg_terminate_backend(%s)", (waiting,))
        writer.close()
        put(store, a_trial(3))
        assert {case for case, _ in keys(store)} == {f"case-{at}" for at in range(4)}
        assert store.check().is_ok


def test_errors_keep_what_the_database_said(path):
    path.write_bytes(b"x" * 5_000)
    with pytest.raises(Corrupt, match="Database error: file is not a database") as refused:
        Store.open(path)
    assert isinstance(refused.value.__cause__, sqlite3.DatabaseError)


def test_more_at_once_than_there_are_connections_is_said_in_our_words(path, monkeypatch):
    monkeypatch.setattr(database, "_KEPT", 1)
    monkeypatch.setattr(database, "_MORE", 0)
    with Store.open(path) as store:
        store.database.engine.pool._timeout = 0.05
        with (
            store.database.read(),
            pytest.raises(StoreError, match="all database connections are in use"),
            store.database.read(),
        ):
            pass
