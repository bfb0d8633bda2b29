import os
import stat
from pathlib import Path

import pytest

from benchmaker.errors import SpecError
from benchmaker.report.formats.atomic import open_atomic


def test_the_file_takes_its_name_when_the_block_ends(tmp_path):
    path = tmp_path / "report.html"
    with open_atomic(path) as stream:
        stream.write(b"whole")
        assert not path.exists()
    assert path.read_bytes() == b"whole"
    assert [it.name for it in tmp_path.iterdir()] == ["report.html"]


def test_a_failing_block_leaves_what_was_there(tmp_path):
    path = tmp_path / "report.html"
    path.write_bytes(b"old")
    with pytest.raises(TypeError), open_atomic(path) as stream:
        stream.write(b"half" + None)
    assert path.read_bytes() == b"old"
    assert [it.name for it in tmp_path.iterdir()] == ["report.html"]


def test_the_file_has_the_usual_rights(tmp_path):
    path = tmp_path / "report.html"
    with open_atomic(path) as stream:
        stream.write(b"x")
    plain = tmp_path / "plain"
    plain.write_bytes(b"x")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    with open_atomic(link) as stream:
        stream.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_device_is_written_to_as_it_is():
    with open_atomic(Path(os.devnull)) as stream:
        stream.write(b"x")


def test_a_missing_folder_is_told_with_what_to_do(tmp_path):
    with (
        pytest.raises(SpecError, match="No such file or directory") as caught,
        open_atomic(tmp_path / "none" / "report.html"),
    ):
        pass
    assert caught.value.hint
