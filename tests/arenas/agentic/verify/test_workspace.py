import io
import os
import tarfile
import zipfile

import pytest

from benchmaker.arenas.agentic.verify import verify
from benchmaker.arenas.agentic.verify.unpacking import Unfit
from benchmaker.arenas.agentic.verify.workspace import files, lay, prepare_workspace
from benchmaker.errors import SpecError
from tests.arenas.agentic.verify.made import a_task, written


def placed(task, workspace, part="graded"):
    with prepare_workspace(task, workspace) as ready:
        folder = getattr(ready, part)
        return {
            path: (folder / path).read_text()
            for path in files(folder)
            if not (folder / path).is_symlink()
        }, ready


def test_only_named_outputs_are_taken_and_the_rest_is_the_tasks(tmp_path):
    task = a_task(
        tmp_path / "task",
        outputs=["src/**", "report.json"],
        files={"start/src/a.py": "1", "start/src/old.py": "1", "start/data.csv": "1"},
    )
    work = written(tmp_path / "work", {"src/a.py": "2", "data.csv": "2", "more": "2"})

    found, _ = placed(task, work)

    assert found == {"src/a.py": "2", "data.csv": "1"}


def test_pristine_tests_lie_over_whatever_was_left_there(tmp_path):
    task = a_task(tmp_path / "task", files={"tests/test_a.py": "1", "tests/d/e.py": "1"})
    work = written(tmp_path / "work", {"test_a.py": "2", "d": "2"})
    (tmp_path / "work" / "elsewhere").mkdir()

    found, _ = placed(task, work)

    assert found == {"test_a.py": "1", "d/e.py": "1"}


def test_no_link_is_followed_when_tests_are_laid_over(tmp_path):
    task = a_task(tmp_path / "task", files={"tests/d/test_a.py": "1"})
    work = written(tmp_path / "work", {"real/test_a.py": "2"})
    (work / "d").symlink_to("real")

    found, _ = placed(task, work)

    assert found == {"d/test_a.py": "1", "real/test_a.py": "2"}


def test_links_that_lead_out_and_devices_are_not_taken(tmp_path):
    work = written(tmp_path / "work", {"a": "1"})
    (work / "passwd").symlink_to("/etc/passwd")
    (work / "up").symlink_to("../../etc")
    os.mkfifo(work / "pipe")

    found, ready = placed(a_task(tmp_path / "task"), work)

    assert found == {"a": "1"}
    assert {name for name, _ in ready.not_taken} == {"passwd", "up", "pipe"}


def test_a_file_behind_a_link_is_no_file(tmp_path):
    work = written(tmp_path / "work", {"real.txt": "1"})
    (work / "a.txt").symlink_to("real.txt")
    task = a_task(tmp_path / "task", {"type": "file_exists", "path": "a.txt"})

    assert verify(task, work).results[0].result == "fail"


def test_allowed_configuration_is_taken(tmp_path):
    task = a_task(tmp_path / "task", allow=["conftest.py"], files={"start/tox.ini": "1"})
    work = written(tmp_path / "work", {"conftest.py": "2", "tox.ini": "2", "setup.cfg": "2"})

    found, ready = placed(task, work)

    assert found == {"conftest.py": "2", "tox.ini": "1"}
    assert [name for name, _ in ready.not_taken] == ["setup.cfg", "tox.ini"]


def test_configuration_that_is_the_tasks_own_and_unchanged_is_not_worth_a_word(tmp_path):
    task = a_task(tmp_path / "task", files={"start/tox.ini": "1"})

    found, ready = placed(task, written(tmp_path / "work", {"tox.ini": "1"}))

    assert (found, ready.not_taken) == ({"tox.ini": "1"}, ())


def test_the_hash_names_what_was_taken_and_nothing_else(tmp_path):
    task = a_task(tmp_path / "task", outputs=["a"], files={"start/b": "1"})
    hashes = [
        placed(task, written(tmp_path / str(at), work))[1].sha256
        for at, work in enumerate([{"a": "1"}, {"a": "1", "c": "2"}, {"a": "2"}])
    ]

    assert hashes[0] == hashes[1] != hashes[2]


def a_tar(path, *members, mode="w:gz"):
    with tarfile.open(path, mode) as archive:
        for info, content in members:
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def member(name, content=b"1", **fields):
    info = tarfile.TarInfo(name)
    for key, value in fields.items():
        setattr(info, key, value)
    return info, content


@pytest.mark.parametrize("name", ["w.tar.gz", "w.tgz", "w.tar", "w.zip"])
def test_archives_are_read_within_themselves(tmp_path, name):
    if name.endswith("zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for path in ("a", "d/b", "../out", "/abs"):
                archive.writestr(path, "1")
            link = zipfile.ZipInfo("link")
            link.external_attr = 0o120777 << 16
            archive.writestr(link, "/etc/passwd")
    else:
        a_tar(
            tmp_path / name,
            *(member("a"), member("d/b"), member("../out"), member("/abs")),
            member("link", b"", type=tarfile.SYMTYPE, linkname="/etc/passwd"),
            member("hard", b"", type=tarfile.LNKTYPE, linkname="/etc/passwd"),
            member("null", b"", type=tarfile.CHRTYPE),
            mode="w" if name.endswith(".tar") else "w:gz",
        )

    found, ready = placed(a_task(tmp_path / "task"), tmp_path / name)

    assert found == {"a": "1", "d/b": "1"}
    assert {"../out", "/abs", "link"} <= {name for name, _ in ready.not_taken}
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["tar.gz", "zip"])
def test_a_bomb_is_the_submissions_own_fail(tmp_path, kind):
    path = tmp_path / f"bomb.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a", b"0" * 30_000_000)
    else:
        a_tar(path, member("a", b"0" * 30_000_000))
    criterion = {"type": "file_exists", "path": "a"}
    task = a_task(tmp_path / "task", criterion, limits={"disk_mb": 8})

    (result,) = verify(task, path).results

    assert result.result == "fail"
    assert "can't be graded" in result.evidence


def test_too_many_entries_are_the_submissions_own_fail(tmp_path):
    path = a_tar(tmp_path / "many.tar", *(member(f"{i}") for i in range(50)), mode="w")
    task = a_task(tmp_path / "task", limits={"files": 20})

    with pytest.raises(Unfit, match="more than 20 entries"), prepare_workspace(task, path):
        pass


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b broken", b"no tar" * 200])
def test_a_damaged_archive_is_unfit(tmp_path, content):
    path = tmp_path / "w.tar.gz"
    path.write_bytes(content)

    with pytest.raises(Unfit, match="damaged"), prepare_workspace(a_task(tmp_path / "task"), path):
        pass


@pytest.mark.parametrize("name", ["absent", "w.rar"])
def test_what_is_no_workspace_is_refused(tmp_path, name):
    (tmp_path / "w.rar").write_text("x")

    with pytest.raises(SpecError), prepare_workspace(a_task(tmp_path / "task"), tmp_path / name):
        pass


def test_laying_over_replaces_folders_by_files_and_files_by_folders(tmp_path):
    below = written(tmp_path / "below", {"a/b": "1", "c": "1"})

    lay(written(tmp_path / "above", {"a": "2", "c/d": "2"}), below)

    assert {path: (below / path).read_text() for path in files(below)} == {"a": "2", "c/d": "2"}


@pytest.mark.parametrize("many", [{"a": "0" * 7_990_000}, {f"f{i}": "0" for i in range(300)}])
def test_what_leaves_no_room_to_run_is_a_fail_and_no_error(tmp_path, many):
    limits = {"disk_mb": 8, "files": 300}
    files = {"start/more": "0" * 600_000}
    task = a_task(
        tmp_path / "task",
        {"type": "command", "run": ["true"]},
        limits=limits,
        outputs=["a", "f*"],
        files=files,
    )

    (result,) = verify(task, written(tmp_path / "work", many)).results

    assert result.result == "fail"
    assert "can't be graded" in result.evidence
