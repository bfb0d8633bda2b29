"""A store as one text file: JSON Lines, gzipped, read and written row by row.

The first line identifies the file and its revision. Then, for each table, there is a line with its
name, columns and key, and a line for each row, a list. The last line has the hash of everything; if
it is missing, the file is truncated.
"""

import gzip
import math
import zlib
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from benchmaker.errors import Corrupt
from benchmaker.store.database.schema import REVISIONS, too_new_error
from benchmaker.store.upkeep.contents import PAGE, PAGE_OF_FILES, Contents, TableContents
from benchmaker.store.upkeep.digest import Digest, Kind, Row, Shape
from benchmaker.structs import resolve_type

FORMAT = 1
MAGIC = b"\x1f\x8b"
"""The first bytes of a gzipped file."""

_LEVEL = 3
"""The compression level: two thirds of the gain at a third of the time."""

_MOST_BYTES = 2_000_000_000
"""Maximum length of a line: more than a value in any database."""


class DumpHeader(msgspec.Struct, frozen=True, kw_only=True):
    """The first line, which identifies the file."""

    benchmaker_backup: int = FORMAT
    revision: str
    created_at: str
    version: str


class _Table(msgspec.Struct, frozen=True):
    table: str
    columns: tuple[tuple[str, Kind], ...]
    key: tuple[str, ...]
    last: int | None = None


class DumpTrailer(msgspec.Struct, frozen=True):
    """The last line: the hash over all rows, and their number."""

    hash: str
    rows: int


def write_dump(file: BinaryIO, head: DumpHeader, contents: Contents) -> Digest:
    """Write everything; return the hash at the file's end."""
    digest = Digest()
    with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=_LEVEL, filename="", mtime=0) as out:
        _put(out, head)
        for part in contents.parts():
            shape = part.shape
            digest.begin(shape)
            _put(out, _Table(shape.table, shape.columns, shape.key, part.last))
            spell = _row_encoder(shape)
            for page in part.pages:
                digest.add(shape, page)
                out.write(b"".join(msgspec.json.encode(spell(row)) + b"\n" for row in page))
        _put(out, DumpTrailer(digest.hash, sum(digest.rows.values())))
    return digest


def _put(out: gzip.GzipFile, line: msgspec.Struct) -> None:
    out.write(msgspec.json.encode(line) + b"\n")


class Dump:
    """An open file of that kind; its parts can be read once."""

    def __init__(self, lines: Iterator[bytes], where: str) -> None:
        self._lines = lines
        self._where = where
        self._coming = b""
        self.head = self._decode(self._next_line(), DumpHeader)
        if self.head.benchmaker_backup != FORMAT or self.head.revision not in REVISIONS:
            raise too_new_error(where, self.head.revision)
        self.revision = self.head.revision
        self.end: DumpTrailer | None = None

    def parts(self) -> Iterator[TableContents]:
        """Each table, those that others refer to first."""
        self._coming = self._next_line()
        while self._coming.startswith(b'{"table"'):
            table = self._decode(self._coming, _Table)
            shape = Shape(table.table, table.columns, table.key)
            yield TableContents(shape, table.last, self._pages(shape))
        self.end = self._decode(self._coming, DumpTrailer)
        if next(self._lines, None) is not None:
            raise self._damage_error("unexpected data after the end")

    def _pages(self, shape: Shape) -> Iterator[list[Row]]:
        size = PAGE_OF_FILES if shape.places(Kind.BYTES) else PAGE
        rows = self._rows(shape)
        while page := list(islice(rows, size)):
            yield page

    def _rows(self, shape: Shape) -> Iterator[Row]:
        read = _row_decoder(shape)
        while (line := self._next_line()).startswith(b"["):
            values = self._decode(line, list[Any])
            if len(values) != len(shape.columns):
                raise self._damage_error(f"a row of {shape.table} has a wrong number of values")
            try:
                yield read(values)
            except (TypeError, ValueError) as exc:
                raise self._damage_error(f"a row of {shape.table} can't be read") from exc
        self._coming = line

    def _next_line(self) -> bytes:
        line = next(self._lines, None)
        if line is None:
            raise self._damage_error("unexpected end of file")
        return line

    def _decode(self, line: bytes, kind: type[Any]) -> Any:  # noqa: ANN401  a line of any kind
        try:
            return msgspec.json.decode(line, type=resolve_type(kind))
        except (msgspec.MsgspecError, ValueError) as exc:
            raise self._damage_error("a line can't be read") from exc

    def _damage_error(self, what: str) -> Corrupt:
        return damaged_backup_error(self._where, what)


@contextmanager
def open_dump(path: Path) -> Iterator[Dump]:
    """Open the dump in a file.

    Raises:
        Corrupt: the file is damaged, or something else.
        SchemaTooNew: a newer Benchmaker wrote it.
        OSError: it can't be read.
    """
    with _translate_errors(str(path)), gzip.open(path, "rb") as file:
        yield Dump(_lines(file), str(path))


def damaged_backup_error(where: str, what: str) -> Corrupt:
    """Return the error for a damaged backup."""
    return Corrupt(
        f"the backup is damaged: {what}.",
        where=where,
        hint="Use another backup. Nothing was restored.",
    )


@contextmanager
def _translate_errors(where: str) -> Iterator[None]:
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as exc:
        raise damaged_backup_error(where, f"decompression failed ({exc})") from exc


def _lines(file: gzip.GzipFile) -> Iterator[bytes]:
    while line := file.readline(_MOST_BYTES):
        yield line


def _row_encoder(shape: Shape) -> Callable[[Row], Iterable[Any]]:
    """Return a function from a row to JSON values: infinities as words, bytes as base64."""
    reals = shape.places(Kind.REAL)

    def spell(row: Row) -> Iterable[Any]:
        if all(row[at] is None or math.isfinite(row[at]) for at in reals):
            return row
        values = list(row)
        for at in reals:
            if values[at] is not None and math.isinf(values[at]):
                values[at] = str(values[at])
        return values

    return spell


def _row_decoder(shape: Shape) -> Callable[[list[Any]], Row]:
    reals, blobs = shape.places(Kind.REAL), shape.places(Kind.BYTES)

    def read(values: list[Any]) -> Row:
        for at in reals:
            values[at] = None if values[at] is None else float(values[at])
        for at in blobs:
            values[at] = None if values[at] is None else b64decode(values[at], validate=True)
        return tuple(values)

    return read
