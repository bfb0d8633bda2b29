"""Cells as spreadsheets copy them: columns end at tabs, rows at lines, few cells have quotes.

Spreadsheets put a cell in quotes if it holds a line break or a tab, some also if it holds a quote;
the quotes inside are then doubled. All other quotes are part of the text, so ``"Paris"`` is a word
in quotes and ``5"`` is five inches. A table whose header is in quotes was written by a program
that quotes all cells.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmaker.errors import Finding
from benchmaker.spec.documents.csv_rows import column_names, row_length_fault
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.sizes import readable_limit
from benchmaker.spec.documents.source_map import SourceLocation

_CELL = re.compile(r'"((?:[^"]|"")*+)"(?=[\t\n]|\Z)|[^\t\n]*')
_NEEDS_QUOTES = re.compile(r'[\t\n]|""')
_QUOTE_IT = "Put a cell that holds a tab in double quotes."


def read_copied_cells(
    text: str, file: str, *, limits: Limits, report: Callable[[Finding], None]
) -> Iterator[tuple[int, dict[str, str]]]:
    r"""Yield each row's first line number and its cells by column, without blank lines.

    Lines of the text end with ``\n``. Rows of another length, or too long, are reported and
    skipped. SpecError without a usable header.
    """
    rows = _Rows(text).records()
    header_line, names = next(rows, (1, []))
    columns = column_names(names, SourceLocation(file, header_line, 1))
    for line, cells in rows:
        if sum(map(len, cells)) > limits.line_bytes:
            message = f"the row is longer than {readable_limit(limits.line_bytes)}."
            report(Finding(file, line, 1, message, "Shorten it."))
        elif len(cells) == len(columns):
            yield line, dict(zip(columns, cells, strict=True))
        else:
            report(Finding(file, line, 1, *row_length_fault(len(cells), columns, _QUOTE_IT)))


@dataclass(slots=True)
class _Rows:
    """The rows of a text; ``width`` is the number of columns, 0 before the header is read."""

    text: str
    width: int = 0
    quotes_all: bool = False

    def records(self) -> Iterator[tuple[int, list[str]]]:
        at, line = 0, 1
        while at < len(self.text):
            cells, end = self.record(at)
            if cells != [""]:
                self.width = self.width or len(cells)
                yield line, cells
            line += self.text.count("\n", at, end)
            at = end

    def record(self, at: int) -> tuple[list[str], int]:
        """The cells of the row that begins at an offset, and the offset of the next row."""
        line_end = self.line_end(at)
        if not self.width:
            self.quotes_all = _are_quoted(self.cells(at, line_end)[0])
        cells, end = self.cells(at, len(self.text))
        is_row = len(cells) == self.width and not self.are_rows(at, end)
        if self.width and not is_row:
            for alone in (self.cells(at, line_end)[0], self.text[at:line_end].split("\t")):
                if len(alone) == self.width:
                    return alone, line_end + 1
        return cells, end

    def line_end(self, at: int) -> int:
        found = self.text.find("\n", at)
        return len(self.text) if found < 0 else found

    def are_rows(self, at: int, end: int) -> bool:
        """True for lines with all cells each: a quote in one closes by chance in another.

        Lines that begin with a tab are the indented ones of a cell.
        """
        first, *others = self.text[at:end].removesuffix("\n").split("\n")
        tabs = {line.count("\t") for line in (first, *others)}
        return bool(others) and tabs == {self.width - 1} and "\n\t" not in self.text[at:end]

    def cells(self, at: int, end: int) -> tuple[list[str], int]:
        """The cells up to the end of the row, or of the text that ends at an offset."""
        found: list[str] = []
        while match := _CELL.match(self.text, at, end):
            found.append(self.cell(match))
            at = match.end() + 1
            if match.end() >= end or self.text[match.end()] == "\n":
                break
        return found, at

    def cell(self, match: re.Match[str]) -> str:
        inner = match[1]
        if inner is None or not (self.quotes_all or _NEEDS_QUOTES.search(inner)):
            return match[0]
        return inner.replace('""', '"')


def _are_quoted(cells: Sequence[str]) -> bool:
    return all(len(one) > 1 and one[0] == one[-1] == '"' for one in cells)
