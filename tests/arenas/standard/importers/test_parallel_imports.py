"""Imports by several processes at once store each row once."""

import os

import pytest

from benchmaker.arenas.standard.importers.importing import import_evaluations
from benchmaker.arenas.standard.importers.recognising import find_sources
from benchmaker.store import Store
from tests.arenas.standard.importers.files import lm_eval_line, write_lines

LINES = 1_500


def import_in_fork(address, file, *, start):
    """Begin an import in a process of its own, as soon as the pipe's other end is closed."""
    fork = os.fork()
    if fork == 0:
        code = 1
        try:
            with Store.open(address) as store:
                os.read(start, 1)
                added = [done.added for done in import_evaluations(store, find_sources([file]))]
                code = 0 if added in ([0], [LINES]) else 1
        finally:
            os._exit(code)
    return fork


@pytest.mark.long
def test_two_imports_of_a_file_at_once_make_one_run(address, tmp_path):
    Store.open(address).close()
    name = "samples_sums_2026-11-22T19-26-19.874402.jsonl"
    file = write_lines(tmp_path / name, [lm_eval_line(at) for at in range(LINES)])
    start, end = os.pipe()
    os.set_inheritable(end, False)
    forks = [import_in_fork(address, file, start=start) for _ in range(2)]
    os.write(end, b"12")
    assert [os.waitpid(fork, 0)[1] for fork in forks] == [0, 0]
    with Store.open(address) as store:
        (run,) = store.runs()
        assert store.check().counts["imported_rows"] == LINES
        assert len(list(store.trials(run.id))) == LINES
