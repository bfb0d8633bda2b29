"""The tables of systems over time: a row for each system, and one for each window."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, TypeAlias

from benchmaker.analysis.boards.agent_trends import AgentTrend, ChangePoint, TrendWindow
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.board_words import VALUE_NAMES, board_figure_text, day
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import TableColumn, TableDeclaration
from benchmaker.stats.theil_sen import Slope

_MARKERS, _WINDOWS, _INTERVAL = 1, 2, 3
"""What gives way first on a narrow terminal."""


@dataclass(frozen=True, slots=True)
class TrendsView:
    """The trends of systems, and the figure of boards that they are of, for texts."""

    trends: Sequence[AgentTrend]
    value: str = "overall"


@dataclass(frozen=True, slots=True)
class WindowRow:
    """A window of a system, from its beginning to ``until_us``; None for the last one."""

    trend: AgentTrend
    window: TrendWindow
    until_us: int | None


def _window_rows(made: TrendsView) -> list[WindowRow]:
    return [
        WindowRow(trend, window, following.since_us if following else None)
        for trend in made.trends
        for window, following in zip_longest(trend.windows, trend.windows[1:])
    ]


def difference_text(value: str, difference: float) -> str:
    """A difference of two figures with its sign."""
    sign = "+" if difference > 0 else numbers.MINUS if difference < 0 else ""
    return f"{sign}{board_figure_text(value, abs(difference))}"


def _slope(one: AgentTrend, value: str) -> str:
    return difference_text(value, 7 * one.slope.slope) if one.slope else "no slope"


def _slope_interval(one: AgentTrend, value: str) -> str:
    if one.slope is None or one.slope.low is None or one.slope.high is None:
        return missing_figures.NO_INTERVAL
    ends = (difference_text(value, 7 * end) for end in (one.slope.low, one.slope.high))
    return f"[{', '.join(ends)}]"


def _change(one: AgentTrend, value: str) -> str:
    if one.change is None:
        return missing_figures.NOT_TESTED
    words = difference_text(value, one.change.after - one.change.before)
    return f"{words} on {day(one.change.at_us)}" if one.change.is_alarm else "no change"


def _markers(row: WindowRow) -> str:
    """The markers within a window."""
    since, until = row.window.since_us, row.until_us
    found = (
        it for it in row.trend.markers if since <= it.at_us and (until is None or it.at_us < until)
    )
    return "; ".join(name(it.text) for it in found)


AGENT_TRENDS: TableDeclaration[TrendsView, AgentTrend] = TableDeclaration(
    "trends",
    (
        TableColumn(
            name="system", title="System", text=lambda one, _: name(one.system), is_right=False
        ),
        TableColumn(
            title="Windows", text=lambda one, _: f"{len(one.windows):,}", gives_way=_WINDOWS
        ),
        TableColumn(
            name="tasks", title="Tasks", text=lambda one, _: f"{one.tasks:,}", gives_way=_WINDOWS
        ),
        TableColumn(title="Slope\na week", text=lambda one, made: _slope(one, made.value)),
        TableColumn(
            title="95% CI",
            text=lambda one, made: _slope_interval(one, made.value),
            gives_way=_INTERVAL,
        ),
        TableColumn(
            title="Change", text=lambda one, made: _change(one, made.value), is_right=False
        ),
        TableColumn(
            title="p",
            text=lambda one, _: missing_figures.optional_p_value(
                one.change.p_value if one.change else None
            ),
        ),
        TableColumn(
            title="Version markers",
            text=lambda one, _: "; ".join(f"{day(it.at_us)} {name(it.text)}" for it in one.markers),
            is_right=False,
            gives_way=_MARKERS,
        ),
    ),
    rows=lambda made: made.trends,
)
"""The slope of each system a week with its interval, and its change."""

WindowColumn: TypeAlias = TableColumn[TrendsView, WindowRow]


def _of_slope(column: str, part: Callable[[Slope], Any]) -> WindowColumn:
    """A figure of the slope a day, for files."""
    return TableColumn(
        name=column, value=lambda row, _: part(row.trend.slope) if row.trend.slope else None
    )


def _of_change(column: str, part: Callable[[ChangePoint], Any]) -> WindowColumn:
    """A figure of the change, for files."""
    return TableColumn(
        name=column, value=lambda row, _: part(row.trend.change) if row.trend.change else None
    )


TREND_WINDOWS: TableDeclaration[TrendsView, WindowRow] = TableDeclaration(
    "windows",
    (
        TableColumn(name="system", value=lambda row, _: row.trend.system),
        TableColumn(
            name="since",
            value=lambda row, _: day(row.window.since_us),
            title="From",
            text=lambda row, _: day(row.window.since_us),
            is_right=False,
        ),
        TableColumn(
            name="mean",
            value=lambda row, _: row.window.mean,
            title=lambda made: VALUE_NAMES[made.value],
            text=lambda row, made: board_figure_text(made.value, row.window.mean),
        ),
        TableColumn(
            name="n",
            value=lambda row, _: row.window.n,
            title="n",
            text=lambda row, _: f"{row.window.n:,}",
        ),
        TableColumn(title="Marker", text=lambda row, _: _markers(row), is_right=False),
        TableColumn(name="tasks", value=lambda row, _: row.trend.tasks),
        _of_slope("slope_a_day", lambda slope: slope.slope),
        _of_slope("slope_low", lambda slope: slope.low),
        _of_slope("slope_high", lambda slope: slope.high),
        _of_change("change_at", lambda change: day(change.at_us)),
        _of_change("before", lambda change: change.before),
        _of_change("after", lambda change: change.after),
        _of_change("p_value", lambda change: change.p_value),
        _of_change("alarm", lambda change: change.is_alarm),
        _of_change("marker", lambda change: change.marker),
        TableColumn(
            name="reason", value=lambda row, _: row.trend.change_reason or row.trend.slope_reason
        ),
    ),
    rows=_window_rows,
    caption=lambda made: ", ".join(name(one.system) for one in made.trends),
)
"""The mean of each window and the markers within it; in files with the slope and the change."""
