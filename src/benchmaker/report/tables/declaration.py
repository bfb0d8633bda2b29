"""A table of results declared once: its columns, from which text, Markdown, HTML and files come.

The rows are the results themselves. A column takes its plain value from the row's document, under
its own name, so that files and JSON have the same names and figures. A row that is plain data is
its own document; each column of one without a document has a ``value``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import takewhile
from typing import Any, Generic, NamedTuple, Protocol, TextIO, TypeVar, runtime_checkable

from benchmaker.redact import Redactor
from benchmaker.report.tables.column_kinds import ColumnKind
from benchmaker.report.tables.table import Column, Table, write_rows


@runtime_checkable
class RowDocument(Protocol):
    """A row: a result that becomes plain data."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data by the names of its fields."""


Made = TypeVar("Made")
Row = TypeVar("Row")
Outer = TypeVar("Outer")
OuterRow = TypeVar("OuterRow")
Setting = TypeVar("Setting")


class Surface(Enum):
    """A place that shows a table to people."""

    TERMINAL = "terminal"
    MARKDOWN = "Markdown"
    REPORT = "HTML report"
    PAGE = "page"
    GROUPS = "groups of cases"


def _always(made: object, surface: Surface) -> bool:  # noqa: ARG001  as TableColumn calls it
    return True


def _never(made: object) -> bool:  # noqa: ARG001  as TableColumn calls it
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn(Generic[Made, Row]):
    """A column of a declared table; what depends on the whole result is a function of it.

    Args:
        name: the key of its value in the row's document, and in files.
        keys: the names in files of a value with several parts, such as both ends of an interval;
            empty for ``name`` alone.
        value: the plain value; None for that of the document. It is not in files where the column
            has no name.
        kind: the kind of a ``value`` in files, where it may be missing in every row.
        title: the head, with line feeds where it may be broken; empty for a column in files alone.
        unit: the basis, the scale or the method of the figures; the last line of the head in a
            terminal, and behind a comma elsewhere.
        text: the cell as people read it; None for a column in files alone.
        help: a sentence for the legend; empty for none.
        is_right: figures stand on the right, names and words on the left.
        is_whole: its cells are ids, which are never broken.
        beside: the column that this one is the interval of; on narrow pages it stands below it.
        leads: it stands first, after the name of the row.
        shown_after: the column that it follows where both are shown; empty for its place in files.
        is_shown: if it is shown on a surface; files have every column.
        gives_way: narrow terminals leave out the lowest numbers first, equal ones together; 0 for
            never.
        gives_way_last: if it may be left out where folded names are still too wide.
        folds_names: if names are folded before it gives way.
        is_wide: it is left out of narrow pages.
    """

    name: str = ""
    keys: tuple[str, ...] = ()
    value: Callable[[Row, Made], Any] | None = None
    kind: ColumnKind | None = None
    title: str | Callable[[Made], str] = ""
    unit: str | Callable[[Made], str] = ""
    text: Callable[[Row, Made], str] | None = None
    help: str | Callable[[Made], str] = ""
    is_right: bool = True
    is_whole: bool | Callable[[Made], bool] = False
    beside: str = ""
    leads: Callable[[Made], bool] = _never
    shown_after: str = ""
    is_shown: Callable[[Made, Surface], bool] = _always
    gives_way: int | Callable[[Made], int] = 0
    gives_way_last: bool | Callable[[Made], bool] = False
    folds_names: bool = False
    is_wide: bool | Callable[[Made, Surface], bool] = True

    @property
    def file_keys(self) -> tuple[str, ...]:
        """Its names in files; none where it is for people alone."""
        return self.keys or ((self.name,) if self.name else ())

    def cell(self, row: Row, made: Made) -> str:
        """The cell as people read it."""
        return self.text(row, made) if self.text else ""

    def head(self, made: Made) -> Column:
        """The column of a table of texts."""
        return Column(
            _resolve(self.title, made),
            _resolve(self.unit, made),
            is_right=self.is_right,
            is_whole=_resolve(self.is_whole, made),
            gives_way=_resolve(self.gives_way, made),
            gives_way_last=_resolve(self.gives_way_last, made),
            folds_names=self.folds_names,
        )

    def within(
        self, made: Callable[[Outer], Made], row: Callable[[OuterRow], Row]
    ) -> "TableColumn[Outer, OuterRow]":
        """The same column of a table whose results and rows hold this one's."""
        value, text = self.value, self.text
        return TableColumn(
            name=self.name,
            keys=self.keys,
            value=None if value is None else lambda it, of: value(row(it), made(of)),
            kind=self.kind,
            title=_of_outer(self.title, made),
            unit=_of_outer(self.unit, made),
            text=None if text is None else lambda it, of: text(row(it), made(of)),
            help=_of_outer(self.help, made),
            is_right=self.is_right,
            is_whole=_of_outer(self.is_whole, made),
            beside=self.beside,
            leads=lambda of: self.leads(made(of)),
            shown_after=self.shown_after,
            is_shown=lambda of, surface: self.is_shown(made(of), surface),
            gives_way=_of_outer(self.gives_way, made),
            gives_way_last=_of_outer(self.gives_way_last, made),
            folds_names=self.folds_names,
            is_wide=lambda of, surface: self.gives_way_on(surface, made(of)),
        )

    def gives_way_on(self, surface: Surface, made: Made) -> bool:
        """True if narrow pages leave it out."""
        return self.is_wide(made, surface) if callable(self.is_wide) else self.is_wide

    def parts(self, plain: Mapping[str, Any], row: Row, made: Made) -> Iterator[tuple[str, Any]]:
        """Its values by their names in files."""
        found = self.value(row, made) if self.value else plain[self.name]
        if not self.keys:
            yield self.name, found
        else:
            yield from zip(self.keys, found or [None] * len(self.keys), strict=True)


class PageHead(NamedTuple):
    """The head of a column in HTML; a narrow page leaves out what ``is_wide``."""

    name: str
    label: str
    is_right: bool
    is_wide: bool


class PageCell(NamedTuple):
    """A cell in HTML; ``below`` is the interval that narrow pages show below it.

    The first figure of a row ``is_first``: it is emphasised.
    """

    name: str
    text: str
    is_right: bool
    is_wide: bool
    below: str
    is_first: bool


@dataclass(frozen=True, slots=True)
class TableDeclaration(Generic[Made, Row]):
    """A table: its name in addresses, its columns in the order of files, its rows and its caption.

    The columns on the left before the first figure name the row.
    """

    name: str
    columns: tuple[TableColumn[Made, Row], ...]
    rows: Callable[[Made], Sequence[Row]]
    caption: str | Callable[[Made], str] = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns of files and of records in JSON."""
        return tuple(key for column in self.columns for key in column.file_keys)

    def column(self, name: str) -> TableColumn[Made, Row]:
        """The column of a name."""
        return next(one for one in self.columns if one.name == name)

    def records(self, made: Made) -> Iterator[dict[str, Any]]:
        """A row for each result under ``keys``, with plain values; scores are not rounded."""
        for row in self.rows(made):
            plain = _document(row)
            yield {
                key: value
                for column in self.columns
                if column.file_keys
                for key, value in column.parts(plain, row, made)
            }

    def write_csv(self, made: Made, stream: TextIO, *, redactor: Redactor | None = None) -> None:
        """Write every column of every row; what is missing is an empty cell.

        Args:
            made: the result.
            stream: opened with ``newline=""`` and as UTF-8.
            redactor: knows further secrets.
        """
        write_rows(stream, self.keys, self.records(made), redactor=redactor)

    def shown(self, made: Made, surface: Surface) -> tuple[TableColumn[Made, Row], ...]:
        """The columns that a surface shows, from left to right."""
        found = [one for one in self.columns if one.text and one.is_shown(made, surface)]
        names = _names(found)
        figures = found[len(names) :]
        leading = [one for one in figures if one.leads(made)]
        others = [one for one in figures if not one.leads(made)]
        return tuple(_in_reading_order([*names, *leading, *others]))

    def figures(self, made: Made, surface: Surface) -> tuple[TableColumn[Made, Row], ...]:
        """The same without the columns that name the row."""
        names = _names(self.columns)
        return tuple(one for one in self.shown(made, surface) if one not in names)

    def table(self, made: Made, surface: Surface = Surface.TERMINAL) -> Table:
        """The table as texts."""
        columns = self.shown(made, surface)
        names = _names(one for one in self.columns if one.text)
        figures = {one.name: one.head(made).name for one in columns if one.name}
        return Table(
            tuple(
                replace(
                    one.head(made), is_name=one in names, interval_of=figures.get(one.beside, "")
                )
                for one in columns
            ),
            tuple(tuple(column.cell(row, made) for column in columns) for row in self.rows(made)),
            caption=_resolve(self.caption, made),
        )

    def legend(
        self, made: Made, surface: Surface, *, places: Iterable[int] | None = None
    ) -> list[str]:
        """The meanings of the columns, each once; of those at some places alone if given."""
        columns = self.shown(made, surface)
        chosen = columns if places is None else [columns[at] for at in places]
        said = [_resolve(column.help, made) for column in chosen]
        return list(dict.fromkeys(filter(None, said)))

    def page_heads(self, made: Made, surface: Surface) -> list[PageHead]:
        """The heads of the figures in HTML; that of the names is the page's own."""
        return [
            PageHead(
                one.name,
                one.head(made).page_label,
                one.is_right,
                one.gives_way_on(surface, made),
            )
            for one in self.figures(made, surface)
        ]

    def page_cells(
        self,
        row: Row,
        made: Made,
        surface: Surface,
        *,
        columns: Sequence[TableColumn[Made, Row]] | None = None,
    ) -> list[PageCell]:
        """The figures of a row in HTML, or the cells of some columns."""
        drawn = self.figures(made, surface) if columns is None else columns
        intervals = {one.beside: one for one in self.columns if one.beside and one.text}
        return [
            PageCell(
                one.name,
                one.cell(row, made),
                one.is_right,
                one.gives_way_on(surface, made),
                intervals[one.name].cell(row, made) if one.name in intervals else "",
                is_first=one is drawn[0],
            )
            for one in drawn
        ]


def _document(row: object) -> Mapping[str, Any]:
    match row:
        case Mapping():
            return row
        case RowDocument():
            return row.to_dict()
        case _:
            return {}


def _names(columns: Iterable[TableColumn[Made, Row]]) -> list[TableColumn[Made, Row]]:
    """The columns before the first figure."""
    return list(takewhile(lambda one: not one.is_right, columns))


def _in_reading_order(
    columns: list[TableColumn[Made, Row]],
) -> list[TableColumn[Made, Row]]:
    """The columns, each that names another to follow behind that one."""
    shown = {one.name for one in columns if one.name}
    ordered = [one for one in columns if one.shown_after not in shown]
    waiting = [one for one in columns if one.shown_after in shown]
    while waiting:
        places = {one.name: at for at, one in enumerate(ordered)}
        moved = next(one for one in waiting if one.shown_after in places)
        waiting.remove(moved)
        ordered.insert(places[moved.shown_after] + 1, moved)
    return ordered


def _resolve(setting: Setting | Callable[[Made], Setting], made: Made) -> Setting:
    return setting(made) if callable(setting) else setting


def _of_outer(
    setting: Setting | Callable[[Made], Setting], made: Callable[[Outer], Made]
) -> Setting | Callable[[Outer], Setting]:
    return (lambda of: setting(made(of))) if callable(setting) else setting
