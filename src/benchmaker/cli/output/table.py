"""Plain tables for the terminal: aligned, two spaces apart, never wider than the window."""

import shutil
from collections.abc import Sequence
from itertools import accumulate

from benchmaker.cli.output.output import escape_controls

_GAP = "  "
_LEAST = 8
"""A text is never cut to less."""


def format_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()
) -> list[str]:
    """Return the lines of a table; columns in ``right`` hold figures, aligned to the right.

    In a narrow window the text of the last column is truncated. Figures are not: columns without
    room are omitted, from the right, and named in a line below.

    >>> format_table(["case", "n"], [["a", "12"], ["bb", "3"]], right=[1])
    ['case   n', 'a     12', 'bb     3']
    """
    cells = [[escape_controls(cell).replace("\n", " ") for cell in row] for row in (heads, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    fitting = _fitting_count(widths, right, window_width())
    lines = [_line(row[:fitting], widths[:fitting], right) for row in cells]
    return [*lines, *_left_out(cells[0][fitting:])]


def _fitting_count(widths: Sequence[int], right: Sequence[int], window: int) -> int:
    """Return the number of columns shown: those that fit, and a truncatable text at the end."""
    begins = [0, *accumulate(width + len(_GAP) for width in widths)]
    whole = sum(begin - len(_GAP) <= window for begin in begins[1:])
    last = len(widths) - 1
    if whole == last and last not in right and window - begins[last] >= _LEAST:
        return len(widths)
    return max(1, whole)


def _line(row: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> str:
    parts = [
        cell.rjust(width) if at in right else cell.ljust(width)
        for at, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return _cut(_GAP.join(parts).rstrip())


def _left_out(heads: Sequence[str]) -> list[str]:
    if not heads:
        return []
    from benchmaker.report.tables.table import omitted_columns_note, wrap_paragraphs

    width = window_width()
    return wrap_paragraphs([omitted_columns_note(heads, width)], width).splitlines()


def _cut(text: str) -> str:
    """The row cut to the window, where there is one."""
    width = window_width()
    return text if len(text) <= width else text[: width - 1] + "…"


def window_width() -> int:
    """Columns of the window; without one, room enough for everything."""
    return shutil.get_terminal_size((10_000, 24)).columns
