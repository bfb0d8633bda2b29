"""Suites with the best mean of their last finished series or run, computed once."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import NamedTuple
from weakref import WeakKeyDictionary

from benchmaker.analysis import summarise
from benchmaker.analysis.summary.aggregate import bounded_mean_over_cases
from benchmaker.engine.runs.suite_versions import read_together
from benchmaker.record import Run, RunState
from benchmaker.stats import Mean
from benchmaker.store import Store
from benchmaker.store.runs.run_changes import RunStamp
from benchmaker.store.suites.suite_pages import SuiteRow
from benchmaker.store.suites.suites import StoredSuite
from benchmaker.web.workbench import Workbench

_KEPT = 1000
_NEWEST = 20
"""The number of the newest runs among which the last finished one is looked for."""


class MeasuredSuite(NamedTuple):
    """A suite, its number of runs, and the mean of its last finished run, with its series.

    ``mean`` is that of ``model``, the best of the ``models``, as on the page of the series or run;
    None without a finished run or a score. It is based on ``scored`` of the model's ``planned``
    trials of positive weight, in all runs of the series.
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
    """The best model's mean in a series or run, and its number of scored trials."""

    mean: Mean | None = None
    scored: int = 0
    planned: int = 0
    model: str = ""
    models: int = 0


class LastMeans:
    """The means of series and runs, kept until one of these changes, for instance by rescoring."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[tuple[str, ...], tuple[RunStamp, LastMean]] = OrderedDict()

    def of_run(self, store: Store, run_id: str) -> LastMean:
        """The mean of the best model over the series of a run."""
        ids = tuple(run.id for run in series_of(store, store.run(run_id)))
        stamp = store.run_changes.stamp_of(ids)
        with self._lock:
            kept = self._kept.get(ids)
        if kept is None or store.run_changes.has_changed(kept[0], stamp):
            kept = stamp, _mean(store, ids)
        with self._lock:
            self._kept[ids] = stamp, kept[1]
            self._kept.move_to_end(ids)
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


def series_of(store: Store, run: Run) -> tuple[Run, ...]:
    """Return the runs of the series of a run in order, without those in progress; else the run."""
    found = store.runs(series_id=run.series_id) if run.series_id else ()
    ended = [one for one in found if one.state is not RunState.RUNNING or one.id == run.id]
    return tuple(sorted(ended, key=lambda one: one.number)) or (run,)


def last_runs(store: Store, suite_hash: str) -> tuple[Run, ...]:
    """Return the runs of the last series, or the last run, of a version of a suite; () without any.

    It is that of the last finished run, or of the last one if none is finished. Runs that repeat
    uncertain cases only do not count, as in the means.
    """
    newest = store.runs(suite_hash=suite_hash, limit=_NEWEST)
    finished = (run for run in newest if run.state is RunState.FINISHED)
    last = next(finished, next(iter(newest), None))
    return tuple(run for run in series_of(store, last) if not run.is_partial_repeat) if last else ()


def last_scores(
    store: Store, runs: Sequence[Run], positions: Sequence[int]
) -> dict[int, tuple[float, ...]]:
    """Return the scores of the answers to these cases in runs, by position.

    Cases that were run and have no score have an empty tuple, and those that were not run none.
    """
    found: dict[int, tuple[float, ...]] = {}
    for run in runs:
        for position, scores in store.suites.scores_at(run.id, positions).items():
            found[position] = (*found.get(position, ()), *scores)
    return found


def _mean(store: Store, run_ids: Sequence[str]) -> LastMean:
    joined = read_together(store, run_ids)
    columns, models = joined.columns, summarise(joined.columns, joined.runs).models
    best = models[0]
    if best.mean is None:
        return LastMean(planned=sum(one.n_counted for one in models), models=len(models))
    own = columns.model == columns.models.index(best.model)
    mean = bounded_mean_over_cases(columns, columns.score, own)
    return LastMean(mean, best.n_scored, best.n_counted, best.model, len(models))
