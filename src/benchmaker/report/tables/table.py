"""A table of texts for the terminal, Markdown and spreadsheets."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any, TextIO

from benchmaker.report.tables.csv import protect_cell
from benchmaker.report.tables.markdown_escaping import escape_markdown

WIDTH = 80

_REMARK = re.compile(r"(?<=CI|SD)\n|\n(?=\d|adjusted|by weight|median|Cohen's d|τ-b)")
"""The line feed before a remark: what the figures are over, their scale, or how they were made."""

_FOLDED = 14
"""The width from which names and words are folded rather than columns left out."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading, its alignment, and whether it may be dropped on a narrow screen.

    A column with ``gives_way_last`` is dropped only if folded names are still too wide.
    """

    head: str
    is_right: bool = True
    gives_way: bool = False
    gives_way_last: bool = False

    @property
    def label(self) -> str:
        r"""The head on one line: a phrase, or a name and a remark behind a comma.

        >>> Column("By the\njudge").label, Column("Mean\n0-100").label
        ('By the judge', 'Mean, 0-100')
        """
        return _REMARK.sub(", ", self.head.replace("-\n", "")).replace("\n", " ")

    @property
    def heading(self) -> str:
        """The heading as one phrase for a list: with a comma before digits only."""
        first, *more = self.head.replace("-\n", "").split("\n")
        return first + "".join(f"{', ' if line[:1].isdecimal() else ' '}{line}" for line in more)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, the first columns being names; ``caption`` is shown above."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""

    def text(self, *, width: int = WIDTH, styled: bool = False) -> str:
        """Return text for the terminal: columns are dropped before names are folded.

        Dropped columns are named below. Lines end with a line feed.
        """
        from rich.box import SIMPLE_HEAD  # noqa: PLC0415  a heavy import
        from rich.console import Console  # noqa: PLC0415  a heavy import
        from rich.table import Table as Grid  # noqa: PLC0415  a heavy import
        from rich.text import Text  # noqa: PLC0415  a heavy import

        shown = self._fitting_columns(width)
        grid = Grid(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
        for at in shown:
            column = self.columns[at]
            justify = {"justify": "right", "no_wrap": True} if column.is_right else {}
            least = 1 if column.is_right else max(map(len, column.head.split()), default=1)
            grid.add_column(column.head, overflow="fold", min_width=least, **justify)  # type: ignore[arg-type]  # two settings of one kind
        for row in self.rows:
            grid.add_row(*(Text(row[at]) for at in shown))
        page = io.StringIO()
        console = Console(
            file=page,
            width=width,
            height=25,
            force_terminal=styled,
            color_system="standard" if styled else None,
            legacy_windows=False,
        )
        console.print(grid)
        lines = (line.rstrip() for line in page.getvalue().splitlines() if line.strip())
        head = f"{self.caption}\n" if self.caption else ""
        missing = [one.heading for at, one in enumerate(self.columns) if at not in shown]
        below = wrap_paragraphs([omitted_columns_note(missing, width)], width)
        return head + "".join(f"{line}\n" for line in lines) + below

    def markdown(self) -> str:
        """For pull requests and chats; no markup in a cell works."""
        heads = [escape_markdown(column.label) for column in self.columns]
        rule = ["---:" if column.is_right else "---" for column in self.columns]
        caption = f"{escape_markdown(self.caption)}\n\n" if self.caption else ""
        cells = ([escape_markdown(cell) for cell in row] for row in self.rows)
        return caption + "".join(f"| {' | '.join(row)} |\n" for row in (heads, rule, *cells))

    def _fitting_columns(self, width: int) -> list[int]:
        """The places of the columns that are shown; those that give way go from the right."""
        shown = list(range(len(self.columns)))
        for at in reversed(range(len(self.columns))):
            if sum(self._width(one) for one in shown) <= width + 1:
                break
            if self.columns[at].gives_way:
                shown.remove(at)
        for at in reversed(shown.copy()):
            if self.columns[at].gives_way_last and sum(map(self._folded_width, shown)) > width + 1:
                shown.remove(at)
        return shown

    def _folded_width(self, at: int) -> int:
        """The width of a column of figures, which are never split, or of names on several lines."""
        return self._width(at) if self.columns[at].is_right else min(self._width(at), _FOLDED)

    def _width(self, at: int) -> int:
        from rich.cells import cell_len  # noqa: PLC0415  a heavy import

        heads = self.columns[at].head.split("\n")
        lines = (line for row in self.rows for line in row[at].split("\n"))
        return 2 + max(map(cell_len, (*heads, *lines)))


def omitted_columns_note(heads: Sequence[str], width: int) -> str:
    """A note on columns that don't fit, and how to see them; empty if all fit.

    >>> omitted_columns_note(["SD", "Strict"], 80)
    'Left out at 80 columns: SD, Strict. A wider terminal or --json shows them.'
    """
    if not heads:
        return ""
    them = "it" if len(heads) == 1 else "them"
    names = ", ".join(heads)
    return f"Left out at {width} columns: {names}. A wider terminal or --json shows {them}."


def wrap_paragraphs(paragraphs: Iterable[str], width: int) -> str:
    """Sentences below a table, each from a new line."""
    return "".join(
        f"{fill(text, width, break_long_words=False, break_on_hyphens=False)}\n"
        for text in paragraphs
        if text
    )


def bullets(sentences: Iterable[str]) -> str:
    """The same in Markdown."""
    return "".join(f"- {escape_markdown(sentence)}\n" for sentence in sentences if sentence)


def write_rows(stream: TextIO, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write CSV with every figure in full; missing ones are empty."""
    table = csv.writer(stream)
    table.writerow(columns)
    for row in rows:
        table.writerow([_cell(row[column]) for column in columns])


def _cell(value: Any) -> str:  # noqa: ANN401  any scalar, or texts
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case int() | float():
            return repr(value)
        case list() | tuple():
            return protect_cell("; ".join(map(str, value)))
        case _:
            return protect_cell(str(value))
