"""What ``--database postgresql`` does to stores in files, each time in a process of its own."""

import os
import subprocess
import sys
from textwrap import dedent

import pytest

from tests.on_postgresql import HOOK, VARIABLE
from tests.on_postgresql.hook.sitecustomize import Stores

pytestmark = pytest.mark.sqlite("a process is led to a server of its own")

PROGRAM = """
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from benchmaker.store import Store
from benchmaker.store.queues.outbox import Message
from benchmaker.store.home import Home
from benchmaker.store.team_stores import make_team_place

def put(home, key):
    with Store.open(home / "benchmaker.db") as store:
        assert store.address.path is None
        assert store.put_message(Message("said", key))

def keys(home):
    with Store.open(home / "benchmaker.db") as store:
        return [it.message.dedupe_key for it in store.pending_messages()]

one, two = Path("one"), Path("two")
"""


@pytest.fixture
def do(postgresql, template, tmp_path):
    """Run code in a process that has the hook."""
    for name in ("journal", "one", "two"):
        (tmp_path / name).mkdir()
    told = f"{tmp_path / 'journal'}\n{template}\n{postgresql.address('{}')}"

    def run(code):
        subprocess.run(
            [sys.executable, "-c", PROGRAM + dedent(code)],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(HOOK), VARIABLE: told},
            check=True,
        )

    yield run
    Stores(told).drop_below(tmp_path)


def test_each_folder_has_a_database_of_its_own_that_other_processes_find(do):
    do("put(one, 'a'); put(two, 'b')")
    do("assert keys(one.absolute()) == ['a']; assert keys(two) == ['b']")


def test_a_copied_folder_has_a_copy_that_goes_its_own_way(do):
    do(
        """
        put(one, "a")
        three = Path(shutil.copytree(one, "three"))
        put(three, "b")
        assert keys(one) == ["a"]
        assert keys(three) == ["a", "b"]
        """
    )


def test_a_store_that_was_removed_is_gone(do):
    do(
        """
        put(one, "a")
        (one / "benchmaker.db").unlink()
        assert keys(one) == []
        """
    )


def test_a_store_that_is_only_read_is_not_made(do):
    do(
        """
        home = Home(one)
        assert not home.is_there()
        assert not list(one.iterdir())
        with home.open_store():
            assert home.is_there()
        """
    )


def test_a_team_has_a_schema_in_the_database_of_its_folder(do):
    do(
        """
        make_team_place(Home(one), "blue")
        put(one / "teams" / "blue", "a")
        assert keys(one) == []
        assert keys(one / "teams" / "blue") == ["a"]
        """
    )


def test_a_real_file_stays_one(do):
    do(
        """
        with closing(sqlite3.connect(one / "benchmaker.db")) as connection:
            connection.execute("PRAGMA user_version = 0")
            connection.execute("VACUUM")
        with Store.open(one / "benchmaker.db") as store:
            assert store.address.path is not None
        """
    )
