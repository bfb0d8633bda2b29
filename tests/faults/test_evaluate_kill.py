"""An evaluation that is killed anywhere, and done again, comes to what an undisturbed one does."""

import signal
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmaker.store import Store
from tests.arenas.agentic.handed import many, rest, the_id, write_submissions
from tests.faults.evaluate_child import main
from tests.faults.processes import begun, ended

COUNT = 14

pytestmark = pytest.mark.warm


def child(**work):
    """Evaluate in a process; how it ended, and how many changes it made."""
    done = ended(begun(main, work))
    assert done.code in {0, -signal.SIGKILL}, done.complaints
    return done.code, int(done.said[0]) if done.code == 0 else None


def receiver(folder: Path, *, deadly: bool = False) -> str:
    """A program that writes every notice's id down; a deadly one kills who sent the fourth."""
    file, script = folder / "received", folder / "receiver.py"
    kill = (
        f"""
if len(open({str(file)!r}).read().split()) == 4:
    os.kill(os.getppid(), {int(signal.SIGKILL)})
"""
        if deadly
        else ""
    )
    script.write_text(
        f"""import os, sys
sys.stdin.read()
with open({str(file)!r}, "a") as file:
    print(os.environ["BENCHMAKER_NOTICE_ID"], file=file, flush=True)
{kill}"""
    )
    return f'commands: [{{command: ["{sys.executable}", "-I", "{script}"]}}]\n'


def prepared(folder: Path, *, notices: str = "") -> dict:
    folder.mkdir()
    home = folder / "home"
    home.mkdir()
    (home / "notices.yaml").write_text(notices)
    return {
        "path": write_submissions(folder / "given.jsonl", many(COUNT)),
        "home": home,
        "profile": "classic",
    }


def assert_once(home: Path) -> None:
    """Each submission counts once, and was evaluated once under each key."""
    with Store.open(home / "benchmaker.db") as store:
        assert store.check().is_ok
        counted = Counter(one.submission_id for one in store.agentic.evaluations("classic/1"))
    assert counted == dict.fromkeys(map(the_id, range(COUNT)), 1)


def kill_at(folder: Path, *, every: int = 1) -> None:
    """Kill an evaluation in each of its changes, or in every so many, and finish it."""
    whole = prepared(folder / "whole")
    code, changes = child(**whole, dies_at=0)
    assert code == 0
    expected = rest(whole["home"], "classic/1")
    assert len(expected[1]) == len(expected[2]) == COUNT
    for number in range(every, changes + 1, every):
        work = prepared(folder / f"kill-{number}")
        assert child(**work, dies_at=number) == (-signal.SIGKILL, None)
        assert child(**work, dies_at=0)[0] == 0
        assert rest(work["home"], "classic/1") == expected
        assert_once(work["home"])


def test_an_evaluation_that_is_killed_and_resumed_evaluates_each_submission_once(tmp_path):
    kill_at(tmp_path, every=4)


@pytest.mark.long
def test_an_evaluation_may_be_killed_in_any_change_that_it_makes(tmp_path):
    kill_at(tmp_path)


@pytest.mark.quick("nothing that was paid for may be lost")
def test_an_evaluation_may_be_killed_again_and_again(tmp_path):
    work = prepared(tmp_path / "often")
    code, number = None, 6
    while code != 0:
        code, _ = child(**work, dies_at=number)
        number += 6
    assert_once(work["home"])


def test_every_notice_is_delivered_though_the_sender_is_killed(tmp_path):
    folder = tmp_path / "notices"
    work = prepared(folder, notices=receiver(folder.parent, deadly=True))
    received = folder.parent / "received"
    assert child(**work, dies_at=0)[0] == -signal.SIGKILL
    assert len(received.read_text().split()) == 4
    assert child(**work, dies_at=0)[0] == 0
    ids = Counter(received.read_text().split())
    assert set(ids) == {f"evaluated:{the_id(n)}" for n in range(COUNT)}
    assert {name for name, n in ids.items() if n > 1} <= set(list(ids)[3:4])
    with Store.open(work["home"] / "benchmaker.db") as store:
        assert store.pending_messages() == ()
