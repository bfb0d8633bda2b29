"""The results of runs and series in one row each, computed once until they change.

Results that would make a page wait are computed in the background; their rows say so.
"""

from collections import OrderedDict
from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from threading import Lock
from typing import NamedTuple
from weakref import WeakKeyDictionary

from markupsafe import Markup

from benchmaker.record import Run, RunState
from benchmaker.record.run import setup_noun
from benchmaker.report.plots import plots, row_plots
from benchmaker.report.runs.leader import Leader, leader_of
from benchmaker.report.runs.state import ShownState, shown_states
from benchmaker.report.sentences.budget_ends import budget_sentence
from benchmaker.store import Store
from benchmaker.store.database.versions import Versions
from benchmaker.store.runs.run_changes import RunStamp
from benchmaker.store.runs.target_pages import TARGET_STATES, Target, TargetPage
from benchmaker.web.agentic.background_work import compute_in_background
from benchmaker.web.results.total_cost import TotalCost
from benchmaker.web.workbench import Workbench

HISTORY = 12
"""Number of runs and series in the sparkline of a suite."""

_KEPT = 5_000
_PAGES = 50
_AT_ONCE = 4.0
"""The weight of results that a page computes itself."""

_AT_ONCE_IN_FILES = 50.0
"""The weight of results that are computed for a file before it is sent."""

_IN_PROGRESS = frozenset({RunState.RUNNING, RunState.PAUSED, RunState.INTERRUPTED})
"""States of unfinished runs."""

_TRIALS_OF_SERIES = 3_000
"""So many trials weigh as much as a small series."""


class _Computed(NamedTuple):
    """The result of a series or run as stored, without secrets."""

    leader: Leader
    states: tuple[ShownState, ...]
    cost: TotalCost


@dataclass(frozen=True, slots=True)
class LatestResult:
    """A series, or a run without one, with its result; its runs in their order.

    ``leader`` and ``cost`` are None before it is computed, and then ``states`` is empty;
    ``is_pending`` is true while it is computed, also again after a change. ``history`` holds the
    best figures of the latest runs of the suite, the oldest first. ``budget_end`` says that its
    budget is reached.
    """

    runs: Target
    states: tuple[ShownState, ...] = ()
    leader: Leader | None = None
    cost: TotalCost | None = None
    history: tuple[row_plots.SparkPoint, ...] = ()
    is_pending: bool = False
    budget_end: str = ""

    @property
    def run(self) -> Run:
        """The first run."""
        return self.runs[0]

    @property
    def name(self) -> str:
        """The id of the series, else of the run."""
        return self.run.series_id or self.run.id

    @property
    def page(self) -> str:
        """The address of its results."""
        return f"/series/{self.name}" if self.run.series_id else f"/runs/{self.name}"

    @property
    def noun(self) -> str:
        """The noun for what is compared: model or setup."""
        return setup_noun(self.runs)

    @property
    def state(self) -> str:
        """One word for all runs."""
        words = {one.word for one in self.states} or {str(run.state) for run in self.runs}
        return next(str(one) for one in TARGET_STATES if one in words)

    @property
    def verdict(self) -> str:
        """How sure the lead of the best is; "so far" while its runs are unfinished."""
        found = self.leader.verdict if self.leader else ""
        if self.state in _IN_PROGRESS:
            has_none = self.leader is not None and not self.leader.model
            return "no scores so far" if has_none else f"so far, {found}" if found else "so far"
        is_alone = self.leader is not None and self.leader.model and len(self.run.models) == 1
        return found or (f"only {self.noun}" if is_alone else "")

    @property
    def n_done(self) -> int:
        """Trials that ended."""
        return sum(one.done for one in self.states)

    @property
    def n_planned(self) -> int:
        """Trials of all its runs."""
        return sum(run.planned for run in self.runs)

    @property
    def bars(self) -> Markup:
        """The setups as small intervals."""
        setups = self.leader.setups if self.leader else ()
        drawn = [row_plots.RowInterval(one.value, one.ends) for one in setups]
        return Markup(row_plots.setup_bars_svg(drawn, plots.colours(len(setups))))  # noqa: S704  drawn by us, out of numbers

    @property
    def sparkline(self) -> Markup:
        """The history of the suite."""
        return Markup(row_plots.sparkline_svg(self.history))  # noqa: S704  as above


@dataclass(slots=True)
class ComputeBudget:
    """The weight of results that may still be computed for a request before it is answered."""

    left: float = _AT_ONCE

    @classmethod
    def for_file(cls) -> "ComputeBudget":
        """The budget of a file with all rows."""
        return cls(_AT_ONCE_IN_FILES)

    def spend(self, target: Target) -> bool:
        """Return True if the result of a series or run is within the budget, and take it off."""
        weight = 1 + _trials(target) / _TRIALS_OF_SERIES
        is_within = weight <= self.left
        self.left -= weight if is_within else 0
        return is_within


class ResultPage(NamedTuple):
    """Rows of a list, and the cursor of the next page; "" at the end."""

    rows: list[LatestResult]
    after: str = ""


class _Results:
    """The results of runs and series, kept until a run changes."""

    def __init__(self, bench: Workbench) -> None:
        self._hide = bench.redactor.text
        self._lock = Lock()
        self._kept: OrderedDict[tuple[str, ...], tuple[RunStamp, _Computed]] = OrderedDict()
        self._pages: OrderedDict[Hashable, tuple[str, ResultPage]] = OrderedDict()
        self._versions: Versions | None = None

    def page(self, key: Hashable, find: Callable[[], TargetPage], bench: Workbench) -> ResultPage:
        """The rows of a list; the same ones again until the store changes."""
        state = self._state(bench)
        with self._lock:
            kept = self._pages.get(key)
        if kept is not None and kept[0] == state:
            return kept[1]
        with bench.store.read_snapshot():
            found = find()
            made = ResultPage(latest_results(bench, found.rows), found.after)
        if not any(one.is_pending or _is_running(one.runs) for one in made.rows):
            with self._lock:
                self._pages[key] = state, made
                self._pages.move_to_end(key)
                while len(self._pages) > _PAGES:
                    self._pages.popitem(last=False)
        return made

    def _state(self, bench: Workbench) -> str:
        with self._lock:
            if self._versions is None:
                self._versions = bench.store.open_versions()
                bench.on_leave.append(self._versions.close)
        return self._versions.current_state()

    def look_up(
        self, store: Store, targets: Sequence[Target]
    ) -> tuple[dict[tuple[str, ...], _Computed], dict[tuple[str, ...], _Computed]]:
        """The results of these that have not changed, and all with their last ones, by run ids."""
        stamps = dict(zip(map(_ids, targets), store.run_changes.stamps_of(targets), strict=True))
        with self._lock:
            kept = {ids: self._kept[ids] for ids in stamps if ids in self._kept}
        written = {
            number: store.run_changes.written_since(number)
            for number in {before.number for before, _ in kept.values()}
            if any(stamps[ids].number != number for ids in kept)
        }
        found = {
            ids: made
            for ids, (before, made) in kept.items()
            if _is_same(before, stamps[ids], written.get(before.number, frozenset()))
        }
        with self._lock:
            for ids, made in found.items():
                self._keep(ids, stamps[ids], made)
        return found, {ids: made for ids, (_, made) in kept.items()}

    def compute(self, store: Store, target: Target) -> _Computed:
        """The result of a series or run, computed now."""
        ids = _ids(target)
        (stamp,) = store.run_changes.stamps_of([target])
        states = shown_states(store, target)
        made = _Computed(
            self._without_secrets(leader_of(store, ids, is_compared=not _is_running(target))),
            tuple(states[run.id] for run in target),
            TotalCost.of(store.costs(ids)),
        )
        with self._lock:
            self._keep(ids, stamp, made)
        return made

    def _keep(self, ids: tuple[str, ...], stamp: RunStamp, made: _Computed) -> None:
        self._kept[ids] = stamp, made
        self._kept.move_to_end(ids)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)

    def _without_secrets(self, leader: Leader) -> Leader:
        return leader._replace(
            model=self._hide(leader.model),
            verdict=self._hide(leader.verdict),
            failure=self._hide(leader.failure),
            setups=tuple(
                one._replace(model=self._hide(one.model), cost_reason=self._hide(one.cost_reason))
                for one in leader.setups
            ),
        )


_KEPT_BY: "WeakKeyDictionary[Workbench, _Results]" = WeakKeyDictionary()
_LOCK = Lock()


def results_page(bench: Workbench, key: Hashable, find: Callable[[], TargetPage]) -> ResultPage:
    """The rows of a list of series and runs; the same ones again until the store changes.

    Args:
        bench: the workbench.
        key: identifies the list.
        find: reads its series and runs.
    """
    with _LOCK:
        results = _KEPT_BY.setdefault(bench, _Results(bench))
    return results.page(key, find, bench)


def latest_results(
    bench: Workbench, targets: Sequence[Target], budget: ComputeBudget | None = None
) -> list[LatestResult]:
    """The results of series, and of runs without one.

    Unknown ones within the budget, by default that of a page, are computed now, the others in the
    background, the smallest first: these have no leader yet.
    """
    with _LOCK:
        results = _KEPT_BY.setdefault(bench, _Results(bench))
    store = bench.store
    suites = list(dict.fromkeys(target[0].suite_name for target in targets))
    past = store.target_pages.latest_of_suites(suites, HISTORY)
    wanted = list({_ids(one): one for one in chain(targets, *past.values())}.values())
    current, last = results.look_up(store, wanted)
    changed = [one for one in wanted if _ids(one) not in current]
    budget = budget or ComputeBudget()
    within = {_ids(one) for one in changed if budget.spend(one)}
    current |= {_ids(one): results.compute(store, one) for one in changed if _ids(one) in within}
    later = sorted((one for one in changed if _ids(one) not in within), key=_trials)
    if later:
        compute_in_background(
            bench, "results", lambda: [results.compute(store, one) for one in later], wait_s=0.0
        )
    pending = {_ids(one) for one in later if not _is_running(one)}
    known = {**last, **current}
    return [_row(one, known, past[one[0].suite_name], pending) for one in targets]


def _trials(target: Target) -> int:
    return sum(run.planned for run in target)


def _row(
    target: Target,
    known: Mapping[tuple[str, ...], _Computed],
    past: Sequence[Target],
    pending: Container[tuple[str, ...]],
) -> LatestResult:
    made = known.get(_ids(target))
    if made is None:
        return LatestResult(target, is_pending=True)
    points = tuple(
        row_plots.SparkPoint(value, one[0].suite_hash, one[0].id == target[0].id)
        for one in past
        if (value := _best_figure(known.get(_ids(one)))) is not None
    )
    is_pending = _ids(target) in pending
    unsent = sum(one.unsent for one in made.states)
    ended = budget_sentence(target, unsent)
    return LatestResult(target, made.states, made.leader, made.cost, points, is_pending, ended)


def _is_running(target: Target) -> bool:
    return any(run.state is RunState.RUNNING for run in target)


def _best_figure(made: _Computed | None) -> float | None:
    return made.leader.setups[0].value if made and made.leader.setups else None


def _is_same(before: RunStamp, now: RunStamp, written: frozenset[str]) -> bool:
    same = (before.runs, before.labels, before.calibrations) == (
        now.runs, now.labels, now.calibrations,
    )  # fmt: skip
    is_written = before.number != now.number and any(run.id in written for run in now.runs)
    return same and not is_written


def _ids(runs: Sequence[Run]) -> tuple[str, ...]:
    return tuple(run.id for run in runs)
