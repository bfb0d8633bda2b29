"""Long tables: 50 rows a page, and the same rows as CSV and JSON."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from fastapi import APIRouter, Request, Response

from benchmaker.spec.documents.formula_cells import protect_cell
from benchmaker.web.query import View
from benchmaker.web.workbench import Bench, Workbench

Row = TypeVar("Row")
ROWS = 50


class RowPage(NamedTuple):
    """A page of rows, and where the next begins; "" at the end.

    ``before`` is where the previous one begins, "" for the first page; None if there is no previous
    page, or if its place is unknown.
    """

    rows: Sequence[Any]
    after: str = ""
    before: str | None = None


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """A column: its key in addresses and files, its title, and a row's plain value in it."""

    key: str
    title: str
    value: Callable[[Row], Any]
    is_number: bool = False
    is_sortable: bool = True

    def cell(self, row: Row) -> Any:  # noqa: ANN401  any plain value
        """The value of a row in CSV."""
        return _cell(self.value(row))


def record_columns(keys: Iterable[str]) -> tuple[Column[Mapping[str, Any]], ...]:
    """The columns of records, which a declared table makes."""
    return tuple(Column(key, key, itemgetter(key)) for key in keys)


@dataclass(frozen=True, slots=True)
class Listing:
    """A long table: its file name, its columns, and the source of view and rows.

    ``table`` are the columns of the CSV file if they differ, and the rows of a row there.
    """

    name: str
    columns: Sequence[Column[Any]]
    view: Callable[[Request], View]
    part: Callable[[Workbench], Callable[[View], RowPage]]
    table: tuple[Sequence[Column[Any]], Callable[[Any], Iterator[Any]]] | None = None

    def rows(self, request: Request, bench: Workbench) -> Iterator[Any]:
        """Every row that the view of a request holds."""
        return all_rows(self.part(bench), self.view(request))


def add_files(router: APIRouter, path: str, table: Listing) -> None:
    """Let the table also answer as CSV and as JSON, with all of its rows."""

    @router.get(f"{path}.csv")
    def rows_csv(request: Request, bench: Bench) -> Response:
        rows = table.rows(request, bench)
        if table.table is None:
            return csv_response(table.columns, rows, table.name)
        columns, split = table.table
        return csv_response(columns, chain.from_iterable(map(split, rows)), table.name)

    @router.get(f"{path}.json")
    def rows_json(request: Request, bench: Bench) -> Response:
        return json_response(table.columns, table.rows(request, bench), table.name)


def csv_response(columns: Sequence[Column[Any]], rows: Iterator[Any], name: str) -> Response:
    """Return the rows as CSV; text that looks like a formula is quoted."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([column.key for column in columns])
    for row in rows:
        writer.writerow([column.cell(row) for column in columns])
    headers = {"content-disposition": f'attachment; filename="{name}.csv"'}
    return Response(stream.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def json_response(columns: Sequence[Column[Any]], rows: Iterator[Any], name: str) -> Response:
    """The rows as objects under the table's name."""
    plain = [{column.key: column.value(row) for column in columns} for row in rows]
    return Response(msgspec.json.encode({name: plain}), media_type="application/json")


def all_rows(part: Callable[[View], RowPage], view: View) -> Iterator[Any]:
    """Every row from the beginning, a page at a time."""
    after = ""
    while True:
        page = part(view_from(view, after))
        yield from page.rows
        if not page.after:
            return
        after = page.after


def view_from(view: View, after: str) -> View:
    """The same view, from another place on."""
    return View(view.path, view.q, view.sort, view.descending, after, view.columns, view.filters)


def _cell(value: Any) -> Any:  # noqa: ANN401  any plain value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        value = " ".join(map(str, value))
    return protect_cell(value) if isinstance(value, str) else value
