"""The rows of a data file in any format: JSON lines, a JSON array, CSV, Parquet, or a sheet."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from benchmaker.errors import Finding, SpecError
from benchmaker.spec.documents.csv_rows import read_table
from benchmaker.spec.documents.files import decode_line, lines, open_regular, read_text
from benchmaker.spec.documents.findings import Findings, refusal
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.parquet import read_parquet
from benchmaker.spec.documents.sheets import read_sheet
from benchmaker.spec.documents.sizes import readable_limit
from benchmaker.spec.documents.source_map import SourceLocation
from benchmaker.spec.documents.strict_json import decode_object, item_texts, read_json
from benchmaker.spec.documents.typed_values import plain_row

Format = Literal["jsonl", "json", "csv", "parquet", "sheet"]
Report = Callable[[Sequence[Finding]], None]
"""Takes all faults of one row."""

_FORMATS: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "csv",
}
_WHOLE_FORMATS: dict[str, Format] = {".parquet": "parquet", ".xlsx": "sheet"}
"""Formats with a compression of their own."""


class DataRow(NamedTuple):
    """One row: the line it begins at, its values, its JSON text (None in a table), its column.

    A row of typed columns or of a sheet has its number for the line, and no column; ``is_numbered``
    is then true, and values are located by the number of their column. ``is_faulty`` is true if
    faults of its text were reported: its values are the readable part, with 1 for each invalid
    number, and only serve to find further faults.
    """

    number: int
    values: dict[str, Any]
    text: str | None
    column: int = 1
    is_numbered: bool = False
    is_faulty: bool = False

    @property
    def has_columns(self) -> bool:
        """True if all rows have the same columns."""
        return self.text is None or self.is_numbered


def is_data_file(name: str) -> bool:
    """True if the name has the ending of a data file.

    >>> is_data_file("tests.csv"), is_data_file("tests")
    (True, False)
    """
    plain = name.lower().removesuffix(".gz")
    return plain.endswith((*_FORMATS, *_WHOLE_FORMATS))


def format_of(path: Path, *, besides: tuple[str, ...] = ()) -> Format:
    """Return the format for a file name; the SpecError lists the known endings and ``besides``."""
    name = path.name.lower().removesuffix(".gz")
    for ending, known in _FORMATS.items():
        if name.endswith(ending):
            return known
    if whole := _WHOLE_FORMATS.get(path.suffix.lower()):
        return whole
    endings, others = ", ".join((*besides, *_FORMATS)), " and ".join(_WHOLE_FORMATS)
    message = "unknown format of data file."
    hint = f"Known endings: {endings}, each also with .gz; {others}."
    raise refusal(SourceLocation(str(path)), message, hint)


def read_rows(
    path: Path,
    *,
    limits: Limits,
    report: Report,
    form: Format | None = None,
    sheet: str | None = None,
) -> Iterator[DataRow]:
    """Yield the rows of a file from top to bottom, without blank lines.

    ``form`` overrides the format given by the file's name; ``sheet`` names the sheet of a workbook.
    A row with faults is reported once; its readable part follows if it has one. SpecError if
    reading cannot continue, PrerequisiteError if the library for the format is not installed.
    """
    match form or format_of(path):
        case "jsonl":
            return _json_lines(path, limits, report)
        case "json":
            return _json_array(path, limits, report)
        case "csv":
            return _table(path, limits, report)
        case "parquet":
            return typed_rows(read_parquet(path, limits=limits), str(path), limits, report)
        case "sheet":
            return _sheet_rows(path, sheet, limits, report)


def _json_lines(path: Path, limits: Limits, report: Report) -> Iterator[DataRow]:
    with open_regular(path, limits=limits) as stream:
        for line in lines(stream, path, limits=limits):
            try:
                text = decode_line(line, path).rstrip()
            except SpecError as exc:
                report(exc.findings)
                continue
            if text and (
                row := _json_row(text, SourceLocation(str(path), line.number, 1), limits, report)
            ):
                yield row


def _json_row(text: str, place: SourceLocation, limits: Limits, report: Report) -> DataRow | None:
    """The object in a line or an item, in spite of doubled keys and NaN; those are reported."""
    try:
        return DataRow(place.line, decode_object(text, limits=limits), text, place.column)
    except (ValueError, RecursionError):
        values, found = _diagnosis(text, place, limits)
    report(found)
    return (
        None if values is None else DataRow(place.line, values, text, place.column, is_faulty=True)
    )


def _diagnosis(
    text: str, place: SourceLocation, limits: Limits
) -> tuple[dict[str, Any] | None, Sequence[Finding]]:
    """Return the readable part of an invalid object, and its faults with their columns."""
    findings = Findings(limits.findings)
    start = (place.line, place.column)
    try:
        data = read_json(text, place.file, limits=limits, findings=findings, start=start).data
    except SpecError as exc:
        return None, sorted((*findings.items, *exc.findings))
    if not isinstance(data, dict):
        findings.add(place, "not a JSON object.", ONE_OBJECT)
        return None, findings.items
    return data, sorted(findings.items)


ONE_OBJECT = "Use one {…} per line, or a list of them."


def _json_array(path: Path, limits: Limits, report: Report) -> Iterator[DataRow]:
    text = read_text(path, limits=limits, cap=limits.array_bytes)
    line, counted = 1, 0
    items = item_texts(text)
    while True:
        try:
            at, item = next(items)
        except StopIteration:
            return
        except ValueError as exc:
            message, at = exc.args
            raise refusal(_spot(path, text, at), f"invalid JSON array: {message}") from exc
        line, counted = line + text.count("\n", counted, at), at
        place = SourceLocation(str(path), line, at - text.rfind("\n", 0, at))
        if row := _json_row(item, place, limits, report):
            yield row


def _spot(path: Path, text: str, at: int) -> SourceLocation:
    return SourceLocation(str(path), text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))


def _table(path: Path, limits: Limits, report: Report) -> Iterator[DataRow]:
    with open_regular(path, limits=limits, takes_utf16=True) as stream:
        text = (decode_line(line, path) for line in lines(stream, path, limits=limits))
        table = read_table(text, str(path), limits=limits, report=lambda one: report((one,)))
        for number, cells in table:
            yield DataRow(number, dict(cells), None)


def _sheet_rows(path: Path, sheet: str | None, limits: Limits, report: Report) -> Iterator[DataRow]:
    table = read_sheet(path, sheet, limits=limits, report=lambda one: report((one,)))
    for number, cells in table:
        yield DataRow(number, dict(cells), None, column=0, is_numbered=True)


def typed_rows(
    rows: Iterable[tuple[int, dict[str, Any]]], file: str, limits: Limits, report: Report
) -> Iterator[DataRow]:
    """Yield numbered rows of typed columns as plain data; unreadable ones are reported."""
    size = 0
    for number, given in rows:
        place = SourceLocation(file, number)
        try:
            values = plain_row(given)
            text = msgspec.json.encode(values).decode()
        except ValueError:
            message = "the row holds bytes that are not text."
            hint = "Store the column as text, or leave it out."
            report((Finding(*place, message, hint),))
            continue
        size += len(text)
        if len(text) > limits.line_bytes or size > limits.data_bytes:
            what = "row" if len(text) > limits.line_bytes else "file"
            bound = limits.line_bytes if what == "row" else limits.data_bytes
            raise refusal(place, f"the {what} is larger than {readable_limit(bound)} as JSON.")
        yield DataRow(number, values, text, column=0, is_numbered=True)
