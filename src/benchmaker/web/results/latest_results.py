"""The results of the latest runs and series in one row each, computed once until they change."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from weakref import WeakKeyDictionary

from benchmaker.record import Run, RunState
from benchmaker.record.run import setup_noun
from benchmaker.report.runs.leader import Leader, leader_of
from benchmaker.report.runs.state import ShownState
from benchmaker.report.sentences.notes import cost_text
from benchmaker.store import Store
from benchmaker.store.runs.run_changes import RunStamp
from benchmaker.store.runs.run_pages import FAILED, STOPPED
from benchmaker.web.workbench import Workbench

_KEPT = 1000
_STATES = (
    RunState.RUNNING,
    RunState.PAUSED,
    RunState.INTERRUPTED,
    STOPPED,
    FAILED,
    RunState.FINISHED,
)
"""The state of a series is the first of these that one of its runs has."""


@dataclass(frozen=True, slots=True)
class LatestResult:
    """A series, or a run without one, with its result; its runs in their order."""

    runs: tuple[Run, ...]
    states: tuple[ShownState, ...]
    leader: Leader
    cost: str

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
        words = {one.word for one in self.states}
        return next(str(one) for one in _STATES if one in words)

    @property
    def n_done(self) -> int:
        """Trials that ended."""
        return sum(one.done for one in self.states)

    @property
    def n_planned(self) -> int:
        """Trials of all its runs."""
        return sum(run.planned for run in self.runs)


class _Leaders:
    """The leaders of runs and series, kept until a run changes."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[tuple[str, ...], tuple[RunStamp, Leader]] = OrderedDict()

    def of_runs(self, store: Store, run_ids: tuple[str, ...]) -> Leader:
        """The best model of these runs together."""
        stamp = store.run_changes.stamp_of(run_ids)
        with self._lock:
            kept = self._kept.get(run_ids)
        if kept is None or store.run_changes.has_changed(kept[0], stamp):
            kept = stamp, leader_of(store, run_ids)
        with self._lock:
            self._kept[run_ids] = stamp, kept[1]
            self._kept.move_to_end(run_ids)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return kept[1]


_KEPT_BY: "WeakKeyDictionary[Workbench, _Leaders]" = WeakKeyDictionary()
_LOCK = Lock()


def latest_results(
    bench: Workbench, targets: Sequence[tuple[Run, ...]], states: Mapping[str, ShownState]
) -> list[LatestResult]:
    """The results of series, and of runs without one; ``states`` are those of all their runs."""
    with _LOCK:
        leaders = _KEPT_BY.setdefault(bench, _Leaders())
    return [
        LatestResult(
            runs,
            tuple(states[run.id] for run in runs),
            _without_secrets(bench, leaders.of_runs(bench.store, _ids(runs))),
            _cost(bench.store, runs, states),
        )
        for runs in targets
    ]


def _ids(runs: Sequence[Run]) -> tuple[str, ...]:
    return tuple(run.id for run in runs)


def _without_secrets(bench: Workbench, leader: Leader) -> Leader:
    hide = bench.redactor.text
    return leader._replace(
        model=hide(leader.model), verdict=hide(leader.verdict), failure=hide(leader.failure)
    )


def _cost(store: Store, runs: Sequence[Run], states: Mapping[str, ShownState]) -> str:
    costs = store.costs(_ids(runs))
    has_trials = any(states[run.id].done for run in runs)
    return cost_text(costs.known_usd, is_whole=costs.is_whole and has_trials)
