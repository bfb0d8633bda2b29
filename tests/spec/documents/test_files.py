import gzip
import os
import socket

import pytest

from benchmaker.errors import SpecError
from benchmaker.spec.documents.files import (
    is_there,
    lines,
    open_regular,
    read_text,
    resolve_inside,
    signature,
)
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.source_map import SourceLocation

HERE = SourceLocation("suite.yaml", 3, 9)


def read(path, **limits):
    bounds = Limits(**limits)
    with open_regular(path, limits=bounds) as stream:
        return [line.data for line in lines(stream, path, limits=bounds)]


def test_a_text_too_long_for_a_name_names_nothing(tmp_path):
    assert [is_there(it) for it in (tmp_path, tmp_path / "a", "é" * 200, "a\0b")] == [
        True, False, False, False,
    ]  # fmt: skip


def test_plain_and_gzipped_files_read_alike(write):
    text = b"one\ntwo\r\nthree"
    plain, zipped = write("a.txt", text), write("a.txt.gz", gzip.compress(text))
    assert read(plain) == read(zipped) == [b"one\n", b"two\r\n", b"three"]


def test_gzip_is_told_by_its_bytes_and_not_by_its_name(write):
    assert read(write("data.jsonl", gzip.compress(b"x\n"))) == [b"x\n"]


def test_several_gzip_members_are_one_file(write):
    assert read(write("a.gz", gzip.compress(b"a\n") + gzip.compress(b"b\n"))) == [b"a\n", b"b\n"]


def test_a_byte_order_mark_is_taken_off_and_counts_in_offsets(write):
    path = write("a.txt", b"\xef\xbb\xbfa\nb\n")
    with open_regular(path, limits=Limits()) as stream:
        found = list(lines(stream, path, limits=Limits()))
    assert [(line.number, line.offset, line.data) for line in found] == [
        (1, 3, b"a\n"),
        (2, 5, b"b\n"),
    ]


@pytest.mark.parametrize("kind", ["fifo", "folder", "device", "socket"])
def test_what_is_no_regular_file_is_refused_at_once(kind, tmp_path, monkeypatch):
    path = tmp_path / "thing"
    monkeypatch.chdir(tmp_path)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("thing")
    words = {"fifo": "a pipe", "folder": "a folder", "device": "a device", "socket": "a socket"}
    with pytest.raises(SpecError, match=f"this is {words[kind]}"):
        read(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SpecError, match=r"no\.txt: the file can't be read: it does not exist"):
        read(tmp_path / "no.txt")


def test_links_in_a_circle_are_refused(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(SpecError, match="circle"):
        read(tmp_path / "a")


def test_a_file_larger_than_its_cap_is_refused_before_it_is_read(write):
    with pytest.raises(SpecError, match="is larger than 10 bytes"):
        read(write("a", b"x" * 11), data_bytes=10)


def test_a_gzip_file_is_refused_where_it_grows_beyond_the_cap(write):
    with pytest.raises(SpecError, match="is larger than 1 MiB"):
        read(write("a.gz", gzip.compress(b"line\n" * 1_000_000)), data_bytes=2**20)


def test_a_gzip_bomb_is_refused_by_its_ratio(write):
    bomb = gzip.compress((b"x" * 999 + b"\n") * 30_000)
    with pytest.raises(SpecError, match="more than 200 times its size"):
        read(write("a.gz", bomb))


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda data: data[:-6], "unexpected end of the gzip file"),
        (lambda data: data[:-8] + b"\0\0\0\0\0\0\0\0", "the gzip file is damaged"),
        (lambda data: data[:10] + b"\xff" * 20, "the gzip file is damaged"),
        (lambda data: data + b"trailing", "the gzip file is damaged"),
    ],
)
def test_a_damaged_gzip_file_is_refused(write, damage, words):
    data = gzip.compress(os.urandom(200))
    with pytest.raises(SpecError, match=words):
        read(write("a.gz", damage(data)))


def test_a_plain_file_named_gz_is_refused(write):
    with pytest.raises(SpecError, match=r"ends in \.gz, but the file is not gzip-compressed"):
        read(write("a.gz", b"plain"))


def test_a_long_line_is_refused_with_its_number(write):
    with pytest.raises(SpecError, match="a:2:1: line longer than 1 KiB"):
        read(write("a", b"short\n" + b"x" * 1025), line_bytes=1024)


def test_too_many_lines_are_refused(write):
    with pytest.raises(SpecError, match="a:6:1: more than 5 lines"):
        read(write("a", b"\n" * 10), lines=5)


def test_a_file_that_changes_while_it_is_read_is_noticed(write):
    path = write("a", b"one\n" * 10)

    def read_and_change():
        with open_regular(path, limits=Limits()) as stream:
            stream.readline()
            path.write_bytes(b"other")

    with pytest.raises(SpecError, match="changed during reading"):
        read_and_change()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_text_is_refused_with_advice(write, encoding):
    path = write("a", "name: x".encode(encoding))
    with pytest.raises(SpecError, match=r"is UTF-(16|32).*, not UTF-8\. Save it as UTF-8"):
        read_text(path, limits=Limits(), cap=100)
    with pytest.raises(SpecError, match=r"UTF-(16|32)"):
        read(path)


def test_a_wrong_byte_is_named_with_offset_line_and_column(write):
    path = write("a", b"\xef\xbb\xbfone\n\xc3\xa9t\xe9\n")
    with pytest.raises(SpecError) as caught:
        read_text(path, limits=Limits(), cap=100)
    assert caught.value.findings[0].line == 2
    assert caught.value.findings[0].column == 3
    assert "invalid UTF-8: byte 0xe9 at offset 10" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../x", "is outside the folder of the suite"),
        ("a/../../x", "is outside the folder of the suite"),
        ("/etc/passwd", "absolute path"),
        ("a\0b", "not a file name"),
        ("  ", "not a file name"),
        ("out", "is outside the folder of the suite"),
        ("link/secret", "is outside the folder of the suite"),
    ],
)
def test_names_that_leave_the_folder_are_refused(tmp_path, name, words):
    folder = tmp_path / "suite"
    folder.mkdir()
    (tmp_path / "secret").write_text("x")
    (folder / "out").symlink_to(tmp_path / "secret")
    (folder / "link").symlink_to(tmp_path)
    with pytest.raises(SpecError, match=words) as caught:
        resolve_inside(folder, name, HERE)
    assert caught.value.findings[0].line == HERE.line


def test_names_below_the_folder_are_taken_links_included(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "real").write_text("x")
    (tmp_path / "sub" / "link").symlink_to(tmp_path / "real")
    assert resolve_inside(tmp_path, "sub/link", HERE).read_text() == "x"


def test_a_signature_tells_another_content(write):
    path = write("a", b"one")
    before = signature(path)
    assert signature(path) == before
    path.write_bytes(b"three")
    assert signature(path) != before
