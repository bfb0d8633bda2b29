"""The same setups before and after: their comparison, and the changes of every case."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from benchmaker.analysis.comparison.before_after import (
    BeforeAfter,
    SetupChange,
    SetupPair,
    compare_before_after,
)
from benchmaker.analysis.comparison.results import Comparison
from benchmaker.record import Run
from benchmaker.record.counts import count
from benchmaker.record.run import start_order
from benchmaker.report.plots import plots
from benchmaker.report.result_tables.comparisons import PAIRS, PairsView, ShownPair
from benchmaker.report.runs.before_after import change_of, changes_sentence, more_cases_words
from benchmaker.report.runs.page import ReportPage
from benchmaker.report.tables.declaration import Surface
from benchmaker.store import Store
from benchmaker.web.results.run_cache import CasesOverview, OverviewCache, Unit, read_cases

CHANGED = 1e-9
"""The least difference of two scores that counts as a change."""

_DECIMALS = 9
"""Decimals of differences that count for the order of cases."""

_DRAWN = 30
_IN_FILES = frozenset({"p_value", "d_av"})
"""Figures that the files have, and the page has no room for."""


@dataclass(frozen=True, slots=True, eq=False)
class ChangesOverview:
    """The scores of some units, and each of their shared setups before and after.

    ``columns`` are the columns of the grid of each change: before, and after.
    """

    cases: CasesOverview
    made: BeforeAfter
    columns: tuple[tuple[int, int], ...]


def changes_of(
    cache: OverviewCache, store: Store, units: tuple[Unit, ...], metric: str = ""
) -> ChangesOverview:
    """Return the setups of the earliest unit compared with those of the later ones.

    Raises:
        NotComparable: different suites, or versions without a common case.
        SpecError: no such metric.
    """
    return cache.current(store, units, metric, _compute_changes)


def _compute_changes(
    store: Store, runs: tuple[Run, ...], units: tuple[Unit, ...], metric: str
) -> ChangesOverview:
    cases = read_cases(store, runs, units, metric)
    pairs, columns = _pairs(cases, units)
    made = compare_before_after(cases.columns, cases.runs, pairs, metric=metric or None)
    return ChangesOverview(cases, made, tuple(columns))


def _pairs(
    made: CasesOverview, units: tuple[Unit, ...]
) -> tuple[list[SetupPair], list[tuple[int, int]]]:
    first, *later = by_start(units, made.runs)
    names = made.grid.models
    pairs, columns = [], []
    for unit in later:
        for before, after in paired_columns(made, first, unit):
            setup = made.unit_of[names[before]][1]
            label = setup if len(later) == 1 else f"{setup} · {unit.name}"
            pairs.append(SetupPair(label, names[before], names[after]))
            columns.append((before, after))
    return pairs, columns


def by_start(units: Sequence[Unit], runs: Iterable[Run]) -> list[Unit]:
    """Return the units in the order in which they began.

    Args:
        units: runs and series.
        runs: their runs, in any order.
    """
    of = {run.id: run for run in runs}
    return sorted(units, key=lambda unit: start_order(of[run_id] for run_id in unit.run_ids))


def paired_columns(made: CasesOverview, first: Unit, second: Unit) -> list[tuple[int, int]]:
    """The columns of the setups that two units share, in the order of the first."""
    of: dict[Unit, dict[str, int]] = {first: {}, second: {}}
    for at, name in enumerate(made.grid.models):
        unit, setup = made.unit_of[name]
        if unit in of:
            of[unit][setup] = at
    return [(at, of[second][setup]) for setup, at in of[first].items() if setup in of[second]]


def differences(found: ChangesOverview) -> NDArray[np.float64]:
    """Each case's later score less the earlier one, by change; NaN without one of them."""
    mean = found.cases.grid.mean
    before, after = ([pair[side] for pair in found.columns] for side in (0, 1))
    made: NDArray[np.float64] = mean[:, after] - mean[:, before]
    return made


def changed_rows(found: ChangesOverview, only: str) -> NDArray[np.int64]:
    """The rows that a filter keeps, those with the largest loss first; for gains reversed."""
    apart = np.nan_to_num(differences(found), nan=0.0)
    kept = {
        "changed": np.abs(apart) > CHANGED,
        "lower": apart < -CHANGED,
        "higher": apart > CHANGED,
    }.get(only, np.ones_like(apart, bool))
    rows = np.flatnonzero(kept.any(axis=1))
    key = loss_order(found, only)
    order: NDArray[np.int64] = rows[np.lexsort((found.cases.grid.position[rows], key[rows]))]
    return order


def loss_order(found: ChangesOverview, only: str) -> NDArray[np.float64]:
    """The sort value of each case: its rank by the largest loss, then by the sum of its changes.

    The largest loss is that of any setup; for gains, both are negated. Equal cases have one rank.
    """
    sign = -1.0 if only == "higher" else 1.0
    apart = np.round(sign * np.nan_to_num(differences(found), nan=0.0), _DECIMALS)
    keys = np.stack([apart.min(axis=1, initial=np.inf), apart.sum(axis=1)], axis=1)
    _, ranks = np.unique(keys.round(_DECIMALS), axis=0, return_inverse=True)
    made: NDArray[np.float64] = ranks.reshape(-1).astype(np.float64)
    return made


def ways_sentence(apart: NDArray[np.float64], only: str, noun: str) -> str:
    """The number of setups that are lower or higher in a case; empty for a single one.

    Args:
        apart: the difference of each setup in the case; NaN without one.
        only: the filter of cases, ``lower`` or ``higher``; else both numbers are given.
        noun: the noun for what is compared.
    """
    if len(apart) <= 1:
        return ""
    known = np.nan_to_num(apart, nan=0.0)
    found = {"lower": int((known < -CHANGED).sum()), "higher": int((known > CHANGED).sum())}
    if only in found:
        return f"{found[only]} of {count(len(apart), noun)} {only}"
    return ", ".join(f"{number} {way}" for way, number in found.items() if number)


def changes_panel(page: ReportPage, found: ChangesOverview) -> dict[str, Any]:
    """Return the table of the setups with their figures before and after, and the difference."""
    made, comparison = found.made, found.made.comparison
    rows = made.changes[:_DRAWN]
    shown = [change_of(one) for one in rows]
    axis = plots.axis_over([0.0, *(100 * end for it in shown if it for end in it.difference)])
    view = _pairs_view(rows, made.comparison)
    return {
        "verdict": page.clean(changes_sentence(made, found.cases.summary.noun)),
        "ci_name": comparison.headline.ci_name if comparison else "",
        "axis": Markup(plots.axis_svg(axis)),  # noqa: S704  drawn by us, out of numbers
        "heads": [one for one in PAIRS.page_heads(view, Surface.PAGE) if one.name not in _IN_FILES]
        if view
        else [],
        "rows": [
            {
                **page.identity(one.names.before),
                "name": page.clean(one.names.setup),
                "key": Markup(page.identity(one.names.before)["key"]),  # noqa: S704  as above
                "plot": _plot(page, one.names.before, axis, it.difference) if it else "",
                "before": _figure(it.pair, one.names.before) if it else None,
                "after": _figure(it.pair, one.names.after) if it else None,
                "cells": _cells(it, view) if it and view else [],
                "reason": page.clean(one.reason),
            }
            for one, it in zip(rows, shown, strict=True)
        ],
        "left_out": max(0, len(made.changes) - _DRAWN),
    }


def _pairs_view(rows: Sequence[SetupChange], comparison: Comparison | None) -> PairsView | None:
    """How the pairs are shown: as differences from one side, with the cases that they lack."""
    if comparison is None:
        return None
    more = {one.names.after: more_cases_words(comparison, one) for one in rows}
    return PairsView(comparison, reference=rows[0].names.before, more_cases=more)


def _cells(row: ShownPair, view: PairsView) -> list[Any]:
    cells = PAIRS.page_cells(row, view, Surface.PAGE)
    return [one for one in cells if one.name not in _IN_FILES]


def _plot(page: ReportPage, name: str, axis: plots.Axis, difference: tuple[float, ...]) -> Markup:
    away, *ends = difference
    drawn = (100 * ends[0], 100 * ends[1]) if ends else None
    made = plots.range_svg(axis, 100 * away, drawn, page.colour(name), zero=True)
    return Markup(made)  # noqa: S704  drawn by us, out of numbers


def change_record(change: SetupChange) -> dict[str, Any]:
    """The names, means and signed difference of a compared setup, from 0 to 1."""
    names, shown = change.names, change_of(change)
    away, *ends = [one + 0.0 for one in shown.difference] if shown else (None,)  # no -0.0
    return {
        "setup": names.setup,
        "before": names.before,
        "after": names.after,
        "mean_before": _figure(change.pair, names.before),
        "mean_after": _figure(change.pair, names.after),
        "diff": away,
        "low": ends[0] if ends else None,
        "high": ends[1] if ends else None,
    }


def _figure(pair: Any, name: str) -> float | None:  # noqa: ANN401  a compared pair
    mean: float | None = pair.mean_a if pair.model_a == name else pair.mean_b
    return mean
