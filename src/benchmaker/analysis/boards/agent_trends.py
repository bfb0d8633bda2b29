"""The change of a system over time, on a constant mix of tasks."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.boards.board import Rules, Unit
from benchmaker.analysis.boards.board_lines import board_values
from benchmaker.analysis.composite.composite_columns import CompositeColumns
from benchmaker.documents import Document
from benchmaker.errors import NotEnoughData
from benchmaker.record.counts import count
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import UNKNOWN_US
from benchmaker.stats.theil_sen import Slope, theil_sen

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DAY_US = 86_400_000_000
LEAST_MATCHED = 20
"""Minimum number of submissions, to tasks with two or more, for change detection."""

DRAWS = 2_000


@dataclass(frozen=True, slots=True)
class Marker:
    """Something that changed at a moment: a version, a price, a profile."""

    at_us: int
    text: str


@dataclass(frozen=True, slots=True)
class TrendWindow:
    """The mean of one window over the tasks that every window has."""

    since_us: int
    mean: float
    n: int


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """The largest shift of the score: mean distances from the tasks' means before and after.

    ``p_value`` tests for any shift; ``marker`` is the last one at or before it.
    """

    at_us: int
    before: float
    after: float
    p_value: float
    is_alarm: bool
    marker: str = ""


@dataclass(frozen=True, slots=True)
class AgentTrend(Document):
    """One unit's windows, slope per day, and change; None with a reason for too little data.

    ``tasks`` is the number of tasks shared by all windows; only those count. ``matched`` is the
    number of submissions to tasks with two or more, which the change is based on.
    """

    system: str
    windows: tuple[TrendWindow, ...]
    slope: Slope | None
    slope_reason: str
    change: ChangePoint | None
    change_reason: str
    tasks: int
    matched: int
    markers: tuple[Marker, ...]


def agent_trends(
    columns: MetricColumns,
    composites: CompositeColumns,
    *,
    value: str = "overall",
    unit: Unit = "system",
    window_us: int = 7 * DAY_US,
    markers: Sequence[Marker] = (),
    rules: Rules | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[AgentTrend, ...]:
    """Return every unit's trend, by name.

    The slope is Theil and Sen's over window means in which every task weighs the same. The change
    is the largest |CUSUM| of residuals from each task's mean; its p-value is from permutations of
    the residuals in time, and it needs at least 20 matched submissions.

    Args:
        columns: the submissions; those of unknown end or in quarantine do not count.
        composites: of the same rows.
        value: the value to follow, see ``leaderboard``.
        unit: the unit of the trends.
        window_us: the width of a window.
        markers: moments to report with the change.
        rules: the rules that select the token count.
        level: of the slope's interval; 1 - level is the p-value that raises an alarm.
        seed: seed of the permutations.
    """
    values = board_values(columns, composites, value, rules=rules or Rules())
    usable = ~np.isnan(values) & (columns.finished_us != UNKNOWN_US) & ~columns.quarantined
    code = getattr(columns, unit)
    found = []
    for number, name in enumerate(columns.names(unit)):
        rows = np.flatnonzero(usable & (code == number))
        if len(rows):
            order = sorted(
                rows.tolist(), key=lambda row: (columns.finished_us[row], columns.ids[row])
            )
            own = np.array(order, np.int64)
            parts = columns.finished_us[own], columns.task[own].astype(np.int64), values[own]
            found.append(_trend(name, *parts, window_us, markers, level, seed))
    return tuple(found)


def _trend(  # noqa: PLR0917  private, called once
    name: str,
    at: Ints,
    task: Ints,
    values: Floats,
    window_us: int,
    markers: Sequence[Marker],
    level: float,
    seed: int,
) -> AgentTrend:
    windows, tasks = _windows(at, task, values, window_us)
    slope, slope_reason = _slope(windows, level)
    change, change_reason, matched = _change(at, task, values, level, seed)
    near = [mark for mark in markers if at[0] <= mark.at_us <= at[-1]]
    if change is not None:
        change = _with_marker(change, near)
    return AgentTrend(
        system=name,
        windows=windows,
        slope=slope,
        slope_reason=slope_reason,
        change=change,
        change_reason=change_reason,
        tasks=tasks,
        matched=matched,
        markers=tuple(sorted(near, key=lambda mark: (mark.at_us, mark.text))),
    )


def _windows(
    at: Ints, task: Ints, values: Floats, window_us: int
) -> tuple[tuple[TrendWindow, ...], int]:
    """Means over the tasks that are in every window that has any submission."""
    number = at // window_us
    common = set(task.tolist())
    for one in np.unique(number):
        common &= set(task[number == one].tolist())
    if not common:
        return (), 0
    is_common = np.isin(task, sorted(common))
    found = []
    for one in np.unique(number).tolist():
        inside = is_common & (number == one)
        means = [float(values[inside & (task == each)].mean()) for each in sorted(common)]
        found.append(TrendWindow(one * window_us, sum(means) / len(means), int(inside.sum())))
    return tuple(found), len(common)


def _slope(windows: Sequence[TrendWindow], level: float) -> tuple[Slope | None, str]:
    if not windows:
        return None, "no task occurs in every window"
    days = [(one.since_us - windows[0].since_us) / DAY_US for one in windows]
    try:
        return theil_sen(days, [one.mean for one in windows], level=level), ""
    except NotEnoughData as short:
        return None, str(short)


def _change(
    at: Ints, task: Ints, values: Floats, level: float, seed: int
) -> tuple[ChangePoint | None, str, int]:
    _, place, times = np.unique(task, return_inverse=True, return_counts=True)
    matched = times[place] > 1
    n = int(matched.sum())
    if n < LEAST_MATCHED:
        return None, f"{count(n, 'matched submission')}, at least {LEAST_MATCHED} are needed", n
    means = np.bincount(place, weights=values) / times
    rest = (values - means[place])[matched]
    if not np.abs(rest).max() > 0:
        return None, "no variation within any task", n
    sums = np.abs(np.cumsum(rest))[:-1]
    split = int(sums.argmax()) + 1
    p = _p_value(rest, float(sums.max()), seed)
    change = ChangePoint(
        at_us=int(at[matched][split]),
        before=float(rest[:split].mean()),
        after=float(rest[split:].mean()),
        p_value=p,
        is_alarm=p <= round(1 - level, 12),
    )
    return change, "", n


def _p_value(rest: Floats, largest: float, seed: int) -> float:
    """Return the share of shuffled residuals that drift as far, the observed one included."""
    generator = np.random.Generator(np.random.PCG64(seed))
    shuffled = generator.permuted(np.tile(rest, (DRAWS, 1)), axis=1)
    drifts = np.abs(np.cumsum(shuffled, axis=1)[:, :-1]).max(axis=1)
    return float((1 + (drifts >= largest * (1 - 1e-12)).sum()) / (1 + DRAWS))


def _with_marker(change: ChangePoint, markers: Sequence[Marker]) -> ChangePoint:
    """With the last marker at or before it."""
    before = [mark for mark in markers if mark.at_us <= change.at_us]
    text = max(before, key=lambda mark: (mark.at_us, mark.text)).text if before else ""
    return ChangePoint(
        change.at_us, change.before, change.after, change.p_value, change.is_alarm, text
    )
