"""A table of texts for the terminal, Markdown and spreadsheets."""

import csv
import io
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any, TextIO

from benchmaker.redact import Redactor
from benchmaker.report.tables.csv import text_cell
from benchmaker.report.tables.markdown_escaping import escape_markdown

WIDTH = 80

SCALE = "0-100"
"""The unit of a score on display."""

NAME = 8
"""A name is never folded to less, where names are folded rather than figures left out."""

_REMARK = re.compile(r"(?<=CI|SD)\n|\n(?=\d|adjusted|by weight|median|Cohen's d|τ-b)")
"""The line feed before a remark: what the figures are over, their scale, or how they were made."""

_READABLE = 24
"""The width to which names are folded before the last figures give way."""

_FOLDED = 14
"""The width from which names and words are folded rather than columns left out."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading, its alignment, and whether it may be dropped on a narrow screen.

    Beside names that fold, columns give way by the number in ``gives_way``, equal ones together;
    elsewhere from the right. One that ``gives_way_last`` is left out only where folded names are
    still too wide. Terminals with fewer than ``from_width`` columns never have it. The note on
    omitted columns names those that are ``is_named``.
    """

    head: str
    is_right: bool = True
    gives_way: int = 0
    gives_way_last: bool = False
    from_width: int = 0
    is_named: bool = True

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

    @property
    def page_label(self) -> str:
        r"""The label without a scale, which the caption of a table in HTML names.

        >>> Column("Mean\n0-100").page_label, Column("SD\nruns").page_label
        ('Mean', 'SD, runs')
        """
        return self.label.removesuffix(f", {SCALE}")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, the first columns being names; ``caption`` is shown above.

    With ``folds_names`` the names in the first column are folded rather than figures left out,
    where no choice of columns leaves room for the longest.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    folds_names: bool = False

    def text(self, *, width: int = WIDTH, styled: bool = False) -> str:
        """Return text for the terminal: columns are dropped before names are folded.

        Dropped columns are named below. Lines end with a line feed.
        """
        note = wrap_paragraphs([self.omission_note(width)], width)
        return self.grid_text(width=width, styled=styled) + note

    def omission_note(self, width: int) -> str:
        """A note on the columns that a width leaves out; empty if all fit."""
        shown = self.fitting_columns(width)
        missing = [
            one.head.split("\n")[0] if self.folds_names else one.heading
            for at, one in enumerate(self.columns)
            if one.is_named and at not in shown
        ]
        return omitted_columns_note(missing, width)

    def grid_text(self, *, width: int = WIDTH, styled: bool = False) -> str:
        """The same without the note."""
        from rich.box import SIMPLE_HEAD  # noqa: PLC0415  a heavy import
        from rich.console import Console  # noqa: PLC0415  a heavy import
        from rich.table import Table as Grid  # noqa: PLC0415  a heavy import
        from rich.text import Text  # noqa: PLC0415  a heavy import

        shown = self.fitting_columns(width)
        grid = Grid(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
        for at in shown:
            column = self.columns[at]
            justify = {"justify": "right", "no_wrap": True} if column.is_right else {}
            head, least = self._head(column), self._least(column)
            grid.add_column(head, overflow="fold", min_width=least, **justify)  # type: ignore[arg-type]  # two settings of one kind
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
        return wrap_paragraphs([self.caption], width) + "".join(f"{line}\n" for line in lines)

    def markdown(self, *, plain: Container[str] | None = None) -> str:
        """For pull requests and chats; no markup in a cell works.

        Args:
            plain: words that are not figures. With them the first column names the row and the
                first figure of each row is bold; figures are written as they are.
        """
        heads = [escape_markdown(column.label) for column in self.columns]
        rule = ["---:" if column.is_right else "---" for column in self.columns]
        caption = f"{escape_markdown(self.caption)}\n\n" if self.caption else ""
        cells = [[escape_markdown(cell) for cell in row] for row in self.rows]
        if plain is not None:
            cells = [self._with_bold_figure(row, plain) for row in self.rows]
        return caption + "".join(f"| {' | '.join(row)} |\n" for row in (heads, rule, *cells))

    def _with_bold_figure(self, row: Sequence[str], plain: Container[str]) -> list[str]:
        """The cells in Markdown, the first figure bold unless it is a word."""
        name, first, *more = (
            cell if column.is_right else escape_markdown(cell)
            for column, cell in zip(self.columns, row, strict=True)
        )
        return [name, first if first in plain else f"**{first}**", *more]

    def fitting_columns(self, width: int) -> list[int]:
        """The places of the columns that are shown; those that give way go from the right."""
        shown = [at for at, one in enumerate(self.columns) if one.from_width <= width]
        if self.folds_names:
            return self._fitting_beside_names(shown, width)
        for at in reversed(shown.copy()):
            if sum(self._width(one) for one in shown) <= width + 1:
                break
            if self.columns[at].gives_way:
                shown.remove(at)
        for at in reversed(shown.copy()):
            if self.columns[at].gives_way_last and sum(map(self._folded_width, shown)) > width + 1:
                shown.remove(at)
        return shown

    def _fitting_beside_names(self, every: list[int], width: int) -> list[int]:
        """As many columns as leave room for the longest name, or else for one that is folded."""
        ranks = sorted({self.columns[at].gives_way for at in every} - {0})
        choices = [
            [at for at in every if not 0 < self.columns[at].gives_way <= most]
            for most in (0, *ranks)
        ]
        name = max(self._width(0) - 2, NAME)
        for least in (name, min(name, _READABLE), NAME):
            for shown in choices:
                if least + sum(self._width(at) for at in shown if at) <= width:
                    return shown
        return choices[-1]

    def _head(self, column: Column) -> str:
        """The head; that of a figure begins on the first line beside names that are folded."""
        if not (self.folds_names and column.is_right):
            return column.head
        most = max(one.head.count("\n") for one in self.columns)
        return column.head + "\n" * (most - column.head.count("\n"))

    def _least(self, column: Column) -> int:
        """The width to which a column may be folded."""
        if column.is_right:
            return 1
        longest = max(map(len, column.head.split()), default=1)
        return max(longest, NAME) if self.folds_names else longest

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
    'Hidden at 80 columns: SD, Strict. Use a wider terminal or --json to see them.'
    """
    if not heads:
        return ""
    them = "it" if len(heads) == 1 else "them"
    names = ", ".join(heads)
    return f"Hidden at {width} columns: {names}. Use a wider terminal or --json to see {them}."


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


def write_rows(
    stream: TextIO,
    columns: Sequence[str],
    rows: Iterable[Mapping[str, Any]],
    *,
    redactor: Redactor | None = None,
) -> None:
    """Write CSV with every figure in full; missing ones are empty."""
    hide = redactor.text if redactor else str
    table = csv.writer(stream)
    table.writerow(columns)
    for row in rows:
        table.writerow([_cell(row[column], hide) for column in columns])


def _cell(value: Any, hide: Callable[[str], str]) -> str:  # noqa: ANN401  any scalar, or texts
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case int() | float():
            return repr(value)
        case list() | tuple():
            return text_cell("; ".join(map(str, value)), hide)
        case _:
            return text_cell(str(value), hide)
