"""Every case of a run or a series as a table: the heat map in full."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from fastapi import APIRouter, Request, Response
from numpy.typing import NDArray

from benchmaker.plugins import web_page
from benchmaker.store import Store
from benchmaker.store.database.paging import decode_cursor, encode_cursor
from benchmaker.web.listing import ROWS, Column, RowPage, csv_response, json_response
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.results import panels
from benchmaker.web.results.run_cache import Known, RunsOverview
from benchmaker.web.results.subject import Subject, run_subject, series_subject
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="cases")
class CasesPage:
    """The cases of a run or a series."""

    routes: ClassVar = router


OUTCOMES = {"failed_by_model": "bad", "infrastructure": "infra", "unscored": "none"}
"""The filters of cases, with the group of outcomes each stands for."""

_AT_ONCE = 2_000
_LAST = 2.0
"""Behind every score, for cases without one."""


@router.get("/runs/{run}/cases.csv")
def run_csv(request: Request, run: str, bench: Bench, known: Known) -> Response:
    """The cases of a run, a row each."""
    return _file(request, bench, known.of_runs, run_subject(bench.store, run), csv_response)


@router.get("/runs/{run}/cases.json")
def run_json(request: Request, run: str, bench: Bench, known: Known) -> Response:
    """The cases of a run, an object each."""
    return _file(request, bench, known.of_runs, run_subject(bench.store, run), json_response)


@router.get("/series/{series}/cases.csv")
def series_csv(request: Request, series: str, bench: Bench, known: Known) -> Response:
    """The cases of a series, a row each."""
    return _file(request, bench, known.of_runs, series_subject(bench.store, series), csv_response)


@router.get("/series/{series}/cases.json")
def series_json(request: Request, series: str, bench: Bench, known: Known) -> Response:
    """The cases of a series, an object each."""
    return _file(request, bench, known.of_runs, series_subject(bench.store, series), json_response)


@router.get("/runs/{run}/cases")
def run_cases(request: Request, run: str, bench: Bench, known: Known) -> Response:
    """The cases of a run."""
    subject = run_subject(bench.store, run)
    return _page(request, bench, known.of_runs(bench.store, subject.run_ids), subject)


@router.get("/series/{series}/cases")
def series_cases(request: Request, series: str, bench: Bench, known: Known) -> Response:
    """The cases of a series, each with its mean over the runs."""
    subject = series_subject(bench.store, series)
    return _page(request, bench, known.of_runs(bench.store, subject.run_ids), subject)


@dataclass(frozen=True, slots=True)
class CaseOrder:
    """The rows of a grid in the requested order, with each one's sort value."""

    rows: NDArray[np.int64]
    values: NDArray[np.float64]
    position: NDArray[np.int64]
    descending: bool

    def page(self, after: str, limit: int) -> tuple[list[int], str]:
        """The rows behind a place, and the place behind them; "" at the end."""
        first = self._first_row(after)
        found = self.rows[first : first + limit].tolist()
        if first + limit >= len(self.rows):
            return found, ""
        last = found[-1]
        return found, encode_cursor(float(self.values[last]), int(self.position[last]))

    def _first_row(self, after: str) -> int:
        place = decode_cursor(after)
        if place is None:
            return 0
        value, position = float(place[0]), place[1]
        values, positions = self.values[self.rows], self.position[self.rows]
        if self.descending:
            is_before = (values > value) | ((values == value) & (positions >= position))
        else:
            is_before = (values < value) | ((values == value) & (positions <= position))
        return int(is_before.sum())


def order_of(store: Store, made: RunsOverview, subject: Subject, view: View) -> CaseOrder:
    """Return the requested rows in order; cases without a value come last."""
    grid = made.grid
    values = _values(made, subject, view.sort)
    is_missing = np.isnan(values)
    values = np.where(is_missing, -1.0 if view.descending else _LAST, values)
    rows = np.lexsort((grid.position, values))
    if view.descending:
        rows = rows[::-1]
    kept = np.ones(len(grid), bool)
    if view.q:
        like = store.case_pages.positions_like(subject.run.suite_hash, view.q)
        kept &= np.isin(grid.position, like)
    if view.filters.get("outcome"):
        kept &= grid.rows_with_group(OUTCOMES[view.filters["outcome"]])
    return CaseOrder(rows[kept[rows]], values, grid.position, view.descending)


def _values(made: RunsOverview, subject: Subject, sort: str) -> NDArray[np.float64]:
    if sort == "mean":
        return made.grid.case_mean
    if sort.startswith("m"):
        column = made.grid.models.index(subject.model(sort[1:]))
        found: NDArray[np.float64] = made.grid.mean[:, column]
        return found
    return made.grid.position.astype(np.float64)


def case_view(request: Request, subject: Subject) -> View:
    """The words of the address of a table of cases."""
    numbers = [f"m{at}" for at in range(len(subject.run.models))]
    return read_view(
        request,
        sortable=("case", "mean", *numbers),
        columns=numbers,
        filters={"outcome": tuple(OUTCOMES)},
        sort="case",
    )


def _page(request: Request, bench: Workbench, made: RunsOverview, subject: Subject) -> Response:
    view = case_view(request, subject)
    shown = panels.report_page_of(made, bench.redactor)
    order = order_of(bench.store, made, subject, view)
    rows, after = order.page(view.after, ROWS)
    names = _names(subject, made, view.columns)
    columns = [made.grid.models.index(name) for name in names]
    base = f"/runs/{subject.run.id}/cases"
    return page(
        request,
        "results/cases",
        title=f"Cases of {subject.id}",
        here="Results",
        crumbs=(Crumb("Results", "/runs"), Crumb(subject.id, subject.base), Crumb("Cases")),
        view=view,
        subject=subject,
        noun=made.summary.noun,
        part=RowPage(
            panels.heat_rows(bench.store, shown, made, rows, base, columns=columns), after
        ),
        total=len(order.rows),
        heads=[
            Column("case", "Case", _no_value),
            Column("mean", "Mean", _no_value, is_number=True),
        ],
        across=[
            (Column(f"m{subject.rank(name)}", "", _no_value), row)
            for name, row in zip(names, panels.identities(shown, names), strict=True)
        ],
        every=[
            (f"m{subject.rank(name)}", shown.clean(name), name in names)
            for name in made.grid.models
        ],
        outcomes=tuple(OUTCOMES),
    )


def _no_value(row: Any) -> None:  # noqa: ANN401  the template writes the cells
    del row


def _names(subject: Subject, made: RunsOverview, chosen: Sequence[str]) -> list[str]:
    """Return the models to show side by side: the selected ones, or the best."""
    if not chosen:
        return list(made.grid.models[: panels.ACROSS])
    wanted = {subject.model(number[1:]) for number in chosen}
    return [name for name in made.grid.models if name in wanted][: panels.ACROSS]


def _file(request: Request, bench: Workbench, known: Any, subject: Subject, form: Any) -> Response:  # noqa: ANN401  two functions of one shape each
    made: RunsOverview = known(bench.store, subject.run_ids)
    order = order_of(bench.store, made, subject, case_view(request, subject))
    columns: list[Column[dict[str, Any]]] = [
        _column(key) for key in ("case", "position", "weight", "mean")
    ]
    columns += [_column(f"mean of {name}") for name in made.grid.models]
    columns += [_column(f"outcome of {name}") for name in made.grid.models]
    answer: Response = form(columns, _all_rows(bench.store, made, order), "cases")
    return answer


def _column(key: str) -> Column[dict[str, Any]]:
    return Column(key, key, lambda row: row.get(key))


def _all_rows(store: Store, made: RunsOverview, order: CaseOrder) -> Iterator[dict[str, Any]]:
    grid = made.grid
    for first in range(0, len(order.rows), _AT_ONCE):
        rows = order.rows[first : first + _AT_ONCE].tolist()
        places = grid.position[rows].tolist()
        names = store.case_pages.names(made.runs[0].suite_hash, places)
        for place, row in zip(places, rows, strict=True):
            means = zip(grid.models, grid.mean[row].tolist(), strict=True)
            kinds = {
                f"outcome of {name}": _word(grid.kind(row, at))
                for at, name in enumerate(grid.models)
            }
            yield {
                "case": names.get(place),
                "position": place,
                "weight": float(grid.weight[row]),
                "mean": _nan_to_none(float(grid.case_mean[row])),
                **{f"mean of {name}": _nan_to_none(mean) for name, mean in means},
                **kinds,
            }


def _word(kind: str) -> str:
    words = {group: word for word, group in OUTCOMES.items()}
    return words.get(kind, "scored" if kind else "not run")


def _nan_to_none(value: float) -> float | None:
    return None if value != value else value  # noqa: PLR0124  NaN alone differs from itself
