"""Sheets of Excel workbooks as rows by column name, their cells as text."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from benchmaker.errors import Finding, SpecError
from benchmaker.spec.documents.csv_rows import column_names
from benchmaker.spec.documents.files import open_regular_raw
from benchmaker.spec.documents.findings import refusal
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.source_map import SourceLocation
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.spec.documents.typed_values import DATA_EXTRA, load_library
from benchmaker.spec.documents.workbook_size import check_workbook, damage_error

_EXACT = 10**15
"""Whole numbers below this keep all their digits in a workbook."""


def read_sheet(
    path: Path, sheet: str | None, *, limits: Limits, report: Callable[[Finding], None]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each row's number in the sheet and its cells by column; blank rows are skipped.

    The first row that is not blank names the columns. Rows with cells beyond them are reported and
    skipped. Formulas have the value they were saved
    with. ``sheet`` may be None where the workbook has one sheet.

    Raises:
        SpecError: the workbook cannot be read or is too large, or it has no such sheet.
        PrerequisiteError: python-calamine is not installed.
    """
    rows = enumerate(_cells(path, sheet, limits), 1)
    filled = ((number, row) for number, row in rows if any(row))
    header_row, header = next(filled, (1, []))
    names = _strip_right(header)
    columns = column_names(names, SourceLocation(str(path), header_row))
    for number, row in filled:
        if any(row[len(columns) :]):
            message = "the row has cells outside the named columns."
            report(Finding(str(path), number, 0, message, "Name their columns, or clear them."))
        else:
            yield number, dict(zip(columns, row, strict=False))


def _strip_right(cells: Sequence[str]) -> list[str]:
    """The cells without blank ones at the end."""
    last = max((index for index, cell in enumerate(cells, 1) if cell.strip()), default=0)
    return list(cells[:last])


def _cells(path: Path, sheet: str | None, limits: Limits) -> Iterator[list[str]]:
    calamine = load_library("python_calamine", "python-calamine", DATA_EXTRA)
    with open_regular_raw(path, limits=limits) as raw:
        check_workbook(raw, path, limits=limits)
        try:
            with calamine.load_workbook(str(path)) as book:
                found = book.get_sheet_by_name(_choose(list(book.sheet_names), sheet, path))
                rows = found.to_python(skip_empty_area=False)
        except (calamine.CalamineError, OSError, ValueError) as exc:
            if isinstance(exc, SpecError):
                raise
            raise damage_error(path, exc) from exc
    return ([_text(cell) for cell in row] for row in rows)


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
        case float() if cell.is_integer() and abs(cell) < _EXACT:
            return str(int(cell))
        case datetime() | date() | time():
            return cell.isoformat()
        case _:
            return str(cell)
