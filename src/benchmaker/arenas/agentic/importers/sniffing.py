"""Heads of files, for recognising formats."""

import codecs
import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.lenient_json import Loose
from benchmaker.errors import SpecError
from benchmaker.spec.documents.files import is_marked_utf16, open_regular_raw
from benchmaker.spec.documents.limits import Limits

HEAD_BYTES = 64 * 2**10
BLANK = b"\xef\xbb\xbf \t\r\n"
"""Characters allowed before JSON: the UTF-8 byte order mark, and whitespace."""

_FIRST_ROWS = 20
_GZIP_MAGIC = b"\x1f\x8b"
_ANY_SIZE = Limits(data_bytes=2**62)


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FileHead:
    """The head of a file, for recognising it: at most 64 kB, decompressed.

    UTF-16 text is converted to UTF-8.

    An importer uses features unique to its format, not the name of the file, so that output is
    recognised under any name.
    """

    path: Path
    size: int
    start: bytes

    @property
    def is_object(self) -> bool:
        """True if it starts with a JSON object."""
        return self.start.lstrip(BLANK).startswith(b"{")

    @property
    def is_list(self) -> bool:
        """True if it starts with a JSON list."""
        return self.start.lstrip(BLANK).startswith(b"[")


def head_of(path: Path) -> FileHead:
    """The file's beginning, decompressed where it is gzipped; SpecError where it is no file."""
    with open_regular_raw(path, limits=_ANY_SIZE) as raw:
        size = os.fstat(raw.fileno()).st_size
        start = raw.read(HEAD_BYTES)
        if start.startswith(_GZIP_MAGIC):
            raw.seek(0)
            with suppress(OSError, EOFError, zlib.error):
                start = gzip.GzipFile(fileobj=raw).read(HEAD_BYTES)
    return FileHead(path, size, _in_utf8(start))


def _in_utf8(start: bytes) -> bytes:
    """The beginning of a text in UTF-16 in UTF-8; any other as it is."""
    if not is_marked_utf16(start):
        return start
    return (
        codecs.getincrementaldecoder("utf-16")("replace").decode(start).encode("utf-8", "replace")
    )


def first_rows(start: bytes, rows: Loose[T]) -> Iterator[T]:
    """Yield the first rows of a file with a JSON document on each line; at most 20 lines."""
    for line in start.split(b"\n")[:_FIRST_ROWS]:
        with suppress(DecodingError):
            yield rows.decode(line)[0]


def file_start(path: Path) -> bytes:
    """Return the head of a file like :func:`head_of`; empty if unreadable."""
    with suppress(SpecError):
        return head_of(path).start
    return b""
