"""Any runs compared: means, differences, and every case against a baseline."""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from fastapi import APIRouter, Request, Response
from numpy.typing import NDArray

from benchmaker.analysis.metric import metric_of
from benchmaker.errors import SpecError
from benchmaker.plugins import web_page
from benchmaker.record import Run, RunState
from benchmaker.report.runs.comparison import suite_versions
from benchmaker.report.runs.state import ShownState, shown_states
from benchmaker.report.tables import numbers
from benchmaker.store import Store
from benchmaker.store.database.paging import decode_cursor, encode_cursor
from benchmaker.web.listing import ROWS, RowPage
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.results import panels
from benchmaker.web.results.run_cache import Known, RunsOverview, Unit
from benchmaker.web.results.tables import table_response
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="comparing")
class ComparingPage:
    """Runs compared."""

    routes: ClassVar = router


_OFFERED = 50
_TOGETHER = 20
_CHANGED = 1e-9
_STEPS = (0.02, 0.25, 0.6)
_FILTERS = {
    "runs": None,
    "ref": None,
    "metric": None,
    "only": ("changed", "lower", "higher"),
    "table": ("differences", "compared", "ranks"),
    "form": ("csv", "json"),
}


@router.get("/compare")
def compare_page(request: Request, bench: Bench, known: Known) -> Response:
    """Runs against each other; with fewer than two, those to choose from."""
    view = _view(request)
    names = [one for one in view.filters["runs"].split(",") if one]
    units = units_of(bench.store, names)
    if sum(len(unit.run_ids) for unit in units) < 2 or len(units) < 2:  # noqa: PLR2004  a pair
        return _choice(request, bench, view, units)
    made = known.of_units(bench.store, units, view.filters["metric"])
    if view.filters["form"]:
        table, form = view.filters["table"] or "differences", view.filters["form"]
        return table_response(made, table, form, bench.redactor)
    return _comparison_page(request, bench, view, units, made)


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
        is_by_run=len({model for _, model in made.unit_of.values()}) < len(made.unit_of),
        **panels.head(shown, made),
        means=panels.compared_means(shown, made.comparison) if made.comparison else None,
        differences=panels.differences(shown, made.comparison, base if view.filters["ref"] else "")
        if made.comparison
        else None,
        alone=shown.clean(made.alone),
        models=[(at, shown.clean(model)) for at, model in enumerate(models)],
        chosen=view.filters["ref"],
        metrics=made.metrics,
        metric=view.filters["metric"] or metric_of(made.runs),
        base=panels.identities(shown, [base])[0] if base else None,
        across=panels.identities(shown, [models[at] for at in columns]),
        rows=_rows(bench, made, rows, models.index(base) if base else 0, columns),
        part=part,
        total=total,
        cases=len(made.grid),
    )


def _base(models: list[str], word: str, made: RunsOverview) -> str:
    """Return the baseline of the comparison: the number in the address, or the best."""
    if word:
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
    apart = made.grid.mean - made.grid.mean[:, [base]]
    size = _size(apart, view.filters["only"])
    kept = np.flatnonzero(size > _CHANGED) if view.filters["only"] else np.arange(len(size))
    order = kept[np.lexsort((made.grid.position[kept], -size[kept]))]
    place = decode_cursor(view.after)
    if place is not None:
        far, position = float(place[0]), place[1]
        own, where = size[order], made.grid.position[order]
        order = order[(own < far) | ((own == far) & (where > position))]
    rows = order[:ROWS].tolist()
    more = len(order) > ROWS
    after = encode_cursor(float(size[rows[-1]]), int(made.grid.position[rows[-1]])) if more else ""
    return rows, RowPage(rows, after), len(kept)


def _size(apart: NDArray[np.float64], only: str) -> NDArray[np.float64]:
    """Return each case's distance from the baseline: upwards, downwards or either way."""
    known = np.nan_to_num(apart, nan=0.0)
    way = {"lower": -known, "higher": known}.get(only, np.abs(known))
    found: NDArray[np.float64] = way.max(axis=1, initial=0.0)
    return found


def _rows(
    bench: Workbench, made: RunsOverview, rows: list[int], base: int, columns: list[int]
) -> list[dict[str, Any]]:
    grid, run = made.grid, made.runs[0]
    places = grid.position[rows].tolist()
    names = bench.store.case_pages.names(run.suite_hash, places)
    return [
        {
            "name": bench.redactor.text(names.get(place, "")),
            "href": _case_of(made, grid.models[base], place),
            "base": panels.cell(grid, row, base),
            "cells": [_change(made, row, at, base) for at in columns],
        }
        for place, row in zip(places, rows, strict=True)
    ]


def _case_of(made: RunsOverview, model: str, place: int) -> str:
    """Return the page of a case, at its position in the model's version of the suite."""
    run = made.unit_of[model][0].run_ids[0]
    return f"/runs/{run}/cases/{made.places.get(run, {}).get(place, place)}"


def _change(made: RunsOverview, row: int, column: int, base: int) -> dict[str, str]:
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
