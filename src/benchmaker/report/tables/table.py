"""A table of texts for the terminal, Markdown and spreadsheets."""

import csv
import io
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TextIO

from benchmaker.redact import Redactor
from benchmaker.report.tables.commands import wrap_hint
from benchmaker.report.tables.csv import text_cell
from benchmaker.report.tables.markdown_escaping import escape_markdown
from benchmaker.report.tables.width import WIDTH, cell_width, fold_name

SCALE = "0-100"
"""The unit of a score on display."""

_NAME = 8
"""The width to which names are folded at most."""

_READABLE = 24
"""The width to which names are folded before a column of the last ones is left out."""

_LEAST_READABLE = 12
"""The width to which names are folded before a column that folds names is left out."""

_GAP = 2
"""Columns between two cells."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading, its alignment, and whether it may be dropped on a narrow screen.

    ``head`` is the name of the figures, with a line feed where it may be broken. ``unit`` is
    their basis, their scale or their method: the last line of the heading.

    Columns give way by the number in ``gives_way``, equal ones together, the lowest first; with 0
    they are always shown. One that ``gives_way_last`` is left out only where folded names are still
    too wide. One that ``folds_names`` gives way only where folded names are too wide as well. Names
    are folded, in the columns that are marked as such, but for ids, which are
    ``is_whole``. ``interval_of`` is the name of the figure whose interval a column holds; the note
    on omitted columns names that interval only where the figure is shown.
    """

    head: str
    unit: str = ""
    is_right: bool = True
    gives_way: int = 0
    gives_way_last: bool = False
    folds_names: bool = False
    is_name: bool = False
    is_whole: bool = False
    interval_of: str = ""

    @property
    def lines(self) -> str:
        r"""The heading as in a terminal, the unit on a line of its own.

        >>> Column("Mean", "0-100").lines
        'Mean\n0-100'
        """
        return f"{self.head}\n{self.unit}" if self.unit else self.head

    @property
    def name(self) -> str:
        r"""The head on one line.

        >>> Column("Differ-\nence").name, Column("SD", "runs").name
        ('Difference', 'SD')
        """
        return self.head.replace("-\n", "").replace("\n", " ")

    @property
    def label(self) -> str:
        r"""The heading on one line, with the unit behind a comma.

        >>> Column("By the\njudge").label, Column("Mean", "0-100").label
        ('By the judge', 'Mean, 0-100')
        """
        return f"{self.name}, {self.unit}" if self.unit else self.name

    @property
    def heading(self) -> str:
        """The heading as one phrase for a list: with a comma before digits only."""
        first, *more = self.lines.replace("-\n", "").split("\n")
        return first + "".join(f"{', ' if line[:1].isdecimal() else ' '}{line}" for line in more)

    @property
    def page_label(self) -> str:
        r"""The label without a scale, which the caption of a table in HTML names.

        >>> Column("Mean", "0-100").page_label, Column("SD", "runs").page_label
        ('Mean', 'SD, runs')
        """
        return self.name if self.unit == SCALE else self.label


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, the first columns being names; ``caption`` is shown above.

    Columns that are not marked as names have them in the first column that begins on the left.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""

    def text(self, *, width: int = WIDTH, styled: bool = False) -> str:
        """Return text for the terminal: columns are dropped before names are folded.

        Dropped columns are named below. Lines end with a line feed.
        """
        note = wrap_paragraphs([omission_note([self], width)], width)
        return self.grid_text(width=width, styled=styled) + note

    def omitted_names(self, width: int) -> list[str]:
        """The names of the columns that a width leaves out."""
        places = self.fitting_columns(width)
        shown = {self.columns[at].name for at in places}
        hidden = [one for at, one in enumerate(self.columns) if at not in places]
        names = (
            one.name if not one.interval_of else f"{one.interval_of} {one.name}"
            for one in hidden
            if not one.interval_of or one.interval_of in shown
        )
        return list(dict.fromkeys(names))

    def n_lines(self, width: int) -> int:
        """The lines that the rows take at a width."""
        return self.grid_text(width=width).count("\n")

    def grid_text(self, *, width: int = WIDTH, styled: bool = False) -> str:
        """The same without the note."""
        from rich.box import SIMPLE_HEAD  # noqa: PLC0415  a heavy import
        from rich.console import Console  # noqa: PLC0415  a heavy import
        from rich.table import Table as Grid  # noqa: PLC0415  a heavy import
        from rich.text import Text  # noqa: PLC0415  a heavy import

        shown = self.fitting_columns(width)
        widths = self._widths(shown, width)
        grid = Grid(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
        for at in shown:
            column = self.columns[at]
            justify = {"justify": "right", "no_wrap": True} if column.is_right else {}
            grid.add_column(self._head(at), overflow="fold", width=widths[at], **justify)  # type: ignore[arg-type]  # two settings of one kind
        for row in self.rows:
            grid.add_row(*(Text(fold_name(row[at], widths[at])) for at in shown))
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
        """The places of the columns that are shown.

        Columns that give way are left out before names are folded, but for those that fold names.
        Folded names keep a readable width before one that gives way last is left out.
        """
        for shown, name, is_folded in self._attempts():
            if self._width_with(shown, name, is_folded=is_folded) <= width:
                return shown
        *_, shown = self._choices()
        while (
            self._width_with(shown, _NAME, is_folded=True) > width and self._last(shown) is not None
        ):
            shown = [at for at in shown if at != self._last(shown)]
        return shown

    @property
    def _names(self) -> tuple[int, ...]:
        """The places of the names."""
        marked = tuple(at for at, one in enumerate(self.columns) if one.is_name)
        return marked or tuple(at for at, one in enumerate(self.columns) if not one.is_right)[:1]

    def _attempts(self) -> Iterator[tuple[list[int], int, bool]]:
        """The columns, the width of names, and if words are folded; the best attempt first."""
        full = max((self._width(at) for at in self._names), default=0)
        for n_folding, group in groupby(self._choices(), self._count_folding):
            choices = list(group)
            least = (_READABLE, _LEAST_READABLE) if n_folding else (_READABLE,)
            for name, is_folded in ((full, False), *((min(full, one), True) for one in least)):
                yield from ((shown, name, is_folded) for shown in choices)

    def _count_folding(self, shown: Sequence[int]) -> int:
        return sum(self.columns[at].folds_names for at in shown)

    def _choices(self) -> Iterator[list[int]]:
        """All columns, then fewer and fewer of those that give way; names never do."""
        ranks = [0 if at in self._names else one.gives_way for at, one in enumerate(self.columns)]
        for most in sorted({0, *ranks}):
            yield [at for at, rank in enumerate(ranks) if not 0 < rank <= most]

    def _last(self, shown: Sequence[int]) -> int | None:
        """The column to leave out where all else fails; None if one column is left to the names.

        It is one that gives way last, else the one on the right.
        """
        others = [at for at in shown if at not in self._names]
        if len(others) < 2:  # noqa: PLR2004  a figure for each name
            return None
        return next((at for at in reversed(others) if self.columns[at].gives_way_last), others[-1])

    def _width_with(self, shown: Sequence[int], name: int, *, is_folded: bool) -> int:
        """The width of some columns with names of a width; words of others may be folded, too."""
        each = (
            self._least_name(at, name)
            if at in self._names
            else self._least_width(at, is_folded=is_folded)
            for at in shown
        )
        return sum(each) + _GAP * (len(shown) - 1)

    def _widths(self, shown: Sequence[int], width: int) -> dict[int, int]:
        """The widths of the columns by place: of figures, then of names, then of words."""
        names = [at for at in shown if at in self._names]
        others = [at for at in shown if at not in self._names]
        left = width - _GAP * (len(shown) - 1)
        is_folded = sum(map(self._width, shown)) > left
        widths = {at: self._least_width(at, is_folded=is_folded) for at in others}
        left -= sum(widths.values())
        for rest, at in zip(range(len(names), 0, -1), sorted(names, key=self._width), strict=True):
            widths[at] = max(min(self._width(at), left // rest), self._least_name(at, _NAME))
            left -= widths[at]
        for at in others:
            more = min(max(0, left), self._width(at) - widths[at])
            widths[at] += more
            left -= more
        return widths

    def _head(self, at: int) -> str:
        """The head; beside one of more lines, it begins on the first, but for that of names."""
        column = self.columns[at]
        if at in self._names:
            return column.lines
        most = max(one.lines.count("\n") for one in self.columns)
        return column.lines + "\n" * (most - column.lines.count("\n"))

    def _least_width(self, at: int, *, is_folded: bool) -> int:
        """The width of figures and words; words may be folded at spaces."""
        column = self.columns[at]
        if column.is_right or not is_folded:
            return self._width(at)
        cells = (column.lines, *(row[at] for row in self.rows))
        words = (cell_width(word) for cell in cells for word in cell.split())
        return min(self._width(at), max((*words, 1)))

    def _least_name(self, at: int, name: int) -> int:
        """The width of names folded to a width; no word of their head is split, and no id."""
        if self.columns[at].is_whole:
            return self._width(at)
        head = max(map(cell_width, self.columns[at].lines.split()), default=1)
        return max(min(self._width(at), name), head)

    def _width(self, at: int) -> int:
        heads = self.columns[at].lines.split("\n")
        lines = (line for row in self.rows for line in row[at].split("\n"))
        return max(map(cell_width, (*heads, *lines)))


def omission_note(tables: Iterable[Table], width: int) -> str:
    """A note on the columns of all tables that a width leaves out; empty if all fit."""
    names = dict.fromkeys(name for table in tables for name in table.omitted_names(width))
    return omitted_columns_note(list(names), width)


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
    """Sentences around a table, each from a new line; commands at their end are not broken."""
    return "".join(f"{wrap_hint(text, width)}\n" for text in paragraphs if text)


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
