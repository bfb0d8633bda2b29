"""Workspaces that are graded elsewhere come out as they do here."""

import asyncio
import os
import re
import tarfile

import pytest
from msgspec.structs import replace

from benchmaker.arenas.agentic.verify import transfer
from benchmaker.arenas.agentic.verify.transfer import Unsendable, packed_workspace, unpack_workspace
from benchmaker.arenas.agentic.verify.workers import VerifyOptions, Work, open_verifier
from benchmaker.arenas.agentic.verify.workspace import files
from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.sandbox import Isolation
from tests.arenas.agentic.verify.made import a_task, written
from tests.engine.executors.crews import NearHands

RUNS = {
    "type": "command",
    "run": ["sh", "-c", "cat a.txt tests/given.txt start.txt; test -s a.txt"],
}
READS = {
    "type": "output_match",
    "run": ["cat", "a.txt"],
    "expected_file": "right.txt",
}

OUTPUTS = ["a.txt", "c.py", "conftest.py", "d", "etc", "hole", "in", "more", "out", "pipe"]
"""Not start.txt, which is the task's own then."""


def the_task(folder, **fields):
    given = {"tests/tests/given.txt": "given\n", "tests/right.txt": "right", "start/start.txt": "s"}
    return a_task(folder, RUNS, READS, files=given, **({"outputs": OUTPUTS} | fields))


def the_workspaces(base):
    """A right one, a wrong one, and some that nobody should have made."""
    right = written(base / "right", {"a.txt": "right", "more/b.txt": "b"})
    wrong = written(base / "wrong", {"a.txt": "wrong", "conftest.py": "import os", "c.py": "1"})
    (wrong / "c.py").chmod(0o755)
    odd = written(base / "odd", {"a.txt": "right"})
    (odd / "out").symlink_to("/etc/passwd")
    (odd / "in").symlink_to("a.txt")
    (odd / "etc").symlink_to("/etc")
    os.mkfifo(odd / "pipe")
    (base / "empty").mkdir()
    large = written(base / "large", {"a.txt": "right"})
    with (large / "hole").open("wb") as hole:
        hole.truncate(50 << 20)
    many = written(base / "many", {f"d/{n}": "" for n in range(300)})
    packed = base / "packed.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(right, ".")
    damaged = base / "damaged.zip"
    damaged.write_bytes(b"PK\3\4 nothing")
    return [right, wrong, odd, base / "empty", large, many, packed, damaged]


def verified(crew, task, workspaces, **options):
    async def work():
        async with open_verifier(crew, task, VerifyOptions(**options)) as by:
            return [await by.do(Work(one)) for one in workspaces]

    return asyncio.run(work())


def told(made):
    """A verification, but for moments, durations, and the id that is made of them."""
    results = tuple(
        replace(one, wall_s=None, evidence=re.sub(r"\d\.\d+ s", "? s", one.evidence))
        for one in made.results
    )
    return replace(made, id="", started_at="", finished_at="", results=results)


def test_workspaces_are_graded_there_as_here(tmp_path):
    task = the_task(tmp_path / "task", limits={"disk_mb": 20, "files": 200})
    workspaces = the_workspaces(tmp_path)
    here = [told(one) for one in verified(None, task, workspaces)]
    crew = NearHands(2, deaths=(3,))
    there = [told(one) for one in verified(crew, task, workspaces)]

    assert there == here
    assert [one.success for one in here] == [
        True, False, True, False, False, False, True, False,
    ]  # fmt: skip
    assert crew.hired == 2


def test_what_is_laid_out_is_what_was_there(tmp_path):
    task = the_task(tmp_path / "task", outputs=["a.txt", "out", "c.py"])
    for number, workspace in enumerate(the_workspaces(tmp_path)[:4]):
        base = tmp_path / f"laid{number}"
        base.mkdir()
        laid = unpack_workspace(packed_workspace(task.task, workspace), base)

        assert list(files(laid)) == list(files(workspace))
        for path in ("a.txt", "c.py"):
            if (workspace / path).exists():
                assert (laid / path).read_bytes() == (workspace / path).read_bytes()
                assert (laid / path).stat().st_mode == (workspace / path).stat().st_mode
                assert (laid / path).stat().st_mtime_ns == (workspace / path).stat().st_mtime_ns
    assert (tmp_path / "laid0/workspace/more/b.txt").read_bytes() == b""


def test_what_is_too_large_to_be_sent_is_said(tmp_path, monkeypatch):
    task = the_task(tmp_path / "task")
    monkeypatch.setattr(transfer, "MOST_BYTES", 3)
    with pytest.raises(Unsendable, match="more than the limit of 3"):
        packed_workspace(task.task, written(tmp_path / "work", {"a.txt": "right"}))


def test_a_workspace_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(SpecError, match="workspace not found"):
        packed_workspace(the_task(tmp_path / "task").task, tmp_path / "none")


def test_where_no_wall_is_strong_enough_the_refusal_is_the_same(tmp_path):
    task = the_task(tmp_path / "task")
    work = written(tmp_path / "work", {"a.txt": "right"})
    errors = []
    for crew in (None, NearHands(1)):
        with pytest.raises(PrerequisiteError, match="nothing was run") as caught:
            verified(crew, task, [work], isolation=Isolation.PROCESS)
        errors.append((caught.value.message, caught.value.where, caught.value.hint))

    assert errors[0] == errors[1]
