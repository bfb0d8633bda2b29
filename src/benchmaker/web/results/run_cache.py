"""A cache of results computed from whole runs, valid until the runs change."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from threading import Lock
from typing import Annotated, Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import msgspec
import numpy as np
from fastapi import Depends

from benchmaker.analysis import Comparison, Ranking, Summary, compare, rank, summarise
from benchmaker.analysis.comparison.contradictions import compared_with_labels
from benchmaker.analysis.comparison.results import with_warnings
from benchmaker.analysis.effects.run_effects import RunEffects, run_effects
from benchmaker.analysis.metric import by_metric
from benchmaker.analysis.ratings.label_contradictions import ranked_with_labels
from benchmaker.analysis.summary.case_grid import CaseGrid, case_grid
from benchmaker.arenas.standard.result import summary_of
from benchmaker.engine.runs.suite_versions import JoinedRuns, labels_of, read_together
from benchmaker.errors import AnalysisError
from benchmaker.record import Run
from benchmaker.record.label import Label
from benchmaker.record.run import setup_noun
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.store import Store
from benchmaker.store.runs.case_pages import Failures
from benchmaker.store.runs.run_changes import RunStamp
from benchmaker.web.workbench import Bench, Workbench

T = TypeVar("T")

_KEPT, _MOST_KEPT = 8, 64
_KEPT_TRIALS = 400_000
"""More than eight results are kept while all together have at most this many trials."""


_NUMBERS = count(1)


def next_number() -> int:
    """Return a number that no other result in this process has."""
    return next(_NUMBERS)


class Unit(NamedTuple):
    """The unit of comparison: a run, or the runs of a series."""

    name: str
    run_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RunsOverview:
    """Everything that pages about some runs show of all their trials.

    ``comparison`` and ``ranking`` are None if the scores do not support them; ``alone`` is the
    reason. The columns of ``grid`` are the models of ``summary``, in its order. If several units
    are compared, a model in more than one of them counts once for each; ``unit_of`` maps the models
    to their runs. ``runs`` share one version of the suite, ``stored`` have their original ones;
    ``places`` maps a case to its position in a run's own version, if different. ``effects`` are
    those of prompts, models and efforts, for one run or series that has these dimensions.
    ``metrics`` are those by which the runs can be compared. ``number`` identifies this overview.
    """

    runs: tuple[Run, ...]
    stored: tuple[Run, ...]
    summary: Summary
    comparison: Comparison | None
    ranking: Ranking | None
    alone: str
    grid: CaseGrid
    failures: tuple[Failures, ...]
    unit_of: dict[str, tuple[Unit, str]]
    places: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    effects: RunEffects | None = None
    metrics: tuple[str, ...] = ()
    number: int = field(default_factory=next_number)
    _kept: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def remember(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what ``make`` computes of these runs, computed once for each key."""
        if key not in self._kept:
            self._kept[key] = make()
        found: T = self._kept[key]
        return found

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The runs."""
        return tuple(run.id for run in self.runs)


@dataclass(frozen=True, slots=True, eq=False)
class CasesOverview:
    """The scores of all cases of some runs, without tests and ranks; the fields are as above.

    ``summary`` has the setups in their order, with their figures alone. ``warnings`` belong with
    any figure of these runs.
    """

    runs: tuple[Run, ...]
    stored: tuple[Run, ...]
    summary: Summary
    columns: ScoreColumns
    grid: CaseGrid
    unit_of: dict[str, tuple[Unit, str]]
    places: Mapping[str, Mapping[int, int]]
    warnings: tuple[str, ...] = ()


_Made = TypeVar("_Made")


class OverviewCache:
    """The last standings; each is computed by one request alone while others wait for it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[object, tuple[RunStamp, Any]] = OrderedDict()
        self._locks: dict[object, Lock] = {}

    def of_runs(self, store: Store, run_ids: Sequence[str]) -> RunsOverview:
        """The standing of one run, or of the runs of a series.

        Raises:
            StoreError: one of them is not there.
            NotComparable: they do not share suite and profile.
        """
        return self.of_units(store, (Unit("", tuple(run_ids)),))

    def of_units(self, store: Store, units: tuple[Unit, ...], metric: str = "") -> RunsOverview:
        """The standing of several units against each other, by a metric or that of the suite.

        Raises:
            SpecError: no such metric.
        """
        return self.current(store, units, metric, _compute_overview)

    def cases_of(self, store: Store, units: tuple[Unit, ...], metric: str = "") -> CasesOverview:
        """The scores of all cases of some units, without the time that tests take.

        Raises:
            SpecError: no such metric.
        """
        return self.current(store, units, metric, read_cases)

    def current(
        self,
        store: Store,
        units: tuple[Unit, ...],
        metric: str,
        make: Callable[[Store, tuple[Run, ...], tuple[Unit, ...], str], _Made],
    ) -> _Made:
        """Return what ``make`` makes of the units; made again when their records have changed."""
        key = (make, units, metric)
        run_ids = [run_id for unit in units for run_id in unit.run_ids]
        with self._lock:
            own = self._locks.setdefault(key, Lock())
        with own:
            stamp = store.run_changes.stamp_of(run_ids)
            kept = self._kept.get(key)
            made: _Made
            if kept is None or store.run_changes.has_changed(kept[0], stamp):
                made = make(store, stamp.runs, units, metric)
            else:
                made = kept[1]
            self._keep(key, stamp, made)
            return made

    def _keep(self, key: object, stamp: RunStamp, made: object) -> None:
        with self._lock:
            self._kept[key] = stamp, made
            self._kept.move_to_end(key)
            while self._is_full():
                gone, _ = self._kept.popitem(last=False)
                self._locks.pop(gone, None)

    def _is_full(self) -> bool:
        if len(self._kept) <= _KEPT:
            return False
        trials = sum(run.planned for stamp, _ in self._kept.values() for run in stamp.runs)
        return len(self._kept) > _MOST_KEPT or trials > _KEPT_TRIALS


_KEPT_BY: "WeakKeyDictionary[Workbench, OverviewCache]" = WeakKeyDictionary()
_LOCK = Lock()


async def _overview_cache(bench: Bench) -> OverviewCache:
    with _LOCK:
        return _KEPT_BY.setdefault(bench, OverviewCache())


Known = Annotated[OverviewCache, Depends(_overview_cache)]
"""The cached standings, as an argument of a page."""


def _compute_overview(
    store: Store, runs: tuple[Run, ...], units: tuple[Unit, ...], metric: str
) -> RunsOverview:
    found = read_together(store, [run.id for run in runs])
    runs, columns = found.runs, found.columns
    if len(units) == 1:
        names = {name: (units[0], name) for name in columns.models}
        counted = columns
        summary = summary_of(store, runs, columns)
    else:
        columns, names = _by_unit(columns, units)
        counted = by_metric(columns, metric or "mean")
        summary = replace(summarise(counted), noun=setup_noun(runs))
    by = metric or None
    comparison, ranking, alone = None, None, ""
    try:
        labels = _labels(store, found, names)
        named = _runs_by_unit(runs, names)
        made = compared_with_labels(compare(columns, named, metric=by), columns, labels)
        comparison = with_warnings(made, found.warnings)
        ranking = ranked_with_labels(rank(columns, named, metric=by), columns, labels)
    except AnalysisError as exc:
        alone = " ".join([*(f"{capitalise(it)}." for it in found.warnings), exc.message])
    return RunsOverview(
        runs=runs,
        stored=found.stored,
        summary=summary,
        comparison=comparison,
        ranking=ranking,
        alone=alone,
        grid=case_grid(counted, [model.model for model in summary.models]),
        failures=store.case_pages.failures([run.id for run in runs]),
        unit_of=names,
        places=found.places,
        effects=run_effects(columns, runs) if len(units) == 1 else None,
        metrics=("mean", "strict", *columns.metrics),
    )


def read_cases(
    store: Store, runs: tuple[Run, ...], units: tuple[Unit, ...], metric: str
) -> CasesOverview:
    """Return the scores of all cases of some units; see :meth:`OverviewCache.cases_of`."""
    found = read_together(store, [run.id for run in runs])
    columns = found.columns
    names = {name: (units[0], name) for name in columns.models}
    if len(units) > 1:
        columns, names = _by_unit(columns, units)
    counted = by_metric(columns, metric or "mean") if len(units) > 1 or metric else columns
    summary = summarise(columns, found.runs) if len(units) == 1 else summarise(counted)
    return CasesOverview(
        runs=found.runs,
        stored=found.stored,
        summary=replace(summary, noun=setup_noun(found.runs)),
        columns=columns,
        grid=case_grid(counted, [model.model for model in summary.models]),
        unit_of=names,
        places=found.places,
        warnings=found.warnings,
    )


def _labels(
    store: Store, found: JoinedRuns, names: Mapping[str, tuple[Unit, str]]
) -> tuple[Label, ...]:
    """Return the labels, under the models' names on this page."""
    called = {(run_id, own): name for name, (unit, own) in names.items() for run_id in unit.run_ids}
    return tuple(
        msgspec.structs.replace(one, model=called.get((one.run_id, one.model), one.model))
        for one in labels_of(store, found)
    )


def _runs_by_unit(runs: Sequence[Run], names: Mapping[str, tuple[Unit, str]]) -> tuple[Run, ...]:
    """Return the runs with their dropped models under the names on this page."""
    called = {(run_id, own): name for name, (unit, own) in names.items() for run_id in unit.run_ids}
    return tuple(
        msgspec.structs.replace(
            run,
            dropped=tuple(called[run.id, own] for own in run.dropped if (run.id, own) in called),
        )
        for run in runs
    )


def _by_unit(
    columns: ScoreColumns, units: tuple[Unit, ...]
) -> tuple[ScoreColumns, dict[str, tuple[Unit, str]]]:
    """Return the same scores, with the models of several units distinguished by unit."""
    unit = np.array([_unit_at(units, run_id) for run_id in columns.run_ids])[columns.run]
    pairs = np.unique(np.stack([unit, columns.model]), axis=1).T.tolist() if len(columns) else []
    times = [sum(model == one for _, one in pairs) for model in range(len(columns.models))]
    names: dict[str, tuple[Unit, str]] = {}
    codes = np.full((len(units), len(columns.models)), -1, np.int32)
    for at, (place, model) in enumerate(pairs):
        plain = columns.models[model]
        name = plain if times[model] == 1 else f"{plain} · {units[place].name}"
        while name in names:  # a model may be called anything
            name += "'"
        names[name] = units[place], plain
        codes[place, model] = at
    made = replace(columns, models=tuple(names), model=codes[unit, columns.model])
    return made, names


def _unit_at(units: tuple[Unit, ...], run_id: str) -> int:
    return next(at for at, unit in enumerate(units) if run_id in unit.run_ids)
