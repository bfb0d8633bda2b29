"""An import that is killed and repeated stores each row once."""

import os
import signal
import sqlite3
from contextlib import closing

import pytest

from benchmaker.arenas.standard.importers.importing import import_evaluations
from benchmaker.arenas.standard.importers.recognising import find_sources
from benchmaker.store import Store
from tests.arenas.standard.importers.files import imported, lm_eval_line, write_lines
from tests.waiting import until

LINES = 22_000
"""Two transactions of rows in blocks, and a part of a third."""


def trials_in(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT count(*) FROM trials").fetchone()[0]


def kill_import(path, file, *, after):
    """Import in a fork, and kill it when this number of trials is stored."""
    fork = os.fork()
    if fork == 0:
        try:
            with Store.open(path) as store:
                for _ in import_evaluations(store, find_sources([file])):
                    pass
        finally:
            os._exit(0)
    until(lambda: trials_in(path) >= after)
    os.kill(fork, signal.SIGKILL)
    os.waitpid(fork, 0)


@pytest.mark.long
@pytest.mark.sqlite("a file of its own for each process")
def test_a_killed_import_loses_and_doubles_nothing_when_it_is_repeated(tmp_path):
    path = tmp_path / "benchmaker.db"
    Store.open(path).close()
    name = "samples_sums_2026-11-22T19-26-19.874402.jsonl"
    file = write_lines(tmp_path / name, [lm_eval_line(at) for at in range(LINES)])
    for after in (1, 12_500, 14_500):
        kill_import(path, file, after=after)
        with Store.open(path) as store:
            assert store.check().is_ok
    with Store.open(path) as store:
        (done,) = imported(store, file)
        (run_id,) = done.runs
        assert [one.case_id for one in store.trials(run_id)] == [str(at) for at in range(LINES)]
        assert store.check().counts["imported_rows"] == LINES
        (again,) = imported(store, file)
        assert (again.added, again.runs) == (0, done.runs)
