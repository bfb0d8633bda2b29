"""The history of a suite: its runs over time as one trend, kept until a run changes."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from markupsafe import Markup

from benchmaker.analysis.trends.trend_results import ModelTrend, Trend
from benchmaker.analysis.trends.trends import trend
from benchmaker.engine.runs.suite_versions import read_points
from benchmaker.errors import AnalysisError
from benchmaker.record import Run
from benchmaker.record.run import began_at, start_order
from benchmaker.report.plots import plots
from benchmaker.report.plots.history_plot import HistoryPoint, Moment, history_axis_svg, history_svg
from benchmaker.report.result_tables.trend_points import TREND_POINTS, ModelView, TrendRow
from benchmaker.report.runs.trend import trend_legend, trend_notes, trend_verdict
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables.declaration import Surface, TableColumn
from benchmaker.store import Store
from benchmaker.store.runs.run_changes import RunStamp
from benchmaker.store.runs.target_pages import Target
from benchmaker.web.agentic.background_work import compute_in_background
from benchmaker.web.suites.version_steps import version_steps
from benchmaker.web.workbench import Workbench

POINTS = 30
"""Maximum number of runs and series in a history."""

DRAWN = 8
"""Maximum number of setups in the plot: those that have a marker of their own."""

_KEPT = 50
_INTERVALS = {"mean": "interval", "diff": "diff_interval"}
"""The columns of figures, with those of their intervals."""


class _Computed(NamedTuple):
    """A trend, and what changed between its versions."""

    trend: Trend
    steps: tuple[str, ...]


class _Histories:
    """The last few histories by the name of the suite."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[str, tuple[list[RunStamp], _Computed]] = OrderedDict()

    def look_up(self, store: Store, suite: str, stamps: list[RunStamp]) -> "_Computed | None":
        """The history if no run of it has changed."""
        with self._lock:
            kept = self._kept.get(suite)
        if kept is None or len(kept[0]) != len(stamps):
            return None
        changed = map(store.run_changes.has_changed, kept[0], stamps)
        return None if any(changed) else kept[1]

    def compute(self, store: Store, suite: str, targets: Sequence[Target]) -> "_Computed":
        """The history, computed now."""
        stamps = store.run_changes.stamps_of(targets)
        made = _Computed(
            trend(read_points(store, map(_ids, targets))), version_steps(store, targets)
        )
        with self._lock:
            self._kept[suite] = stamps, made
            self._kept.move_to_end(suite)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made


_KEPT_BY: "WeakKeyDictionary[Workbench, _Histories]" = WeakKeyDictionary()
_LOCK = Lock()


@dataclass(frozen=True, slots=True)
class SuiteHistory:
    """The latest runs and series of a suite, and their trend.

    ``trend`` is None while it is computed, and with fewer than two runs that have scores;
    ``steps`` says what changed between its versions, and ``reason`` why there is no trend.
    """

    targets: tuple[Target, ...]
    trend: Trend | None = None
    steps: tuple[str, ...] = ()
    reason: str = ""

    @property
    def is_pending(self) -> bool:
        """True while the trend is being computed."""
        return self.trend is None and not self.reason


def history_of(bench: Workbench, suite: str) -> SuiteHistory:
    """The history of the suite of that name."""
    with _LOCK:
        histories = _KEPT_BY.setdefault(bench, _Histories())
    store = bench.store
    latest = store.target_pages.latest_of_suites([suite], POINTS)[suite]
    targets = tuple(sorted(filter(began_at, latest), key=start_order))
    if not targets:
        return SuiteHistory((), reason="No run of the suite has started.")
    known = histories.look_up(store, suite, store.run_changes.stamps_of(targets))
    if known is not None:
        return SuiteHistory(targets, *known)
    try:
        made = compute_in_background(
            bench, ("history", suite), lambda: histories.compute(store, suite, targets)
        )
    except AnalysisError as exc:
        return SuiteHistory(targets, reason=exc.message)
    return SuiteHistory(targets, *made) if made else SuiteHistory(targets)


def history_content(bench: Workbench, history: SuiteHistory) -> dict[str, Any]:
    """The values of the template: verdict, plot, and the points of each setup."""
    made = history.trend
    if made is None:
        return {"axis": "", "plot": "", "verdict": [], "models": [], "notes": [], "legend": []}
    hide = bench.redactor.text
    colours = plots.colours(len(made.models))
    axis, plot = _plot(history, made)
    return {
        "axis": Markup(axis),  # noqa: S704  drawn by us, out of numbers
        "plot": Markup(plot),  # noqa: S704  as above
        "verdict": [hide(said) for said in trend_verdict(made)],
        "models": [
            {
                "name": name(hide(one.model)),
                "key": Markup(plots.key_svg(colour)),  # noqa: S704  drawn by us
                "table": _lines(bench, ModelView(made, one)),
            }
            for one, colour in zip(made.models, colours, strict=True)
        ],
        "notes": [hide(note) for note in trend_notes(made)],
        "legend": trend_legend(made),
    }


def _plot(history: SuiteHistory, made: Trend) -> tuple[str, str]:
    """The axis and the plot."""
    order = {_ids(target): at for at, target in enumerate(history.targets)}
    moments = [
        Moment(began_at(target), f"{target[0].suite_hash} {target[0].profile_id}")
        for target in history.targets
    ]
    colours = plots.colours(len(made.models))
    lines = [
        (colour, _points(one, order))
        for one, colour in zip(made.models[:DRAWN], colours, strict=False)
    ]
    return history_axis_svg(lines), history_svg(moments, lines)


def _points(model: ModelTrend, order: dict[tuple[str, ...], int]) -> list[HistoryPoint]:
    found = [
        HistoryPoint(
            order[one.run_ids],
            one.mean,
            None if one.low is None or one.high is None else (one.low, one.high),
        )
        for one in model.points
        if one.run_ids in order
    ]
    return sorted(found)


def _lines(bench: Workbench, view: ModelView) -> dict[str, Any]:
    """The points of a setup, each interval below its figure."""
    hide, known = bench.redactor.text, {one.name: one for one in TREND_POINTS.columns}
    shown = TREND_POINTS.shown(view, Surface.PAGE)
    columns = [
        (one, known.get(_INTERVALS.get(one.name, "")))
        for one in shown
        if one.name not in _INTERVALS.values()
    ]
    return {
        "caption": "",
        "heads": [(_head(column, interval, view), column.is_right) for column, interval in columns],
        "rows": [
            [
                ([hide(one.cell(row, view)) for one in both if one], both[0].is_right)
                for both in columns
            ]
            for row in TREND_POINTS.rows(view)
        ],
    }


def _head(
    column: TableColumn[ModelView, TrendRow],
    interval: TableColumn[ModelView, TrendRow] | None,
    view: ModelView,
) -> str:
    """The label of a figure and that of its interval, which may begin with it."""
    label = column.head(view).page_label
    below = interval.head(view).page_label if interval else ""
    return below if below.startswith(label) else f"{label} {below}".rstrip()


def _ids(target: Sequence[Run]) -> tuple[str, ...]:
    return tuple(run.id for run in target)
