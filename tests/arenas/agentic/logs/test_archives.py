"""Zip archives that somebody else wrote."""

import stat
import zipfile

import pytest

from benchmaker.arenas.agentic.logs.archives import opened_archive
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from tests.arenas.agentic.made import options


def an_archive(path, *parts):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts:
            file.writestr(name, text)
    return path


def names(path, **given):
    with opened_archive(path, options(**given)) as archive:
        return archive.names


def test_parts_are_listed_and_read(tmp_path):
    path = an_archive(tmp_path / "a.zip", ("header.json", b"{}"), ("samples/1.json", b"[1]"))
    with opened_archive(path, options()) as archive:
        assert archive.names == ("header.json", "samples/1.json")
        assert archive.read("samples/1.json") == b"[1]"
        with pytest.raises(DecodingError, match="'none' is missing"):
            archive.read("none")


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/passwd", "C:/x", "..\\x"])
def test_a_path_out_of_the_archive_refuses_it_whole(tmp_path, name):
    path = an_archive(tmp_path / "a.zip", ("good", b"1"), (name, b"2"))
    with pytest.raises(DecodingError, match="leaves the archive"):
        names(path)


def test_a_link_refuses_it(tmp_path):
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with pytest.raises(DecodingError, match="is a link"):
        names(an_archive(tmp_path / "a.zip", (link, b"/etc/passwd")))


def test_a_part_compressed_with_lzma_refuses_it(tmp_path):
    pytest.importorskip("lzma")
    part = zipfile.ZipInfo("a")
    part.compress_type = zipfile.ZIP_LZMA
    with pytest.raises(DecodingError, match="compressed with LZMA"):
        names(an_archive(tmp_path / "a.zip", (part, b"1")))


def test_two_parts_of_one_name_refuse_it(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = an_archive(tmp_path / "a.zip", ("a", b"1"), ("a", b"2"))
    with pytest.raises(DecodingError, match="two entries with the same name"):
        names(path)


def test_bombs_are_refused_before_anything_is_unpacked(tmp_path):
    path = an_archive(tmp_path / "a.zip", ("zeros", bytes(20 * 2**20)))
    with pytest.raises(DecodingError, match="grows more than 1000 times"):
        names(path)
    with pytest.raises(DecodingError, match="is larger than 1 MiB"):
        names(path, max_document_bytes=2**20)
    with pytest.raises(DecodingError, match="the archive holds more than 10 MiB"):
        names(path, max_file_bytes=10 * 2**20)


def test_a_part_that_lies_about_its_size_is_cut_off(tmp_path):
    path = an_archive(tmp_path / "a.zip", ("a", b"x" * 1000))
    raw = path.read_bytes().replace((1000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    path.write_bytes(raw)
    with (
        opened_archive(path, options()) as archive,
        pytest.raises(DecodingError, match="can't be read"),
    ):
        archive.read("a")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive", b"text"])
def test_what_is_no_archive_is_refused(tmp_path, content):
    path = tmp_path / "a.zip"
    path.write_bytes(content)
    with pytest.raises(DecodingError):
        names(path)
