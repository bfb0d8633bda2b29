"""Suites with the best mean of their last finished run, computed once a run."""

from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from benchmaker.analysis.summary.aggregate import bounded_mean_over_cases
from benchmaker.record import Run
from benchmaker.stats import Mean
from benchmaker.store import Store
from benchmaker.store.runs.run_changes import RunStamp
from benchmaker.store.suites.suite_pages import SuiteRow
from benchmaker.store.suites.suites import StoredSuite
from benchmaker.web.workbench import Workbench

_KEPT = 1000


class MeasuredSuite(NamedTuple):
    """A suite, its number of runs, and the mean of its last finished run.

    ``mean`` is that of ``model``, the best of the run's ``models``, as on the run's own page; None
    without a finished run or a score. It is based on ``scored`` of the model's ``planned`` trials.
    """

    suite: StoredSuite
    runs: int
    last_run: str
    mean: Mean | None
    scored: int = 0
    planned: int = 0
    model: str = ""
    models: int = 0

    @property
    def is_partial(self) -> bool:
        """True if trials of that model lack a score."""
        return self.scored < self.planned

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval of the mean; None where it has none."""
        return self.mean.interval if self.mean else None


class LastMean(NamedTuple):
    """The best model's mean in a run, and its number of scored trials."""

    mean: Mean | None = None
    scored: int = 0
    planned: int = 0
    model: str = ""
    models: int = 0


class LastMeans:
    """The means of finished runs, kept until a run changes, for instance by a re-scoring."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[str, tuple[RunStamp, LastMean]] = OrderedDict()

    def of_run(self, store: Store, run_id: str) -> LastMean:
        """The mean over the cases of a run of the model that is best in it."""
        stamp = store.run_changes.stamp_of([run_id])
        with self._lock:
            kept = self._kept.get(run_id)
        if kept is None or store.run_changes.has_changed(kept[0], stamp):
            kept = stamp, _mean(store, run_id)
        with self._lock:
            self._kept[run_id] = stamp, kept[1]
            self._kept.move_to_end(run_id)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return kept[1]


_KEPT_BY: "WeakKeyDictionary[Workbench, LastMeans]" = WeakKeyDictionary()
_LOCK = Lock()


def with_last_means(bench: Workbench, rows: Iterable[SuiteRow]) -> tuple[MeasuredSuite, ...]:
    """These suites with the means of their last finished runs."""
    with _LOCK:
        means = _KEPT_BY.setdefault(bench, LastMeans())
    return tuple(
        MeasuredSuite(
            row.suite,
            row.runs,
            row.last_run,
            *(means.of_run(bench.store, row.last_run) if row.is_finished else LastMean()),
        )
        for row in rows
    )


def _mean(store: Store, run_id: str) -> LastMean:
    run = _of_all_cases(store, store.run(run_id))
    columns = store.columns([run.id])
    means = {
        name: mean
        for code, name in sorted(enumerate(columns.models), key=lambda it: it[1])
        if (mean := bounded_mean_over_cases(columns, columns.score, columns.model == code))
    }
    if not means:
        return LastMean(planned=run.planned, models=len(run.models))
    best = max(means, key=lambda name: means[name].mean)
    own = columns.model == columns.models.index(best)
    scored = int(np.count_nonzero(own & ~np.isnan(columns.score)))
    number = len(run.models)
    return LastMean(means[best], scored, run.planned_of(best), best, number)


def _of_all_cases(store: Store, run: Run) -> Run:
    """Return the run, or the last full one of its series if it repeats uncertain cases only."""
    if not run.is_partial_repeat:
        return run
    series = store.runs(series_id=run.series_id) if run.series_id else ()
    full = [one for one in series if not one.is_partial_repeat]
    return max(full, key=lambda one: one.number, default=run)
