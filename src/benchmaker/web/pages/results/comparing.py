"""Any runs compared: means, differences, and every case against a baseline."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from fastapi import APIRouter, Request, Response
from numpy.typing import NDArray

from benchmaker.analysis.metric import metric_of
from benchmaker.errors import SpecError
from benchmaker.plugins import web_page
from benchmaker.record import Run, RunState
from benchmaker.report.result_tables.comparisons import PAIRS, PairsView
from benchmaker.report.runs.comparison import suite_versions
from benchmaker.report.runs.state import ShownState, shown_states
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.report.tables import numbers
from benchmaker.report.tables.table import write_rows
from benchmaker.spec import Suite
from benchmaker.store import Store
from benchmaker.store.database.paging import decode_cursor, encode_cursor
from benchmaker.web.downloads import csv_answer, json_answer
from benchmaker.web.form_body import Posted
from benchmaker.web.listing import ROWS, RowPage
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.results import panels
from benchmaker.web.results.changes import (
    CHANGED,
    ChangesOverview,
    by_start,
    change_record,
    changed_rows,
    changes_of,
    changes_panel,
    differences,
    loss_order,
    ways_sentence,
)
from benchmaker.web.results.late_results import result_or_page
from benchmaker.web.results.run_cache import (
    CasesOverview,
    Known,
    OverviewCache,
    RunsOverview,
    Unit,
)
from benchmaker.web.results.tables import table_response
from benchmaker.web.suites.suite_of_cases import store_suite, suite_file, suite_of_cases
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="comparing")
class ComparingPage:
    """Runs compared."""

    routes: ClassVar = router


_OFFERED = 50
_TOGETHER = 20
BEST = "best"
"""The word of an address for the best setup as the baseline."""

_STEPS = (0.02, 0.25, 0.6)
_FILTERS = {
    "runs": None,
    "ref": None,
    "metric": None,
    "only": ("changed", "lower", "higher"),
    "table": ("differences", "compared", "ranks", "changes"),
    "form": ("csv", "json"),
}


@router.get("/compare")
def compare_page(request: Request, bench: Bench, known: Known) -> Response:
    """Runs against each other; with fewer than two, those to choose from."""
    view = _view(request)
    units = _units(bench, view)
    if len(units) < 2:  # noqa: PLR2004  a pair
        return _choice(request, bench, view, units)
    if view.filters["table"] == "changes" and view.filters["form"]:
        return _changes_file(bench, view, changes_of(known, bench.store, units, _metric(view)))
    if view.filters["form"]:
        made = known.of_units(bench.store, units, _metric(view))
        table, form = view.filters["table"] or "differences", view.filters["form"]
        return table_response(made, table, form, bench.redactor)
    found = _result_or_page(request, bench, known, view, units)
    if isinstance(found, Response):
        return found
    if isinstance(found, ChangesOverview):
        return _changes_page(request, bench, view, units, found)
    return _comparison_page(request, bench, view, units, found)


def _result_or_page(
    request: Request,
    bench: Workbench,
    known: OverviewCache,
    view: View,
    units: tuple[Unit, ...],
) -> ChangesOverview | RunsOverview | Response:
    """Return the comparison of the units, or a page that waits for it."""
    runs = [bench.store.run(run_id) for unit in units for run_id in unit.run_ids]
    return result_or_page(
        request, bench, runs, lambda: _compare_units(bench.store, known, view, units),
        title=f"Compare: {bench.redactor.text(runs[0].suite_name)}",
        crumbs=(Crumb("Results", "/runs"), Crumb("Compare")),
        of=(units, _metric(view), bool(view.filters["ref"])),
    )  # fmt: skip


def _compare_units(
    store: Store, known: OverviewCache, view: View, units: tuple[Unit, ...]
) -> ChangesOverview | RunsOverview:
    """The same setups before and after; without such, or with a baseline, all against all."""
    if not view.filters["ref"]:
        found = changes_of(known, store, units, _metric(view))
        if found.columns:
            return found
    return known.of_units(store, units, _metric(view))


@router.get("/compare/suite.yaml")
def cases_file(request: Request, bench: Bench, known: Known) -> Response:
    """The listed cases as a suite in a file."""
    view = _view(request)
    return suite_file(_suite(bench, known, view, request.query_params.get("name", "")))


@router.post("/compare/suite")
def make_suite_of_cases(bench: Bench, known: Known, fields: Posted) -> Response:
    """Store a suite of the listed cases."""
    filters = {name: fields[name] for name in _FILTERS}
    return store_suite(
        bench.store, _suite(bench, known, View("/compare", filters=filters), fields["name"])
    )


def _suite(bench: Workbench, known: OverviewCache, view: View, name: str) -> Suite:
    """The suite of the cases that a comparison lists, in the newest of its versions."""
    units = _units(bench, view)
    if len(units) < 2:  # noqa: PLR2004  a pair
        raise SpecError("no runs are compared.", where="runs", hint="Name two runs.")
    found = changes_of(known, bench.store, units, _metric(view))
    if found.columns and not view.filters["ref"]:
        kept, made = changed_rows(found, view.filters["only"]), found.cases
        places = made.grid.position[kept].tolist()
        return suite_of_cases(bench.store, made.runs[0].suite_hash, places, name)
    whole = known.of_units(bench.store, units, _metric(view))
    models = list(whole.grid.models)
    base = models.index(_base(models, view.filters["ref"], whole))
    kept, _ = _listed_rows(whole, view, base)
    places = whole.grid.position[kept].tolist()
    return suite_of_cases(bench.store, whole.runs[0].suite_hash, places, name)


def _units(bench: Workbench, view: View) -> tuple[Unit, ...]:
    return units_of(bench.store, [one for one in view.filters["runs"].split(",") if one])


def _metric(view: View) -> str:
    return view.filters["metric"]


def _view(request: Request) -> View:
    """The view; runs may be named in one word or in several, as a form sends them."""
    view = read_view(request, filters=_FILTERS)
    joined = ",".join(request.query_params.getlist("runs"))
    return View(
        view.path, after=view.after, filters={**view.filters, "runs": joined}, unknown=view.unknown
    )


def units_of(store: Store, names: list[str]) -> tuple[Unit, ...]:
    """Return runs and series by their names, each run once.

    Raises:
        SpecError: an unknown name, or too many of them.
    """
    if len(names) > _TOGETHER:
        raise SpecError(f"{len(names)} runs are too many.", hint=f"Compare at most {_TOGETHER}.")
    seen: set[str] = set()
    units = []
    for name in dict.fromkeys(names):
        found = store.resolve(name)
        fresh = tuple(one for one in found.run_ids if one not in seen)
        seen.update(fresh)
        if fresh:
            units.append(Unit(found.series_id or fresh[0], fresh))
    return tuple(units)


def _choice(request: Request, bench: Workbench, view: View, units: tuple[Unit, ...]) -> Response:
    first = bench.store.run(units[0].run_ids[0]) if units else None
    runs = bench.store.runs(limit=_OFFERED, suite_name=first.suite_name if first else None)
    return page(
        request,
        "results/compare_choice",
        title="Compare runs",
        here="Results",
        crumbs=(Crumb("Results", "/runs"), Crumb("Compare")),
        view=view,
        first=first,
        is_one=len(units) == 1 and view.filters["runs"].count(",") > 0,
        chosen={unit.name for unit in units} | {one for unit in units for one in unit.run_ids},
        groups=_groups(runs),
        total=len(runs),
        states_of=shown_states(bench.store, runs),
        offered=_OFFERED,
    )


class _RunGroup(NamedTuple):
    """A series with its runs among those offered, or one run alone."""

    series_id: str | None
    runs: tuple[Run, ...]

    def state(self, states: Mapping[str, ShownState]) -> str:
        """Return the state of its runs; that of the first unfinished one if they differ."""
        words = [states[run.id].word for run in self.runs]
        return next((word for word in words if word != RunState.FINISHED), words[0])


def _groups(runs: tuple[Run, ...]) -> list[_RunGroup]:
    """Return the runs in their order, those of a series together and by their numbers."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(run.series_id or run.id, []).append(run)
    return [
        _RunGroup(them[0].series_id, tuple(sorted(them, key=lambda run: run.number)))
        for them in found.values()
    ]


def _comparison_page(
    request: Request, bench: Workbench, view: View, units: tuple[Unit, ...], made: RunsOverview
) -> Response:
    shown = panels.report_page_of(made, bench.redactor)
    models = list(made.grid.models)
    base = _base(models, view.filters["ref"], made)
    has_pairs = len({setup for _, setup in made.unit_of.values()}) < len(made.unit_of)
    rows, part, total = _changes(made, view, models.index(base) if base else 0)
    columns = [at for at in range(len(models)) if models[at] != base][: panels.ACROSS - 1]
    return page(
        request,
        "results/compare",
        title=f"Compare: {bench.redactor.text(made.runs[0].suite_name)}",
        here="Results",
        crumbs=(Crumb("Results", "/runs"), Crumb("Compare")),
        view=view,
        units=units,
        runs=made.runs,
        versions=suite_versions(made.stored),
        has_pairs=has_pairs,
        suite_name=f"{made.runs[0].suite_name}-{view.filters['only'] or 'common'}"[:200],
        is_by_run=has_pairs,
        **panels.head(shown, made),
        means=panels.compared_means(shown, made.comparison) if made.comparison else None,
        differences=panels.differences(shown, made.comparison, base if _has_number(view) else "")
        if made.comparison
        else None,
        alone=shown.clean(made.alone),
        models=[(at, shown.clean(model)) for at, model in enumerate(models)],
        chosen=view.filters["ref"],
        metrics=made.metrics,
        metric=view.filters["metric"] or metric_of(made.runs),
        base=panels.identities(shown, [base])[0] if base else None,
        across=panels.identities(shown, [models[at] for at in columns]),
        rows=_rows(
            bench, made, view.filters["only"], rows, models.index(base) if base else 0, columns
        ),
        part=part,
        total=total,
        cases=len(made.grid),
    )


def _changes_page(
    request: Request,
    bench: Workbench,
    view: View,
    units: tuple[Unit, ...],
    found: ChangesOverview,
) -> Response:
    """The same setups before and after, cases with the largest loss first."""
    made = found.cases
    first = [one.names.before for one in found.made.changes]
    shown = panels.report_page_of(made, bench.redactor, first)
    rows = changed_rows(found, view.filters["only"])
    part = _page_of(rows, loss_order(found, view.filters["only"]), made.grid.position, view.after)
    across = list(range(len(found.columns)))[: panels.ACROSS]
    keys = panels.identities(shown, [found.made.changes[at].names.before for at in across])
    ordered = by_start(units, made.stored)
    return page(
        request,
        "results/changes",
        title=f"Compare: {bench.redactor.text(made.runs[0].suite_name)}",
        here="Results",
        crumbs=(Crumb("Results", "/runs"), Crumb("Compare")),
        view=view,
        units=ordered,
        runs=made.runs,
        earliest=ordered[0].name,
        versions=suite_versions(made.stored),
        noun=made.summary.noun,
        warnings=[f"{capitalise(shown.clean(said))}." for said in made.warnings],
        changes=changes_panel(shown, found),
        models=[(at, shown.clean(model)) for at, model in enumerate(made.grid.models)],
        metrics=("mean", "strict", *made.columns.metrics),
        metric=view.filters["metric"] or metric_of(made.runs),
        across=[
            {**key, "name": shown.clean(found.made.changes[at].names.setup)}
            for at, key in zip(across, keys, strict=True)
        ],
        rows=_changed_cells(bench, found, view.filters["only"], part.rows, across),
        part=part,
        total=len(rows),
        cases=len(made.grid),
        suite_name=f"{made.runs[0].suite_name}-{view.filters['only'] or 'common'}"[:200],
    )


def _page_of(
    rows: NDArray[np.int64],
    values: NDArray[np.float64],
    positions: NDArray[np.int64],
    after: str,
) -> RowPage:
    place = decode_cursor(after)
    if place is not None:
        value, position = float(place[0]), place[1]
        own, where = values[rows], positions[rows]
        rows = rows[(own > value) | ((own == value) & (where > position))]
    shown = rows[:ROWS].tolist()
    more = len(rows) > ROWS
    last = encode_cursor(float(values[shown[-1]]), int(positions[shown[-1]])) if more else ""
    return RowPage(shown, last)


def _changed_cells(
    bench: Workbench,
    found: ChangesOverview,
    only: str,
    rows: Sequence[int],
    across: Sequence[int],
) -> list[dict[str, Any]]:
    """Return the cells of the listed cases: the change, and the scores on both sides."""
    made, apart = found.cases, differences(found)
    grid = made.grid
    places = grid.position[list(rows)].tolist()
    names = bench.store.case_pages.names(made.runs[0].suite_hash, places)
    return [
        {
            "name": bench.redactor.text(names.get(place, "")),
            "href": _case_of(made, grid.models[found.columns[0][1]], place),
            "ways": ways_sentence(apart[row], only, made.summary.noun),
            "cells": [_changed_cell(found, row, place, at) for at in across],
        }
        for place, row in zip(places, rows, strict=True)
    ]


def _changed_cell(found: ChangesOverview, row: int, place: int, at: int) -> dict[str, Any]:
    before, after = found.columns[at]
    made = found.cases
    cell = _change(made, row, after, before)
    return {
        **cell,
        "before": panels.cell(made.grid, row, before).text,
        "after": panels.cell(made.grid, row, after).text,
        "before_href": _trial_of(made, made.grid.models[before], place),
        "href": _trial_of(made, made.grid.models[after], place),
    }


def _trial_of(made: CasesOverview, model: str, place: int) -> str:
    """Return the page of a trial; of several runs, that of the case."""
    unit, setup = made.unit_of[model]
    run = next(one for one in made.stored if one.id == unit.run_ids[0])
    own = made.places.get(run.id, {}).get(place, place)
    if len(unit.run_ids) > 1 or setup not in run.models:
        return f"/runs/{run.id}/cases/{own}"
    return f"/runs/{run.id}/trials/{own}-{run.models.index(setup)}"


def _changes_file(bench: Workbench, view: View, found: ChangesOverview) -> Response:
    """The changes as CSV or JSON: the pairs, each with its setup, before and after.

    ``diff`` is the later mean less the earlier one; its interval has the same sign.
    """
    comparison = found.made.comparison
    pairs = PAIRS.records(PairsView(comparison)) if comparison else []
    compared = [one for one in found.made.changes if one.pair is not None]
    rows = [{**row, **change_record(one)} for one, row in zip(compared, pairs, strict=True)]
    kept = (key for key in PAIRS.keys if key not in {"mean_a", "mean_b"})
    keys = ("setup", "before", "after", "mean_before", "mean_after", *kept)
    if view.filters["form"] == "csv":
        return csv_answer(
            lambda stream: write_rows(stream, keys, rows, redactor=bench.redactor), "changes"
        )
    plain = [{key: row[key] for key in keys} for row in rows]
    return json_answer({"changes": bench.redactor.tree(plain)})


def _base(models: list[str], word: str, made: RunsOverview) -> str:
    """Return the baseline of the comparison: the number in the address, or the best."""
    if word and word != BEST:
        if not (word.isascii() and word.isdigit() and int(word[:9]) < len(models)):
            hint = f"Model numbers go from 0 to {len(models) - 1}."
            raise SpecError(f"invalid value for ref: {word[:40]!r}.", hint=hint)
        return models[int(word)]
    if made.comparison:
        return made.comparison.headline.model_a
    return models[0] if models else ""


def _changes(made: RunsOverview, view: View, base: int) -> tuple[list[int], RowPage, int]:
    """The rows of a page, those first whose scores lie furthest from the baseline."""
    if not made.grid.models:
        return [], RowPage([]), 0
    order, values = _listed_rows(made, view, base)
    part = _page_of(order, values, made.grid.position, view.after)
    return list(part.rows), part, len(order)


def _listed_rows(
    made: RunsOverview, view: View, base: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The rows that the filter keeps in their order, and the sort value of each case."""
    apart = made.grid.mean - made.grid.mean[:, [base]]
    size = _size(apart, view.filters["only"])
    kept = np.flatnonzero(size > CHANGED) if view.filters["only"] else np.arange(len(size))
    return kept[np.lexsort((made.grid.position[kept], -size[kept]))], -size


def _size(apart: NDArray[np.float64], only: str) -> NDArray[np.float64]:
    """Return each case's distance from the baseline: upwards, downwards or either way."""
    known = np.nan_to_num(apart, nan=0.0)
    way = {"lower": -known, "higher": known}.get(only, np.abs(known))
    found: NDArray[np.float64] = way.max(axis=1, initial=0.0)
    return found


def _rows(  # noqa: PLR0917  private, called once
    bench: Workbench,
    made: RunsOverview,
    only: str,
    rows: list[int],
    base: int,
    columns: list[int],
) -> list[dict[str, Any]]:
    grid, run = made.grid, made.runs[0]
    apart = grid.mean[rows] - grid.mean[rows][:, [base]] if rows else grid.mean[:0]
    others = [at for at in range(len(grid.models)) if at != base]
    places = grid.position[rows].tolist()
    names = bench.store.case_pages.names(run.suite_hash, places)
    return [
        {
            "name": bench.redactor.text(names.get(place, "")),
            "href": _case_of(made, grid.models[base], place),
            "ways": ways_sentence(away[others], only, made.summary.noun),
            "base": panels.cell(grid, row, base),
            "cells": [_change(made, row, at, base) for at in columns],
        }
        for place, row, away in zip(places, rows, apart, strict=True)
    ]


def _case_of(made: RunsOverview | CasesOverview, model: str, place: int) -> str:
    """Return the page of a case, at its position in the model's version of the suite."""
    run = made.unit_of[model][0].run_ids[0]
    return f"/runs/{run}/cases/{made.places.get(run, {}).get(place, place)}"


def _has_number(view: View) -> bool:
    return view.filters["ref"] not in {"", BEST}


def _change(made: RunsOverview | CasesOverview, row: int, column: int, base: int) -> dict[str, str]:
    cell = panels.cell(made.grid, row, column)
    apart = float(made.grid.mean[row, column] - made.grid.mean[row, base])
    if apart != apart:  # noqa: PLR0124  NaN alone differs from itself
        return {"kind": cell.kind, "sign": cell.sign, "text": cell.text, "apart": ""}
    size = sum(abs(apart) > step for step in _STEPS)
    way = "-" if apart < 0 else ""
    return {
        "kind": f"dv{way}{size}" if size else "dv0",
        "sign": "",
        "text": cell.text,
        "apart": numbers.difference(apart),
    }
