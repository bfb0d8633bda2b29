"""A writer that is killed loses nothing it acknowledged and doubles nothing."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from benchmaker.store import Store
from tests.store.child import CASES
from tests.store.filled import add_run

ROOT = Path(__file__).parents[2]


def kill_often(address: str, *, times: int, seed: int) -> None:
    moments = random.Random(seed)  # noqa: S311  no secret
    acknowledged: set[tuple[str, str]] = set()
    with Store.open(address) as store:
        add_run(store, cases=CASES)
    command = [sys.executable, "-m", "tests.store.child", address]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, **pipes) as child:
        for _ in range(times):
            print(moments.uniform(0, 0.1), file=child.stdin, flush=True)
            acknowledged |= {(case, model) for case, model in json.loads(child.stdout.readline())}
            with Store.open(address) as store:
                assert_whole(store, acknowledged)
    assert acknowledged


def assert_whole(store: Store, acknowledged: set[tuple[str, str]]) -> None:
    rows = store.done_keys("run-1", 0, CASES)
    assert acknowledged <= rows
    check = store.check()
    assert check.is_ok
    for table in ("trials", "completions", "attempts", "scores"):
        assert check.counts[table] == len(rows)


@pytest.mark.quick("nothing that was paid for may be lost")
def test_a_killed_writer_loses_and_doubles_nothing(path):
    kill_often(str(path), times=10, seed=1)


def test_a_killed_writer_loses_and_doubles_nothing_on_postgresql(new_database, template):
    kill_often(new_database(template), times=4, seed=2)


@pytest.mark.long
def test_a_writer_killed_thirty_times_loses_and_doubles_nothing(address):
    kill_often(address, times=30, seed=3)
