"""Many workspaces verified as one batch."""

import tarfile
from contextlib import nullcontext

import pytest

from benchmaker.arenas.agentic import verify_all
from benchmaker.arenas.agentic.submissions import verification_batch
from benchmaker.arenas.agentic.verify import transfer, workers
from benchmaker.errors import SpecError
from benchmaker.store import Store
from tests.arenas.agentic.handed import a_submission, the_id
from tests.arenas.agentic.verify.made import a_task, written
from tests.engine.executors.crews import NearHands

READS = {"type": "file_content", "path": "a.txt", "contains": ["right"]}


@pytest.fixture
def handed(tmp_path):
    """Three stored submissions with their workspaces; the second one is wrong."""
    home, base = tmp_path / "home", tmp_path / "work"
    task = a_task(tmp_path / "task", READS).folder
    home.mkdir()
    with Store.open(home / "benchmaker.db") as store:
        for number in range(3):
            store.put_submission(a_submission(number, task="a-task"), {})
            written(base / the_id(number), {"a.txt": "wrong" if number == 1 else "right"})
    last = base / the_id(2)
    with tarfile.open(base / f"{the_id(2)}.tar.gz", "w:gz") as archive:
        archive.add(last / "a.txt", "a.txt")
    (last / "a.txt").unlink()
    last.rmdir()
    return {"workspaces": base, "task": task, "home": home}


def newest(home):
    with Store.open(home / "benchmaker.db") as store:
        names = [the_id(number) for number in range(3)]
        return [len(store.agentic.verifications(name)) for name in names], [
            store.agentic.verification(name).success for name in names
        ]


def test_each_is_kept_and_the_task_settles(handed):
    seen = []
    made = verify_all(**handed, profile="robust", on_verified=seen.append)

    assert newest(handed["home"]) == ([1, 1, 1], [True, False, True])
    assert sorted(made.made) == sorted(one.submission_id for one in seen)
    assert {row.evidence_level for row in made.evaluated.rows} == {"verified"}


def test_what_was_verified_for_this_very_task_is_not_verified_again(handed):
    first = {the_id(0): handed["workspaces"] / the_id(0)}
    verify_all(**(handed | {"workspaces": first}))
    made = verify_all(**handed)

    assert made.known == (the_id(0),)
    assert newest(handed["home"])[0] == [1, 1, 1]
    verify_all(**handed, again=True)
    assert newest(handed["home"])[0] == [2, 2, 2]


def test_a_submission_to_another_task_is_refused(handed):
    with Store.open(handed["home"] / "benchmaker.db") as store:
        store.put_submission(a_submission(7, task="other"), {})
    workspaces = {the_id(7): handed["workspaces"] / the_id(0)}
    with pytest.raises(SpecError, match="is a submission to 'other'"):
        verify_all(**(handed | {"workspaces": workspaces}))


def test_a_folder_without_workspaces_is_refused(handed, tmp_path):
    with pytest.raises(SpecError, match="no workspace found"):
        verify_all(**(handed | {"workspaces": tmp_path / "none"}))


def test_a_batch_that_broke_off_is_gone_on_with(handed):
    def broken(made):
        raise RuntimeError(made.submission_id)

    with pytest.raises(RuntimeError):
        verify_all(**handed, on_verified=broken)
    made = verify_all(**handed)

    assert len(made.made) == 2
    assert newest(handed["home"])[0] == [1, 1, 1]


def test_one_that_is_too_large_to_be_sent_keeps_no_other_back(handed, monkeypatch):
    def packed(task, workspace):
        if workspace.name == the_id(1):
            raise transfer.Unsendable("it is too large.")
        return transfer.packed_workspace(task, workspace)

    monkeypatch.setattr(workers, "packed_workspace", packed)
    monkeypatch.setattr(
        verification_batch, "worker_source_named", lambda _: nullcontext(NearHands(2))
    )
    made = verify_all(**handed, executor="ray")

    assert made.refused == {the_id(1): "it is too large."}
    assert sorted(made.made) == [the_id(0), the_id(2)]
