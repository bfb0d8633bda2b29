"""Cells of tables for spreadsheets, which must not be read as formulas."""

import re

_FORMULA = re.compile(r"['\s]*[=+\-@\t\r＝＋－＠]")  # noqa: RUF001  full-width signs count too
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def protect_cell(cell: str) -> str:
    """Return the cell with ``'`` before text that a spreadsheet would read as a formula.

    Numbers are unchanged. :func:`unprotect_cell` reverses it exactly.

    >>> protect_cell("=1+1"), protect_cell("-3.5"), protect_cell("- a list")
    ("'=1+1", '-3.5', "'- a list")
    """
    if _NUMBER.fullmatch(cell) or not _FORMULA.match(cell):
        return cell
    return f"'{cell}"


def unprotect_cell(cell: str) -> str:
    """Return the input of :func:`protect_cell`."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
