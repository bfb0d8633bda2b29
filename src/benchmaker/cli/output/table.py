"""Plain tables for the terminal: aligned, two spaces apart, never wider than the window."""

import sys
from collections.abc import Sequence
from itertools import accumulate

from benchmaker.cli.output.output import escape_controls
from benchmaker.report.tables.width import WIDTH, width_of

_GAP = "  "
_LEAST = 8
"""A text is never cut to less."""

_READABLE = 24
"""Columns give way before a text is cut to less."""


def format_table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[int] = (),
    gives_way: Sequence[int] = (),
) -> list[str]:
    """Return the lines of a table; columns in ``right`` hold figures, aligned to the right.

    In a narrow window the text of the last column is truncated, once those of ``gives_way`` are
    omitted if it would be short. Figures are not: columns without room are omitted, those of
    ``gives_way`` first, then from the right, and named in a line below.

    >>> format_table(["case", "n"], [["a", "12"], ["bb", "3"]], right=[1])
    ['case   n', 'a     12', 'bb     3']
    """
    cells = [[escape_controls(cell).replace("\n", " ") for cell in row] for row in (heads, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    places = _fitting_places(widths, right, gives_way)
    lines = [_line(row, widths, right, places) for row in cells]
    return [*lines, *_left_out([it for at, it in enumerate(cells[0]) if at not in places])]


def _fitting_places(
    widths: Sequence[int], right: Sequence[int], gives_way: Sequence[int]
) -> list[int]:
    """The places of the columns shown."""
    places = list(range(len(widths)))
    for at in gives_way:
        if _fitting_among(places, widths, right, _READABLE) == places:
            return places
        places = [one for one in places if one != at]
    return _fitting_among(places, widths, right, _LEAST)


def _fitting_among(
    places: list[int], widths: Sequence[int], right: Sequence[int], least: int
) -> list[int]:
    """Those that fit, from the left."""
    figures = [at for at, place in enumerate(places) if place in right]
    return places[: _fitting_count([widths[one] for one in places], figures, least)]


def _fitting_count(widths: Sequence[int], right: Sequence[int], least: int) -> int:
    """Return the number of columns shown: those that fit, and a truncatable text at the end."""
    window = window_width()
    begins = [0, *accumulate(width + len(_GAP) for width in widths)]
    whole = sum(begin - len(_GAP) <= window for begin in begins[1:])
    last = len(widths) - 1
    if whole == last and last not in right and window - begins[last] >= least:
        return len(widths)
    return max(1, whole)


def _line(
    row: Sequence[str], widths: Sequence[int], right: Sequence[int], places: Sequence[int]
) -> str:
    parts = [
        row[at].rjust(widths[at]) if at in right else row[at].ljust(widths[at]) for at in places
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
    """Columns of text on stdout."""
    return WIDTH if sys.stdout is None else width_of(sys.stdout)
