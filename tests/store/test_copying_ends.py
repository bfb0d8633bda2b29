"""Copying that is cut short: by a kill, a full disk, a server that goes away."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from shutil import copy

import psycopg
import pytest

from benchmaker.errors import SpecError, StoreError
from benchmaker.store import Store
from benchmaker.store.database.address import parse_address
from benchmaker.store.upkeep.backups import back_up
from benchmaker.store.upkeep.checking import check_backup, check_store
from benchmaker.store.upkeep.copying import copy_store, restore
from tests.store.whole import add_files, fill_with_trials
from tests.waiting import until

pytestmark = pytest.mark.postgresql("COPY in one transaction")

ROOT = Path(__file__).parents[2]

COPY = """
import sys
from benchmaker.store.database.address import parse_address
from benchmaker.store.upkeep.copying import copy_store
print("begun", flush=True)
copy_store(parse_address(sys.argv[1]), parse_address(sys.argv[2]))
"""

LIMITED = """
import resource, signal, sys
from pathlib import Path
from shutil import copy
from benchmaker.errors import StoreError
from benchmaker.store.database.address import parse_address
from benchmaker.store.upkeep.backups import back_up
from benchmaker.store.upkeep.copying import copy_store
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
source, folder = parse_address(sys.argv[1]), Path(sys.argv[2])
for work in (
    lambda: back_up(source, folder / "saved"),
    lambda: copy_store(source, parse_address(folder / "new.db")),
):
    try:
        work()
    except StoreError as error:
        print(error)
"""


def python(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    path = tmp_path_factory.mktemp("filled") / "large.db"
    fill_with_trials(path, 2_000)
    return path


@pytest.fixture
def large(filled, tmp_path):
    """A store that takes a while to copy."""
    return copy(filled, tmp_path / "large.db")


def free_of_others(address: str) -> None:
    """Wait until the server has noticed that nobody else is there."""
    with psycopg.connect(address, autocommit=True) as connection:
        ask = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        until(lambda: connection.execute(ask).fetchone() == (1,), 300)


@pytest.mark.parametrize("after_s", [0.0, 0.1, 0.3])
def test_a_copy_that_is_killed_leaves_nothing_and_can_be_made_again(large, blank, after_s):
    with python(COPY, large, blank) as child:
        child.stdout.readline()
        time.sleep(after_s)
        child.send_signal(signal.SIGKILL)
    if blank.startswith("postgresql"):
        free_of_others(blank)
    with suppress(SpecError):  # killed between its commit and its end, it copied everything
        copy_store(parse_address(large), parse_address(blank))
    with pytest.raises(SpecError, match="not empty"):
        copy_store(parse_address(large), parse_address(blank))
    assert check_store(parse_address(blank)).hash == check_store(parse_address(large)).hash


def test_a_limit_on_the_size_of_files_is_told_and_leaves_nothing(large, tmp_path):
    folder = tmp_path / "into"
    folder.mkdir()
    with python(LIMITED, large, folder) as child:
        said = child.stdout.read().splitlines()
    assert len(said) == 2
    assert all("disk" in line or "can't be written" in line for line in said), said
    assert list(folder.iterdir()) == []
    assert check_store(parse_address(large)).is_ok


@pytest.mark.small_disk(room=2_000_000)  # where none may be, the limit above stands for it
def test_a_full_disk_is_told_and_leaves_nothing(large, tmp_path, small_disk, new_database):
    with Store.open(large) as store:
        add_files(store, os.urandom(3_000_000))
    server = parse_address(new_database())
    copy_store(parse_address(large), server)
    for address in (parse_address(large), server):
        with pytest.raises(StoreError):
            back_up(address, small_disk / "saved")
        assert list(small_disk.iterdir()) == []
    saved = back_up(server, tmp_path / "saved.jsonl.gz")
    with pytest.raises(StoreError, match="disk is full"):
        restore(saved.path, parse_address(small_disk / "new.db"))
    assert list(small_disk.iterdir()) == []
    assert check_backup(saved.path).is_ok


def test_a_copy_whose_server_ends_the_connection_leaves_nothing(large, new_database):
    address = new_database()
    with python(COPY, large, address) as child, psycopg.connect(address, autocommit=True) as other:
        ask = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND query LIKE 'COPY%'"
        )
        while child.poll() is None and other.execute(ask).fetchone() is None:
            time.sleep(0.005)
        code = child.wait()
    if code:
        with pytest.raises(StoreError):
            check_store(parse_address(address))
        copy_store(parse_address(large), parse_address(address))
    assert check_store(parse_address(address)).hash == check_store(parse_address(large)).hash
