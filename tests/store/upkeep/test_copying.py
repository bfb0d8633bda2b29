"""Backups, restoring and copying, between both databases and through every revision."""

import gzip
import json
import math
import os
import sqlite3
import tempfile
import tracemalloc
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import insert

from benchmaker.errors import Corrupt, SchemaTooNew, SpecError, StoreError
from benchmaker.store import Store, Writer
from benchmaker.store.database.address import parse_address
from benchmaker.store.database.code_tables import blobs
from benchmaker.store.database.escaping import escape
from benchmaker.store.database.schema import REVISIONS
from benchmaker.store.database.tables import cached_answers, leases
from benchmaker.store.upkeep.backups import back_up, suffix_of
from benchmaker.store.upkeep.checking import check_backup, check_store
from benchmaker.store.upkeep.copying import copy_store, restore
from tests.draws import draws
from tests.store.filled import a_run, a_suite, a_trial, add_run, all_trials, put
from tests.store.strategies import trials
from tests.store.whole import add_files, fill_with_trials, kept_store

pytestmark = pytest.mark.postgresql("COPY, both directions")

HEAVY = settings(
    max_examples=draws(3, 8),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def pair(databases):
    """A database of PostgreSQL to be emptied again and again."""
    with databases.some() as make:
        yield make()


def emptied(address: str) -> str:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return address


def hash_at(address) -> str:
    checked = check_store(parse_address(address))
    assert checked.problems == ()
    return checked.hash


odd_rows = st.lists(
    st.tuples(st.text(max_size=5), st.binary(max_size=40), st.floats(allow_nan=False)),
    max_size=6,
    unique_by=lambda row: escape(row[0]),
)


def fill(path: Path, some, rows) -> None:
    """A store with these trials, and rows as odd as they may be in tables with bytes and reals."""
    with Store.open(path) as store:
        suite = a_suite()
        store.put_suite(suite)
        store.add_run(a_run(suite))
        with Writer(store) as writer:
            for trial in some:
                writer.put(trial)
        with store.database.write() as connection:
            for name, body, real in rows:
                key = escape(name)
                connection.execute(
                    insert(blobs).values(sha256=key, type="", size=0, created_at="", body=body)
                )
                connection.execute(insert(cached_answers).values(key=key, created_at="", body=key))
                lease = {"name": key, "fence": 1, "pid": -1, "process": "", "host": ""}
                connection.execute(insert(leases).values(**lease, ttl_s=real, heartbeat=-real))


@HEAVY
@given(some=st.lists(trials("run-1", "model-a"), max_size=4), rows=odd_rows)
def test_whatever_a_store_holds_comes_back_from_either_database(pair, some, rows):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder / "a.db", some, rows)
        wanted = hash_at(folder / "a.db")
        saved = back_up(parse_address(folder / "a.db"), folder / "saved.db")
        assert saved.hash == wanted
        assert restore(saved.path, parse_address(folder / "b.db")).hash == wanted
        server = parse_address(emptied(pair))
        assert copy_store(parse_address(folder / "b.db"), server).hash == wanted
        text = back_up(server, folder / "saved.jsonl.gz")
        assert check_backup(text.path).hash == wanted
        assert restore(text.path, parse_address(folder / "c.db")).hash == wanted
        assert copy_store(server, parse_address(folder / "d.db")).hash == wanted
        server = parse_address(emptied(pair))
        assert restore(text.path, server).hash == wanted
        assert hash_at(pair) == hash_at(folder / "c.db") == hash_at(folder / "d.db") == wanted
        with Store.open(folder / "a.db") as first, Store.open(pair) as last:
            assert list(first.trials("run-1")) == list(last.trials("run-1"))


def contents(store):
    """What a check finds, but for the size: a file keeps pages that an upgrade left empty."""
    return replace(store.check(), size_bytes=0)


@pytest.mark.parametrize(
    "revision",
    [
        REVISIONS[0],
        *(pytest.param(it, marks=pytest.mark.long) for it in REVISIONS[1:-2]),
        *REVISIONS[-2:],
    ],
)
def test_a_backup_of_any_revision_is_restored_and_upgraded(tmp_path, revision):
    old = kept_store(revision, tmp_path / "old.db")
    saved = back_up(parse_address(old), tmp_path / "saved.db")
    assert saved.revision == revision
    assert restore(saved.path, parse_address(tmp_path / "new.db")).hash == saved.hash
    with Store.open(tmp_path / "new.db", read_only=True) as new, Store.open(old) as upgraded:
        assert contents(new) == contents(upgraded)
    assert hash_at(tmp_path / "new.db") == hash_at(old)


@pytest.mark.parametrize("revision", [REVISIONS[0], REVISIONS[-2]])
def test_an_older_text_is_restored_and_upgraded(tmp_path, new_database, revision):
    old = kept_store(revision, tmp_path / "old.db")
    server = parse_address(new_database())
    saved = back_up(parse_address(old), tmp_path / "saved.db")
    restore(saved.path, server)
    Store.open(old).close()
    text = back_up(server, tmp_path / f"saved{suffix_of(server)}")
    assert text.hash == hash_at(old)


def test_new_rows_get_numbers_that_were_never_given(address, tmp_path, new_database):
    with Store.open(address) as store:
        add_run(store, "run-1")
        add_run(store, "run-2")
        store.delete_run("run-2")
    other = new_database() if address.startswith("/") else str(tmp_path / "other.db")
    copy_store(parse_address(address), parse_address(other))
    with Store.open(other) as store:
        add_run(store, "run-3")
        put(store, a_trial(), a_trial(run_id="run-3"))
        with store.database.read() as connection:
            numbers = connection.exec_driver_sql("SELECT seq FROM runs ORDER BY seq").scalars()
            assert list(numbers) == [1, 3]
        assert store.check().is_ok


def test_nothing_is_copied_into_a_store_that_holds_something(tmp_path, address):
    fill_with_trials(tmp_path / "a.db", 3)
    with Store.open(address) as store:
        add_run(store)
    saved = back_up(parse_address(tmp_path / "a.db"), tmp_path / "saved.db")
    before = hash_at(address)
    with pytest.raises(SpecError, match="not empty"):
        restore(saved.path, parse_address(address))
    with pytest.raises(SpecError, match="not empty"):
        copy_store(parse_address(tmp_path / "a.db"), parse_address(address))
    assert hash_at(address) == before


def test_a_store_that_was_made_and_not_used_is_empty(address, tmp_path):
    fill_with_trials(tmp_path / "a.db", 3)
    Store.open(address).close()
    copied = copy_store(parse_address(tmp_path / "a.db"), parse_address(address))
    assert copied.rows["trials"] == 6
    assert hash_at(address) == copied.hash


def test_a_database_of_somebody_else_is_refused(tmp_path, blank):
    fill_with_trials(tmp_path / "a.db", 1)
    saved = back_up(parse_address(tmp_path / "a.db"), tmp_path / "saved.db")
    Store.open(tmp_path / "b.db").close()
    with sqlite3.connect(tmp_path / "foreign.db") as connection:
        connection.execute("CREATE TABLE guests (name TEXT)")
    connection.close()
    with pytest.raises(Corrupt, match="not a Benchmaker store"):
        restore(saved.path, parse_address(tmp_path / "foreign.db"))
    with pytest.raises(StoreError):
        check_store(parse_address(blank))


@pytest.fixture
def saved(tmp_path, new_database):
    """Backups of both kinds, of one content."""
    fill_with_trials(tmp_path / "a.db", 3)
    server = parse_address(new_database())
    copy_store(parse_address(tmp_path / "a.db"), server)
    return [
        back_up(parse_address(tmp_path / "a.db"), tmp_path / "saved.db").path,
        back_up(server, tmp_path / "saved.jsonl.gz").path,
    ]


def test_backups_are_for_their_owner_alone_and_never_written_over(saved, tmp_path):
    for path in saved:
        assert path.stat().st_mode & 0o777 == 0o600
        with pytest.raises(SpecError, match="the file already exists"):
            back_up(parse_address(tmp_path / "a.db"), path)
    assert not list(tmp_path.glob("*.part*"))


def test_both_kinds_carry_revision_and_hash(saved):
    file, text = map(check_backup, saved)
    assert file.is_ok
    assert text.is_ok
    assert file.hash == text.hash
    assert file.revision == text.revision == REVISIONS[-1]


def lines_of(path: Path) -> list[bytes]:
    return gzip.decompress(path.read_bytes()).splitlines(keepends=True)


def changed(lines: list[bytes]) -> list[bytes]:
    return [line.replace(b'"case-1"', b'"case-9"') for line in lines]


def without_a_row(lines: list[bytes]) -> list[bytes]:
    at = next(at for at, line in enumerate(lines) if line.startswith(b"["))
    return [*lines[:at], *lines[at + 1 :]]


SPOILT = {
    "changed": changed,
    "without a row": without_a_row,
    "cut": lambda lines: lines[:-1],
    "with more": lambda lines: [*lines, b"[]\n"],
    "with a row too short": lambda lines: [
        b"[1]\n" if line.startswith(b"[") else line for line in lines
    ],
    "no JSON": lambda lines: [*lines[:4], b"[nonsense\n", *lines[4:]],
    "another table": lambda lines: [line.replace(b'"trials"', b'"others"') for line in lines],
    "nothing": lambda _: [],
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_text_that_was_spoilt_is_found_and_nothing_of_it_kept(saved, tmp_path, how):
    spoilt = tmp_path / "spoilt.jsonl.gz"
    spoilt.write_bytes(gzip.compress(b"".join(SPOILT[how](lines_of(saved[1])))))
    with pytest.raises(Corrupt):
        restore(spoilt, parse_address(tmp_path / "new.db"))
    assert not list(tmp_path.glob("new.db*"))


@pytest.mark.parametrize("kept", [0.2, 0.9, 0.999])
def test_a_file_that_was_cut_is_found(saved, tmp_path, kept):
    for path in saved:
        cut = tmp_path / f"cut-{path.name}"
        whole = path.read_bytes()
        cut.write_bytes(whole[: int(len(whole) * kept)])
        with pytest.raises(StoreError):
            restore(cut, parse_address(tmp_path / "new.db"))
        assert not (tmp_path / "new.db").exists()


def test_a_store_file_that_was_changed_after_the_backup_is_found(saved, blank):
    with sqlite3.connect(saved[0]) as connection:
        connection.execute("UPDATE trials SET weight = 2 WHERE position = 1")
    connection.close()
    assert check_backup(saved[0]).problems
    with pytest.raises(Corrupt, match="hash"):
        restore(saved[0], parse_address(blank))
    with pytest.raises(StoreError):
        check_store(parse_address(blank))


def test_a_newer_backup_is_refused_with_what_to_do(saved, tmp_path):
    head, *rest = lines_of(saved[1])
    newer = json.loads(head) | {"revision": "9999"}
    path = tmp_path / "newer.jsonl.gz"
    path.write_bytes(gzip.compress(b"".join([json.dumps(newer).encode() + b"\n", *rest])))
    with sqlite3.connect(saved[0]) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    for it in (path, saved[0]):
        with pytest.raises(SchemaTooNew, match=r"9999.*Install a newer version"):
            restore(it, parse_address(tmp_path / "new.db"))
    assert not (tmp_path / "new.db").exists()


def test_what_is_no_backup_is_refused(tmp_path):
    (tmp_path / "text").write_text("hello", encoding="utf-8")
    with pytest.raises(Corrupt, match="not a Benchmaker backup"):
        check_backup(tmp_path / "text")
    with pytest.raises(SpecError, match="can't be read"):
        check_backup(tmp_path / "nothing")
    fill_with_trials(tmp_path / "a.db", 1)
    with pytest.raises(SpecError, match=r"a store, not a backup.*db copy"):
        check_backup(tmp_path / "a.db")


def test_a_backup_in_its_place_is_the_store(saved):
    with Store.open(saved[0]) as store:
        assert store.count_trials("run-1") == 6
        put(store, *all_trials(3))
        assert store.check().is_ok


def test_a_store_that_is_written_meanwhile_is_backed_up_as_it_was_at_one_moment(address, tmp_path):
    fill_with_trials(address, 200)
    with Store.open(address) as store, Writer(store, max_delay_s=0) as writer:
        add_run(store, "run-2", cases=200)
        saved = None
        for at, trial in enumerate(all_trials(200, "run-2")):
            writer.put(trial)
            if at == 150:
                saved = back_up(parse_address(address), tmp_path / "saved")
    assert 400 <= saved.rows["trials"] <= 800
    assert saved.rows["trials"] == saved.rows["scores"]
    assert check_backup(saved.path).is_ok


def test_memory_does_not_grow_with_the_store(tmp_path, new_database):
    with Store.open(tmp_path / "a.db") as store:
        add_files(store, *(bytes([at]) * 1_000_000 for at in range(40)))
    server = parse_address(new_database())
    tracemalloc.start()
    copy_store(parse_address(tmp_path / "a.db"), server)
    text = back_up(server, tmp_path / "saved.jsonl.gz")
    restore(text.path, parse_address(tmp_path / "b.db"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 36_000_000
    assert not math.isclose(peak, 0)


def test_a_full_disk_is_told_and_leaves_nothing(tmp_path):
    fill_with_trials(tmp_path / "a.db", 300)
    with pytest.raises(StoreError, match="can't be written"):
        back_up(parse_address(tmp_path / "a.db"), Path(os.devnull) / "saved.db")
