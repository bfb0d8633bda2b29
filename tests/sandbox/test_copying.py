"""The bounded copier."""

import os
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import SandboxError
from benchmaker.sandbox import Bounds, copy_tree
from benchmaker.sandbox.copying import stays_inside

BOUNDS = Bounds(total_bytes=1000, file_bytes=600, entries=10, depth=4)


@pytest.fixture
def copied(tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    target.mkdir()

    def copy(**options):
        with ExitStack() as stack:
            fds = []
            for folder in (source, target):
                fds.append(os.open(folder, os.O_RDONLY))
                stack.callback(os.close, fds[-1])
            return copy_tree(*fds, **({"bounds": BOUNDS} | options))

    copy.source, copy.target = source, target
    return copy


def names(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_files_folders_and_inner_links_are_copied(copied):
    (copied.source / "a").mkdir()
    (copied.source / "a" / "b").write_text("1")
    (copied.source / "a" / "b").chmod(0o4700)
    (copied.source / "link").symlink_to("a/b")
    told = copied()
    assert names(copied.target) == ["a", "a/b", "link"]
    assert (copied.target / "a" / "b").stat().st_mode & 0o7777 == 0o755
    assert (told.files, told.entries, told.total_bytes, told.left_out) == (1, 3, 1, [])


def test_what_is_no_file_is_left_out_with_the_reason(copied):
    os.mkfifo(copied.source / "pipe")
    (copied.source / "out").symlink_to("/etc/passwd")
    assert [path for path, _ in copied().left_out] == ["out", "pipe"]
    assert names(copied.target) == []


def test_a_link_is_never_followed(copied, tmp_path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "f").write_text("secret")
    (copied.source / "folder").symlink_to(tmp_path / "secret")
    copied()
    assert names(copied.target) == []


def test_only_what_is_wanted_is_copied_and_no_empty_folder(copied):
    for name in ("a", "b"):
        (copied.source / name).mkdir()
        (copied.source / name / "f").write_text("1")
    copied(wanted=lambda path: path == "a/f")
    assert names(copied.target) == ["a", "a/f"]


@pytest.mark.parametrize(
    ("sizes", "told"),
    [([601], "a file is larger"), ([400, 400, 400], "the files are larger"), ([0] * 11, "entries")],
)
def test_more_than_the_bounds_is_refused(copied, sizes, told):
    for name, size in enumerate(sizes):
        (copied.source / str(name)).write_bytes(b"x" * size)
    with pytest.raises(SandboxError, match=told):
        copied()


def test_a_sparse_file_counts_in_full(copied):
    with (copied.source / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(SandboxError, match="larger"):
        copied()


def test_folders_without_end_are_refused(copied):
    (copied.source / "1/2/3/4/5/6").mkdir(parents=True)
    with pytest.raises(SandboxError, match="deeper"):
        copied()


@given(st.lists(st.sampled_from(["..", ".", "a", "b"]), min_size=1, max_size=6), st.integers(0, 3))
def test_a_link_that_stays_inside_leads_inside(parts, depth):
    path = "/".join(["d"] * depth + ["link"])
    if stays_inside("/".join(parts), path):
        place = os.path.normpath("/".join(["d"] * depth + parts))
        assert not place.startswith("..")


def test_a_link_through_another_link_does_not_lead_out():
    assert stays_inside("../..", "x/y/top")
    assert not stays_inside("x/y/top/../..", "escape")
