"""Disks that are full, files that are damaged, folders that can't be written."""

import os
import shutil
import sqlite3
import tempfile
from pathlib import Path

import pytest

from benchmaker import SpecError, results, run
from benchmaker.errors import Corrupt, StoreError
from benchmaker.store import Store
from tests.faults.child import a_suite, write_answers
from tests.faults.processes import ended, finish, rows, start
from tests.small_disks import enlarge

CASES = 1500
SMALL = 1_500_000
LARGE = 64_000_000
PAGE = 4096


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.jsonl"
    write_answers(path, CASES)
    return path


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def said_in_our_words(last):
    """The stated error, and neither a traceback nor anything else."""
    assert last.code == 4
    assert last.last["error"] in {"StoreError", "Conflict", "Corrupt"}
    assert "Traceback" not in last.complaints
    return last.last["message"]


@pytest.mark.quick("nothing that was paid for may be lost")
@pytest.mark.sqlite("it is the file's disk")
@pytest.mark.small_disk(room=SMALL)
def test_a_full_disk_is_said_and_nothing_acknowledged_is_lost(small_disk, answers):
    last = ended(start("run", small_disk, answers, CASES))
    message = said_in_our_words(last)
    kept = rows(small_disk)
    enlarge(small_disk, LARGE)
    finish(small_disk, answers, CASES)

    assert "disk is full" in message
    assert "benchmaker.db" in message
    assert "Free space" in message
    assert last.acknowledged <= len(kept) < 2 * CASES
    assert len(rows(small_disk)) == 2 * CASES


@pytest.mark.sqlite("it is the file that grows")
def test_a_limit_on_file_sizes_is_said_too(home, answers):
    last = ended(start("run", home, answers, CASES, file_limit=SMALL))
    message = said_in_our_words(last)
    kept = rows(home)
    finish(home, answers, CASES)

    assert "benchmaker.db" in message
    assert last.acknowledged <= len(kept) < 2 * CASES
    assert len(rows(home)) == 2 * CASES


@pytest.mark.sqlite("it is the file that can't be written")
def test_a_folder_that_can_not_be_written_is_said(answers):
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copy(answers, folder))
        for path, mode in ((copy, 0o644), (Path(folder), 0o555)):
            path.chmod(mode)
        last = ended(start("run", Path(folder) / "home", copy, CASES, denied=True))
        Path(folder).chmod(0o755)

    message = said_in_our_words(last)
    assert "Permission denied" in message
    assert "--home" in message


@pytest.mark.sqlite("it is the file that can't be written")
def test_a_read_only_store_is_said(answers):
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        copy = Path(shutil.copy(answers, home))
        assert ended(start("run", home, copy, 5)).last["finished"]
        for path, mode in ((copy, 0o644), (home / "benchmaker.db", 0o444), (home, 0o555)):
            path.chmod(mode)
        last = ended(start("run", home, copy, 5, denied=True))
        home.chmod(0o755)
        kept = rows(home)

    assert "writ" in said_in_our_words(last)
    assert len(kept) == 10


@pytest.fixture
def stored(home, answers):
    """The file of a store with a finished run."""
    assert run(a_suite(CASES), recorded=answers, home=home).is_finished
    return home / "benchmaker.db"


@pytest.mark.sqlite("it is the file that is damaged")
def test_a_store_cut_to_half_is_refused(stored):
    os.truncate(stored, stored.stat().st_size // 2 // PAGE * PAGE)

    with pytest.raises(Corrupt, match="damaged"):
        results(home=stored.parent)


@pytest.mark.sqlite("it is the file that is damaged")
def test_a_store_with_an_overwritten_page_is_refused(stored):
    with sqlite3.connect(stored) as connection:
        [root] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'trials'")
    connection.close()
    with stored.open("r+b") as file:
        file.seek((root[0] - 1) * PAGE)
        file.write(os.urandom(PAGE))

    with pytest.raises(Corrupt, match="damaged"):
        results(home=stored.parent)
    with Store.open(stored) as store:
        assert not store.check().is_ok


def test_a_file_that_is_no_store_is_refused(home):
    (home / "benchmaker.db").write_text("Dear diary, " * 100, encoding="utf-8")

    with pytest.raises(Corrupt, match="not a Benchmaker store"):
        results(home=home)


def test_an_empty_folder_has_no_results(home):
    with pytest.raises(SpecError, match="no run yet"):
        results(home=home)


def test_a_folder_in_place_of_the_store_is_refused(home):
    (home / "benchmaker.db").mkdir()

    with pytest.raises(StoreError, match="folder"):
        results(home=home)
