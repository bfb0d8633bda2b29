"""Commands that lend their work to a cluster print what they print without one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from benchmaker import import_logs
from tests.arenas.agentic.handed import a_submission, the_id, write_submissions
from tests.arenas.agentic.verify.made import written
from tests.arenas.agentic.verify.test_workers import the_task
from tests.arenas.code.probe.conftest import FRAME
from tests.engine.executors.rays import all_rows, two_nodes, whole_report
from tests.engine.executors.test_batches import stored_twice
from tests.faults.processes import without_times

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
OFTEN_OTHER = {"id", "wall_s", "took_s", "started_at", "finished_at", "at", "evidence"}


@pytest.fixture(scope="module")
def head():
    with two_nodes() as (cluster, _):
        yield cluster.address


def said(home, *words, executor=None):
    """What a command prints as JSON, but for moments and durations."""
    more = ("--executor", executor) if executor else ()
    command = [sys.executable, "-m", "benchmaker", *words, *more, "--json", "--home", str(home)]
    done = subprocess.run(command, capture_output=True, env=os.environ, timeout=300, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return without_moments(msgspec.json.decode(done.stdout))


def without_moments(plain):
    match plain:
        case dict():
            return {
                name: without_moments(value)
                for name, value in plain.items()
                if name not in OFTEN_OTHER
            }
        case list():
            return [without_moments(one) for one in plain]
        case str():
            return without_times(plain)
        case _:
            return plain


def test_rescore(tmp_path, head):
    here, there = stored_twice(tmp_path, 300)
    words = ("rescore", "latest", "--profile", "classic")

    assert said(there, *words, executor=head) == said(here, *words)
    assert (all_rows(there), whole_report(there)) == (all_rows(here), whole_report(here))


def test_verify(tmp_path, head):
    the_task(tmp_path / "task")
    home, works = tmp_path / "here", tmp_path / "works"
    home.mkdir()
    given = [a_submission(number, task="a-task") for number in range(3)]
    import_logs(write_submissions(tmp_path / "given.jsonl", given), home=home)
    for number in range(3):
        written(works / the_id(number), {"a.txt": "right" if number else "wrong"})
    there = Path(shutil.copytree(home, tmp_path / "there"))
    words = ("verify", str(works), "--task", str(tmp_path / "task"))

    found = said(there, *words, executor=head)

    assert found == said(home, *words)
    assert len(found["evaluations"]) == 3


@pytest.mark.long
def test_code_probe(tmp_path, head):
    pages = []
    for number in range(3):
        pages.append(tmp_path / f"page{number}.html")
        pages[-1].write_text(FRAME.format(f"<button>{number}</button><p>Page {number}</p>"))
    words = ("code", "probe", *map(str, pages))

    found = said(tmp_path, *words, executor=head)["pages"]

    assert [one["file"] for one in found] == list(map(str, pages))
    # On a busy machine ten seconds may not do: that they are seen alike is in test_batches.py.
    assert {one["outcome"] for one in found} <= {"rendered", "hang"}
