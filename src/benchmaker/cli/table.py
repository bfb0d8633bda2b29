"""Plain tables for the terminal: aligned, two spaces apart, never wider than the window."""

import shutil
from collections.abc import Sequence

from benchmaker.cli.output import one_line, printable


def table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()
) -> list[str]:
    """The lines of a table; columns in ``right`` are aligned to the right, the last may be cut.

    >>> table(["case", "n"], [["a", "12"], ["bb", "3"]], right=[1])
    ['case   n', 'a     12', 'bb     3']
    """
    cells = [[printable(cell).replace("\n", " ") for cell in row] for row in (heads, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [_line(row, widths, right) for row in cells]


def _line(row: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> str:
    parts = [
        cell.rjust(width) if at in right else cell.ljust(width)
        for at, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return one_row("  ".join(parts).rstrip())


def one_row(text: str) -> str:
    """The row cut to the window, where there is one."""
    width = window_width()
    return text if len(text) <= width else text[: width - 1] + "…"


def window_width() -> int:
    """Columns of the window; without one, room enough for everything."""
    return shutil.get_terminal_size((10_000, 24)).columns


__all__ = ["one_line", "one_row", "table", "window_width"]
