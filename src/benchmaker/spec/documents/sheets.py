"""Sheets of Excel workbooks as rows by column name, their cells as text."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, NamedTuple

from benchmaker.errors import Finding, SpecError
from benchmaker.spec.documents.csv_rows import column_names
from benchmaker.spec.documents.files import open_regular_raw
from benchmaker.spec.documents.findings import refusal
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.source_map import SourceLocation
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.spec.documents.typed_values import DATA_EXTRA, EXACT, load_library
from benchmaker.spec.documents.workbook_size import check_workbook, damage_error


def read_sheet(
    path: Path, sheet: str | None, *, limits: Limits, report: Callable[[Finding], None]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each row's number in the sheet and its cells by column; blank rows are skipped.

    The first row that is not blank names the columns. Rows with cells beyond them are reported and
    skipped. Formulas have the value they were saved with. ``sheet`` may be None where the workbook
    has one sheet.

    Raises:
        SpecError: the workbook cannot be read or is too large, it has no such sheet, or cells of
            the rows are merged.
        PrerequisiteError: python-calamine is not installed.
    """
    found = _open_sheet(path, sheet, limits)
    rows = enumerate(found.rows, 1)
    filled = ((number, row) for number, row in rows if any(row))
    header_row, header = next(filled, (1, []))
    names = _strip_right(header)
    columns = column_names(names, SourceLocation(str(path), header_row))
    for first, last in found.merged:
        if last.row > header_row and first.column <= len(columns):
            message = f"the cells {first} to {last} are merged, and only the first has a value."
            place = SourceLocation(str(path), first.row)
            raise refusal(place, message, "Unmerge them, and fill in each cell.")
    for number, row in filled:
        if any(row[len(columns) :]):
            message = "the row has cells outside the named columns."
            hint = f"Name their columns in row {header_row}, or clear them."
            report(Finding(str(path), number, 0, message, hint))
        else:
            yield number, dict(zip(columns, row, strict=False))


def _strip_right(cells: Sequence[str]) -> list[str]:
    """The cells without blank ones at the end."""
    last = max((index for index, cell in enumerate(cells, 1) if cell.strip()), default=0)
    return list(cells[:last])


class _Place(NamedTuple):
    """A cell, whose row and column count from 1.

    >>> str(_Place(7, 28))
    'AB7'
    """

    row: int
    column: int

    def __str__(self) -> str:
        letters, left = "", self.column
        while left:
            left, letter = divmod(left - 1, 26)
            letters = chr(ord("A") + letter) + letters
        return f"{letters}{self.row}"


class _Sheet(NamedTuple):
    """The cells of a sheet by row, and the first and last cell of each merged range."""

    rows: Iterator[list[str]]
    merged: list[tuple[_Place, _Place]]


def _open_sheet(path: Path, sheet: str | None, limits: Limits) -> _Sheet:
    calamine = load_library("python_calamine", "python-calamine", DATA_EXTRA)
    with open_regular_raw(path, limits=limits) as raw:
        check_workbook(raw, path, limits=limits)
        try:
            with calamine.load_workbook(str(path)) as book:
                found = book.get_sheet_by_name(_choose(list(book.sheet_names), sheet, path))
                rows = found.to_python(skip_empty_area=False)
                merged = found.merged_cell_ranges or []
        except (calamine.CalamineError, OSError, ValueError) as exc:
            if isinstance(exc, SpecError):
                raise
            raise damage_error(path, exc) from exc
    return _Sheet(
        (_row_texts(row, number, path) for number, row in enumerate(rows, 1)),
        [
            (_Place(top + 1, left + 1), _Place(bottom + 1, right + 1))
            for (top, left), (bottom, right) in merged
        ],
    )


def _choose(sheets: list[str], wanted: str | None, path: Path) -> str:
    place, listed = SourceLocation(str(path)), ", ".join(sheets)
    if wanted is None and len(sheets) == 1:
        return sheets[0]
    if wanted is None:
        raise refusal(
            place,
            f"the workbook has {len(sheets)} sheets: {listed}.",
            "Choose one: in a suite cases: {file: …, sheet: NAME}, for an upload the field Sheet.",
        )
    if wanted not in sheets:
        hint = did_you_mean(wanted, sheets) or f"Sheets: {listed}."
        raise refusal(place, f"the workbook has no sheet {wanted!r}.", hint)
    return wanted


def _row_texts(row: Sequence[Any], number: int, path: Path) -> list[str]:
    """The texts of a row's cells; SpecError for a whole number whose digits Excel has not kept."""
    for column, cell in enumerate(row, 1):
        if isinstance(cell, float) and cell.is_integer() and abs(cell) >= EXACT:
            raise refusal(
                SourceLocation(str(path), number),
                f"cell {_Place(number, column)} holds a whole number of more than 15 digits, "
                "which Excel does not keep exactly.",
                "Store it as text: format the cell as Text, and enter the number again.",
            )
    return [_text(cell) for cell in row]


def _text(cell: Any) -> str:  # noqa: ANN401  any value of a cell
    """A cell as CSV would hold it.

    >>> _text(1.0), _text(0.1), _text(True), _text(date(2026, 1, 31))
    ('1', '0.1', 'true', '2026-01-31')
    """
    match cell:
        case str():
            return cell
        case bool():
            return str(cell).lower()
        case float() if cell.is_integer() and abs(cell) < EXACT:
            return str(int(cell))
        case datetime() | date() | time():
            return cell.isoformat()
        case _:
            return str(cell)
