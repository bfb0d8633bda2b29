"""Checks of a workbook before it is read: its size in memory, and cells without a value."""

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from benchmaker.errors import SpecError
from benchmaker.spec.documents.findings import refusal
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.sizes import readable_limit
from benchmaker.spec.documents.source_map import SourceLocation

_MOST_CELLS = 10_000_000
"""An upper bound for the cells of a sheet, empty ones included, which take memory as well."""

_CHUNK = 1 << 20
_UNBOUNDED = 1 << 62
_PLACE = re.compile(rb"""\br\s*=\s*["']([A-Za-z]{0,4})(\d{1,10})["']""")
_ROW = re.compile(rb"<(?:[\w.-]+:)?row\b")
_CELL = re.compile(rb"<(?:[\w.-]+:)?c\b")
_TEXT = re.compile(rb"<(?:[\w.-]+:)?si\b")
_VALUE = re.compile(rb"<(?:[\w.-]+:)?v\b[^>]*>\s*(\d{1,9})\b")
_ERROR = re.compile(rb"""<(?:[\w.-]+:)?c\b[^>]*\bt\s*=\s*["']e["']""")
_UNSAVED = re.compile(rb"<c\b([^>]*)>\s*<f\b[^<]*(?:/>|</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")
_EMPTY_TEXT = re.compile(rb"""\bt\s*=\s*["']str["']""")
_FAULTS = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError)


def check_workbook(raw: BinaryIO, path: Path, *, limits: Limits) -> None:
    """Refuse a workbook that takes too much memory, or has cells that would be read as empty.

    Raises:
        SpecError: it unpacks to too much, a sheet spans too many cells, its texts are repeated too
            often, a formula has an error or no saved value, or the file is damaged.
    """
    place = SourceLocation(str(path))
    try:
        with zipfile.ZipFile(raw) as archive:
            parts = list(_unpack(archive, place, limits.array_bytes))
    except _FAULTS as exc:
        raise damage_error(path, exc) from exc
    if any(_spanned_cells(part) > _MOST_CELLS for part in parts):
        message = "a sheet of the workbook spans too many cells."
        raise refusal(place, message, "Delete cells far from the table, or save it as CSV.")
    if _repeated_bytes(parts) > limits.data_bytes // 4:
        size = readable_limit(limits.data_bytes // 4)
        message = f"the workbook has more than {size} of text."
        raise refusal(place, message, "Save the sheet as CSV.")
    for cell in filter(None, map(_valueless_cell, parts)):
        message = f"the formula of cell {cell} has an error or no saved value."
        raise refusal(place, message, "Correct it, and save the workbook in a spreadsheet program.")


def damage_error(path: Path, exc: Exception) -> SpecError:
    """Return the error for a workbook that can't be read for this reason."""
    reason = str(exc).rstrip(".")[:200]
    return refusal(
        SourceLocation(str(path)), f"the workbook can't be read: {reason}.", "Save it again."
    )


def _unpack(archive: zipfile.ZipFile, place: SourceLocation, limit: int) -> Iterator[bytes]:
    """The content of each part, read to its real end, since stated sizes may be false."""
    left = limit
    for part in archive.infolist():
        part.file_size = _UNBOUNDED
        content = bytearray()
        with archive.open(part) as stream:
            while chunk := stream.read(_CHUNK):
                content += chunk
                left -= len(chunk)
                if left < 0:
                    message = f"the workbook unpacks to more than {readable_limit(limit)}."
                    raise refusal(place, message, "Save the sheet as CSV.")
        yield bytes(content)


def _spanned_cells(part: bytes) -> int:
    """An upper bound for the cells between the first and the last of a sheet.

    Rows and cells without a place follow the one before them.
    """
    row = column = 0
    for letters, digits in _PLACE.findall(part):
        row, column = max(row, int(digits)), max(column, _column_number(letters))
    rows = _ROW.split(part)
    widest = max(len(_CELL.findall(one)) for one in rows)
    return (row + len(rows)) * (column + widest)


def _valueless_cell(part: bytes) -> str:
    """The first cell of a sheet with an error or an unsaved formula; empty if there is none."""
    unsaved = (one for one in _UNSAVED.finditer(part) if not _EMPTY_TEXT.search(one[1]))
    found = _ERROR.search(part) or next(unsaved, None)
    if found is None:
        return ""
    place = _PLACE.search(found[0])
    return (place[1] + place[2]).decode() if place else "without a place"


def _column_number(letters: bytes) -> int:
    """The number of a column: 1 for A, 28 for AB.

    >>> _column_number(b"A"), _column_number(b"ab"), _column_number(b"")
    (1, 28, 0)
    """
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number


def _repeated_bytes(parts: Sequence[bytes]) -> int:
    """An upper bound for the size of shared texts, each counted as often as cells refer to it."""
    sizes = [len(text) for part in parts for text in _TEXT.split(part)[1:]]
    places = (int(value) for part in parts for value in _VALUE.findall(part) if sizes)
    return sum(sizes[place] for place in places if place < len(sizes))
