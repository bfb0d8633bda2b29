"""The rows of a Markdown table by column name: every row keeps its line."""

import re
from collections.abc import Callable, Iterable, Iterator

from benchmaker.errors import Finding
from benchmaker.spec.documents.csv_rows import column_names, row_length_fault
from benchmaker.spec.documents.source_map import SourceLocation

_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def is_markdown_table(text: str) -> bool:
    r"""True if a text begins with a Markdown table: a head with bars, and a line of dashes.

    >>> is_markdown_table("| id | q |\n|---|:-:|\n| a | ? |"), is_markdown_table("id|q\na|?")
    (True, False)
    """
    head, *rest = [line for line in text.lstrip().split("\n", 2)[:2] if line.strip()] or [""]
    return bool(rest) and "|" in head and "|" in rest[0] and bool(_RULE.fullmatch(rest[0]))


def read_markdown_table(
    lines: Iterable[str], file: str, *, report: Callable[[Finding], None]
) -> Iterator[tuple[int, dict[str, str]]]:
    r"""Yield each row's line number and its cells by column; ``\|`` is a bar, ``<br>`` a new line.

    Rows of another length are reported and skipped. SpecError without a usable head.
    """
    numbered = ((at, line) for at, line in enumerate(lines, 1) if line.strip())
    number, head = next(numbered, (1, ""))
    columns = column_names(_cells(head), SourceLocation(file, number, 1))
    next(numbered, None)
    for at, line in numbered:
        cells = _cells(line)
        if len(cells) == len(columns):
            yield at, dict(zip(columns, cells, strict=True))
        else:
            hint = r"Write a bar inside a cell as \|."
            report(Finding(file, at, 1, *row_length_fault(len(cells), columns, hint)))


def _cells(line: str) -> list[str]:
    inner = line.strip()
    inner = inner.removeprefix("|")
    if inner.endswith("|") and not inner.endswith(r"\|"):
        inner = inner[:-1]
    return [_BREAK.sub("\n", cell.strip().replace(r"\|", "|")) for cell in _BAR.split(inner)]
