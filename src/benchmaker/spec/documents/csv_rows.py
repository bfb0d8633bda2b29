"""CSV as rows by column name: the delimiter is found, every row keeps its line."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

from benchmaker.errors import Finding, SpecError
from benchmaker.spec.documents.findings import refusal
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.sizes import readable_limit
from benchmaker.spec.documents.source_map import SourceLocation

_QUOTED = re.compile(r'"[^"]*"')
_OPEN_CELL = re.compile(r'(?:^|[,;\t|])"(?:[^"]|"")*+\Z')
_HEADER_LINES = 50
_DELIMITERS = ",;\t|"
_LISTED = 5
_DELIMITER_LINE = re.compile(r'"?sep=(,|;|\||\t|\\t)"?\s*', re.IGNORECASE)


def read_table(
    lines: Iterable[str], file: str, *, limits: Limits, report: Callable[[Finding], None]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each row's first line number and its cells by column; cells are text, never formulas.

    The first line names the columns; before it, ``sep=;`` may name the delimiter, as for Excel.
    Rows of another length are reported and skipped. SpecError where reading cannot continue: no
    usable header, a quote that never closes, a huge cell.
    """
    source = iter(lines)
    first = next(source, "")
    given = given_delimiter(first)
    header = header_lines(source if given else chain((first,), source))
    delimiter = given or likely_delimiter("".join(header))
    rows = _rows(chain(header, source), file, delimiter, limits, 1 if given else 0)
    header_line, names = next(rows, (1, []))
    columns = column_names(names, SourceLocation(file, header_line, 1))
    for line, cells in rows:
        if len(cells) == len(columns):
            yield line, dict(zip(columns, cells, strict=True))
        else:
            hint = "Quote cells that hold the delimiter."
            report(Finding(file, line, 1, *row_length_fault(len(cells), columns, hint)))


def row_length_fault(cells: int, columns: Sequence[str], hint_if_long: str) -> tuple[str, str]:
    """Return the message and the hint for a row with fewer or more cells than its header."""
    there = f"{cells} cell{'' if cells == 1 else 's'}"
    message = f"the row has {there}, but the header has {len(columns)}."
    if cells > len(columns):
        return message, hint_if_long
    absent = columns[cells:]
    names = ", ".join(map(repr, absent[:_LISTED])) + (", …" if len(absent) > _LISTED else "")
    return message, f"Add {names}; a cell may be empty."


def given_delimiter(line: str) -> str:
    r"""The delimiter that a first line such as ``sep=;`` names; empty where it names none.

    >>> given_delimiter("sep=;\r\n"), given_delimiter("sep=\t"), given_delimiter("id;sep=;")
    (';', '\t', '')
    """
    match = _DELIMITER_LINE.fullmatch(line)
    return match[1].replace("\\t", "\t") if match else ""


def header_lines(lines: Iterator[str]) -> list[str]:
    r"""Return the first line, with the following ones if a quoted cell goes on there.

    A quote that does not close within 50 lines is part of a word.

    >>> header_lines(iter(['"a\n', 'b";c\n', "1;2\n"])), header_lines(iter(['5" tall;c\n', "1;2"]))
    (['"a\n', 'b";c\n'], ['5" tall;c\n'])
    """
    found = list(islice(lines, 1))
    while found and _OPEN_CELL.search("".join(found)) and len(found) < _HEADER_LINES:
        more = next(lines, None)
        if more is None:
            break
        found.append(more)
    return found


def likely_delimiter(header: str) -> str:
    r"""Return the most frequent delimiter outside quotes; the comma where there is none.

    >>> likely_delimiter('id;"a, b, c";d'), likely_delimiter("id")
    (';', ',')
    """
    bare = _QUOTED.sub("", header)
    return max(_DELIMITERS, key=bare.count)


def _rows(
    lines: Iterator[str], file: str, delimiter: str, limits: Limits, lines_before: int
) -> Iterator[tuple[int, list[str]]]:
    if csv.field_size_limit() < limits.line_bytes:
        csv.field_size_limit(limits.line_bytes)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        line = lines_before + reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as exc:
            raise _unreadable_error(exc, SourceLocation(file, line, 1), limits) from exc
        if cells is None:
            return
        if sum(map(len, cells)) > limits.line_bytes:
            raise _unreadable_error(
                csv.Error("field larger"), SourceLocation(file, line, 1), limits
            )
        if cells:
            yield line, cells


def _unreadable_error(exc: csv.Error, place: SourceLocation, limits: Limits) -> SpecError:
    words = str(exc)
    if "unexpected end of data" in words:
        message = "unclosed quote in this row."
    elif "field larger" in words:
        size = readable_limit(limits.line_bytes)
        message = f"a cell is longer than {size}, or its quote is not closed."
    elif "expected after" in words:
        message = "unexpected text after a closing quote."
    else:
        message = f"invalid CSV: {words}."
    return refusal(place, message, 'Double the quotes inside a quoted cell ("").')


def column_names(header: list[str], place: SourceLocation) -> list[str]:
    """Return the names in the header of a table; SpecError for missing and repeated ones."""
    columns = [name.strip() for name in header]
    if not any(columns):
        raise refusal(place, "the table has no header.", "Put the column names in the first line.")
    for index, name in enumerate(columns):
        if not name:
            raise refusal(
                place, f"column {index + 1} has no name.", "Name the column or remove it."
            )
        if name in columns[:index]:
            raise refusal(place, f"duplicate column {name!r}.", "Rename one of them.")
    return columns
